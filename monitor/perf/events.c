/* Opens the perf events of a run, one for each processor, with their rings. */
#include "monitor/perf/events.h"

#include "monitor/perf/events_private.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "lib/arch/arch.h"

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

int perf_events_no_breakpoint(const char *name, struct err *err)
{
	err_set(err, name, "breakpoint",
		"too few of the processor's four are free");
	return err_hint(err,
		"a debugger, perf or another cpprof has them: end that, count "
		"fewer functions, or as root use --timer=per-cpu");
}

static int refused(const char *name, uint32_t type, struct err *err)
{
	int error = errno;
	long paranoid = perf_sysctl("/proc/sys/kernel/perf_event_paranoid", -2);

	err_sys(err, name, "perf_event_open");
	switch (error) {
	case EACCES:
	case EPERM:
		if (paranoid > 2)
			return err_hint(err,
				"this user may not use perf_event "
				"(kernel.perf_event_paranoid is %ld); run "
				"'sysctl kernel.perf_event_paranoid=2' as "
				"root; "
				"'cpprof resources' lists what works without",
				paranoid);
		return err_hint(err,
			"kernel.perf_event_paranoid is %ld, so "
			"something else forbids perf_event: a seccomp filter, "
			"a container's profile or a security module; allow "
			"the system call perf_event_open there, or run "
			"outside of it; 'cpprof resources' lists what works "
			"without",
			paranoid);
	case ENOSYS:
		return err_hint(err, "this kernel was built without "
				     "CONFIG_PERF_EVENTS");
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		if (type == PERF_TYPE_RAW)
			return err_hint(err,
				"this name is a raw event of the processor (r "
				"and a number to base 16), and this machine "
				"does not have it; 'cpprof resources' lists "
				"names");
		return err_hint(err, "this machine does not have the event");
	case EINVAL:
		return err_hint(err, "this machine or its kernel does not take "
				     "the event, or cannot sample it");
	case ENOSPC:
	case EBUSY:
		if (type == PERF_TYPE_BREAKPOINT)
			return perf_events_no_breakpoint(name, err);
		return err_hint(err, "other programs use the counters that "
				     "it needs");
	case EMFILE:
		return err_hint(err,
			"raise the limit of open files "
			"(ulimit -n) or profile fewer resources at once");
	default:
		return -1;
	}
}

/*
 * Attached, threads join one by one: the first events are on cpprof itself.
 */
static pid_t task(const struct perf_events *events)
{
	return events->attached ? 0 : events->pid;
}

/* The task of the side events. */
static pid_t side_task(const struct perf_events *events)
{
	return events->machine ? -1 : task(events);
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
	attr->disabled = events->machine || !events->attached;
	if (events->machine) /* perf_events_start() lets them begin */
		attr->inherit = attr->enable_on_exec = 0;
	attr->sample_type = PERF_SAMPLE_HEAD;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->mmap_data = events->objects;
	attr->build_id = events->has_build_id;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->context_switch = events->switches;
	attr->wakeup_watermark =
		(uint32_t)(events->side_pages * PAGE_BYTES / 4);
}

void perf_mark_attr(
	const struct perf_events *events, struct perf_event_attr *attr)
{
	side_attr(events, attr);
	attr->mmap = attr->mmap2 = attr->mmap_data = attr->build_id = 0;
	attr->comm = attr->comm_exec = attr->task = 0;
	attr->context_switch = 1;
}

/*
 * Opens the first side event without what this kernel or user does not have:
 * build ids (5.12), lost counts (6.0), kernel mode.
 */
