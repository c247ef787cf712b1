/*
 * dataset_tail.c - functions that left by a tail call.
 *
 * `return g(x);` is a jump to g when optimized: f, which did it, has no frame
 * any more, and g seems to be called by f's caller.  But the call there still
 * names f.  So f stands between the two again.  What f's successors were, if it
 * had several, and who jumped where the call was through a pointer, nothing
 * tells.
 */
#include <string.h>

#include "dataset_private.h"

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

void dataset_restore_tails(
	struct dataset_private *private, const uint32_t *targets)
{
	const struct function *functions = private->functions.v;
	struct node *nodes = private->nodes.v;

	for (size_t i = private->nodes.n; i-- > 1;) {
		struct node *node = &nodes[i];
		uint32_t target = targets[node->parent], found;

		if (!target || !node->module ||
			nodes[node->parent].flags & CPD_NODE_EXACT)
			continue;
		found = node->frames[node->nframes - 1].function;
		if (functions[found].base != functions[target].base &&
			!is_on_the_way(&functions[found]) &&
			!holds(&functions[target], node,
				functions[found].module_id))
			node->lost = target;
	}
}
