/*
 * lines_csv.c - source lines and instructions as comma-separated values.
 *
 * Lines that are not known have an empty field; instructions without samples
 * are there, too.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/report/csv_values.h"
#include "analyzer/report/questions/questions_private.h"

static int put_function(FILE *out, const char *profile, const struct tree *tree,
	uint32_t function)
{
	const struct function *f = question_function(tree, function);

	fprintf(out, "%s,", profile);
	return csv_field(
		       out, tree->data->resources[tree->view.resource].name) ||
			       csv_field(out, f->name) ||
			       csv_field(out, f->module)
		       ? -1
		       : 0;
}

static void put_line_number(FILE *out, uint32_t line)
{
	if (line)
		fprintf(out, "%" PRIu32, line);
	fputc(',', out);
}

static void put_figures(FILE *out, const struct tree *tree,
	const struct tree_sums *total, const struct tree_sums *self)
{
	fprintf(out, "%.5f,%.5f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
		question_fraction(tree, total->weight),
		question_fraction(tree, self->weight), total->weight,
		self->weight, total->samples);
}

int listing_csv(FILE *out, const struct listing *listing, bool all,
	const struct report_options *options)
{
	const struct tree *tree = listing->tree;

	(void)all;
	(void)options;
	fputs("profile,resource,function,module,file,line,fraction,"
	      "self_fraction,weight,self,samples\n",
		out);
	for (size_t i = 0; i < listing->n; i++) {
		const struct source_function *f = listing->v[i].figures;

		for (size_t k = 0; k < f->nlines; k++) {
			const struct source_line *line = &f->lines[k];

			if (put_function(out, "list", tree, f->function) ||
				csv_field(out, line->file))
				return -1;
			put_line_number(out, line->line);
			put_figures(out, tree, &line->total, &line->self);
		}
	}
	return 0;
}

int code_csv(FILE *out, const struct code *code, bool all,
	const struct source_paths *paths, const struct report_options *options)
{
	(void)all;
	(void)paths;
	(void)options;
	fputs("profile,resource,function,module,address,instruction,target,"
	      "file,line,fraction,self_fraction,weight,self,samples\n",
		out);
	for (size_t i = 0; i < code->n; i++)
		for (size_t k = 0; k < code->v[i].n; k++) {
			const struct code_line *line = &code->v[i].lines[k];

			if (put_function(out, "asm", code->tree,
				    code->v[i].function))
				return -1;
			fprintf(out, "0x%" PRIx64 ",", line->addr);
			if (csv_field(out, line->text) ||
				csv_field(out, line->target) ||
				csv_field(out, line->file))
				return -1;
			put_line_number(out, line->line);
			put_figures(out, code->tree, &line->total, &line->self);
		}
	return 0;
}