static int open_first(struct perf_events *events)
{
	struct perf_event_attr attr;
	int fd;

	for (;;) {
		side_attr(events, &attr);
		fd = perf_open_event(
			&attr, side_task(events), events->cpus.v[0], -1);
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

struct perf_fd *perf_remember(
	struct perf_events *events, int fd, int cpu, uint32_t tag)
{
	struct perf_fd *slot = vec_push(&events->fds);

	if (!slot)
		return NULL;
	*slot = (struct perf_fd){.fd = fd, .cpu = cpu, .tag = tag};
	if (ioctl(fd, PERF_EVENT_IOC_ID, &slot->id)) {
		events->fds.n--;
		return NULL;
	}
	return slot;
}

static void source_attr(
	const struct perf_source *source, struct perf_event_attr *attr)
{
	attr->type = source->type;
	attr->config = source->config;
	attr->config1 = source->config1;
	attr->config2 = source->config2;
}

int perf_events_probe(const char *name, const struct perf_source *source,
	bool *user_only, struct err *err)
{
	/* one that can sample; some can only count */
	struct perf_event_attr attr = {
		.size = sizeof attr, .disabled = 1, .sample_period = 1000000};
	int fd;

	source_attr(source, &attr);
	fd = perf_open_event(&attr, 0, -1, -1);

	*user_only = false;
	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		attr.exclude_kernel = attr.exclude_hv = 1;
		*user_only = true;
		fd = perf_open_event(&attr, 0, -1, -1);
	}
	if (fd < 0)
		return refused(name, attr.type, err);
	close(fd);
	return 0;
}

static void breakpoint_attr(struct perf_event_attr *attr, uint64_t addr)
{
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_type = HW_BREAKPOINT_X;
	attr->bp_addr = addr;
	attr->bp_len = sizeof(long);
	attr->exclude_kernel = attr->exclude_hv = 1;
	/* the address means something else in the next program */
	attr->remove_on_exec = 1;
	attr->enable_on_exec = 0;
}

bool perf_events_breakpoints_free(pid_t tid, size_t n)
{
	struct perf_event_attr attr = {.size = sizeof attr, .disabled = 1};
	int fds[16];
	size_t had = 0;
	bool taken;

	errno = 0;
	breakpoint_attr(&attr, 0x1000);
	while (had < n && had < sizeof fds / sizeof *fds &&
		(fds[had] = perf_open_event(&attr, tid, -1, -1)) >= 0)
		had++;
	taken = errno == ENOSPC;
	while (had > 0)
		close(fds[--had]);
	return !taken;
}

int perf_events_probe_breakpoint(const char *name, struct err *err)
{
	struct perf_event_attr attr = {.size = sizeof attr, .disabled = 1};
	int fd;

	/* no thread comes to this address */
	breakpoint_attr(&attr, 0x1000);
	fd = perf_open_event(&attr, 0, -1, -1);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno != EINVAL)
		return refused(name, attr.type, err);
	err_set(err, name, "breakpoint", "this kernel is too old");
	return err_hint(err, "it needs Linux 5.13 or later");
}

