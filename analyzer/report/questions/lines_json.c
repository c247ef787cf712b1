/* lines_json.c - source lines and instructions, an object on one line. */
#include "analyzer/report/json_values.h"
#include "analyzer/report/questions/questions_private.h"

static json_t *figures(const struct tree *tree, const struct tree_sums *total,
	const struct tree_sums *self)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o}", "fraction",
		json_fraction(question_fraction(tree, total->weight)),
		"self_fraction",
		json_fraction(question_fraction(tree, self->weight)), "weight",
		json_number(total->weight), "self", json_number(self->weight),
		"samples", json_number(total->samples));
}

/* OBJECT with TOTAL and SELF; takes over OBJECT. */
static json_t *with_figures(json_t *object, const struct tree *tree,
	const struct tree_sums *total, const struct tree_sums *self)
{
	json_t *more = figures(tree, total, self);

	if (!object || !more || json_object_update(object, more)) {
		json_decref(object);
		object = NULL;
	}
	json_decref(more);
	return object;
}

static json_t *source_line_object(const struct tree *tree,
	const struct listing_part *part, const struct source_line *line)
{
	char *text = part ? source_text_line(&part->text, line->line) : NULL;
	json_t *object = json_pack("{s:o,s:o,s:o}", "file",
		json_known_text(line->file), "line",
		json_known_number(line->line), "text",
		text && part->text.path ? json_text(text) : json_null());

	free(text);
	return with_figures(object, tree, &line->total, &line->self);
}

/* The lines of all parts, behind those not known. */
static json_t *lines_array(
	const struct tree *tree, const struct listing_function *f)
{
	json_t *array = json_array();

	for (size_t i = 0; i < f->figures->nlines; i++) {
		const struct source_line *line = &f->figures->lines[i];
		const struct listing_part *part = NULL;

		for (size_t k = 0; k < f->nparts; k++)
			if (line >= f->parts[k].lines &&
				line < f->parts[k].lines + f->parts[k].nlines)
				part = &f->parts[k];
		if (json_array_append_new(
			    array, source_line_object(tree, part, line))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *source_object(const struct listing_part *part)
{
	return json_pack("{s:o,s:o,s:b}", "file", json_text(part->file), "path",
		part->text.path ? json_text(part->text.path) : json_null(),
		"newer", part->newer);
}

static json_t *sources_array(const struct listing_function *f)
{
	json_t *array = json_array();

	for (size_t i = 0; i < f->nparts; i++)
		if (json_array_append_new(array, source_object(&f->parts[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *function_object(
	const struct tree *tree, const struct listing_function *f)
{
	const struct function *function =
		question_function(tree, f->figures->function);
	json_t *object = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "function",
		json_text(function->name), "module",
		json_known_text(function->module), "file",
		json_known_text(function->file), "line",
		json_known_number(function->line), "sources", sources_array(f),
		"lines", lines_array(tree, f));

	return with_figures(
		object, tree, &f->figures->total, &f->figures->self);
}

int listing_json(FILE *out, const struct listing *listing, bool all,
	const struct report_options *options)
{
	(void)all;
	(void)options;
	if (json_put(out, json_head(listing->tree, "list", 0), 0, 1))
		return -1;
	fprintf(out, ",\"late\":%s,\"entries\":[",
		listing->late ? "true" : "false");
	for (size_t i = 0; i < listing->n; i++) {
		fputs(i ? "," : "", out);
		if (json_put(out,
			    function_object(listing->tree, &listing->v[i]), 0,
			    0))
			return -1;
	}
	fputs("]}\n", out);
	return 0;
}

static json_t *instruction_object(
	const struct tree *tree, const struct code_line *line)
{
	json_t *object = json_pack("{s:o,s:o,s:o,s:o,s:o}", "address",
		json_number(line->addr), "text", json_text(line->text),
		"target", json_known_text(line->target), "file",
		json_known_text(line->file), "line",
		json_known_number(line->line));

	return with_figures(object, tree, &line->total, &line->self);
}

static int put_piece(
	FILE *out, const struct tree *tree, const struct code_piece *piece)
{
	const struct function *function =
		question_function(tree, piece->function);
	json_t *object = json_pack("{s:o,s:o,s:o,s:o}", "function",
		json_text(function->name), "module",
		json_known_text(function->module), "begin",
		json_number(piece->lo), "end", json_number(piece->hi));

	object = with_figures(object, tree, &piece->total, &piece->self);
	if (json_put(out, object, 0, 1))
		return -1;
	fputs(",\"instructions\":[", out);
	for (size_t i = 0; i < piece->n; i++) {
		fputs(i ? "," : "", out);
		if (json_put(out, instruction_object(tree, &piece->lines[i]), 0,
			    0))
			return -1;
	}
	fputs("]}", out);
	return 0;
}

int code_json(FILE *out, const struct code *code, bool all,
	const struct source_paths *paths, const struct report_options *options)
{
	(void)all;
	(void)paths;
	(void)options;
	if (json_put(out, json_head(code->tree, "asm", 0), 0, 1))
		return -1;
	fputs(",\"entries\":[", out);
	for (size_t i = 0; i < code->n; i++) {
		fputs(i ? "," : "", out);
		if (put_piece(out, code->tree, &code->v[i]))
			return -1;
	}
	fputs("]}\n", out);
	return 0;
}
