/*
 * dataset_functions.c - which records of functions are one function, and how
 * each is shown.
 *
 * Those of one module and name are one if their source declares them at one
 * place, be they called or inlined, or if they have the same bounds, be the
 * place known or not.  An inlined one without a place is the one of its name,
 * where there is just one.  Generated code moves and is made anew, and what is
 * no code is numbered in each run: there the name tells all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"
#include "lib/set.h"
#include "lib/text.h"

#define GROUP_MAX 64 /* of one name; more are not compared one by one */

enum key { PLACE, BOUNDS, NAME, KEYS };

/* What is the same in functions that are one; 0 what the kind of key leaves
 * out.
 */
struct function_key {
	const char *name, *file; /* among the dataset's strings */
	uint64_t lo, hi;
	uint32_t module, line;
	uint32_t raw;
};

struct merger {
	struct dataset_private *impl;
	const uint32_t *modules;
	const char *const *module_names;
	uint32_t *functions;
	/* the first raw functions of each kind */
	SET_OF(struct function_key) first[KEYS];
	bool *several; /* by raw function, the first of its name: whole ones
			  that are not the same */
};

static bool moves(const struct merger *m, const struct cpd_function *f)
{
	return f->source == CPD_NAME_JIT ||
	       (!*f->file && m->impl->modules.v[f->module].kind ==
				     CPD_MODULE_NO_CODE);
}

/*
 * The first raw function that is the same as RAW by KEY.  Where there is none:
 * with ADD, RAW itself, which is then found by others; else 0.  0 also when out
 * of memory.
 */
static uint32_t find(struct merger *m, enum key key, uint32_t raw, bool add)
{
	const struct cpd_function *f = &m->impl->raw_functions.v[raw];
	struct function_key like = {
		.name = f->name, .module = m->modules[f->module], .raw = raw};
	uint32_t i;

	if (key == PLACE) {
		like.file = f->file;
		like.line = f->line;
	}
	if (key == BOUNDS) {
		like.lo = moves(m, f) ? UINT64_MAX : f->lo;
		like.hi = moves(m, f) ? 0 : f->hi;
	}
	i = add ? set_add(&m->first[key], &like,
			  offsetof(struct function_key, raw))
		: set_find(&m->first[key], &like,
			  offsetof(struct function_key, raw));
	return i == HASH_NONE ? 0 : m->first[key].v[i].raw;
}

static bool has_bounds(const struct cpd_function *f)
{
	return f->lo || f->hi;
}

static bool has_place(const struct merger *m, const struct cpd_function *f)
{
	return *f->file && !moves(m, f);
}

/* "module+0x1234", where the module is called otherwise than its file. */
static const char *nameless(struct merger *m, const struct cpd_function *f)
{
	const char *file = text_base_name(m->impl->modules.v[f->module].path);
	const char *name = m->module_names[f->module];
	size_t n = strlen(file);
	char *made;

	if (f->source != CPD_NAME_NONE || !strcmp(name, file) ||
		strncmp(f->name, file, n) != 0)
		return f->name;
	made = arena_alloc(
		&m->impl->arena, strlen(name) + strlen(f->name) - n + 1);
	return made ? strcat(strcpy(made, name), f->name + n) : NULL;
}

/* Makes RAW a function of its own; -1 when out of memory. */
static int add(struct merger *m, uint32_t raw)
{
	const struct cpd_function *from = &m->impl->raw_functions.v[raw];
	struct function *to;

	if (m->impl->functions.n >= UINT32_MAX - 1 ||
		!(to = vec_push(&m->impl->functions)))
		return -1;
	*to = (struct function){.name = nameless(m, from),
		.linkage = from->linkage,
		.module = m->module_names[from->module],
		.module_id = m->modules[from->module],
		.lo = from->lo,
		.hi = from->hi,
		.source = from->source,
		.file = from->file,
		.line = from->line};
	m->functions[raw] = (uint32_t)m->impl->functions.n - 1;
	return to->name ? 0 : -1;
}

/* Joins RAW to the first that is the same by KEY, or makes it a function of
   its own. */
static int join(struct merger *m, enum key key, uint32_t raw)
{
	uint32_t first = find(m, key, raw, true);

	if (!first)
		return -1;
	if (m->functions[raw])
		return 0;
	m->functions[raw] = m->functions[first];
	return m->functions[raw] ? 0 : add(m, raw);
}