static bool is_output(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/*
 * An event that begins to count interrupts its processor, and its opener waits:
 * so outputs are one group with the machine's side event, with which they
 * begin.  (A run of true with four resources interrupts 16 processors 3057
 * times, and 3422 times without.)
 */
static int open_output(
	const struct perf_events *events, struct perf_event_attr *attr, int cpu)
{
	/* a BPF program writes it for all that run on the processor */
	return perf_open_event(attr, -1, cpu,
		events->machine ? perf_ring_owner(events, PERF_NO_TAG, cpu)
				: -1);
}

/* Opens ATTR on every processor; on an error those before stay open. */
static int open_all(struct perf_events *events, const char *name,
	struct perf_event_attr *attr, uint32_t tag, struct err *err)
{
	struct perf_event_attr own = *attr;
	pid_t pid = tag == PERF_NO_TAG ? side_task(events) : task(events);

	/* they hold the side rings, or show that they can be had */
	if (pid == 0 && !is_output(attr))
		own.disabled = 1, own.inherit = 0;

	for (size_t i = 0; i < events->cpus.n; i++) {
		int cpu = events->cpus.v[i];
		int fd = is_output(attr) ? open_output(events, &own, cpu)
					 : perf_open_event(&own, pid, cpu, -1);
		struct perf_fd *slot;

		if (fd < 0)
			return refused(name, attr->type, err);
		slot = perf_remember(events, fd, cpu, tag);
		if (!slot) {
			close(fd);
			return err_sys(err, name, "event id");
		}
		slot->type = attr->type;
		slot->config = attr->config;
		slot->sample_type = attr->sample_type;
		slot->stack = attr->sample_stack_user;
		slot->output = is_output(attr);
	}
	return 0;
}

/* Keeps it for threads that join. */
static int keep_attr(struct perf_events *events,
	const struct perf_event_attr *attr, uint32_t tag)
{
	const struct perf_added added = {.attr = *attr, .tag = tag};

	return !events->attached || is_output(attr) || events->machine ||
			       vec_add(&events->added, added)
		       ? 0
		       : -1;
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
	events->objects = how->objects;
	events->paused = how->paused;
	events->attached = events->joining = how->attach;
	events->machine = how->machine;
	perf_events_raise_limit();
	if (processors_list(&events->cpus))
		return err_sys(err, "perf events", "list of processors");
	events->side_pages = perf_side_pages(events->cpus.n, how->machine);
	if (perf_share_out(events, how->ring_bytes, how->ntags))
		return err_sys(err, "perf events", "start");
	fd = open_first(events);
	if (fd < 0)
		return refused("perf events", PERF_TYPE_SOFTWARE, err);
	close(fd);
	side_attr(events, &attr);
	if (open_all(events, "perf events", &attr, PERF_NO_TAG, err))
		return -1;
	if (keep_attr(events, &attr, PERF_NO_TAG))
		return err_sys(err, "perf events", "start");
	if (perf_map_rings(events, PERF_NO_TAG, &events->side_pages))
		return perf_no_ring("perf events", err);
	return 0;
}

int perf_ring_owner(const struct perf_events *events, uint32_t tag, int cpu)
{
	if (tag != PERF_NO_TAG)
		tag = events->shares.v[tag].owner;
	for (size_t i = events->rings.n; i-- > 0;)
		if (events->rings.v[i]->cpu == cpu &&
			events->rings.v[i]->tag == tag)
			return events->wake.v[i];
	return -1;
}

static int share_rings(
	struct perf_events *events, const char *name, struct err *err)
{
	for (size_t i = events->fds.n - events->cpus.n; i < events->fds.n;
		i++) {
		const struct perf_fd *f = &events->fds.v[i];

		if (ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT,
			    perf_ring_owner(events, f->tag, f->cpu)))
			return err_sys(err, name, "PERF_EVENT_IOC_SET_OUTPUT");
	}
	return 0;
}

/*
 * Whether a software event of another tag counts the same and writes to the
 * same ring: then their samples could not be told apart
 * (perf_events_lent_tag()).
 */
static bool has_twin(const struct perf_events *events,
	const struct perf_event_attr *attr, uint32_t tag)
{
	for (size_t i = 0; i < events->fds.n; i++) {
		const struct perf_fd *f = &events->fds.v[i];

		if (f->tag != PERF_NO_TAG && f->tag != tag && !f->output &&
			f->type == PERF_TYPE_SOFTWARE &&
			attr->type == f->type && attr->config == f->config &&
			perf_share(events, f->tag) == perf_share(events, tag))
			return true;
	}
	return false;
}

/* There is no memory for rings of the tag: it uses another's. */
static bool take_others_ring(struct perf_events *events, uint32_t tag)
{
	for (size_t i = 0; i < events->shares.n; i++)
		if (events->shares.v[i].mapped) {
			events->shares.v[tag].owner = (uint32_t)i;
			return true;
		}
	return false;
}

/* Maps the rings of a tag if they are not, or lets it use another's. */
static int make_rings(struct perf_events *events, const char *name,
	uint32_t tag, struct err *err)
{
	uint32_t owner = events->shares.v[tag].owner;
	struct perf_share *share = &events->shares.v[owner];

	if (share->mapped)
		return 0;
	share->mapped = perf_map_rings(events, owner, &share->pages) == 0;
	if (share->mapped || (errno == EPERM && take_others_ring(events, tag)))
		return 0;
	return perf_no_ring(name, err);
}

