/* Remembers the samples of memory that lives. */
#include "monitor/tasks/blocks.h"

#include <stdlib.h>

static uint64_t key(uint32_t timer, uint32_t block)
{
	return (uint64_t)timer << 32 | block;
}

int blocks_add(struct id_map *blocks, uint32_t timer, uint32_t block,
	const struct cpd_sample *sample)
{
	struct cpd_sample *kept = malloc(sizeof *kept);

	if (!kept)
		return -1;
	*kept = *sample;
	free(id_map_get(blocks, key(timer, block)));
	if (id_map_put(blocks, key(timer, block), kept))
		return 0;
	free(kept);
	return -1;
}

bool blocks_take(struct id_map *blocks, uint32_t timer, uint32_t block,
	struct cpd_sample *sample)
{
	struct cpd_sample *kept = id_map_get(blocks, key(timer, block));

	if (!kept)
		return false;
	*sample = *kept;
	id_map_remove(blocks, key(timer, block), kept);
	free(kept);
	return true;
}

void blocks_free(struct id_map *blocks)
{
	for (size_t i = 0; i < blocks->n; i++)
		free(blocks->v[i].thing);
	id_map_free(blocks);
}
