/*
 * dataset_main.c - the main that left by a tail call.
 *
 * `int main(...) { return Py_BytesMain(...); }` is a jump when optimized: its
 * frame is gone before anything is sampled, and the function it jumped to
 * seems to be called by the C library.  But what glibc's start code calls is
 * main, whatever it became, so main stands between the two again.  Constructors
 * are called from __libc_start_main itself and not from the function below
 * it that calls main; they are left alone.  Where the C library has no names,
 * its start code is told by what it calls.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"
#include "lib/text.h"

/* The function that holds the code at a location, inlined calls left out. */
static uint32_t function_at(const struct location *at)
{
	return at->nframes ? at->frames[at->nframes - 1].function : FN_NONE;
}

static const struct function *function_of(
	const struct dataset_private *impl, const struct node *node)
{
	const struct location *at = &impl->locations.v[node->location];

	return &impl->functions.v[function_at(at)];
}

static uint32_t module_of(
	const struct dataset_private *impl, const struct node *node)
{
	return impl->locations.v[node->location].module;
}

/* What __libc_start_call_main calls beside main, in a static program. */
static bool ends_the_program(const struct function *f)
{
	static const char *const others[] = {
		"exit", "_setjmp", "__sigsetjmp", "__nptl_deallocate_tsd"};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(f->name, others[i]))
			return true;
	return false;
}

/*
 * The program's module if NODE's caller may be the place in glibc (2.34 and
 * later) that calls main, else 0: _start, __libc_start_main, then
 * __libc_start_call_main, which has no name where libc is stripped; another
 * nameless one may call constructors.  A main that jumps to a library is taken
 * for one only below the name.
 */
static uint32_t called_as_main(
	const struct dataset_private *impl, const struct node *node)
{
	const struct node *nodes = impl->nodes.v;
	const struct node *caller = &nodes[node->parent];
	const struct node *start_main = &nodes[caller->parent];
	const struct node *start = &nodes[start_main->parent];
	uint32_t program = module_of(impl, start);

	if (start->parent || !program || !module_of(impl, caller))
		return 0;
	if (function_of(impl, caller)->source == CPD_NAME_NONE &&
		program != module_of(impl, node))
		return 0;
	return module_of(impl, caller) == module_of(impl, start_main) &&
			       !strncmp(function_of(impl, start_main)->name,
				       "__libc_start_main",
				       strlen("__libc_start_main")) &&
			       !strcmp(function_of(impl, start)->name,
				       "_start") &&
			       !ends_the_program(function_of(impl, node))
		       ? program
		       : 0;
}

/* By location, whether main may be called from there. */
static bool *find_places(const struct dataset_private *impl)
{
	bool *places = calloc(impl->locations.n, sizeof *places);

	for (size_t i = 1; places && i < impl->locations.n; i++) {
		const struct function *f =
			&impl->functions.v[function_at(&impl->locations.v[i])];

		places[i] = f->source == CPD_NAME_NONE ||
			    !strcmp(f->name, "__libc_start_call_main");
	}
	return places;
}

/* What functions of a libc were found calling from main's place. */
enum main_calls { NOTHING, SOMETHING, MAIN };

/*
 * Of several functions of one module the one that was found calling main is
 * the place; if none was, it is not known which is.  Sets the others to
 * NOTHING.
 */
static int settle(const struct dataset_private *impl, enum main_calls *callers)
{
	const struct function *f = impl->functions.v;
	size_t n = impl->functions.n;
	uint32_t *best = calloc(impl->modules.n, sizeof *best);
	bool *several = calloc(impl->modules.n, sizeof *several);

	for (uint32_t i = 1; best && several && i < n; i++) {
		uint32_t *b = &best[f[i].module_id];

		if (!callers[i])
			continue;
		if (*b && callers[*b] == callers[i])
			several[f[i].module_id] = true;
		if (!*b || callers[i] > callers[*b]) {
			several[f[i].module_id] = false;
			*b = i;
		}
	}
	for (uint32_t i = 1; best && several && i < n; i++)
		if (best[f[i].module_id] != i || several[f[i].module_id])
			callers[i] = NOTHING;
	free(several);
	free(best);
	return best && several ? 0 : -1;
}

