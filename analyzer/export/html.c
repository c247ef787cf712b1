/*
 * html.c - profiles as one page for a browser, which needs nothing else.
 *
 * The page has the sample trees and computes the profiles itself
 * (page/model.js).  Its data is packed: a length, that many bytes of JSON
 * (names, resources, accounting), then for each tree the number of its nodes
 * and four columns of unsigned LEB128 numbers, in the order of the nodes: twice
 * how many levels the node is above a child of the one before it, and one more
 * if it has weight of its own; its frame; its own weight and its own samples,
 * where it has some.  (500 000 stacks of 24 frames: 12.4 MB.)
 */
#include <config.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/arena.h"
#include "lib/set.h"
#include "lib/text.h"
#include "analyzer/export/export.h"
#include "analyzer/export/find_leaks.h"
#include "analyzer/export/gzip.h"
#include "analyzer/export/over_time.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/report_private.h"

/* The page with its style and scripts, as local.mk puts it together. */
__asm__(".section .rodata\n"
	"export_page:\n"
	".incbin \"analyzer/export/page/whole.html\"\n"
	".byte 0\n"
	".previous\n");
extern const char export_page[];

/* A function, called from a site. */
struct page_frame {
	const char *site;  /* of a tree's strings */
	uint64_t function; /* of the page */
};

struct html_page {
	const struct export *x;
	const struct dataset *data;
	struct tree **trees; /* one a resource; the first is shown first */
	size_t ntrees;
	uint32_t root;      /* function */
	uint32_t *number;   /* by function of the dataset: the page's, less 1 */
	uint32_t *function; /* by the page's number: the dataset's */
	uint32_t nfunctions, npseudo;
	SET_OF(struct page_frame) frames;
	uint32_t **frame; /* by tree and node; NULL: it is the function */
	struct over_time time;
	struct leaks leaks[LIVES_PAIRS]; /* zeros: none */
};

#define LEAKS_MOST 500 /* paths, the largest */

/* Numbers the functions that stand in a tree, [all] first. */
static int number_functions(struct html_page *w)
{
	uint32_t n = (uint32_t)dataset_numbers(w->data) - 1; /* and groups */

	w->number = calloc((size_t)n + 1, sizeof *w->number);
	w->function = calloc((size_t)n + 1, sizeof *w->function);
	if (!w->number || !w->function)
		return -1;
	w->number[FN_ALL] = 1;
	w->number[w->root] = 1;
	for (size_t k = 0; k < w->ntrees; k++)
		for (uint32_t i = 0; i < w->trees[k]->n; i++)
			w->number[w->trees[k]->nodes[i].function] = 1;
	for (size_t k = 0; k < LIVES_PAIRS; k++)
		for (size_t i = 0; i < w->leaks[k].all.n; i++)
			w->number[w->leaks[k].all.v[i].function] = 1;
	for (uint32_t f = FN_ALL; f <= n; f++) {
		if (!w->number[f])
			continue;
		w->number[f] = w->nfunctions;
		w->function[w->nfunctions++] = f;
		w->npseudo += f < FN_FIRST_REAL;
	}
	return 0;
}

/* The number of a frame of TREE; UINT32_MAX: out of memory. */
static uint32_t frame_of(
	struct html_page *w, const struct tree *tree, uint32_t number)
{
	const struct page_frame frame = {
		.site = tree_site(tree, tree->sites[number]),
		.function = w->number[tree->nodes[number].function]};
	uint32_t i;

	if (!*frame.site)
		return (uint32_t)frame.function;
	i = set_add(&w->frames, &frame, 0);
	return i == HASH_NONE ? UINT32_MAX : w->nfunctions + i;
}

/* Where call sites are told apart, each node's frame. */
static int number_frames(struct html_page *w)
{
	w->frame = calloc(w->ntrees, sizeof *w->frame);
	if (!w->frame)
		return -1;
	for (size_t k = 0; k < w->ntrees && w->x->view.sites; k++) {
		const struct tree *tree = w->trees[k];

		w->frame[k] = calloc((size_t)tree->n + 1, sizeof **w->frame);
		if (!w->frame[k])
			return -1;
		for (uint32_t i = 0; i < tree->n; i++) {
			uint32_t frame = frame_of(w, tree, i);

			if (frame == UINT32_MAX)
				return -1;
			w->frame[k][i] = frame;
		}
	}
	return 0;
}

/* A name of any bytes, as JSON of what a page may show. */
static json_t *name(const char *s)
{
	char *escaped = report_escape(s, "");
	json_t *json = escaped ? json_string(escaped) : NULL;

	free(escaped);
	return json;
}

static const char *name_of(const struct html_page *w, uint32_t function)
{
	const struct function *f = &w->data->functions[function];

	return w->x->short_names ? f->brief : f->shown;
}

