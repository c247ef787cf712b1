/* The rings of perf events: how large they may be, and their memory. */
#include "monitor/perf/events_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define WAKE_BYTES (1u << 20)

#define RING_PAGES_MIN 16
#define SIDE_PAGES 64
#define MACHINE_SIDE_PAGES 256

/* All sample rings together. */
#define RINGS_BYTES_MAX (1ull << 30)

/* A ring that holds fewer copies of the stack gets smaller copies. */
#define COPIES_MIN 16
#define COPY_MIN 8192u

long perf_sysctl(const char *path, long missing)
{
	FILE *f = fopen(path, "re");
	long value;

	if (!f)
		return missing;
	if (fscanf(f, "%ld", &value) != 1)
		value = missing;
	fclose(f);
	return value;
}

/* Maps a ring of PAGES for FD.  -1 with errno. */
static int map_ring(struct perf_events *events, int fd, size_t pages)
{
	struct ring *ring = calloc(1, sizeof *ring), **slot;
	int *wake;

	if (!ring)
		return -1;
	if (ring_open(ring, fd, pages)) {
		free(ring);
		return -1;
	}
	slot = vec_push(&events->rings);
	if (slot)
		*slot = ring;
	wake = slot ? vec_push(&events->wake) : NULL;
	if (!wake) {
		ring_close(ring);
		free(ring);
		events->rings.n -= slot != NULL;
		errno = ENOMEM;
		return -1;
	}
	*wake = fd;
	return 0;
}

void perf_unmap_rings(struct perf_events *events, size_t from)
{
	while (events->rings.n > from) {
		struct ring *ring = events->rings.v[--events->rings.n];

		ring_close(ring);
		free(ring);
		events->wake.n--;
	}
}

int perf_map_rings(struct perf_events *events, size_t *pages)
{
	size_t had = events->rings.n, n = events->cpus.n;
	const struct perf_fd *fds = &events->fds.v[events->fds.n - n];

	for (;;) {
		size_t i = 0;

		while (i < n && map_ring(events, fds[i].fd, *pages) == 0)
			i++;
		if (i == n)
			return 0;
		perf_unmap_rings(events, had);
		if ((errno != EPERM && errno != ENOMEM) ||
			*pages <= RING_PAGES_MIN)
			return -1;
		*pages /= 2;
	}
}

int perf_no_ring(const char *name, struct err *err)
{
	long kb = perf_sysctl("/proc/sys/kernel/perf_event_mlock_kb", 516);

	err_sys(err, name, "mmap of a ring buffer");
	return err_hint(err,
		"this user may lock %ld KiB per processor for "
		"perf and the 'ulimit -l' beyond; another profiler may be "
		"using it up: raise kernel.perf_event_mlock_kb or ulimit -l",
		kb);
}

size_t perf_side_pages(size_t ncpus, bool machine)
{
	size_t pages = SIDE_PAGES, may;
	struct rlimit limit = {0};

	if (geteuid() == 0)
		return machine ? MACHINE_SIDE_PAGES : pages;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	may = (size_t)perf_sysctl("/proc/sys/kernel/perf_event_mlock_kb", 516) *
		      1024 +
	      limit.rlim_cur / ncpus;
	while (pages > RING_PAGES_MIN && pages * 4096 > may / 4)
		pages /= 2;
	return pages;
}

size_t perf_sample_pages(size_t wanted, size_t ncpus)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * 4096 / 16;
	size_t pages = RING_PAGES_MIN;

	if (all > RINGS_BYTES_MAX)
		all = RINGS_BYTES_MAX;
	if (wanted > all / ncpus)
		wanted = (size_t)(all / ncpus);
	while (pages * 4096 < wanted)
		pages *= 2;
	return pages;
}

uint32_t perf_fitting(const struct perf_events *events, uint32_t stack)
{
	size_t fits = events->ring_pages * 4096 / COPIES_MIN;

	if (stack <= fits || stack <= COPY_MIN)
		return stack;
	return fits < COPY_MIN ? COPY_MIN : (uint32_t)fits;
}

/*
 * The ring is large for the sake of the worst case; what lies in it is best
 * looked at while it is still in the processor's cache.
 */
uint32_t perf_wake_bytes(const struct perf_events *events)
{
	size_t quarter = events->ring_pages * 4096 / 4;

	return (uint32_t)(quarter < WAKE_BYTES ? quarter : WAKE_BYTES);
}
