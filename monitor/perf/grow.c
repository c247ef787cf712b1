/* Moves samples to larger rings where they come in bursts. */
#include "monitor/perf/events_private.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/arch/arch.h"

#define TIMES 4 /* the size before */

/*
 * The kernel takes 0.6 ms for each MiB, and takes the monitor's real-time
 * priority away after 50 ms.
 */
#define MOST_BYTES (64u << 20)

static bool has_ring(const struct perf_events *events, int fd)
{
	for (size_t i = 0; i < events->wake.n; i++)
		if (events->wake.v[i] == fd)
			return true;
	return false;
}

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
 * Opens an event like the OWNER of a ring, with one of so many pages.  Its
 * descriptor; -1 with nothing changed.
 */
static int open_larger(
	struct perf_events *events, const struct perf_fd *owner, size_t pages)
{
	struct perf_event_attr attr;
	struct perf_fd *slot;
	int fd;

	perf_output_attr(events, owner->stack, &attr);
	attr.wakeup_watermark = perf_wake_bytes(pages);
	fd = perf_open_output(events, &attr, owner->cpu);
	if (fd < 0)
		return -1;
	slot = perf_remember(events, fd, owner->cpu, owner->tag);
	if (!slot) {
		close(fd);
		return -1;
	}
	slot->type = owner->type;
	slot->config = owner->config;
	slot->sample_type = owner->sample_type;
	slot->stack = owner->stack;
	slot->output = true;
	if (perf_map_ring(events, fd, owner->tag, pages) == 0)
		return fd;
	close(fd);
	events->fds.n--;
	return -1;
}

/*
 * Moves what is written to ring I.  The kernel changes no event whose own ring
 * is mapped: the new event takes the place of that one.
 */
static void move(struct perf_events *events, size_t i, perf_moved *moved,
	const void *arg)
{
	const struct perf_fd owner = owner_of(events, i);
	size_t pages = events->rings.v[i]->size / PAGE_BYTES * TIMES;
	int fd;

	if (!owner.output || pages * PAGE_BYTES > MOST_BYTES ||
		!has_room(events, pages * PAGE_BYTES) ||
		merge_reserve(&events->merge, events->rings.n + 1))
		return;
	fd = open_larger(events, &owner, pages);
	if (fd < 0)
		return;
	for (size_t k = 0; k < events->fds.n; k++) {
		const struct perf_fd *f = &events->fds.v[k];

		if (f->output && f->cpu == owner.cpu &&
			perf_share(events, f->tag) ==
				perf_share(events, owner.tag) &&
			!has_ring(events, f->fd))
			ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT, fd);
	}
	moved(arg, owner.tag, owner.cpu, fd);
}

void perf_events_grow(
	struct perf_events *events, perf_moved *moved, const void *arg)
{
	size_t n = events->rings.n;

	for (size_t i = 0; i < n; i++) {
		struct ring *ring = events->rings.v[i];

		if (!ring->crowded || ring->left)
			continue;
		ring->left = true;
		move(events, i, moved, arg);
	}
	merge_set(&events->merge, events->rings.v, events->rings.n);
}
