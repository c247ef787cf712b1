/*
 * events_private.h - what the files behind monitor/perf/events.h share:
 *
 *   machine.c     limits; the system call
 *   event_ids.c   events by their ids
 *   rings.c       the rings' sizes and memory
 *   grow.c        larger rings for those that were too small
 *   events.c      opening
 *   events_use.c  what is done with events that are open
 *
 * Each uses only those above it.
 */
#ifndef CPPROF_PERF_EVENTS_PRIVATE_H
#define CPPROF_PERF_EVENTS_PRIVATE_H

#include "monitor/perf/events.h"

/* The system call.  -1 with errno. */
int perf_open_event(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* Keeps an open event; NULL with errno, and FD stays the caller's. */
struct perf_fd *perf_remember(
	struct perf_events *events, int fd, int cpu, uint32_t tag);

/* What perf_events_is_mark() is about. */
void perf_mark_attr(
	const struct perf_events *events, struct perf_event_attr *attr);

/* The number in a file of /proc/sys, or MISSING. */
long perf_sysctl(const char *path, long missing);

/*
 * The pages of a side ring, which must leave room in the memory of all rings
 * and in what an ordinary user may lock for each processor.  MACHINE: it holds
 * the records of all processes.
 */
size_t perf_side_pages(size_t ncpus, bool machine);

/*
 * Shares out the memory of the sample rings to the tags; it is limited by the
 * number of processors, the machine's memory and what an ordinary user may
 * lock. -1: no memory.
 */
int perf_share_out(
	struct perf_events *events, const size_t *bytes, size_t ntags);

/* The rings that the tag writes to. */
struct perf_share *perf_share(const struct perf_events *events, uint32_t tag);

/*
 * The event that holds the ring of a processor that TAG writes to, the latest;
 * -1: none.
 */
int perf_ring_owner(const struct perf_events *events, uint32_t tag, int cpu);

/*
 * STACK, or less if a ring of PAGES would hold too few copies of that size.
 * OUTPUT: it is the largest of several.
 */
uint32_t perf_fitting(size_t pages, uint32_t stack, bool output);

/*
 * Maps a ring for each processor: of the side events, which are the first ones,
 * or of holders.  All are of one size, the largest up to *PAGES that this user
 * may lock; *PAGES becomes that size.  -1 with errno.
 */
int perf_map_rings(struct perf_events *events, uint32_t tag, size_t *pages);

/* An event of a processor that holds a ring of PAGES of samples. */
int perf_open_holder(int cpu, size_t pages);

/* Adds a mapped ring, the event FD's.  -1 with errno, and nothing is added. */
int perf_add_ring(struct perf_events *events, struct ring *ring, int fd);

/* Ends what perf_events_grow() does. */
void perf_end_growth(struct perf_growth *growth);

/* Bytes that all rings may take, however large they become. */
uint64_t perf_rings_most(void);

/* Unmaps all from number FROM on. */
void perf_unmap_rings(struct perf_events *events, size_t from);

/* The error for perf_map_rings(), by errno. */
int perf_no_ring(const char *name, struct err *err);

#endif
