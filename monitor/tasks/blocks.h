/*
 * blocks.h - the samples of a process's requests for memory whose blocks have
 * not ended, by the number of the timer that counts ends and of the block.
 *
 * A map of zeros has none.
 */
#ifndef CPPROF_TASKS_BLOCKS_H
#define CPPROF_TASKS_BLOCKS_H

#include <stdbool.h>

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/id_map.h"

/* -1: no memory. */
int blocks_add(struct id_map *blocks, uint32_t timer, uint32_t block,
	const struct cpd_sample *sample);

/* Forgets the block; *SAMPLE is its.  False: it is not known. */
bool blocks_take(struct id_map *blocks, uint32_t timer, uint32_t block,
	struct cpd_sample *sample);

void blocks_free(struct id_map *blocks);

#endif
