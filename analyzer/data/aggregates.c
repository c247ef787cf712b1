/* aggregates.c - adds samples up by (resource, node, thread). */
#include "analyzer/data/aggregates.h"

#include "lib/sum.h"

int aggregates_add(
	aggregate_set *set, const struct cpd_sample *sample, uint32_t leaf)
{
	struct aggregate *to, key = {.resource = sample->resource,
				      .node = sample->node,
				      .leaf = leaf,
				      .thread = sample->thread};
	uint32_t i = set_add(set, &key,
		offsetof(struct aggregate, thread) + sizeof key.thread);

	if (i == HASH_NONE)
		return -1;
	to = &set->v[i];
	to->samples++;
	sum_add(&to->hits, sample->hits);
	sum_add(&to->weight, sample->weight);
	return 0;
}
