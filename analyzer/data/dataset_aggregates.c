/*
 * dataset_aggregates.c - adds samples up by (resource, node, thread).
 *
 * A file of many stacks has them in no order, so each sample would wait twice
 * for memory: for the table and for its cell.  Samples are therefore held back
 * and added many at a time, the waits of one round being under way together.
 */
#include "lib/vec.h"
#include "analyzer/data/dataset_private.h"
#include "lib/hash.h"
#include "lib/sum.h"

static uint64_t cell_hash(uint32_t resource, uint32_t node, uint32_t thread)
{
	return hash_with(hash_mix((uint64_t)node << 32 | thread), resource);
}

void cells_end(struct cell_adder *adder)
{
	hash_free(&adder->known);
}

/* The cell of SAMPLE, whose hash is H; NULL: no memory. */
static struct cell *find_cell(
	struct cell_adder *adder, const struct cpd_sample *sample, uint64_t h)
{
	size_t probe = 0;
	struct cell *cell;
	uint32_t i;

	while ((i = hash_next(&adder->known, h, &probe)) != HASH_NONE) {
		cell = &adder->cells.v[i];
		if (cell->node == sample->node &&
			cell->thread == sample->thread &&
			cell->resource == sample->resource)
			return cell;
	}
	i = (uint32_t)adder->cells.n;
	if (i == HASH_NONE - 1 || !vec_reserve(&adder->cells, i + 1) ||
		!hash_add(&adder->known, h, i))
		return NULL;
	cell = vec_push(&adder->cells);
	cell->resource = sample->resource;
	cell->node = sample->node;
	cell->thread = sample->thread;
	return cell;
}

int cells_flush(struct cell_adder *adder)
{
	uint64_t hashes[CELLS_AHEAD];

	for (size_t i = 0; i < adder->nahead; i++) {
		const struct cpd_sample *s = &adder->ahead[i];

		hashes[i] = cell_hash(s->resource, s->node, s->thread);
		hash_prefetch(&adder->known, hashes[i]);
	}
	for (size_t i = 0; i < adder->nahead; i++) {
		size_t probe = 0;
		uint32_t number = hash_next(&adder->known, hashes[i], &probe);

		if (number != HASH_NONE)
			__builtin_prefetch(&adder->cells.v[number], 1);
	}
	for (size_t i = 0; i < adder->nahead; i++) {
		const struct cpd_sample *s = &adder->ahead[i];
		struct cell *cell = find_cell(adder, s, hashes[i]);

		if (!cell)
			return -1;
		cell->samples++;
		sum_add(&cell->hits, s->hits);
		sum_add(&cell->weight, s->weight);
	}
	adder->nahead = 0;
	return 0;
}

int cells_add(struct cell_adder *adder, const struct cpd_sample *sample)
{
	adder->ahead[adder->nahead++] = *sample;
	return adder->nahead < CELLS_AHEAD ? 0 : cells_flush(adder);
}
