/*
 * Uprobes with a program: one link for all of a file where the kernel has such
 * links (6.6), else a perf event for each.  To remove a probe the kernel waits
 * until no processor can be in it: for each event by itself, which takes long
 * for dozens.
 */
#include "monitor/timer/percpu/percpu_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "monitor/base/proc.h"
#include "monitor/probe/probe.h"

/* From <linux/bpf.h> of Linux 6.6, which the build may not have. */
#define UPROBE_MULTI 48 /* enum bpf_attach_type */

/* Of perf's uprobes, as their format/ref_ctr_offset says since Linux 4.20. */
#define SEMAPHORE_SHIFT 32

struct multi_link {
	__u32 program, target, type, flags;
	__u64 path, offsets, reference_counters, cookies;
	__u32 n, multi_flags, pid, reserved;
};

/* The descriptor of the link; -1 with errno. */
static int make_link(struct multi_link *link)
{
	link->type = UPROBE_MULTI;
	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, link, sizeof *link);
}

/*
 * A folder has no probes: a kernel with such links refuses it with another
 * errno.
 */
static bool has_links(void)
{
	static const struct bpf_insn ends[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options,
		.expected_attach_type = (enum bpf_attach_type)UPROBE_MULTI);
	const __u64 offset = 0;
	struct multi_link link = {
		.path = (__u64)(uintptr_t) "/",
		.offsets = (__u64)(uintptr_t)&offset,
		.n = 1,
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "cpprof_probe", "GPL",
		ends, sizeof ends / sizeof *ends, &options);
	bool has;

	if (fd < 0)
		return false;
	link.program = (__u32)fd;
	has = make_link(&link) < 0 && errno == EBADF;
	close(fd);
	return has;
}

int percpu_uprobe_type(void)
{
	proc_list numbers = {0};
	int type;

	proc_numbers("/sys/bus/event_source/devices/uprobe/type", &numbers);
	type = numbers.n ? numbers.v[0] : -1;
	vec_free(&numbers);
	return type;
}

void percpu_choose_uprobes(struct percpu *percpu)
{
	static const char *const names[] = {
		"on_call", "on_request", "on_return", "on_report"};
	bool wanted = false;

	for (uint32_t i = 0; i < percpu->config.ncounters; i++)
		wanted |= percpu->counters[i].calls != NULL;
	percpu->uprobe_links = wanted && has_links();
	for (size_t i = 0;
		percpu->uprobe_links && i < sizeof names / sizeof *names; i++)
		bpf_program__set_expected_attach_type(
			bpf_object__find_program_by_name(
				percpu->object, names[i]),
			(enum bpf_attach_type)UPROBE_MULTI);
}

/* Points FIRST to END-1 of a counter, all of one file. */
struct file_points {
	struct calls *calls;
	size_t first, end;
	const char *program;
	bool arcs;     /* the cookie is for arcs */
	bool numbered; /* it is the point's number, else: */
	uint32_t counter;
};

static uint64_t cookie_of(const struct file_points *p, size_t k)
{
	const struct probe_point *point = &p->calls->points.v[k];

	if (p->arcs)
		return p->counter | PERCPU_ARC(k, point->depth);
	return p->numbered ? k : p->counter | point->amount;
}

/* One link with points FROM to END-1; -1 with errno. */
static int make_link_of(struct percpu *percpu, const struct file_points *p,
	size_t from, size_t end)
{
	VEC(__u64) offsets = {0}, cookies = {0}, semaphores = {0};
	struct multi_link link = {
		.program = (__u32)percpu_program(percpu, p->program),
		.path = (__u64)(uintptr_t)p->calls->points.v[from].file,
	};
	int fd = -1;

	for (size_t k = from; k < end; k++)
		if (!vec_add(&offsets, p->calls->points.v[k].offset) ||
			!vec_add(&cookies, cookie_of(p, k)) ||
			!vec_add(&semaphores, p->calls->points.v[k].semaphore))
			goto out;
	link.offsets = (__u64)(uintptr_t)offsets.v;
	link.cookies = (__u64)(uintptr_t)cookies.v;
	link.reference_counters = (__u64)(uintptr_t)semaphores.v;
	link.n = (__u32)offsets.n;
	fd = make_link(&link);
out:
	vec_free(&offsets);
	vec_free(&cookies);
	vec_free(&semaphores);
	return fd;
}

/* What the kernel says of an instruction that it takes no probe at. */
#define NOT_SUPPORTED 524

/* Parts of FROM to END-1, without those that the kernel refuses. */
static int attach_parts(struct percpu *percpu, const struct file_points *p,
	size_t from, size_t end)
{
	size_t middle = from + (end - from) / 2;
	int fd = make_link_of(percpu, p, from, end);

	p->calls->points.v[from].at = percpu->fds.n;
	if (fd >= 0 || errno != NOT_SUPPORTED || !p->arcs)
		return percpu_keep(percpu, fd);
	if (end - from == 1) {
		p->calls->points.v[from].refused = true;
		return 0;
	}
	return attach_parts(percpu, p, from, middle) ||
			       attach_parts(percpu, p, middle, end)
		       ? -1
		       : 0;
}

