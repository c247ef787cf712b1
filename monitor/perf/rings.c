/* The rings of perf events: their sizes and memory. */
#include "monitor/perf/events_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "lib/arch/arch.h"

#define WAKE_BYTES (2u << 20)

#define RING_PAGES_MIN 16
#define SIDE_PAGES 64
#define MACHINE_SIDE_PAGES 256

/* All rings together at first; of them the side rings; a ring that has the
   room. */
#define RINGS_BYTES_MAX (64u << 20)
#define SIDES_BYTES_MAX (RINGS_BYTES_MAX / 4)
#define RING_BYTES_LEAST (1u << 20)

/*
 * A ring that holds fewer copies of the stack gets smaller copies.  Few of the
 * samples that a BPF program writes have the largest.
 */
#define COPIES_MIN 16
#define LARGEST_COPIES_MIN 8
#define COPY_MIN 8192u

/*
 * A sample with the stack of a simple program, and how many of them a monitor
 * unwinds in a second that has half a processor.
 */
#define SAMPLE_BYTES 1024
#define UNPRIVILEGED_TAKE 50000

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

/*
 * The ring is large for the worst case; its records are best read while they
 * are in the processor's cache.
 */
static uint32_t wake_bytes(size_t pages)
{
	size_t quarter = pages * PAGE_BYTES / 4;

	return (uint32_t)(quarter < WAKE_BYTES ? quarter : WAKE_BYTES);
}

int perf_open_holder(int cpu, size_t pages)
{
	struct perf_event_attr attr = {
		.size = sizeof attr,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		/* or an ordinary user has none */
		.exclude_kernel = 1,
		.exclude_hv = 1,
		/* events with another clock cannot write to its ring */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = wake_bytes(pages),
	};

	return perf_open_event(&attr, 0, cpu, -1);
}

int perf_add_ring(struct perf_events *events, struct ring *ring, int fd)
{
	if (!vec_reserve(&events->wake, events->wake.n + 1) ||
		!vec_add(&events->rings, ring)) {
		errno = ENOMEM;
		return -1;
	}
	vec_add(&events->wake, fd);
	return 0;
}

/* Maps a ring of PAGES on the processor number I.  -1 with errno. */
static int map_ring(
	struct perf_events *events, size_t i, uint32_t tag, size_t pages)
{
	struct ring *ring = calloc(1, sizeof *ring);
	int cpu = events->cpus.v[i], error,
	    fd = tag == PERF_NO_TAG ? events->fds.v[i].fd
				    : perf_open_holder(cpu, pages);

	if (fd >= 0 && ring && ring_open(ring, fd, pages) == 0) {
		ring->tag = tag;
		ring->cpu = cpu;
		if (perf_add_ring(events, ring, fd) == 0)
			return 0;
		ring_close(ring);
	}
	error = errno;
	free(ring);
	if (fd >= 0 && tag != PERF_NO_TAG)
		close(fd);
	errno = error;
	return -1;
}

void perf_unmap_rings(struct perf_events *events, size_t from)
{
	while (events->rings.n > from) {
		struct ring *ring = events->rings.v[--events->rings.n];

		events->wake.n--;
		if (ring->tag != PERF_NO_TAG)
			close(events->wake.v[events->wake.n]);
		ring_close(ring);
		free(ring);
	}
}

