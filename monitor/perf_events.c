#include "perf_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAKE_BYTES (1u << 20)

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

#define RING_PAGES_MIN 16
#define SIDE_PAGES 64

/* All sample rings together. */
#define RINGS_BYTES_MAX (1ull << 30)

/* A ring that holds fewer copies of the stack gets smaller copies. */
#define COPIES_MIN 16
#define COPY_MIN 8192u

static int perf_event_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group,
		PERF_FLAG_FD_CLOEXEC);
}

/* The number in a file of /proc/sys, or MISSING. */
static long sysctl_number(const char *path, long missing)
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

static int refused(const char *name, struct err *err)
{
	int error = errno;
	long paranoid =
		sysctl_number("/proc/sys/kernel/perf_event_paranoid", -2);

	err_sys(err, name, "perf_event_open");
	switch (error) {
	case EACCES:
	case EPERM:
		if (paranoid > 2)
			return err_hint(err,
				"this user may not use perf_event "
				"(kernel.perf_event_paranoid is %ld); run "
				"'sysctl kernel.perf_event_paranoid=2' as root",
				paranoid);
		return err_hint(err,
			"kernel.perf_event_paranoid is %ld, so "
			"something else forbids perf_event: a seccomp filter, "
			"a container's profile or a security module; allow "
			"the system call perf_event_open there, or run "
			"outside of it",
			paranoid);
	case ENOSYS:
		return err_hint(err, "this kernel was built without "
				     "CONFIG_PERF_EVENTS");
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return err_hint(err, "this machine does not have the event");
	case EMFILE:
		return err_hint(err,
			"raise the limit of open files "
			"(ulimit -n) or profile fewer resources at once");
	default:
		return -1;
	}
}

/* Reads "0-3,8" style lists; falls back on what sysconf knows. */
static int online_cpus(struct perf_events *events)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, c = ',';

	while (f && c == ',' && fscanf(f, "%d", &first) == 1) {
		last = first;
		c = fgetc(f);
		if (c == '-') {
			if (fscanf(f, "%d", &last) != 1)
				break;
			c = fgetc(f);
		}
		for (int cpu = first; cpu <= last; cpu++) {
			int *slot = vec_push(&events->cpus);

			if (!slot)
				break;
			*slot = cpu;
		}
	}
	if (f)
		fclose(f);
	for (int cpu = 0;
		!events->cpus.n && cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		int *slot = vec_push(&events->cpus);

		if (!slot)
			return -1;
		*slot = cpu;
	}
	return events->cpus.n ? 0 : -1;
}

/* One descriptor per event and processor can pass the usual limit of 1024. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
		limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void common_attr(
	const struct perf_events *events, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof *attr);
	attr->size = sizeof *attr;
	attr->disabled = 1;
	attr->inherit = 1;
	attr->enable_on_exec = !events->attached;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	attr->exclude_kernel = events->user_only;
	attr->exclude_hv = events->user_only;
	attr->read_format =
		PERF_FORMAT_ID | (events->has_lost ? PERF_FORMAT_LOST : 0);
}

static void side_attr(
	const struct perf_events *events, struct perf_event_attr *attr)
{
	common_attr(events, attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->disabled = !events->attached;
	attr->sample_type =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->build_id = events->has_build_id;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->context_switch = events->switches;
	attr->wakeup_watermark = (uint32_t)(events->side_pages * 4096 / 4);
}

/*
 * Opens the first side event, giving up what this kernel or user has not:
 * build ids (5.12), lost counts (6.0), kernel mode.
 */
static int open_first(struct perf_events *events)
{
	struct perf_event_attr attr;
	int fd;

	for (;;) {
		side_attr(events, &attr);
		fd = perf_event_open(&attr, events->pid, events->cpus.v[0], -1);
		if (fd >= 0)
			return fd;
		if ((errno == EACCES || errno == EPERM) && !events->user_only)
			events->user_only = true;
		else if (errno == EINVAL && events->has_lost)
			events->has_lost = false;
		else if (errno == EINVAL && events->has_build_id)
			events->has_build_id = false;
		else
			return -1;
	}
}

static struct perf_fd *remember(
	struct perf_events *events, int fd, int cpu, uint32_t tag)
{
	struct perf_fd *slot = vec_push(&events->fds);