/* By module of the file: its main; all 0 where there is none. */
static uint32_t *find_mains(
	const struct dataset_private *impl, const uint32_t *module_keys)
{
	size_t n = impl->modules.n;
	uint32_t *by_key = calloc(n, sizeof *by_key);
	uint32_t *mains = calloc(n, sizeof *mains);

	if (!by_key || !mains) {
		free(by_key);
		free(mains);
		return NULL;
	}
	for (uint32_t i = FN_FIRST_REAL; i < impl->functions.n; i++)
		if (impl->functions.v[i].is_main)
			by_key[impl->functions.v[i].module_id] = i;
	for (size_t i = 1; i < n; i++)
		mains[i] = by_key[module_keys[i]];
	free(by_key);
	return mains;
}

struct candidate { /* a node that may have been called as main */
	uint32_t node;
	uint32_t main; /* function */
};

typedef VEC(struct candidate) candidate_list;

static int find_candidates(const struct dataset_private *impl,
	const uint32_t *mains, candidate_list *found)
{
	const struct node *nodes = impl->nodes.v;
	bool *places = find_places(impl);
	bool good = places;
	bool any = good && memchr(places, true, impl->locations.n);

	for (size_t i = 1; any && good && i < impl->nodes.n; i++) {
		uint32_t module;

		if (!places[nodes[nodes[i].parent].location])
			continue;
		module = called_as_main(impl, &nodes[i]);
		if (!module || !mains[module])
			continue;
		good = vec_add(
			found, (struct candidate){(uint32_t)i, mains[module]});
	}
	free(places);
	return good ? 0 : -1;
}

/* The function that called NODE. */
static uint32_t caller_of(
	const struct dataset_private *impl, const struct node *node)
{
	uint32_t caller = impl->nodes.v[node->parent].location;

	return function_at(&impl->locations.v[caller]);
}

/* By function, what it calls from main's place; NULL when out of memory. */
static enum main_calls *find_callers(
	const struct dataset_private *impl, const candidate_list *candidates)
{
	enum main_calls *callers = calloc(impl->functions.n, sizeof *callers);

	for (size_t i = 0; callers && i < candidates->n; i++) {
		const struct node *node = &impl->nodes.v[candidates->v[i].node];
		uint32_t by = caller_of(impl, node);

		if (function_of(impl, node)->is_main)
			callers[by] = MAIN;
		else if (!callers[by])
			callers[by] = SOMETHING;
	}
	if (callers && settle(impl, callers)) {
		free(callers);
		return NULL;
	}
	return callers;
}

static void mark_start(
	const struct dataset_private *impl, const struct node *node)
{
	struct function *f =
		&impl->functions
			 .v[function_at(&impl->locations.v[node->location])];

	f->starts |= f->source == CPD_NAME_NONE;
}

/* Where threads start, if the C library has no names: the first function of a
   stack, and the one that calls the program. */
static void mark_starts(const struct dataset_private *impl)
{
	const struct node *nodes = impl->nodes.v;

	for (size_t i = 1; i < impl->nodes.n; i++) {
		const struct node *by = &nodes[nodes[i].parent];
		const struct node *first = &nodes[by->parent];
		uint32_t library = module_of(impl, by);

		if (!by->parent || first->parent || !library ||
			module_of(impl, first) != library ||
			module_of(impl, &nodes[i]) == library ||
			!dataset_is_libc(
				text_base_name(impl->modules.v[library].path)))
			continue;
		mark_start(impl, by);
		mark_start(impl, first);
	}
}

int dataset_restore_main(
	struct dataset_private *impl, const uint32_t *module_keys)
{
	uint32_t *mains = find_mains(impl, module_keys);
	candidate_list candidates = {0};
	enum main_calls *callers = NULL;
	int status = -1;

	mark_starts(impl);
	if (mains && !find_candidates(impl, mains, &candidates))
		callers = find_callers(impl, &candidates);
	if (callers)
		status = 0;
	for (size_t i = 0; !status && i < candidates.n; i++) {
		struct node *node = &impl->nodes.v[candidates.v[i].node];
		uint32_t by = caller_of(impl, node);

		impl->functions.v[by].starts |= callers[by];
		if (!function_of(impl, node)->is_main && callers[by])
			status = dataset_lose(impl, node, candidates.v[i].main);
	}
	free(mains);
	free(callers);
	vec_free(&candidates);
	return status;
}
