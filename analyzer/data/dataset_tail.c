/*
 * dataset_tail.c - functions that left by a tail call.
 *
 * `return g(x);` is a jump to g when optimized: f, which did it, has no frame
 * any more, and g seems to be called by f's caller.  But the call there still
 * names f.  So f stands between the two again, and behind it those that the
 * file says stood on the one way from f to g.  Where several ways lead on, and
 * who jumped where the call was through a pointer, nothing tells.
 */
#include <string.h>

#include "analyzer/data/dataset_private.h"

/*
 * Whether F is the function of NODE, which may be known by another of its
 * names.
 */
static bool holds(
	const struct function *f, const struct node *node, uint32_t module_key)
{
	uint64_t addr = node->addr - !(node->flags & CPD_NODE_EXACT);

	return f->module_id == module_key && addr >= f->lo && addr < f->hi;
}

/*
 * Calls reach a stub of the linkage table on the way to their function, and the
 * dynamic linker, to have that looked up.
 */
static bool is_on_the_way(const struct function *f)
{
	size_t n = strlen(f->name);

	return (n > 4 && !strcmp(f->name + n - 4, "@plt")) ||
	       !strncmp(f->module, "ld-", 3) ||
	       !strncmp(f->module, "ld.so", 5) ||
	       !strncmp(f->module, "ld64.so", 7);
}

/* The functions on the way from SITE's call to FOUND. */
static uint32_t chain_to(const struct raw_addr *site, uint32_t found)
{
	for (uint32_t i = 0; i < site->ntails; i++)
		if (site->tails[i].found == found)
			return site->tails[i].via | DATASET_LOST_CHAIN;
	return site->target;
}

void dataset_restore_tails(struct dataset_private *impl, const uint32_t *sites)
{
	const struct function *functions = impl->functions.v;
	struct node *nodes = impl->nodes.v;

	for (size_t i = impl->nodes.n; i-- > 1;) {
		struct node *node = &nodes[i];
		const struct raw_addr *site =
			&impl->raw_addrs.v[sites[node->parent]];
		uint32_t target = sites[node->parent] ? site->target : 0, found;

		if (!target || !node->module ||
			nodes[node->parent].flags & CPD_NODE_EXACT)
			continue;
		found = node->frames[node->nframes - 1].function;
		if (functions[found].base != functions[target].base &&
			!is_on_the_way(&functions[found]) &&
			!holds(&functions[target], node,
				functions[found].module_id))
			node->lost = chain_to(site, found);
	}
}