	if (!slot)
		return NULL;
	*slot = (struct perf_fd){.fd = fd, .cpu = cpu, .tag = tag};
	if (ioctl(fd, PERF_EVENT_IOC_ID, &slot->id))
		return NULL;
	return slot;
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

static void unmap_rings(struct perf_events *events, size_t from)
{
	while (events->rings.n > from) {
		struct ring *ring = events->rings.v[--events->rings.n];

		ring_close(ring);
		free(ring);
		events->wake.n--;
	}
}

/*
 * Maps a ring for each of the last events opened, one for each processor: all
 * of one size, the largest up to *PAGES that this user may lock.  *PAGES
 * becomes that size.
 */
static int map_rings(struct perf_events *events, size_t *pages)
{
	size_t had = events->rings.n, n = events->cpus.n;
	const struct perf_fd *fds = &events->fds.v[events->fds.n - n];

	for (;;) {
		size_t i = 0;

		while (i < n && map_ring(events, fds[i].fd, *pages) == 0)
			i++;
		if (i == n)
			return 0;
		unmap_rings(events, had);
		if ((errno != EPERM && errno != ENOMEM) ||
			*pages <= RING_PAGES_MIN)
			return -1;
		*pages /= 2;
	}
}

static int no_ring(const char *name, struct err *err)
{
	long kb = sysctl_number("/proc/sys/kernel/perf_event_mlock_kb", 516);

	err_sys(err, name, "mmap of a ring buffer");
	return err_hint(err,
		"this user may lock %ld KiB per processor for "
		"perf and the 'ulimit -l' beyond; another profiler may be "
		"using it up: raise kernel.perf_event_mlock_kb or ulimit -l",
		kb);
}

int perf_events_probe(const char *name, const struct perf_source *source,
	bool *user_only, struct err *err)
{
	struct perf_event_attr attr = {
		.size = sizeof attr,
		.disabled = 1,
		.type = source->type,
		.config = source->config,
	};
	int fd = perf_event_open(&attr, 0, -1, -1);

	*user_only = false;
	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		attr.exclude_kernel = attr.exclude_hv = 1;
		*user_only = true;
		fd = perf_event_open(&attr, 0, -1, -1);
	}
	if (fd < 0)
		return refused(name, err);
	close(fd);
	return 0;
}

/*
 * What an ordinary user may lock for each processor, beside which the side
 * rings must leave room.
 */
static size_t side_pages(size_t ncpus)
{
	size_t pages = SIDE_PAGES, may;
	struct rlimit limit = {0};

	if (geteuid() == 0)
		return pages;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	may = (size_t)sysctl_number(
		      "/proc/sys/kernel/perf_event_mlock_kb", 516) *
		      1024 +
	      limit.rlim_cur / ncpus;
	while (pages > RING_PAGES_MIN && pages * 4096 > may / 4)
		pages /= 2;
	return pages;
}

/* Many processors, or little memory: what all rings may take, shared out. */
static size_t sample_pages(size_t wanted, size_t ncpus)
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

