/*
 * dataset_tail.c - functions that left by a tail call.
 *
 * `return g(x);` is a jump to g when optimized: f, which did it, has no frame
 * any more, and g seems to be called by f's caller.  But the call instruction
 * there still names f.  So f stands between the two again.  What f's successors
 * were, if it had several, and who jumped where the call was through a pointer,
 * nothing tells.
 */
#include "dataset_private.h"

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
		if (functions[found].base != functions[target].base)
			node->lost = target;
	}
}