int perf_map_rings(struct perf_events *events, uint32_t tag, size_t *pages)
{
	size_t had = events->rings.n, n = events->cpus.n;

	for (;;) {
		size_t i = 0;
		int error;

		while (i < n && map_ring(events, i, tag, *pages) == 0)
			i++;
		if (i == n)
			return 0;
		error = errno;
		perf_unmap_rings(events, had);
		errno = error;
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

bool perf_events_limited(void)
{
	return geteuid() != 0;
}

/* Bytes that an ordinary user may lock for each processor. */
static size_t lockable(size_t ncpus)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	return (size_t)perf_sysctl(
		       "/proc/sys/kernel/perf_event_mlock_kb", 516) *
		       1024 +
	       limit.rlim_cur / ncpus;
}

size_t perf_side_pages(size_t ncpus, bool machine)
{
	size_t pages = machine ? MACHINE_SIDE_PAGES : SIDE_PAGES;
	size_t may = SIDES_BYTES_MAX / ncpus;

	if (perf_events_limited() && may > lockable(ncpus) / 4)
		may = lockable(ncpus) / 4;
	while (pages > RING_PAGES_MIN && pages * PAGE_BYTES > may)
		pages /= 2;
	return pages;
}

uint64_t perf_rings_most(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * PAGE_BYTES / 16;
}

/* Bytes that the rings of each processor may take at first. */
static size_t room(size_t ncpus)
{
	uint64_t all = perf_rings_most();

	if (all > RINGS_BYTES_MAX)
		all = RINGS_BYTES_MAX;
	all /= ncpus;
	if (perf_events_limited() && all > lockable(ncpus))
		all = lockable(ncpus);
	return (size_t)all;
}

uint64_t perf_events_take(void)
{
	processor_list cpus = {0};
	uint64_t samples;

	processors_list(&cpus);
	samples = room(cpus.n ? cpus.n : 1) / 2 / SAMPLE_BYTES;
	vec_free(&cpus);
	if (!samples)
		samples = 1;
	return samples * 10 < UNPRIVILEGED_TAKE ? samples * 10
						: UNPRIVILEGED_TAKE;
}

/* The pages that all sample rings of a processor may take. */
static size_t sample_pages(const struct perf_events *events)
{
	size_t all = room(events->cpus.n),
	       side = (events->side_pages + 1) * PAGE_BYTES;

	return all > side ? (all - side) / PAGE_BYTES : 0;
}

/* The share with the largest rings. */
static struct perf_share *largest(const struct perf_events *events)
{
	struct perf_share *share = events->shares.v;

	for (size_t i = 0; i < events->shares.n; i++)
		if (events->shares.v[i].pages > share->pages)
			share = &events->shares.v[i];
	return share;
}

/* One ring for all tags, of up to MOST pages. */
static void share_one(struct perf_events *events, size_t most)
{
	struct perf_share *one = largest(events);

	while (one->pages * 2 < most)
		one->pages *= 2;
	for (size_t i = 0; i < events->shares.n; i++)
		events->shares.v[i].owner = (uint32_t)(one - events->shares.v);
}

int perf_share_out(
	struct perf_events *events, const size_t *bytes, size_t ntags)
{
	size_t may = sample_pages(events), all = 0;
	struct perf_share *share;

	for (size_t i = 0; i < ntags; i++) {
		size_t wanted = bytes[i] > RING_BYTES_LEAST ? bytes[i]
							    : RING_BYTES_LEAST;

		share = vec_push(&events->shares);
		if (!share)
			return -1;
		*share = (struct perf_share){
			.owner = (uint32_t)i, .pages = RING_PAGES_MIN};
		while (bytes[i] && share->pages * PAGE_BYTES < wanted)
			share->pages *= 2;
		if (bytes[i]) /* and the page with the head */
			all += share->pages + 1;
	}
	while (all > may && ntags) {
		share = largest(events);
		if (share->pages == RING_PAGES_MIN) {
			share_one(events, may);
			break;
		}
		share->pages /= 2;
		all -= share->pages;
	}
	return 0;
}

struct perf_share *perf_share(const struct perf_events *events, uint32_t tag)
{
	return &events->shares.v[events->shares.v[tag].owner];
}

uint32_t perf_fitting(size_t pages, uint32_t stack, bool output)
{
	size_t fits =
		pages * PAGE_BYTES / (output ? LARGEST_COPIES_MIN : COPIES_MIN);

	if (stack <= fits || stack <= COPY_MIN)
		return stack;
	return fits < COPY_MIN ? COPY_MIN : (uint32_t)fits;
}