/* Adds ATTR with STACK bytes of stack, or fewer if the rings are small. */
static int add(struct perf_events *events, const char *name,
	struct perf_event_attr *attr, uint32_t stack, uint32_t tag,
	struct err *err)
{
	if (make_rings(events, name, tag, err))
		return -1;
	if (has_twin(events, attr, tag)) {
		errno = EPERM;
		return perf_no_ring(name, err);
	}
	attr->sample_stack_user = perf_fitting(
		perf_share(events, tag)->pages, stack, is_output(attr));
	return open_all(events, name, attr, tag, err) ||
			       share_rings(events, name, err) ||
			       keep_attr(events, attr, tag)
		       ? -1
		       : 0;
}

int perf_events_add(struct perf_events *events,
	const struct perf_source *source, const struct perf_sampling *sampling,
	struct err *err)
{
	struct perf_event_attr attr;

	common_attr(events, &attr);
	source_attr(source, &attr);
	attr.sample_period = sampling->period;
	attr.enable_on_exec &= !events->paused;
	attr.sample_type = PERF_SAMPLE_HEAD | PERF_SAMPLE_STACK;
	if (source->address)
		attr.sample_type |= PERF_SAMPLE_ADDR;
	attr.sample_regs_user = PERF_REGS_MASK;
	return add(events, sampling->name, &attr, sampling->stack,
		sampling->tag, err);
}

int perf_events_add_breakpoint(struct perf_events *events,
	const struct perf_breakpoint *point,
	const struct perf_sampling *sampling, struct err *err)
{
	struct perf_event_attr attr;
	uint64_t addr = point->addr;

	if (!point->place(point->arg, events->pid, &addr)) {
		err_set(err, sampling->name, "breakpoint",
			"process %d runs another program, or is hidden",
			(int)events->pid);
		return err_hint(err, "try as root");
	}
	common_attr(events, &attr);
	breakpoint_attr(&attr, addr);
	attr.sample_period = sampling->period;
	attr.sample_type = PERF_SAMPLE_HEAD | PERF_SAMPLE_STACK;
	attr.sample_regs_user = PERF_REGS_MASK;
	if (add(events, sampling->name, &attr, sampling->stack, sampling->tag,
		    err))
		return -1;
	if (events->attached)
		events->added.v[events->added.n - 1].point = *point;
	return 0;
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
	attr.sample_type = PERF_SAMPLE_HEAD | PERF_SAMPLE_RAW;
	if (stack) { /* else the kernel overruns: see sample.h */
		attr.sample_type |= PERF_SAMPLE_STACK;
		attr.sample_regs_user = PERF_REGS_MASK;
	}
	return add(events, name, &attr, stack, tag, err);
}

int perf_events_machine(struct perf_event_attr *attr, int cpu)
{
	attr->size = sizeof *attr;
	attr->disabled = 1;
	/* its records have the same end as the others */
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->sample_type = PERF_SAMPLE_HEAD;
	return perf_open_event(attr, -1, cpu, -1);
}

int perf_events_tell(const struct perf_events *events, int fd, int cpu)
{
	int side = perf_ring_owner(events, PERF_NO_TAG, cpu);

	/* else the processor has come on line since */
	return side < 0 ? 0 : ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, side);
}

void perf_events_close(struct perf_events *events)
{
	perf_end_growth(&events->growth);
	merge_fini(&events->merge);
	perf_unmap_rings(events, 0);
	for (size_t i = 0; i < events->fds.n; i++)
		close(events->fds.v[i].fd);
	vec_free(&events->rings);
	vec_free(&events->shares);
	vec_free(&events->fds);
	vec_free(&events->wake);
	vec_free(&events->cpus);
	vec_free(&events->added);
	memset(events, 0, sizeof *events);
}
