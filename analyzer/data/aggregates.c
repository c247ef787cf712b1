/* aggregates.c - adds samples up by (resource, node, thread). */
#include "analyzer/data/aggregates.h"

#include "lib/sum.h"
#include "lib/vec.h"

void aggregates_end(struct aggregator *adder)
{
	hash_free(&adder->known);
}

/* The aggregate of SAMPLE; NULL: no memory. */
static struct aggregate *find_aggregate(
	struct aggregator *adder, const struct cpd_sample *sample)
{
	uint64_t h = hash_with(
		hash_mix((uint64_t)sample->node << 32 | sample->thread),
		sample->resource);
	size_t probe = 0;
	struct aggregate *aggregate;
	uint32_t i;

	while ((i = hash_next(&adder->known, h, &probe)) != HASH_NONE) {
		aggregate = &adder->aggregates.v[i];
		if (aggregate->node == sample->node &&
			aggregate->thread == sample->thread &&
			aggregate->resource == sample->resource)
			return aggregate;
	}
	i = (uint32_t)adder->aggregates.n;
	if (i == HASH_NONE - 1 || !vec_reserve(&adder->aggregates, i + 1) ||
		!hash_add(&adder->known, h, i))
		return NULL;
	aggregate = vec_push(&adder->aggregates);
	aggregate->resource = sample->resource;
	aggregate->node = sample->node;
	aggregate->thread = sample->thread;
	return aggregate;
}

int aggregates_add(struct aggregator *adder, const struct cpd_sample *sample)
{
	struct aggregate *aggregate = find_aggregate(adder, sample);

	if (!aggregate)
		return -1;
	aggregate->samples++;
	sum_add(&aggregate->hits, sample->hits);
	sum_add(&aggregate->weight, sample->weight);
	return 0;
}
