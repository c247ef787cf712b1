/*
 * aggregates.c - adds samples up by (resource, node, thread).
 *
 * A large file has its stacks in no order, so each sample would wait twice for
 * memory: for the hash table and for its aggregate.  Samples are therefore held
 * back and added in rounds, in which these waits overlap.
 */
#include "analyzer/data/aggregates.h"

#include "lib/sum.h"
#include "lib/vec.h"

static uint64_t aggregate_hash(
	uint32_t resource, uint32_t node, uint32_t thread)
{
	return hash_with(hash_mix((uint64_t)node << 32 | thread), resource);
}

void aggregates_end(struct aggregator *adder)
{
	hash_free(&adder->known);
}

/* The aggregate of SAMPLE, whose hash is H; NULL: no memory. */
static struct aggregate *find_aggregate(
	struct aggregator *adder, const struct cpd_sample *sample, uint64_t h)
{
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

/* Half of them lie across two lines of cache. */
static void fetch(const struct aggregate *aggregate)
{
	__builtin_prefetch(aggregate, 1);
	__builtin_prefetch(&aggregate->weight, 1);
}

/* N is no more than SAMPLES_AHEAD. */
static int add_round(
	struct aggregator *adder, const struct cpd_sample *samples, size_t n)
{
	uint64_t hashes[SAMPLES_AHEAD];

	for (size_t i = 0; i < n; i++) {
		const struct cpd_sample *s = &samples[i];

		hashes[i] = aggregate_hash(s->resource, s->node, s->thread);
		hash_prefetch(&adder->known, hashes[i]);
	}
	for (size_t i = 0; i < n; i++) {
		size_t probe = 0;
		uint32_t number = hash_next(&adder->known, hashes[i], &probe);

		if (number != HASH_NONE)
			fetch(&adder->aggregates.v[number]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct cpd_sample *s = &samples[i];
		struct aggregate *aggregate =
			find_aggregate(adder, s, hashes[i]);

		if (!aggregate)
			return -1;
		aggregate->samples++;
		sum_add(&aggregate->hits, s->hits);
		sum_add(&aggregate->weight, s->weight);
	}
	return 0;
}

int aggregates_add_all(
	struct aggregator *adder, const struct cpd_sample *samples, size_t n)
{
	for (size_t i = 0, round; i < n; i += round) {
		round = n - i < SAMPLES_AHEAD ? n - i : SAMPLES_AHEAD;
		if (add_round(adder, samples + i, round))
			return -1;
	}
	return 0;
}

int aggregates_flush(struct aggregator *adder)
{
	size_t n = adder->nahead;

	adder->nahead = 0;
	return add_round(adder, adder->ahead, n);
}

int aggregates_add(struct aggregator *adder, const struct cpd_sample *sample)
{
	adder->ahead[adder->nahead++] = *sample;
	return adder->nahead < SAMPLES_AHEAD ? 0 : aggregates_flush(adder);
}
