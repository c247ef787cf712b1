/* Moves samples to larger rings where they come in bursts. */
#include "monitor/perf/events_private.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/arch/arch.h"

#define TIMES 4 /* the size before */

/* A ring takes the kernel 0.3 to 0.6 ms for each MiB. */
#define MOST_BYTES (64u << 20)

/* The event that ring I is mapped of. */
static struct perf_fd owner_of(const struct perf_events *events, size_t i)
{
	const struct perf_fd *f = events->fds.v;

	while (f->fd != events->wake.v[i])
		f++;
	return *f;
}

/* Whether all rings may take so many bytes more. */
static bool has_room(const struct perf_events *events, uint64_t bytes)
{
	for (size_t i = 0; i < events->rings.n; i++)
		bytes += events->rings.v[i]->size;
	return bytes <= perf_rings_most();
}

/*
 * Opens an event like OUTPUT, whose records go into a ring of PAGES.  False
 * with nothing changed.
 */
static bool open_like(const struct perf_events *events,
	const struct perf_fd *output, size_t pages, struct perf_fd *event)
{
	struct perf_event_attr attr;

	perf_output_attr(events, output->stack, &attr);
	attr.wakeup_watermark = perf_wake_bytes(pages);
	*event = *output;
	event->fd = perf_open_output(events, &attr, output->cpu);
	if (event->fd < 0)
		return false;
	if (ioctl(event->fd, PERF_EVENT_IOC_ID, &event->id) == 0)
		return true;
	close(event->fd);
	return false;
}

/* Begins to make a ring that takes the place of number I. */
static void begin(struct perf_events *events, size_t i)
{
	const struct perf_fd owner = owner_of(events, i);
	struct perf_growth *growth = &events->growth;
	size_t pages = events->rings.v[i]->size / PAGE_BYTES * TIMES;

	if (!owner.output || pages * PAGE_BYTES > MOST_BYTES ||
		!has_room(events, pages * PAGE_BYTES) ||
		!open_like(events, &owner, pages, &growth->event))
		return;
	if (!perf_begin_ring(growth, pages))
		close(growth->event.fd);
}

/* Opens an event like OUTPUT that writes to the ring of OWNER. */
static bool open_into(struct perf_events *events, const struct perf_fd *output,
	const struct perf_fd *owner, size_t pages, struct perf_fd *event)
{
	if (!open_like(events, output, pages, event))
		return false;
	if (ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT, owner->fd) == 0 &&
		vec_add(&events->fds, *event))
		return true;
	close(event->fd);
	return false;
}

/*
 * All outputs of the processor that write to the ring before get others in
 * their place.  They are not moved themselves: the kernel moves none whose own
 * ring is mapped, and for each that has a ring it waits until all processors
 * have been elsewhere: 20 ms on a busy machine, in which nothing is read.
 */
static void replace(struct perf_events *events, const struct perf_fd *owner,
	size_t pages, perf_moved *moved, const void *arg)
{
	size_t n = events->fds.n - 1;

	for (size_t k = 0; k < n; k++) {
		const struct perf_fd f = events->fds.v[k];
		struct perf_fd event = *owner;

		if (!f.output || f.replaced || f.cpu != owner->cpu ||
			perf_share(events, f.tag) !=
				perf_share(events, owner->tag))
			continue;
		if ((f.tag != owner->tag || f.stack != owner->stack) &&
			!open_into(events, &f, owner, pages, &event))
			continue;
		events->fds.v[k].replaced = moved(arg, &event) == 0;
	}
}

/* The ring is made, or could not be. */
static void finish(
	struct perf_events *events, perf_moved *moved, const void *arg)
{
	struct perf_growth *growth = &events->growth;
	const struct perf_fd owner = growth->event;
	struct ring *ring = perf_end_ring(growth);

	if (!ring)
		return;
	ring->tag = owner.tag;
	if (merge_reserve(&events->merge, events->rings.n + 1) ||
		!vec_reserve(&events->wake, events->wake.n + 1) ||
		!vec_reserve(&events->fds, events->fds.n + 1) ||
		!vec_add(&events->rings, ring)) {
		ring_close(ring);
		free(ring);
		close(owner.fd);
		return;
	}
	vec_add(&events->wake, owner.fd);
	vec_add(&events->fds, owner);
	merge_set(&events->merge, events->rings.v, events->rings.n);
	replace(events, &owner, growth->pages, moved, arg);
}

void perf_events_grow(
	struct perf_events *events, perf_moved *moved, const void *arg)
{
	struct perf_growth *growth = &events->growth;

	if (growth->ring && __atomic_load_n(&growth->made, __ATOMIC_ACQUIRE))
		finish(events, moved, arg);
	for (size_t i = 0; i < events->rings.n && !growth->ring; i++) {
		struct ring *ring = events->rings.v[i];

		if (!ring->crowded || ring->left)
			continue;
		ring->left = true;
		begin(events, i);
	}
}