static int merge_whole(struct merger *m, uint32_t raw)
{
	const struct cpd_function *f = &m->impl->raw_functions.v[raw];
	uint32_t first;

	if (has_place(m, f) && join(m, PLACE, raw))
		return -1;
	if (join(m, BOUNDS, raw))
		return -1;
	m->impl->functions.v[m->functions[raw]].is_main |=
		f->flags & CPD_FUNCTION_MAIN;
	first = find(m, NAME, raw, true);
	if (!first)
		return -1;
	if (m->functions[first] != m->functions[raw])
		m->several[first] = true;
	return 0;
}

static int merge_inlined(struct merger *m, uint32_t raw)
{
	const struct cpd_function *f = &m->impl->raw_functions.v[raw];
	uint32_t first = find(m, NAME, raw, false);

	if (has_place(m, f))
		return join(m, PLACE, raw);
	if (first && !m->several[first]) {
		m->functions[raw] = m->functions[first];
		return 0;
	}
	return join(m, BOUNDS, raw);
}

/* Whole functions with a place come first: those without may have their
   bounds. */
static int merge_all(struct merger *m)
{
	const struct cpd_function *raw = m->impl->raw_functions.v;
	size_t n = m->impl->raw_functions.n;

	for (int places = 1; places >= 0; places--)
		for (uint32_t i = 1; i < n; i++)
			if (has_bounds(&raw[i]) &&
				has_place(m, &raw[i]) == (bool)places &&
				merge_whole(m, i))
				return -1;
	for (uint32_t i = 1; i < n; i++)
		if (!has_bounds(&raw[i]) && merge_inlined(m, i))
			return -1;
	return 0;
}

int dataset_merge_functions(struct dataset_private *impl,
	const uint32_t *module_keys, const char *const *module_names,
	uint32_t **functions)
{
	struct merger m = {.impl = impl,
		.modules = module_keys,
		.module_names = module_names};
	size_t n = impl->raw_functions.n;
	int status = -1;

	*functions = m.functions = calloc(n, sizeof *m.functions);
	m.several = calloc(n, sizeof *m.several);
	if (m.functions && m.several)
		status = merge_all(&m);
	for (int key = 0; key < KEYS; key++)
		set_free(&m.first[key]);
	free(m.several);
	return status;
}

/* How functions are shown. */

/* By function, whether it can be in a path. */
static bool *find_used(const struct dataset_private *impl)
{
	const struct location *at = impl->locations.v;
	bool *used = calloc(impl->functions.n, sizeof *used);

	for (size_t i = 1; used && i < impl->locations.n; i++) {
		for (uint32_t k = 0; k < at[i].nframes; k++)
			used[at[i].frames[k].function] = true;
		if (!(at[i].lost & DATASET_LOST_CHAIN))
			used[at[i].lost] = true;
	}
	for (size_t i = 0; used && i < impl->lost.n; i++)
		used[impl->lost.v[i]] = true;
	for (size_t i = 0; used && i < impl->functions.n; i++)
		if (used[i])
			used[impl->functions.v[i].base] = true;
	return used;
}

/* How many bytes two texts have in common at their ends. */
static size_t common_end(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), same = 0;

	while (same < n && same < m && a[n - same - 1] == b[m - same - 1])
		same++;
	return same;
}

/* As strcmp(), from the ends. */
static int compare_ends(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), same = common_end(a, b);

	return same == n || same == m ? (n > m) - (n < m)
				      : (unsigned char)a[n - same - 1] -
						(unsigned char)b[m - same - 1];
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct function *functions = arg;
	const struct function *x = &functions[*(const uint32_t *)a];
	const struct function *y = &functions[*(const uint32_t *)b];
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->module, y->module);
	if (!order)
		order = compare_ends(x->file, y->file);
	return order;
}

/* What tells a function from the others of its name and module. */
enum telling { NOTHING, FILE_NAME, FILE_LINE, FILE_PATH, ADDRESS };

static enum telling telling(const struct function *f, const uint32_t *group,
	size_t n, uint32_t self)
{
	enum telling most = NOTHING;

	if (n > GROUP_MAX)
		return *f[self].file ? FILE_PATH : ADDRESS;
	for (size_t i = 0; i < n; i++) {
		const struct function *x = &f[self], *y = &f[group[i]];
		enum telling what = FILE_NAME;

		if (group[i] == self)
			continue;
		if (!*x->file)
			what = ADDRESS;
		else if (!strcmp(text_base_name(x->file),
				 text_base_name(y->file)))
			what = x->line != y->line              ? FILE_LINE
			       : strcmp(x->file, y->file) != 0 ? FILE_PATH
							       : ADDRESS;
		if (what > most)
			most = what;
	}
	return most;
}

