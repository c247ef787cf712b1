/*
 * late_places.h - source lines that a profile lacks, from debug information
 * that is there now.
 */
#ifndef CPPROF_SOURCE_LATE_PLACES_H
#define CPPROF_SOURCE_LATE_PLACES_H

#include "analyzer/tree/tree.h"
#include "lib/elf/debuginfod.h"

struct late_places;

/* NULL when out of memory.  SEARCH is borrowed. */
struct late_places *late_places_new(
	const struct tree *tree, struct debug_search *search);
void late_places_free(struct late_places *places);

/* The node NUMBER of the file is to be looked up.  -1 when out of memory. */
int late_places_add(struct late_places *places, uint32_t number);

/* Looks up all; *FOUND: any line was found.  -1 when out of memory. */
int late_places_look_up(struct late_places *places, bool *found);

/* The line of node NUMBER into FRAME, if it is known now. */
void late_places_find(
	const struct late_places *places, uint32_t number, struct frame *frame);

#endif
