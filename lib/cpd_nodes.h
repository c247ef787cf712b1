/*
 * cpd_nodes.h - the writer's call tree: which node has which number.
 *
 * An open-addressed table on (parent, module, addr, flags), half full at most
 * and probed in a line, 24 bytes to an entry, so that finding a known node
 * touches one or two lines of cache.
 */
#ifndef CPPROF_CPD_NODES_H
#define CPPROF_CPD_NODES_H

#include <stdbool.h>

#include "cpd_writer.h"

struct cpd_nodes_entry {
	uint64_t addr;
	uint32_t parent, module, flags;
	uint32_t id; /* 0: free */
};

struct cpd_nodes {
	struct cpd_nodes_entry *v;
	size_t n, cap; /* cap: a power of two, or 0 */
};

static inline size_t cpd_nodes_slot(const struct cpd_nodes *t, uint32_t parent,
	uint32_t module, uint64_t addr, uint32_t flags)
{
	uint64_t h = addr * 0x9e3779b97f4a7c15;

	h ^= ((uint64_t)parent << 32 | (module << 2 ^ flags)) *
	     0xc2b2ae3d27d4eb4f;
	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9;
	return (size_t)(h >> 32) & (t->cap - 1);
}

/* The entry of that node, or the free one where it would be; cap is not 0. */
static inline struct cpd_nodes_entry *cpd_nodes_find(const struct cpd_nodes *t,
	uint32_t parent, uint32_t module, uint64_t addr, uint32_t flags)
{
	size_t i = cpd_nodes_slot(t, parent, module, addr, flags);

	for (;; i = (i + 1) & (t->cap - 1)) {
		struct cpd_nodes_entry *e = &t->v[i];

		if (!e->id || (e->addr == addr && e->parent == parent &&
				      e->module == module && e->flags == flags))
			return e;
	}
}

/* Makes sure that one more fits; false when out of memory. */
bool cpd_nodes_room(struct cpd_nodes *t);

/* As cpd_writer_lookups() has it. */
struct cpd_lookup *cpd_nodes_lookups(const struct cpd_nodes *t, size_t *n);

void cpd_nodes_fini(struct cpd_nodes *t);

#endif
