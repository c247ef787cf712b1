#include <stdlib.h>

#include "cpd_nodes.h"

bool cpd_nodes_room(struct cpd_nodes *t)
{
	struct cpd_nodes new = {.n = t->n};

	if (t->cap && t->n < t->cap / 2)
		return true;
	new.cap = t->cap ? t->cap * 2 : 4096;
	new.hashes = realloc(t->hashes, (new.cap / 2 + 1) * sizeof *new.hashes);
	if (!new.hashes)
		return false;
	t->hashes = new.hashes;
	t->hashes[0] = 0;
	new.v = calloc(new.cap, sizeof *new.v);
	if (!new.v)
		return false;
	for (size_t i = 0; i < t->cap; i++) {
		const struct cpd_nodes_entry *e = &t->v[i];

		if (e->id)
			*cpd_nodes_find(&new, e->hash, e->parent, e->module,
				e->addr, e->flags) = *e;
	}
	free(t->v);
	*t = new;
	return true;
}

static int compare(const void *va, const void *vb)
{
	const struct cpd_lookup *a = va, *b = vb;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

struct cpd_lookup *cpd_nodes_lookups(const struct cpd_nodes *t, size_t *n)
{
	struct cpd_lookup *v = t->n ? malloc(t->n * sizeof *v) : NULL;
	size_t all = 0, kept = 0;

	*n = 0;
	if (!v)
		return NULL;
	for (size_t i = 0; i < t->cap; i++) {
		const struct cpd_nodes_entry *e = &t->v[i];

		if (e->id && e->module)
			v[all++] = (struct cpd_lookup){e->module,
				e->addr - !(e->flags & CPD_NODE_EXACT), 0};
	}
	qsort(v, all, sizeof *v, compare);
	for (size_t i = 0; i < all; i++)
		if (!kept || compare(&v[kept - 1], &v[i]))
			v[kept++] = v[i];
	if (!kept) {
		free(v);
		return NULL;
	}
	*n = kept;
	return v;
}

static int compare_calls(const void *va, const void *vb)
{
	const struct cpd_call *a = va, *b = vb;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->callee_module != b->callee_module)
		return a->callee_module < b->callee_module ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* The entries by the number of their node; NULL: no memory. */
static const struct cpd_nodes_entry **by_id(const struct cpd_nodes *t)
{
	const struct cpd_nodes_entry **v = calloc(t->n + 1, sizeof *v);

	for (size_t i = 0; v && i < t->cap; i++)
		if (t->v[i].id)
			v[t->v[i].id] = &t->v[i];
	return v;
}

struct cpd_call *cpd_nodes_calls(const struct cpd_nodes *t, size_t *n)
{
	const struct cpd_nodes_entry **nodes = by_id(t);
	struct cpd_call *v = t->n ? malloc(t->n * sizeof *v) : NULL;
	size_t all = 0, kept = 0;

	for (size_t id = 1; nodes && v && id <= t->n; id++) {
		const struct cpd_nodes_entry *e = nodes[id];
		const struct cpd_nodes_entry *caller = nodes[e->parent];

		if (e->module && caller && caller->module &&
			!(caller->flags & CPD_NODE_EXACT))
			v[all++] = (struct cpd_call){caller->module, e->module,
				caller->addr - 1,
				e->addr - !(e->flags & CPD_NODE_EXACT)};
	}
	free(nodes);
	if (all)
		qsort(v, all, sizeof *v, compare_calls);
	for (size_t i = 0; i < all; i++)
		if (!kept || compare_calls(&v[kept - 1], &v[i]))
			v[kept++] = v[i];
	if (!kept) {
		free(v);
		v = NULL;
	}
	*n = kept;
	return v;
}

void cpd_nodes_fini(struct cpd_nodes *t)
{
	free(t->v);
	free(t->hashes);
	*t = (struct cpd_nodes){0};
}
