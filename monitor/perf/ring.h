/*
 * ring.h - the kernel's ring buffers, read in place and in time order.
 *
 * A ring belongs to one perf event (others may write into it through
 * PERF_EVENT_IOC_SET_OUTPUT).  Records are looked at where they lie and handed
 * back to the kernel one by one, so a sample's stack is never copied but where
 * it wraps around the end.
 *
 * A merge takes the rings of all processors and gives their records in order
 * of time up to a horizon; what is later stays in its ring.  All events must
 * have sample_id_all, use_clockid with CLOCK_MONOTONIC, and as sample_type
 * PERF_SAMPLE_HEAD and what perf_sample_parse() knows besides.
 *
 * A ring is not trusted.  A target can make records of any length, so that a
 * header begins and wraps around at any byte, and the kernel can lose a header
 * (perf_sample_overran()); that one is made anew from its record's body, in a
 * copy: a write to the kernel's ring is a SIGBUS.  Where a record cannot be
 * right, the whole contents of the ring are dropped. The reader does not search
 * for the next good record: it may find one in a stack, whose bytes the target
 * chooses.
 */
#ifndef CPPROF_PERF_RING_H
#define CPPROF_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

#include "lib/err.h"
#include "monitor/perf/sample.h"

struct ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size; /* of data, a power of two */
	uint32_t tag;  /* the user's */
	int cpu;       /* likewise */
	uint64_t head; /* as last read */
	uint64_t tail;
	uint64_t time; /* of the record at tail, when there is one */
	struct perf_event_header header; /* likewise */
	bool remade;                     /* the ring has zeroes there */
	bool overran;     /* what the record before it says of its header */
	uint8_t *bounce;  /* a record that wraps around, made straight */
	uint64_t dropped; /* how often a record could not be right */
	bool crowded;     /* it was full, or nearly */
	bool left;        /* the user's: records go elsewhere now */
};

/*
 * Maps PAGES (a power of two) pages of the event FD.  -1 with errno: EPERM
 * when it is more than this user may lock.
 */
int ring_open(struct ring *ring, int fd, size_t pages);
void ring_close(struct ring *ring);

/* The sample_type of the event with that id; 0: there is none. */
typedef uint64_t ring_type_of(const void *arg, uint64_t id);

struct merge {
	ring_type_of *type_of;
	const void *arg;
	uint64_t now; /* no record can be later, at the last refresh */
	struct ring **rings;
	size_t n;
	struct ring **heap; /* those with a record, earliest on top */
	size_t nheap;
};

int merge_init(struct merge *merge, struct ring **rings, size_t n,
	ring_type_of *type_of, const void *arg);
void merge_fini(struct merge *merge);

/*
 * Gets memory for N rings (-1: there is none), which merge_set() then gives it:
 * those before, and others.
 */
int merge_reserve(struct merge *merge, size_t n);
void merge_set(struct merge *merge, struct ring **rings, size_t n);

/*
 * Finds the records that have come since.  Call it after reading the clock for
 * the horizon.
 */
void merge_refresh(struct merge *merge);

/* The largest share of a ring that holds unread records now. */
double merge_fill(const struct merge *merge);

/*
 * The earliest record whose time is before HORIZON, or NULL.  It is lent until
 * merge_done(), to be called before the next merge_next().  It is of a kind
 * that events here write, and has what all of that kind have; its address is a
 * multiple of 8.
 */
const struct perf_event_header *merge_next(
	struct merge *merge, uint64_t horizon, uint64_t *time);
void merge_done(struct merge *merge);

/* The ring that the record lent now lies in. */
const struct ring *merge_ring(const struct merge *merge);

#endif