static json_t *functions_array(const struct html_page *w)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < w->nfunctions; i++)
		json_array_append_new(array, name(name_of(w, w->function[i])));
	return array;
}

/* Base names of modules, each once; the first is that of [all]. */
static int put_modules(const struct html_page *w, json_t *facts)
{
	json_t *modules = json_array(), *module = json_array();
	struct strings known = {0};
	int bad = 0;

	for (uint32_t i = 0; i < w->nfunctions && !bad; i++) {
		const char *base = w->data->functions[w->function[i]].module;
		uint32_t id = strings_add(&known, base, strlen(base));

		bad = id == UINT32_MAX ||
		      json_array_append_new(module, json_integer(id));
	}
	for (uint32_t i = 0; !bad && i < strings_count(&known); i++)
		bad = json_array_append_new(
			modules, name(strings_get(&known, i)));
	bad = json_object_set_new(facts, "modules", modules) || bad;
	bad = json_object_set_new(facts, "module", module) || bad;
	strings_free(&known);
	return bad ? -1 : 0;
}

/* By function a letter: what the rule of paths asks about it. */
static json_t *kinds_string(const struct html_page *w)
{
	char *kinds = calloc((size_t)w->nfunctions + 1, 1);
	json_t *json;

	for (uint32_t i = 0; kinds && i < w->nfunctions; i++) {
		const struct function *f = &w->data->functions[w->function[i]];

		kinds[i] = path_is_generated(f)    ? 'g'
			   : path_is_own(f, true)  ? 'o'
			   : path_is_own(f, false) ? 'i' /* interpreter */
			   : path_is_start(f)      ? 's'
						   : 'l'; /* library */
	}
	json = kinds ? json_string(kinds) : NULL;
	free(kinds);
	return json;
}

/* [function, site] by frame; those of [0..nfunctions) have no site. */
static json_t *frames_array(const struct html_page *w)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < w->nfunctions; i++)
		json_array_append_new(array, json_pack("[i,s]", (int)i, ""));
	for (size_t i = 0; i < w->frames.n; i++)
		json_array_append_new(
			array, json_pack("[i,o]", (int)w->frames.v[i].function,
				       name(w->frames.v[i].site)));
	return array;
}

static void put_line(json_t *lines, const char *label, const char *text)
{
	json_array_append_new(lines, json_pack("[s,s]", label, text));
}

/* "1 886 samples"; returns BUF. */
static char *count(const char *word, uint64_t n, char *buf, size_t size)
{
	char digits[32];

	layout_number(n, digits, sizeof digits);
	snprintf(buf, size, "%s %s%s", digits, word, text_plural(word, n));
	return buf;
}

/* As report_amount(), with counts as all of the page has them. */
static char *exact_amount(
	const struct cpd_resource *r, uint64_t gticks, char *buf, size_t size)
{
	return r->unit == CPD_COUNT ? count(r->gtick, gticks, buf, size)
				    : report_amount(r, gticks, buf, size);
}

/* Lines about the books of a resource: consumed, in samples, lost. */
static json_t *books_lines(const struct tree *tree)
{
	const struct cpd_resource *r = tree_resource(tree);
	const struct books *books = tree_books(tree);
	json_t *lines = json_array();
	char a[128], b[64], text[256];

	if (books->has_total)
		put_line(lines, "consumed",
			exact_amount(r, books->total, a, sizeof a));
	else
		put_line(lines, "consumed", "not known");
	exact_amount(r, books->weight, a, sizeof a);
	snprintf(text, sizeof text, "%s, %s", a,
		count("sample", books->samples, b, sizeof b));
	put_line(lines, "in samples", text);
	for (int kind = 0; kind < CPD_LOSS_KINDS; kind++)
		if (books->loss[kind])
			put_line(lines, cpd_loss_names[kind],
				exact_amount(
					r, books->loss[kind], a, sizeof a));
	snprintf(text, sizeof text, "%s of %s",
		layout_number(books->truncated, a, sizeof a),
		count("sample", books->samples, b, sizeof b));
	put_line(lines, "truncated stacks", text);
	if (report_has_filters(tree)) {
		exact_amount(r, tree_total(tree, 0)->weight, a, sizeof a);
		put_line(lines, "kept by filters", a);
	}
	return lines;
}

/* Amounts by parts of the run's time; null where these are not known. */
static json_t *parts_array(const struct html_page *w, uint32_t resource)
{
	json_t *array;

	if (!resource || w->time.from == w->time.to)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < OVER_TIME_PARTS; i++)
		json_array_append_new(
			array, json_number(w->time.of[resource][i]));
	return array;
}

