/* aggregates.c - adds samples up by (resource, node, thread). */
#include "analyzer/data/aggregates.h"

#include "lib/sum.h"

int aggregates_sum(aggregate_set *set, const struct aggregate *a)
{
	size_t known = set->n;
	uint32_t i = set_add(
		set, a, offsetof(struct aggregate, thread) + sizeof a->thread);
	struct aggregate *to;

	if (i == HASH_NONE)
		return -1;
	if (i == known) /* it is a copy */
		return 0;
	to = &set->v[i];
	sum_add(&to->samples, a->samples);
	sum_add(&to->hits, a->hits);
	sum_add(&to->weight, a->weight);
	return 0;
}

int aggregates_add(
	aggregate_set *set, const struct cpd_sample *sample, uint32_t leaf)
{
	return aggregates_sum(
		set, &(struct aggregate){.resource = sample->resource,
			     .node = sample->node,
			     .leaf = leaf,
			     .thread = sample->thread,
			     .hits = sample->hits,
			     .samples = 1,
			     .weight = sample->weight});
}