static bool is_output(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* Opens ATTR on every processor; what was opened before an error stays. */
static int open_all(struct perf_events *events, const char *name,
	struct perf_event_attr *attr, uint32_t tag, struct err *err)
{
	/* a BPF program writes for whatever runs on the processor */
	pid_t pid = is_output(attr) ? -1 : events->pid;

	for (size_t i = 0; i < events->cpus.n; i++) {
		int cpu = events->cpus.v[i];
		int fd = perf_event_open(attr, pid, cpu, -1);
		struct perf_fd *slot;

		if (fd < 0)
			return refused(name, err);
		slot = remember(events, fd, cpu, tag);
		if (!slot) {
			close(fd);
			return err_sys(err, name, "event id");
		}
		slot->output = is_output(attr);
	}
	return 0;
}

/* For threads that join. */
static int keep_attr(struct perf_events *events,
	const struct perf_event_attr *attr, uint32_t tag)
{
	struct perf_added *slot;

	if (!events->attached || is_output(attr))
		return 0;
	slot = vec_push(&events->added);
	if (!slot)
		return -1;
	slot->attr = *attr;
	slot->tag = tag;
	return 0;
}

/* Closes the last events opened, one for each processor. */
static void close_last(struct perf_events *events)
{
	for (size_t i = 0; i < events->cpus.n; i++)
		close(events->fds.v[--events->fds.n].fd);
}

int perf_events_open(struct perf_events *events, const struct perf_open *how,
	struct err *err)
{
	struct perf_event_attr attr;
	int fd;

	memset(events, 0, sizeof *events);
	events->pid = how->pid;
	events->has_lost = events->has_build_id = true;
	events->switches = how->switches;
	events->paused = how->paused;
	events->attached = how->attach;
	raise_file_limit();
	if (online_cpus(events))
		return err_sys(err, "perf events", "list of processors");
	events->side_pages = side_pages(events->cpus.n);
	events->ring_pages = sample_pages(how->ring_bytes, events->cpus.n);
	fd = open_first(events);
	if (fd < 0)
		return refused("perf events", err);
	close(fd);
	side_attr(events, &attr);
	if (open_all(events, "perf events", &attr, PERF_NO_TAG, err))
		return -1;
	if (keep_attr(events, &attr, PERF_NO_TAG))
		return err_sys(err, "perf events", "start");
	if (map_rings(events, &events->side_pages))
		return no_ring("perf events", err);
	return 0;
}

/* The descriptor that owns the sample ring of a processor. */
static int ring_owner(const struct perf_events *events, int cpu)
{
	for (size_t i = 0; i < events->fds.n; i++)
		if (events->fds.v[i].cpu == cpu &&
			events->fds.v[i].tag != PERF_NO_TAG)
			return events->fds.v[i].fd;
	return -1;
}

static int share_rings(
	struct perf_events *events, const char *name, struct err *err)
{
	for (size_t i = events->fds.n - events->cpus.n; i < events->fds.n;
		i++) {
		const struct perf_fd *f = &events->fds.v[i];

		if (ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT,
			    ring_owner(events, f->cpu)))
			return err_sys(err, name, "PERF_EVENT_IOC_SET_OUTPUT");
	}
	return 0;
}

/* No larger copies of the stack than the rings hold a number of. */
static uint32_t fitting(const struct perf_events *events, uint32_t stack)
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
static uint32_t wake_bytes(const struct perf_events *events)
{
	size_t quarter = events->ring_pages * 4096 / 4;

	return (uint32_t)(quarter < WAKE_BYTES ? quarter : WAKE_BYTES);
}

/* Adds ATTR, with STACK bytes of stack or what of it fits the rings. */
static int add(struct perf_events *events, const char *name,
	struct perf_event_attr *attr, uint32_t stack, uint32_t tag,
	struct err *err)
{
	bool first = events->rings.n == events->cpus.n;

	attr->sample_stack_user = first ? stack : fitting(events, stack);
	attr->wakeup_watermark = wake_bytes(events);
	if (open_all(events, name, attr, tag, err))
		return -1;
	if (!first)
		return share_rings(events, name, err) ||
				       keep_attr(events, attr, tag)
			       ? -1
			       : 0;
	if (map_rings(events, &events->ring_pages))
		return no_ring(name, err);
	if (attr->wakeup_watermark == wake_bytes(events) &&
		attr->sample_stack_user == fitting(events, stack))
		return keep_attr(events, attr, tag);
	/* The rings came out smaller than these events were made for. */
	unmap_rings(events, events->cpus.n);
	close_last(events);
	return add(events, name, attr, fitting(events, stack), tag, err);
}

int perf_events_add(struct perf_events *events, const char *name,
	const struct perf_source *source, uint64_t period, uint32_t stack,
	uint32_t tag, struct err *err)
{
	struct perf_event_attr attr;

	common_attr(events, &attr);
	attr.type = source->type;
	attr.config = source->config;
	attr.sample_period = period;
	attr.enable_on_exec &= !events->paused;
	attr.sample_type = PERF_SAMPLE_FIELDS;
	attr.sample_regs_user = PERF_REGS_MASK;
	return add(events, name, &attr, stack, tag, err);
}

int perf_events_add_output(struct perf_events *events, const char *name,
	uint32_t stack, uint32_t tag, struct err *err)
{
	struct perf_event_attr attr;

	common_attr(events, &attr);
	attr.disabled = attr.inherit = attr.enable_on_exec = 0;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_FIELDS | PERF_SAMPLE_RAW;
	attr.sample_regs_user = PERF_REGS_MASK;
	return add(events, name, &attr, stack, tag, err);
}

