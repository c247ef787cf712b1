/* tree.c - answers questions about a sample tree. */
#include <stdlib.h>

#include "analyzer/tree/tree_private.h"

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	if (tree->impl) {
		free(tree->impl->threads);
		free(tree->impl->stacks);
		if (tree->impl->sites)
			strings_free(tree->impl->sites);
	}
	free(tree->impl);
	free(tree->nodes);
	free(tree);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

struct tree_sums tree_self(const struct tree *tree, uint32_t node)
{
	const struct tree_node *n = &tree->nodes[node];
	struct tree_sums self = {n->weight, n->hits, n->samples};
	uint32_t end = node + n->size;

	for (uint32_t c = node + 1; c < end; c += tree->nodes[c].size) {
		self.weight = less(self.weight, tree->nodes[c].weight);
		self.hits = less(self.hits, tree->nodes[c].hits);
		self.samples = less(self.samples, tree->nodes[c].samples);
	}
	return self;
}

const char *tree_site(const struct tree *tree, uint32_t site)
{
	return strings_get(tree->impl->sites, site);
}

bool tree_keeps_thread(const struct tree *tree, uint32_t thread)
{
	return !tree->impl->threads || tree->impl->threads[thread];
}

bool tree_keeps_stack(const struct tree *tree, uint32_t node)
{
	return !tree->impl->stacks || tree->impl->stacks[node];
}

uint64_t tree_loss_left_out(const struct tree *tree)
{
	return less(tree->impl->loss, tree->impl->loss_kept);
}
