/*
 * nodes.h - the writer's call tree: finds the numbers of nodes.
 *
 * The nodes are an array by number, the root first, and a table of hashes finds
 * them by (parent, module, addr, flags).  A node's hash continues its parent's.
 * So the hashes of a whole path are known before any of its nodes is found, and
 * their places in the table are fetched all at once: in a large tree the
 * fetches take the time.  (36 000 stacks of a compiler: 5 600 page faults; with
 * the nodes in the table itself, half full, 16 700.)
 */
#ifndef CPPROF_CPPROFDATA_NODES_H
#define CPPROF_CPPROFDATA_NODES_H

#include <stdbool.h>

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/hash.h"
#include "lib/vec.h"

struct cpd_nodes_entry {
	uint64_t hash, addr; /* the root's hash is 0 */
	uint32_t parent, module, flags;
};

struct cpd_nodes {
	struct hash known; /* all but the root */
	struct cpd_nodes_entry *v;
	size_t n, cap; /* as SET_OF() has them: set_free() frees both */
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

/* The number of that node; 0: there is none. */
static inline uint32_t cpd_nodes_find(const struct cpd_nodes *t, uint64_t hash,
	uint32_t parent, uint32_t module, uint64_t addr, uint32_t flags)
{
	size_t probe = 0;
	uint32_t id;

	while ((id = hash_next(&t->known, hash, &probe)) != HASH_NONE) {
		const struct cpd_nodes_entry *e = &t->v[id];

		if (e->addr == addr && e->parent == parent &&
			e->module == module && e->flags == flags)
			return id;
	}
	return 0;
}

/* Makes the root, and room for one more; false when out of memory. */
bool cpd_nodes_room(struct cpd_nodes *t);

/* Adds the next node, for which there is room. */
void cpd_nodes_add(
	struct cpd_nodes *t, uint64_t hash, const struct cpd_node *node);

#endif