static json_t *path_array(const struct html_page *w, const struct leaks *leaks,
	const struct leak *leak)
{
	const uint32_t *path = leaks_path(leaks, leak);
	json_t *array = json_array();

	for (uint32_t i = 0; i < leak->length; i++)
		json_array_append_new(array, json_integer(w->number[path[i]]));
	return array;
}

/* Of what lives: [path, amount, oldest s, median s], the largest first. */
static json_t *leaks_array(const struct html_page *w, uint32_t resource)
{
	json_t *array = json_array();

	for (size_t k = 0; k < LIVES_PAIRS; k++) {
		const struct leaks *leaks = &w->leaks[k];
		size_t n = leaks->shown.n < LEAKS_MOST ? leaks->shown.n
						       : LEAKS_MOST;

		if (resource != leaks->pair.first + LIVES_LIVE)
			continue;
		for (size_t i = 0; i < n; i++) {
			const struct leak *leak =
				&leaks->all.v[leaks->shown.v[i]];

			json_array_append_new(
				array, json_pack("[o,f,f,f]",
					       path_array(w, leaks, leak),
					       (double)leak->sums.weight,
					       (double)leak->oldest / 1e9,
					       (double)leak->median / 1e9));
		}
	}
	return array;
}

static json_t *resource_object(
	const struct html_page *w, const struct tree *tree)
{
	const struct cpd_resource *r = tree_resource(tree);
	const struct books *books = tree_books(tree);
	uint64_t all = books->has_total ? books->total : tree->whole.weight;
	char a[128], b[256], units[128], text[512];

	if (r->unit == CPD_COUNT)
		count(r->gtick, all, a, sizeof a);
	else
		layout_amount(r, all, a, sizeof a);
	snprintf(text, sizeof text, "%s, %s", a,
		report_samples(r, books, b, sizeof b));
	snprintf(units, sizeof units, "%s%s", r->gtick,
		text_plural(r->gtick, 2));
	return json_pack("{s:o,s:o,s:o,s:o,s:f,s:o,s:o,s:o,s:o,s:o}", "name",
		name(r->name), "title", name(r->title), "unit",
		name(r->unit == CPD_COUNT      ? r->gtick
			: r->unit == CPD_BYTES ? "bytes"
					       : "us"),
		"units", name(units), "whole", (double)tree->whole.weight,
		"consumed", name(text), "books", books_lines(tree), "parts",
		parts_array(w, tree->view.resource), "level",
		parts_array(w, over_time_most(w->data, tree->view.resource)),
		"leaks", leaks_array(w, tree->view.resource));
}

static json_t *notes_array(const struct html_page *w)
{
	const struct filters *filters = w->x->view.filters;
	json_t *array = json_array();
	char text[1024];

	for (size_t i = 0; filters && i < filters->n; i++) {
		snprintf(text, sizeof text, "Filter: %s %s.",
			filter_names[filters->v[i].kind], filters->v[i].name);
		json_array_append_new(array, name(text));
	}
	json_array_append_new(
		array, json_string("Made by cpprof " PACKAGE_VERSION "."));
	return array;
}

/* The command line, its words apart by blanks. */
static json_t *program_string(const struct dataset *data)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	json_t *json;

	if (!f)
		return NULL;
	for (uint32_t i = 0; i < data->head.argc; i++)
		fprintf(f, "%s%s", i ? " " : "", data->head.argv[i]);
	text = text_end(f, &text);
	json = text ? name(*text ? text : "cpprof") : NULL;
	free(text);
	return json;
}

static char *facts_text(const struct html_page *w)
{
	json_t *facts = json_object(), *resources = json_array();
	char *text = NULL;
	int bad = 0;

	for (size_t k = 0; k < w->ntrees; k++)
		bad |= json_array_append_new(
			resources, resource_object(w, w->trees[k]));
	bad |= json_object_set_new(facts, "resources", resources);
	bad |= json_object_set_new(facts, "program", program_string(w->data));
	bad |= json_object_set_new(facts, "root", name(name_of(w, w->root)));
	bad |= json_object_set_new(
		facts, "threshold", json_real(w->x->threshold));
	bad |= json_object_set_new(facts, "seconds",
		json_real((double)(w->time.to - w->time.from) / 1e9));
	bad |= json_object_set_new(facts, "pseudo", json_integer(w->npseudo));
	bad |= json_object_set_new(facts, "functions", functions_array(w));
	bad |= json_object_set_new(facts, "kinds", kinds_string(w));
	bad |= json_object_set_new(facts, "notes", notes_array(w));
	if (w->x->view.sites)
		bad |= json_object_set_new(facts, "frames", frames_array(w));
	bad |= put_modules(w, facts);
	if (!bad)
		text = json_dumps(facts, JSON_COMPACT);
	json_decref(facts);
	return text;
}

