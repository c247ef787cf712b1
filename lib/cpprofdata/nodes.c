/* Grows the hash table of nodes, and finds one by its number. */
#include <stdlib.h>

#include "lib/cpprofdata/nodes.h"

#define AHEAD 8 /* nodes, for those who ask for all in order */

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

struct cpd_node cpd_nodes_get(const struct cpd_nodes *t, uint32_t id)
{
	const struct cpd_nodes_entry *e = cpd_nodes_slot(t, t->hashes[id]);

	if (id + AHEAD <= t->n)
		__builtin_prefetch(cpd_nodes_slot(t, t->hashes[id + AHEAD]));
	while (e->id != id)
		e = e + 1 < t->v + t->cap ? e + 1 : t->v;
	return (struct cpd_node){id, e->parent, e->module, e->addr, e->flags};
}

void cpd_nodes_fini(struct cpd_nodes *t)
{
	free(t->v);
	free(t->hashes);
	*t = (struct cpd_nodes){0};
}
