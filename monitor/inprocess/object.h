/* object.h - shared by the files of the counting object. */
#ifndef CPPROF_INPROCESS_OBJECT_H
#define CPPROF_INPROCESS_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/inprocess/counting.h"

/* What the variable says. */
struct counting_settings {
	uint32_t run; /* 0: not known yet */
	unsigned spread, stops, first;
	uint64_t interval[COUNTINGS];
};
extern struct counting_settings settings __attribute__((visibility("hidden")));

/* Reads them; false: there is no environment yet. */
bool object_settings(void) __attribute__((visibility("hidden")));

/* Nothing will be counted: there are no settings. */
void object_rest(void) __attribute__((visibility("hidden")));

/* Reports what the calling thread has consumed since its last report. */
void object_flush(void) __attribute__((visibility("hidden")));

/*
 * Finds the functions behind ours: later it could be in a forked child, whose
 * dynamic linker another thread may have locked for ever.
 */
void object_find(void) __attribute__((visibility("hidden")));

/* From now on forked children are known, and ends of threads. */
void object_watch(void) __attribute__((visibility("hidden")));

#endif
