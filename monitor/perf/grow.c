/* Moves samples to larger rings where they come in bursts. */
#include "monitor/perf/events_private.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/arch/arch.h"

#define TIMES 4 /* the size before */

/* A ring takes the kernel 0.3 to 0.6 ms for each MiB. */
#define MOST_BYTES (64u << 20)

/* Whether all rings may take so many bytes more. */
static bool has_room(const struct perf_events *events, uint64_t bytes)
{
	for (size_t i = 0; i < events->rings.n; i++)
		bytes += events->rings.v[i]->size;
	return bytes <= perf_rings_most();
}

static void *make_ring(void *arg)
{
	struct perf_growth *growth = arg;

	ring_open(growth->ring, growth->holder, growth->pages);
	__atomic_store_n(&growth->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * An event writes to its ring before until it writes to the other.  In between
 * the kernel waits until all processors have been elsewhere, and meanwhile
 * nobody can poll the holder, and the event's thread cannot fork.
 */
static void *move_events(void *arg)
{
	struct perf_growth *growth = arg;

	for (size_t i = 0; i < growth->moving.n; i++)
		if (!__atomic_load_n(&growth->end, __ATOMIC_RELAXED))
			ioctl(growth->moving.v[i], PERF_EVENT_IOC_SET_OUTPUT,
				growth->holder);
	__atomic_store_n(&growth->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* False: there is no thread for it. */
static bool begin_work(struct perf_growth *growth, void *(*work)(void *))
{
	sigset_t all, mask;

	growth->done = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	growth->busy = pthread_create(&growth->thread, NULL, work, growth) == 0;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return growth->busy;
}

/* Closes a ring that is not in use. */
static void drop(struct perf_growth *growth)
{
	ring_close(growth->ring);
	free(growth->ring);
	growth->ring = NULL;
	close(growth->holder);
}

/* Begins to make a ring that takes the place of BEFORE. */
static void begin(struct perf_events *events, const struct ring *before)
{
	struct perf_growth *growth = &events->growth;

	growth->before = before;
	growth->pages = before->size / PAGE_BYTES * TIMES;
	if (before->tag == PERF_NO_TAG ||
		growth->pages * PAGE_BYTES > MOST_BYTES ||
		!has_room(events, growth->pages * PAGE_BYTES))
		return;
	growth->holder = perf_open_holder(before->cpu, growth->pages);
	if (growth->holder < 0)
		return;
	growth->ring = calloc(1, sizeof *growth->ring);
	if (!growth->ring)
		close(growth->holder);
	else if (!begin_work(growth, make_ring))
		drop(growth);
}

/*
 * The ring is made, or could not be.  It is read before the events of BEFORE
 * are moved to it: their records stay in order.
 */
static void use(struct perf_events *events)
{
	struct perf_growth *growth = &events->growth;
	const struct ring *before = growth->before;
	struct ring *ring = growth->ring;

	ring->tag = before->tag;
	ring->cpu = before->cpu;
	if (!ring->page || merge_reserve(&events->merge, events->rings.n + 1) ||
		perf_add_ring(events, ring, growth->holder)) {
		drop(growth);
		return;
	}
	growth->ring = NULL;
	merge_set(&events->merge, events->rings.v, events->rings.n);
	growth->moving.n = 0;
	for (size_t i = 0; i < events->fds.n; i++) {
		const struct perf_fd *f = &events->fds.v[i];

		if (f->cpu == ring->cpu && f->tag != PERF_NO_TAG &&
			events->shares.v[f->tag].owner == ring->tag)
			vec_add(&growth->moving, f->fd);
	}
	begin_work(growth, move_events);
}

bool perf_events_grow(struct perf_events *events)
{
	struct perf_growth *growth = &events->growth;

	if (growth->busy && __atomic_load_n(&growth->done, __ATOMIC_ACQUIRE)) {
		pthread_join(growth->thread, NULL);
		growth->busy = false;
		if (growth->ring)
			use(events);
	}
	for (size_t i = 0; i < events->rings.n && !growth->busy; i++) {
		struct ring *ring = events->rings.v[i];

		if (!ring->crowded || ring->left)
			continue;
		ring->left = true;
		begin(events, ring);
	}
	return !growth->busy;
}

void perf_end_growth(struct perf_growth *growth)
{
	__atomic_store_n(&growth->end, true, __ATOMIC_RELAXED);
	if (growth->busy)
		pthread_join(growth->thread, NULL);
	if (growth->ring)
		drop(growth);
	vec_free(&growth->moving);
}
