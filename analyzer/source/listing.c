/* listing.c - lines, the files they are in, and whether these can be trusted.
 */
#include "analyzer/source/listing.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "lib/impl.h"
#include "lib/order.h"
#include "lib/text.h"
#include "lib/vec.h"
#include "analyzer/source/binary.h"

struct listing_private {
	struct source_lines *lines;
	struct arena arena;
	VEC(struct source_text *) texts; /* to be closed */
};

struct maker {
	struct listing *listing;
	struct source_paths *paths;
	const char *name;
	uint32_t module; /* the last whose file was looked at, then: */
	int64_t built;
	enum binary_state state;
};

/* --- the module's file --- */

static int look_at_binary(struct maker *m, uint32_t module, struct err *err)
{
	const struct dataset *data = m->listing->tree->data;
	struct binary binary;
	struct err why;

	if (module == m->module)
		return 0;
	binary_open(&binary, &data->modules[module],
		m->paths ? &m->paths->search : NULL, &why);
	m->module = module;
	m->state = binary.state;
	m->built = binary.state == BINARY_SAME
			   ? binary.modified
			   : (int64_t)(data->head.start_unix / 1000000000);
	binary_close(&binary);
	if (m->state != BINARY_CHANGED)
		return 0;
	*err = why;
	return -1;
}

/* --- one function --- */

static uint64_t part_self(const struct listing_part *part)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < part->nlines; i++)
		sum += part->lines[i].self.weight + part->lines[i].total.weight;
	return sum;
}

static int compare_parts(const void *a, const void *b)
{
	const struct listing_part *x = a, *y = b;
	uint64_t m = part_self(x), n = part_self(y);

	return ORDER(n, m) ?: strcmp(x->file, y->file);
}

/* PATH without its `./', as functions' files are. */
static bool same_file(const char *a, const char *b)
{
	return !strcmp(text_base_name(a), text_base_name(b));
}

static int open_text(struct maker *m, struct listing_part *part,
	const struct cpd_module *module)
{
	struct listing_private *impl = m->listing->impl;

	if (!vec_add(&impl->texts, &part->text) ||
		source_text_open(&part->text, part->file, module, m->paths))
		return -1;
	part->newer = part->text.path && part->text.modified > m->built;
	return 0;
}

/* Cuts the lines of a function into files. */
static int cut_parts(struct maker *m, struct listing_function *f)
{
	const struct source_function *figures = f->figures;
	const struct function *function =
		&m->listing->tree->data->functions[figures->function];

	f->parts = arena_alloc(
		&m->listing->impl->arena, figures->nlines * sizeof *f->parts);
	if (!f->parts)
		return -1;
	for (size_t i = 0; i < figures->nlines; i++) {
		const struct source_line *line = &figures->lines[i];
		struct listing_part *part = &f->parts[f->nparts];

		if (!line->line) {
			f->unknown_total = line->total;
			f->unknown_self = line->self;
			continue;
		}
		if (f->nparts && part[-1].file == line->file) {
			part[-1].nlines++;
			continue;
		}
		*part = (struct listing_part){
			.file = line->file, .lines = line, .nlines = 1};
		if (*function->file && same_file(function->file, line->file))
			part->declared = function->line;
		f->nparts++;
	}
	qsort(f->parts, f->nparts, sizeof *f->parts, compare_parts);
	for (size_t i = 0; i < f->nparts; i++)
		if (open_text(m, &f->parts[i],
			    &m->listing->tree->data
				     ->modules[function->module_id]))
			return -1;
	return 0;
}

/* Why F has samples without a line. */
static const char *why_unknown(
	const struct maker *m, const struct listing_function *f)
{
	const struct dataset *data = m->listing->tree->data;
	const struct function *function =
		&data->functions[f->figures->function];

	if (!f->unknown_total.weight && f->nparts)
		return "";
	if (f->figures->function < FN_FIRST_REAL)
		return "it is no function of a program";
	if (function->source == CPD_NAME_JIT ||
		data->modules[function->module_id].kind == CPD_MODULE_ANON)
		return f->nparts ? "the JIT compiler told none"
				 : "its code was generated while the program "
				   "ran";
	return f->nparts ? "no debug information tells the line, or a tail "
			   "call left it"
			 : "no debug information was found";
}

static int fill(struct maker *m, struct listing_function *f, struct err *err)
{
	const struct dataset *data = m->listing->tree->data;
	uint32_t module = data->functions[f->figures->function].module_id;

	if (module && f->figures->has_lines && look_at_binary(m, module, err))
		return -1;
	if (cut_parts(m, f))
		return err_memory(err, NULL, "list");
	f->why_unknown = why_unknown(m, f);
	return 0;
}

/* --- all --- */

static int nothing_to_list(const struct maker *m, struct err *err)
{
	const struct listing *listing = m->listing;
	const struct tree *tree = listing->tree;
	const struct listing_function *f = listing->v;
	const struct function *function;

	if (!listing->n) {
		err_set(err, m->name, NULL, "in no sample of %s",
			tree_resource(tree)->name);
		return err_hint(err,
			"the function profile lists the functions that "
			"are");
	}
	function = &tree->data->functions[f->figures->function];
	err_set(err, m->name, NULL, "no source line is known: %s",
		f->why_unknown);
	if (f->figures->function < FN_FIRST_REAL)
		return err_hint(err, "name a function");
	if (function->source == CPD_NAME_JIT ||
		tree->data->modules[function->module_id].kind ==
			CPD_MODULE_ANON)
		return err_hint(err,
			"a jitdump can have the lines of optimized code (node "
			"--perf-prof); 'callgraph' and 'up' show who calls "
			"it");
	return err_hint(err,
		"build %s with -g and profile it again, or install its debug "
		"symbols or set DEBUGINFOD_URLS; --asm shows its instructions",
		function->module);
}

static int make(
	struct maker *m, const uint32_t *functions, size_t n, struct err *err)
{
	struct listing *listing = m->listing;
	struct listing_private *impl = listing->impl;
	bool any = false;

	impl->lines = source_lines_new(
		listing->tree, functions, n, &m->paths->search, err);
	if (!impl->lines)
		return -1;
	listing->late = impl->lines->late;
	listing->v = arena_alloc(
		&impl->arena, (impl->lines->n + 1) * sizeof *listing->v);
	if (!listing->v)
		return err_memory(err, NULL, "list");
	for (size_t i = 0; i < impl->lines->n; i++) {
		struct listing_function *f = &listing->v[listing->n++];

		f->figures = &impl->lines->v[i];
		if (fill(m, f, err))
			return -1;
		any |= f->nparts > 0;
	}
	return any ? 0 : nothing_to_list(m, err);
}

struct listing *listing_new(const struct tree *tree, const char *name,
	const uint32_t *functions, size_t n, struct source_paths *paths,
	struct err *err)
{
	struct listing *listing = new_with_impl(struct listing);
	struct maker m = {.listing = listing, .paths = paths, .name = name};

	if (!listing) {
		err_memory(err, NULL, "list");
		return NULL;
	}
	listing->tree = tree;
	if (make(&m, functions, n, err) == 0)
		return listing;
	listing_free(listing);
	return NULL;
}

void listing_free(struct listing *listing)
{
	struct listing_private *impl;

	if (!listing)
		return;
	impl = listing->impl;
	for (size_t i = 0; i < impl->texts.n; i++)
		source_text_fini(impl->texts.v[i]);
	vec_free(&impl->texts);
	source_lines_free(impl->lines);
	arena_fini(&impl->arena);
	free(listing);
}
