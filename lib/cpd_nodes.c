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

void cpd_nodes_fini(struct cpd_nodes *t)
{
	free(t->v);
	free(t->hashes);
	*t = (struct cpd_nodes){0};
}