/*
 * The module of GROUP[SELF], a function of a runtime: its file, with the last
 * folders that no other of the N has, which are sorted by their files' ends,
 * and the line where one is of the same file.  free(); NULL: out of memory.
 */
static char *file_module(
	const struct function *f, const uint32_t *group, size_t n, size_t self)
{
	const char *file = f[group[self]].file, *tail = text_base_name(file);
	char *text, line[32] = "";

	for (int step = -1; step <= 1; step += 2)
		for (size_t i = self + (size_t)step, left = GROUP_MAX;
			i < n && left--; i += (size_t)step) {
			const struct function *other = &f[group[i]];
			const char *at = file + strlen(file) -
					 common_end(file, other->file);

			if (!strcmp(file, other->file)) {
				snprintf(line, sizeof line, ":%" PRIu32,
					f[group[self]].line);
				continue;
			}
			while (at > file && at[-1] != '/')
				at--;
			tail = at < tail ? at : tail;
			break;
		}
	return asprintf(&text, "%s%s", tail, line) < 0 ? NULL : text;
}

static const char *show(struct dataset_private *impl, const struct function *f,
	const char *own, const char *module, enum telling what)
{
	const char *name =
		what == FILE_PATH ? f->file : text_base_name(f->file);
	char place[32] = "", addr[32] = "", *text, *kept;
	bool file = what != NOTHING && what != ADDRESS;

	if (what == FILE_LINE || what == FILE_PATH)
		snprintf(place, sizeof place, ":%" PRIu32, f->line);
	if (what == ADDRESS && (f->lo || f->hi))
		snprintf(addr, sizeof addr, "@0x%" PRIx64, f->lo);
	if (asprintf(&text, "%s%s%s%s%s%s%s%s", module ? module : "",
		    module ? "!" : "", file ? "'" : "", file ? name : "", place,
		    file ? "':" : "", own, addr) < 0)
		return NULL;
	kept = arena_strndup(&impl->arena, text, strlen(text));
	free(text);
	return kept;
}

/* Function SELF of N of one name and module; MODULES: others have another. */
static int show_one(struct dataset_private *impl, const uint32_t *group,
	size_t n, size_t self, bool modules, enum telling what)
{
	struct function *own = &impl->functions.v[group[self]];
	const char *module = modules ? own->module : NULL;
	char *file = NULL;

	if (own->source == CPD_NAME_RUNTIME &&
		(what == FILE_LINE || what == FILE_PATH)) {
		file = file_module(impl->functions.v, group, n, self);
		if (!file)
			return -1;
		module = file;
		what = NOTHING;
	}
	own->shown = show(impl, own, own->name, module, what);
	own->brief = show(impl, own, own->short_name, module, what);
	free(file);
	return own->shown && own->brief ? 0 : -1;
}

/* N functions of one name, by module. */
static int show_group(
	struct dataset_private *impl, const uint32_t *group, size_t n)
{
	struct function *f = impl->functions.v;
	bool modules = strcmp(f[group[0]].module, f[group[n - 1]].module) != 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(f[group[end]].module,
						     f[group[i]].module);)
			end++;
		for (size_t k = i; k < end; k++) {
			enum telling what =
				telling(f, group + i, end - i, group[k]);

			if (show_one(impl, group + i, end - i, k - i, modules,
				    what))
				return -1;
		}
	}
	return 0;
}

int dataset_show_names(struct dataset_private *impl)
{
	struct function *f = impl->functions.v;
	size_t n = impl->functions.n, count = 0;
	bool *used = find_used(impl);
	uint32_t *order = calloc(n, sizeof *order);
	int status = used && order ? 0 : -1;

	for (uint32_t i = 0; !status && i < n; i++) {
		f[i].shown = f[i].short_name = f[i].brief = f[i].name;
		if (i >= FN_FIRST_REAL && used[i])
			order[count++] = i;
	}
	if (!status)
		status = dataset_shorten_names(impl, order, count);
	for (size_t i = 0; i < count; i++)
		f[order[i]].short_name = f[order[i]].brief;
	if (!status)
		qsort_r(order, count, sizeof *order, compare, f);
	for (size_t i = 0, end; !status && i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(f[order[end]].name,
							 f[order[i]].name);)
			end++;
		if (end > i + 1)
			status = show_group(impl, order + i, end - i);
	}
	free(order);
	free(used);
	return status;
}
