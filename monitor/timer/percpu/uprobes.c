/*
 * Uprobes with a program: one link for all of a file where the kernel has such
 * links (6.6), else a perf event for each.  To remove a probe the kernel waits
 * until no processor can be in it: for each event by itself, which takes long
 * for dozens.
 */
#include "monitor/timer/percpu/percpu_private.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
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
	const struct calls *calls;
	size_t first, end;
	const char *program;
	bool numbered; /* the cookie is the point's number, else: */
	uint32_t counter;
};

static uint64_t cookie_of(const struct file_points *p, size_t k)
{
	return p->numbered ? k : p->counter | p->calls->points.v[k].amount;
}

static int attach_link(
	struct percpu *percpu, const struct file_points *p, struct err *err)
{
	VEC(__u64) offsets = {0}, cookies = {0}, semaphores = {0};
	struct multi_link link = {
		.program = (__u32)percpu_program(percpu, p->program),
		.path = (__u64)(uintptr_t)p->calls->points.v[p->first].file,
	};
	int bad = -1;

	for (size_t k = p->first; k < p->end; k++)
		if (!vec_add(&offsets, p->calls->points.v[k].offset) ||
			!vec_add(&cookies, cookie_of(p, k)) ||
			!vec_add(&semaphores, p->calls->points.v[k].semaphore))
			goto out;
	link.offsets = (__u64)(uintptr_t)offsets.v;
	link.cookies = (__u64)(uintptr_t)cookies.v;
	link.reference_counters = (__u64)(uintptr_t)semaphores.v;
	link.n = (__u32)offsets.n;
	bad = percpu_keep(percpu, make_link(&link));
out:
	if (bad)
		percpu_error("uprobe", err);
	vec_free(&offsets);
	vec_free(&cookies);
	vec_free(&semaphores);
	return bad;
}

/* Uprobes are not on a processor: the program runs wherever one is hit. */
static int attach_events(struct percpu *percpu, const struct file_points *p,
	int cpu, struct err *err)
{
	for (size_t k = p->first; k < p->end; k++) {
		const struct probe_point *point = &p->calls->points.v[k];
		struct perf_event_attr attr = {
			.type = (uint32_t)percpu_uprobe_type(),
			.config = point->semaphore << SEMAPHORE_SHIFT,
			.config1 = (uint64_t)(uintptr_t)point->file,
			.config2 = point->offset,
		};

		if (percpu_attach_event(percpu, p->program, &attr, cpu,
			    cookie_of(p, k), err) < 0)
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

int percpu_attach_uprobes(
	struct percpu *percpu, uint32_t i, int cpu, struct err *err)
{
	const struct percpu_counter *counter = &percpu->counters[i];
	bool requests = counter->source == PERCPU_BY_REQUEST;
	struct file_points p = {
		.calls = counter->calls,
		.program = "on_call",
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
		if (percpu->uprobe_links
				? attach_link(percpu, &p, err)
				: attach_events(percpu, &p, cpu, err)) {
			snprintf(err->object, sizeof err->object, "%s",
				point->file);
			return err_hint(err, "its file system may not take "
					     "uprobes, or a security module "
					     "forbids them");
		}
	}
	return 0;
}
