/*
 * lines_data.c - source lines and instructions, for programs.
 *
 * Instructions without samples are there, too.
 */
#include <stdlib.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/questions/questions_private.h"
#include "analyzer/report/rows.h"

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

static json_t *line_object(const struct tree *tree,
	const struct listing_part *part, const struct source_line *line)
{
	char *text = part ? source_text_line(&part->text, line->line) : NULL;
	json_t *object = json_pack("{s:o,s:o,s:o}", "file",
		json_known_text(line->file), "line",
		json_known_number(line->line), "text",
		text && part->text.path ? json_text(text) : json_null());

	free(text);
	return json_with(object, figures(tree, &line->total, &line->self));
}

/* The lines of all parts, behind those not known. */
static json_t *lines_array(
	const struct tree *tree, const struct listing_function *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->figures->nlines; i++) {
		const struct source_line *line = &f->figures->lines[i];
		const struct listing_part *part = NULL;

		for (size_t k = 0; k < f->nparts; k++)
			if (line >= f->parts[k].lines &&
				line < f->parts[k].lines + f->parts[k].nlines)
				part = &f->parts[k];
		json_add(&list, line_object(tree, part, line));
	}
	return list;
}

static json_t *sources_array(const struct listing_function *f)
{
	json_t *list = json_array();

	for (const struct listing_part *p = f->parts; p < f->parts + f->nparts;
		p++)
		json_add(&list, json_pack("{s:o,s:o,s:b}", "file",
					json_text(p->file), "path",
					p->text.path ? json_text(p->text.path)
						     : json_null(),
					"newer", p->newer));
	return list;
}

static json_t *function_object(const void *of, size_t i)
{
	const struct listing *listing = of;
	const struct listing_function *f = &listing->v[i];
	const struct function *function =
		question_function(listing->tree, f->figures->function);

	return json_with(json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "function",
				 json_text(function->name), "module",
				 json_known_text(function->module), "file",
				 json_known_text(function->file), "line",
				 json_known_number(function->line), "sources",
				 sources_array(f), "lines",
				 lines_array(listing->tree, f)),
		figures(listing->tree, &f->figures->total, &f->figures->self));
}

static json_t *lines_of(json_t *entry)
{
	return json_incref(json_object_get(entry, "lines"));
}

int listing_data(FILE *out, const struct report_format *format,
	const struct listing *listing)
{
	const struct rows rows = {
		"profile,\"resource\",\"function\",\"module\",\"file\",line,"
		"fraction,self_fraction,weight,self,samples",
		listing->n, function_object, listing, lines_of, NULL};

	return format->write_rows(out,
		json_with(json_head(listing->tree, "list", 0),
			json_pack("{s:b}", "late", listing->late)),
		&rows);
}

static json_t *piece_object(const void *of, size_t i)
{
	const struct code *code = of;
	const struct code_piece *piece = &code->v[i];
	const struct function *function =
		question_function(code->tree, piece->function);
	json_t *list = json_array();
	json_t *object = json_pack("{s:o,s:o,s:o,s:o}", "function",
		json_text(function->name), "module",
		json_known_text(function->module), "begin",
		json_number(piece->lo), "end", json_number(piece->hi));

	for (const struct code_line *line = piece->lines;
		line < piece->lines + piece->n; line++)
		json_add(&list,
			json_with(json_pack("{s:o,s:o,s:o,s:o,s:o}", "address",
					  json_number(line->addr), "text",
					  json_text(line->text), "target",
					  json_known_text(line->target), "file",
					  json_known_text(line->file), "line",
					  json_known_number(line->line)),
				figures(code->tree, &line->total,
					&line->self)));
	object = json_with(
		object, figures(code->tree, &piece->total, &piece->self));
	return json_with(object, json_pack("{s:o}", "instructions", list));
}

static json_t *instructions_of(json_t *entry)
{
	return json_incref(json_object_get(entry, "instructions"));
}

int code_data(
	FILE *out, const struct report_format *format, const struct code *code)
{
	const struct rows rows = {
		"profile,\"resource\",\"function\",\"module\",address:x,"
		"\"instruction=text\",\"target\",\"file\",line,fraction,"
		"self_fraction,weight,self,samples",
		code->n, piece_object, code, instructions_of, NULL};

	return format->write_rows(out, json_head(code->tree, "asm", 0), &rows);
}
