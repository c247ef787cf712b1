/*
 * nodes.h - the writer's call tree: finds the numbers of nodes.
 *
 * An open-addressed table on (parent, module, addr, flags) with linear probing,
 * half full at most.  An entry has 32 bytes, so finding a known node touches
 * one line of cache.  A node's hash continues its parent's.  So the hashes of a
 * whole path are known before any of its nodes is found, and their lines are
 * fetched all at once: in a large tree the fetches take the time.
 */
#ifndef CPPROF_CPPROFDATA_NODES_H
#define CPPROF_CPPROFDATA_NODES_H

#include <stdbool.h>

#include "lib/cpprofdata/cpprofdata.h"

struct cpd_nodes_entry {
	uint64_t hash, addr;
	uint32_t parent, module, flags;
	uint32_t id; /* 0: free */
};

struct cpd_nodes {
	struct cpd_nodes_entry *v;
	size_t n, cap;    /* cap: a power of two, or 0 */
	uint64_t *hashes; /* of nodes [0, n], by id; the root's is 0 */
};

/* The hash of a child of the node with PARENT_HASH. */
static inline uint64_t cpd_nodes_hash(
	uint64_t parent_hash, uint32_t module, uint64_t addr, uint32_t flags)
{
	uint64_t h = (parent_hash ^ (uint64_t)module << 48 ^ flags) *
		     0xc2b2ae3d27d4eb4f;

	h ^= h >> 29;
	h = (h ^ addr) * 0x9e3779b97f4a7c15;
	return h ^ h >> 32;
}

static inline struct cpd_nodes_entry *cpd_nodes_slot(
	const struct cpd_nodes *t, uint64_t hash)
{
	return &t->v[hash & (t->cap - 1)];
}

/* The entry of that node, or the free one where it would be; cap is not 0. */
static inline struct cpd_nodes_entry *cpd_nodes_find(const struct cpd_nodes *t,
	uint64_t hash, uint32_t parent, uint32_t module, uint64_t addr,
	uint32_t flags)
{
	struct cpd_nodes_entry *e = cpd_nodes_slot(t, hash);

	for (;; e = e + 1 < t->v + t->cap ? e + 1 : t->v)
		if (!e->id || (e->addr == addr && e->parent == parent &&
				      e->module == module && e->flags == flags))
			return e;
}

/* Makes room for one more; false when out of memory. */
bool cpd_nodes_room(struct cpd_nodes *t);

/* Node ID, from 1 to N. */
struct cpd_node cpd_nodes_get(const struct cpd_nodes *t, uint32_t id);

void cpd_nodes_fini(struct cpd_nodes *t);

#endif