int perf_events_machine(struct perf_event_attr *attr, int cpu)
{
	attr->size = sizeof *attr;
	attr->disabled = 1;
	return perf_event_open(attr, -1, cpu, -1);
}

static int by_id(const void *a, const void *b)
{
	const struct perf_fd *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int index_ids(struct perf_events *events)
{
	struct perf_fd *all = malloc(events->fds.n * sizeof *all);

	if (!all)
		return -1;
	memcpy(all, events->fds.v, events->fds.n * sizeof *all);
	qsort(all, events->fds.n, sizeof *all, by_id);
	free(events->by_id);
	events->by_id = all;
	return 0;
}

int perf_events_start(struct perf_events *events, struct err *err)
{
	if (index_ids(events) ||
		merge_init(&events->merge, events->rings.v, events->rings.n)) {
		errno = ENOMEM;
		return err_sys(err, "perf events", "start");
	}
	return 0;
}

/* One event of a thread that joins, into the ring that is there. */
static int join_one(struct perf_events *events, const struct perf_added *added,
	pid_t tid, int cpu)
{
	struct perf_event_attr attr = added->attr;
	int fd = perf_event_open(&attr, tid, cpu, -1), owner = -1;

	if (fd < 0)
		return -1;
	for (size_t i = 0; owner < 0 && i < events->fds.n; i++)
		if (events->fds.v[i].cpu == cpu && !events->fds.v[i].output &&
			(events->fds.v[i].tag == PERF_NO_TAG) ==
				(added->tag == PERF_NO_TAG))
			owner = events->fds.v[i].fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner) == 0 &&
		remember(events, fd, cpu, added->tag))
		return 0;
	close(fd);
	return -1;
}

int perf_events_join(struct perf_events *events, pid_t tid)
{
	for (size_t i = 0; i < events->added.n; i++)
		for (size_t k = 0; k < events->cpus.n; k++)
			if (join_one(events, &events->added.v[i], tid,
				    events->cpus.v[k]) &&
				errno != ESRCH)
				return -1;
	return index_ids(events);
}

void perf_events_enable(struct perf_events *events)
{
	for (size_t i = 0; i < events->fds.n; i++)
		if (!events->fds.v[i].output)
			ioctl(events->fds.v[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

void perf_events_collect(struct perf_events *events, bool on)
{
	unsigned long what = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = 0; i < events->fds.n; i++)
		if (!events->fds.v[i].output &&
			events->fds.v[i].tag != PERF_NO_TAG)
			ioctl(events->fds.v[i].fd, what, 0);
}

const struct perf_fd *perf_events_find(
	const struct perf_events *events, uint64_t id)
{
	struct perf_fd key = {.id = id};

	return bsearch(&key, events->by_id, events->fds.n, sizeof key, by_id);
}

uint32_t perf_events_tag(const struct perf_events *events, uint64_t id)
{
	const struct perf_fd *found = perf_events_find(events, id);

	return found ? found->tag : PERF_NO_TAG;
}

int perf_events_read(const struct perf_events *events, uint32_t tag,
	uint64_t *count, uint64_t *lost)
{
	*count = *lost = 0;
	for (size_t i = 0; i < events->fds.n; i++) {
		uint64_t values[3] = {0};

		if (events->fds.v[i].tag != tag)
			continue;
		if (read(events->fds.v[i].fd, values, sizeof values) < 0)
			return -1;
		*count += values[0];
		*lost += values[2];
	}
	return 0;
}

void perf_events_close(struct perf_events *events)
{
	merge_fini(&events->merge);
	for (size_t i = 0; i < events->rings.n; i++) {
		ring_close(events->rings.v[i]);
		free(events->rings.v[i]);
	}
	for (size_t i = 0; i < events->fds.n; i++)
		close(events->fds.v[i].fd);
	free(events->by_id);
	vec_free(&events->rings);
	vec_free(&events->fds);
	vec_free(&events->wake);
	vec_free(&events->cpus);
	vec_free(&events->added);
	memset(events, 0, sizeof *events);
}
