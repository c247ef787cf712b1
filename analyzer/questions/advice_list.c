/*
 * advice_list.c - the largest pieces of advice, few of a kind.
 */
#include "analyzer/questions/advice_private.h"
#include "lib/order.h"

#include <stdlib.h>
#include <string.h>

#define OF_A_KIND 2 /* pieces of advice at most */

double advice_share(const struct tree *tree, uint64_t weight)
{
	uint64_t all = tree_total(tree, 0)->weight;

	return all ? (double)weight / (double)all : 0;
}

bool advice_is_line(const struct tree *tree)
{
	return !strcmp(tree_resource(tree)->name, "runqueue");
}

bool advice_is_interpreting(
	const struct dataset *data, const struct function *f)
{
	static const char *const loops[] = {"Interpreter", "StubRoutines (1)",
		"StubRoutines (2)", "Builtins_InterpreterEntryTrampoline",
		"_PyEval_EvalFrameDefault", "vm_exec_core",
		"Perl_runops_standard", "luaV_execute", "execute_ex"};

	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
		if (!strcmp(f->name, loops[i]))
			return true;
	return f->source == CPD_NAME_NONE &&
	       data->modules[f->module_id].kind == CPD_MODULE_ANON;
}

bool advice_is_own(const struct dataset *data, uint32_t number)
{
	const struct function *f = &data->functions[number];

	return number >= FN_FIRST_REAL && !f->interpreter &&
	       !dataset_is_librarys(f) && strcmp(f->name, "_start") != 0;
}

/* What TREE has in stacks with both functions. */
static uint64_t weight_of_both(const struct tree *tree, uint32_t f, uint32_t g)
{
	uint32_t end_f = 0, end_g = 0;
	uint64_t weight = 0;

	for (uint32_t i = 1; i < tree->n;) {
		const struct tree_node *node = &tree->nodes[i];

		if (node->function == f && i >= end_f)
			end_f = i + node->size;
		if (node->function == g && i >= end_g)
			end_g = i + node->size;
		if (i < end_f && i < end_g) {
			weight += tree_total(tree, i)->weight;
			i += node->size;
		} else {
			i++;
		}
	}
	return weight;
}

static bool has_function(const struct advice *a, uint32_t f)
{
	for (uint32_t i = 0; i < a->length; i++)
		if (a->path[i] == f)
			return true;
	return false;
}

static bool is_context(const struct advice *a)
{
	return a->kind == ADVICE_CONTEXT || a->kind == ADVICE_REPEATED ||
	       a->kind == ADVICE_HOT || a->kind == ADVICE_LIBRARY ||
	       a->kind == ADVICE_SPREAD;
}

/* Whether most of A is in stacks with both functions. */
static bool is_mostly(const struct advice *a, uint32_t f, uint32_t g)
{
	return advice_share(a->tree, weight_of_both(a->tree, f, g)) >
	       a->share / 2;
}

/* Whether most of B, a context, is in the stacks of WAITS: those with what it
   waits in, the call or, where B's tree has no names of calls, the function
   that makes it. */
static bool is_waited_for(const struct advice *waits, const struct advice *b)
{
	uint32_t g = b->path[b->length - 1];

	for (uint32_t n = waits->length; n && n + 2 > waits->length; n--)
		if (is_mostly(b, waits->path[n - 1], g))
			return true;
	return false;
}

/* Whether two contexts, or waits and a context, are mostly of the same stacks:
   of two resources, in both. */
static bool same_stack(const struct advice *a, const struct advice *b)
{
	uint32_t f = a->length ? a->path[a->length - 1] : 0;
	uint32_t g = b->length ? b->path[b->length - 1] : 0;

	if (a->kind == ADVICE_WAITS && is_context(b))
		return is_waited_for(a, b);
	if (!is_context(a) || !is_context(b))
		return false;
	if (a->tree != b->tree)
		return (has_function(a, g) && has_function(b, f)) ||
		       (is_mostly(a, f, g) && is_mostly(b, f, g));
	return has_function(a, g) || has_function(b, f) ||
	       is_mostly(a->share < b->share ? a : b, f, g);
}

int advice_add(struct advices *list, struct advice advice, const uint32_t *path)
{
	struct advice *to;

	advice.path = malloc((advice.length + 1) * sizeof *advice.path);
	to = advice.path ? vec_push(list) : NULL;
	if (!to) {
		free(advice.path);
		return -1;
	}
	if (advice.length)
		memcpy(advice.path, path, advice.length * sizeof *path);
	*to = advice;
	return 0;
}

/* A function that has most of a library tells more than the library. */
static bool is_told_better(const struct advices *list, const struct advice *a)
{
	for (size_t i = 0; a->kind == ADVICE_LIBRARY && i < list->n; i++) {
		const struct advice *b = &list->v[i];

		if (is_context(b) && b->kind != ADVICE_LIBRARY &&
			b->tree == a->tree && b->share > a->share / 2 &&
			same_stack(b, a))
			return true;
	}
	return false;
}

/* What is of the run as a whole first, then contexts; what is spread where
   nothing in its stacks stands out. */
static int rank(const struct advice *a)
{
	if (a->kind == ADVICE_REST)
		return a->first ? 0 : 4;
	return a->kind <= ADVICE_WAITS ? 1 : a->kind == ADVICE_SPREAD ? 3 : 2;
}

static int compare(const void *a, const void *b)
{
	const struct advice *x = a, *y = b;

	return ORDER(rank(x), rank(y)) ?: ORDER(y->share, x->share);
}

/* Whether ADVICE is to follow the first N of the list, which may have MOST. */
static bool is_chosen(const struct advices *list, size_t n, size_t most,
	const struct advice *advice)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++) {
		same += list->v[i].kind == advice->kind;
		if (same_stack(&list->v[i], advice))
			return false;
	}
	return n < most && same < OF_A_KIND;
}

void advice_choose(struct advices *list)
{
	size_t all = 0, n = 0, last;

	for (size_t i = 0; i < list->n; i++)
		if (is_told_better(list, &list->v[i]))
			free(list->v[i].path);
		else
			list->v[all++] = list->v[i];
	if (all)
		qsort(list->v, all, sizeof *list->v, compare);
	last = all && list->v[all - 1].kind == ADVICE_REST; /* has its place */
	for (size_t i = 0; i < all; i++)
		if (is_chosen(list, n, ADVICE_MAX - (i + last < all && last),
			    &list->v[i]))
			list->v[n++] = list->v[i];
		else
			free(list->v[i].path);
	list->n = n;
}