static void pack_tree(const struct html_page *w, size_t k, struct bytes *to)
{
	const struct tree *tree = w->trees[k];
	const struct tree_node *nodes = tree->nodes;

	bytes_varint(to, tree->n);
	for (uint32_t i = 0; i < tree->n; i++) {
		uint32_t up = i ? nodes[i - 1].depth + 1 - nodes[i].depth : 0;

		bytes_varint(
			to, 2 * (uint64_t)up + (tree_self(tree, i).weight > 0));
	}
	for (uint32_t i = 0; i < tree->n; i++)
		bytes_varint(to, w->frame[k] ? w->frame[k][i]
					     : w->number[nodes[i].function]);
	for (uint32_t i = 0; i < tree->n; i++)
		if (tree_self(tree, i).weight)
			bytes_varint(to, tree_self(tree, i).weight);
	for (uint32_t i = 0; i < tree->n; i++)
		if (tree_self(tree, i).weight)
			bytes_varint(to, tree_self(tree, i).samples);
}

static int put_data(FILE *out, const struct html_page *w)
{
	char *facts = facts_text(w);
	struct bytes data = {0};
	int status = -1;

	if (facts) {
		bytes_varint(&data, strlen(facts));
		bytes_put(&data, facts, strlen(facts));
		for (size_t k = 0; k < w->ntrees; k++)
			pack_tree(w, k, &data);
		status = gzip_write(out, &data, Z_BEST_COMPRESSION, true);
	}
	bytes_free(&data);
	free(facts);
	return status;
}

static int put_page(FILE *out, const struct html_page *w)
{
	static const char mark[] = "@data@\n";
	const char *at = strstr(export_page, mark);

	fwrite(export_page, 1, (size_t)(at - export_page), out);
	if (put_data(out, w))
		return -1;
	fputs(at + sizeof mark - 2, out);
	return 0;
}

/* Makes the trees: the view's resource first, then the others with samples. */
static int make_trees(struct html_page *w, struct err *err)
{
	struct tree_view view = w->x->view;
	uint32_t n = w->data->nresources;

	w->trees = calloc((size_t)n + 1, sizeof *w->trees);
	if (!w->trees)
		return err_memory(err, NULL, "report");
	for (uint32_t k = 0; k <= (w->x->all ? n : 0); k++) {
		struct tree *tree;

		if (k == w->x->view.resource)
			continue;
		view.resource = k ? k : w->x->view.resource;
		if (w->x->own_objects)
			view.objects = tree_own_objects(w->data, view.resource);
		tree = tree_new(w->data, &view, err);
		if (!tree)
			return -1;
		w->trees[w->ntrees++] = tree;
		if (k && !tree_total(tree, 0)->weight)
			tree_free(w->trees[--w->ntrees]);
	}
	return 0;
}

/* Of the resources that the page has, where the file can be read again. */
static int find_page_leaks(struct html_page *w, struct err *err)
{
	if (strcmp(w->data->path, "-") == 0)
		return 0;
	for (size_t k = 0; k < w->ntrees; k++)
		for (size_t i = 0; i < LIVES_PAIRS; i++) {
			const struct lives_pair *pair = &w->data->lives[i];

			if (pair->first &&
				w->trees[k]->view.resource ==
					pair->first + LIVES_LIVE &&
				find_leaks(&w->leaks[i], w->trees[k], pair, 0,
					err))
				return -1;
		}
	return 0;
}

static bool stands_in(const struct tree *tree, uint32_t function)
{
	for (uint32_t i = 0; i < tree->n; i++)
		if (tree->nodes[i].function == function)
			return true;
	return false;
}

int export_html(FILE *out, const struct export *x, struct err *err)
{
	struct html_page w = {.x = x, .data = x->data, .root = x->root};
	int bad = make_trees(&w, err);

	if (!bad)
		bad = over_time_init(&w.time, x, err) ||
		      find_page_leaks(&w, err);
	if (!bad && !stands_in(w.trees[0], x->root))
		w.root = FN_ALL;
	if (!bad && (number_functions(&w) || number_frames(&w) ||
			    put_page(out, &w)))
		bad = err_memory(err, NULL, "report");
	for (size_t k = 0; k < w.ntrees; k++) {
		tree_free(w.trees[k]);
		if (w.frame)
			free(w.frame[k]);
	}
	free(w.trees);
	free(w.frame);
	free(w.number);
	free(w.function);
	set_free(&w.frames);
	over_time_fini(&w.time);
	for (size_t i = 0; i < LIVES_PAIRS; i++)
		leaks_fini(&w.leaks[i]);
	return bad ? -1 : 0;
}
