/*
 * dataset_aggregates.c - adds samples up by (resource, node, thread).
 *
 * A file of many stacks has them in no order, so each sample would wait twice
 * for memory: for the table and for its cell.  Samples are therefore held back
 * and added many at a time, the waits of one round being under way together.
 */
#include <stdlib.h>

#include "lib/vec.h"
#include "analyzer/data/dataset_private.h"
#include "analyzer/hash.h"

static uint64_t cell_hash(uint32_t resource, uint32_t node, uint32_t thread)
{
	return hash_add(hash_mix((uint64_t)node << 32 | thread), resource);
}

int cells_begin(struct cell_adder *adder)
{
	adder->mask = 1023;
	adder->table = calloc(adder->mask + 1, sizeof *adder->table);
	return adder->table ? 0 : -1;
}

void cells_end(struct cell_adder *adder)
{
	free(adder->table);
	adder->table = NULL;
}

/* Room for COUNT more cells with at least half of the table free. */
static int make_room(struct cell_adder *adder, size_t count)
{
	size_t mask = adder->mask;
	uint32_t *table;

	if (adder->cells.n + count >= UINT32_MAX)
		return -1;
	while ((adder->cells.n + count) * 2 > mask)
		mask = mask * 2 + 1;
	if (mask == adder->mask)
		return 0;
	table = calloc(mask + 1, sizeof *table);
	if (!table)
		return -1;
	for (size_t i = 0; i < adder->cells.n; i++) {
		const struct cell *cell = &adder->cells.v[i];
		uint64_t h =
			cell_hash(cell->resource, cell->node, cell->thread);

		while (table[h & mask])
			h++;
		table[h & mask] = (uint32_t)i + 1;
	}
	free(adder->table);
	adder->table = table;
	adder->mask = mask;
	return 0;
}

/* The cell of SAMPLE, whose hash is H; there is room in the table. */
static struct cell *find_cell(
	struct cell_adder *adder, const struct cpd_sample *sample, uint64_t h)
{
	struct cell *cell;

	for (;; h++) {
		uint32_t i = adder->table[h & adder->mask];

		if (!i)
			break;
		cell = &adder->cells.v[i - 1];
		if (cell->node == sample->node &&
			cell->thread == sample->thread &&
			cell->resource == sample->resource)
			return cell;
	}
	cell = vec_push(&adder->cells);
	if (!cell)
		return NULL;
	cell->resource = sample->resource;
	cell->node = sample->node;
	cell->thread = sample->thread;
	adder->table[h & adder->mask] = (uint32_t)adder->cells.n;
	return cell;
}

int cells_flush(struct cell_adder *adder)
{
	uint64_t hashes[CELLS_AHEAD];

	if (make_room(adder, adder->nahead))
		return -1;
	for (size_t i = 0; i < adder->nahead; i++) {
		const struct cpd_sample *s = &adder->ahead[i];

		hashes[i] = cell_hash(s->resource, s->node, s->thread);
		__builtin_prefetch(&adder->table[hashes[i] & adder->mask]);
	}
	for (size_t i = 0; i < adder->nahead; i++) {
		uint32_t number = adder->table[hashes[i] & adder->mask];

		if (number)
			__builtin_prefetch(&adder->cells.v[number - 1], 1);
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