/* With a limit each function can be left alone by itself. */
static int attach_link(
	struct percpu *percpu, const struct file_points *p, struct err *err)
{
	size_t each = p->calls->limit ? 1 : p->end - p->first;

	for (size_t k = p->first; k < p->end; k += each)
		if (attach_parts(percpu, p, k, k + each))
			return percpu_error("uprobe", err);
	return 0;
}

/* Uprobes are not on a processor: the program runs wherever one is hit. */
static int attach_events(struct percpu *percpu, const struct file_points *p,
	int cpu, struct err *err)
{
	for (size_t k = p->first; k < p->end; k++) {
		struct probe_point *point = &p->calls->points.v[k];
		struct perf_event_attr attr = {
			.type = (uint32_t)percpu_uprobe_type(),
			.config = point->semaphore << SEMAPHORE_SHIFT,
			.config1 = (uint64_t)(uintptr_t)point->file,
			.config2 = point->offset,
		};

		errno = 0;
		point->at = percpu->fds.n;
		if (percpu_attach_event(percpu, p->program, &attr, cpu,
			    cookie_of(p, k), err) >= 0)
			continue;
		point->refused = errno == NOT_SUPPORTED && p->arcs;
		if (!point->refused)
			return -1;
	}
	return 0;
}

static const char *program_of(const struct probe_point *point)
{
	switch (point->request) {
	case ALLOCATION_RETURN:
	case ALLOCATION_TAIL:
	case ALLOCATION_FREE:
		return "on_return";
	case ALLOCATION_REPORT:
		return "on_report";
	default:
		return "on_request";
	}
}

/*
 * While a process has the file mapped the kernel looks at each instruction, and
 * says so where it takes no probe; else it would never set it, and not tell.
 */
static int attach_points(struct percpu *percpu, const struct file_points *p,
	int cpu, struct err *err)
{
	const char *file = p->calls->points.v[p->first].file;
	int fd = p->arcs ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	void *map = MAP_FAILED;
	struct stat st = {0};
	int bad;

	if (fd >= 0 && fstat(fd, &st) == 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			0);
	if (fd >= 0)
		close(fd);
	bad = percpu->uprobe_links ? attach_link(percpu, p, err)
				   : attach_events(percpu, p, cpu, err);
	if (map != MAP_FAILED)
		munmap(map, (size_t)st.st_size);
	return bad;
}

int percpu_attach_uprobes(
	struct percpu *percpu, uint32_t i, int cpu, struct err *err)
{
	const struct percpu_counter *counter = &percpu->counters[i];
	bool requests = counter->source == PERCPU_BY_REQUEST;
	struct file_points p = {
		.calls = counter->calls,
		.program = "on_call",
		.arcs = percpu->config.arcs >> i & 1,
		.numbered = requests,
		.counter = i,
	};

	for (uint32_t k = 0; requests && k < i; k++)
		if (percpu->counters[k].source == PERCPU_BY_REQUEST)
			return 0; /* one set serves all of them */
	for (; p.first < counter->calls->points.n; p.first = p.end) {
		const struct probe_point *point =
			&counter->calls->points.v[p.first];

		for (p.end = p.first + 1; p.end < counter->calls->points.n;
			p.end++)
			if (strcmp(counter->calls->points.v[p.end].file,
				    point->file) != 0 ||
				(requests && program_of(&counter->calls->points
								 .v[p.end]) !=
						     program_of(point)))
				break;
		if (requests)
			p.program = program_of(point);
		if (attach_points(percpu, &p, cpu, err)) {
			snprintf(err->object, sizeof err->object, "%s",
				point->file);
			return err_hint(err, "its file system may not take "
					     "uprobes, or a security module "
					     "forbids them");
		}
	}
	return 0;
}

/* So many at a time wait for the same moment, in which no probe is hit. */
#define CLOSERS 64

struct closing {
	const int *fds;
	size_t n, next;
};

static void *close_some(void *arg)
{
	struct closing *closing = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&closing->next, 1, __ATOMIC_RELAXED)) <
		closing->n)
		close(closing->fds[i]);
	return NULL;
}

void percpu_close(const int *fds, size_t n)
{
	struct closing closing = {fds, n, 0};
	pthread_t threads[CLOSERS];
	size_t started = 0;

	while (started < CLOSERS && started + 1 < n &&
		!pthread_create(&threads[started], NULL, close_some, &closing))
		started++;
	close_some(&closing);
	while (started)
		pthread_join(threads[--started], NULL);
}
