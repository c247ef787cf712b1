/*
 * events_private.h - what the files behind monitor/perf/events.h share:
 *
 *   machine.c     limits
 *   event_ids.c   events by their ids
 *   rings.c       the rings' sizes and memory
 *   events.c      opening
 *   events_use.c  what is done with events that are open
 *   grow.c        larger rings for those that were too small
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

/*
 * An event that BPF programs write to, with STACK bytes of stack; opens it, as
 * perf_open_event() does.
 */
void perf_output_attr(const struct perf_events *events, uint32_t stack,
	struct perf_event_attr *attr);

int perf_open_output(const struct perf_events *events,
	struct perf_event_attr *attr, int cpu);

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

/* The event that holds the ring of a processor that TAG writes to; -1: none. */
int perf_ring_owner(const struct perf_events *events, uint32_t tag, int cpu);

/*
 * STACK, or less if a ring of PAGES would hold too few copies of that size.
 * OUTPUT: it is the largest of several.
 */
uint32_t perf_fitting(size_t pages, uint32_t stack, bool output);

/* When a ring of PAGES of samples wakes its reader. */
uint32_t perf_wake_bytes(size_t pages);

/*
 * Maps a ring for each of the last events opened, one for each processor: all
 * of one size, the largest up to *PAGES that this user may lock.  *PAGES
 * becomes that size.  -1 with errno.
 */
int perf_map_rings(struct perf_events *events, uint32_t tag, size_t *pages);

/*
 * Begins to make a ring of PAGES for GROWTH's event, whose owner it becomes
 * then.  False: nothing has begun, and the event stays the caller's.
 */
bool perf_begin_ring(struct perf_growth *growth, size_t pages);

/* The ring, whose maker it waits for.  NULL: it failed; the event is closed. */
struct ring *perf_end_ring(struct perf_growth *growth);

/* Bytes that all rings may take, however large they become. */
uint64_t perf_rings_most(void);

/* Unmaps all from number FROM on. */
void perf_unmap_rings(struct perf_events *events, size_t from);

/* The error for perf_map_rings(), by errno. */
int perf_no_ring(const char *name, struct err *err);

#endif
