/* The counting object: compares stacks by the call paths that they have. */
#include "monitor/inprocess/fold.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15u;
	return a ^ a >> 29;
}

static bool is_same(const struct fold_call *a, const struct fold_call *b)
{
	return a->callee == b->callee && a->site == b->site;
}

/* Numbers the functions of calls[0] to [N]. */
static void number(struct fold *fold, unsigned n)
{
	for (unsigned i = 0; i <= n; i++) {
		unsigned k = 0;

		while (fold->calls[k].callee != fold->calls[i].callee)
			k++;
		fold->function[i] = (uint16_t)k;
	}
}

/*
 * The next call of a stack whose cut-back path has DEPTH functions; the hash of
 * the path with it.  The path's first function is the root, however called.
 */
static uint64_t step(struct fold *fold, unsigned i, unsigned *depth)
{
	unsigned f = fold->function[i], before = *depth, at = fold->at[f];
	uint64_t hash = mix(before ? fold->path[before - 1] : 0,
		mix(fold->calls[i].callee, before ? fold->calls[i].site : 0));

	if (at) {
		while (*depth > at)
			fold->at[fold->on[--*depth]] = 0;
		return hash;
	}
	fold->path[before] = hash;
	fold->on[before] = (uint16_t)f;
	fold->at[f] = (uint16_t)(before + 1);
	*depth = before + 1;
	return hash;
}

/* Whether calls[TO + 1] to [N] add no path below the root at FIRST, and leave
   its path as it was at TO. */
static bool adds_none(
	struct fold *fold, unsigned first, unsigned to, unsigned n)
{
	unsigned depth = 0, before;
	uint64_t hash, path;

	for (unsigned i = 0; i <= n; i++)
		fold->at[i] = 0;
	for (unsigned i = first; i <= to; i++)
		fold->visited[i] = step(fold, i, &depth);
	before = depth;
	path = fold->path[depth - 1];
	for (unsigned i = to + 1; i <= n; i++) {
		unsigned k = first;

		hash = step(fold, i, &depth);
		while (k <= to && fold->visited[k] != hash)
			k++;
		if (k > to)
			return false;
	}
	return depth == before && fold->path[depth - 1] == path;
}

static bool leads_back(struct fold *fold, unsigned to, unsigned n)
{
	for (unsigned i = to + 1; i <= n; i++)
		if (fold->function[i] > to)
			return false;
	for (unsigned i = 0; i <= to; i++)
		if (fold->function[i] == i && !adds_none(fold, i, to, n))
			return false;
	return true;
}

unsigned fold_find(struct fold *fold, unsigned n)
{
	bool numbered = false;

	for (unsigned i = n; i-- > 0;) {
		if (!is_same(&fold->calls[i], &fold->calls[n]))
			continue;
		if (!numbered)
			number(fold, n);
		numbered = true;
		if (leads_back(fold, i, n))
			return i;
	}
	return n;
}
