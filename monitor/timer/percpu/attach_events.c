/* The perf events of the wide arrangement: outputs, and what the slots count.
 */
#include "monitor/timer/percpu/percpu_private.h"

#ifdef HAVE_BPF

#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "monitor/probe/probe.h"

/*
 * A clock that varies is made of so many, each slower by as much and of a
 * period of its own: BPF programs cannot set a perf clock anew.
 */
#define CLOCKS 8

/* The last event added is output number I of each processor. */
static int connect_output(struct wide *wide, const struct perf_events *events,
	uint32_t i, struct err *err)
{
	int map = bpf_map__fd(wide_map(wide, "outputs"));

	for (size_t c = 0; c < events->cpus.n; c++) {
		uint32_t key =
			i * wide->config.ncpus + (uint32_t)events->cpus.v[c];
		int fd = events->fds.v[events->fds.n - events->cpus.n + c].fd;

		if (bpf_map_update_elem(map, &key, &fd, BPF_ANY))
			return wide_error("connection of the outputs", err);
	}
	return 0;
}

static int add_output(struct wide *wide, struct perf_events *events, uint32_t i,
	uint32_t stack, uint32_t tag, struct err *err)
{
	return perf_events_add_output(events, "bpf output", stack, tag, err) ||
			       connect_output(wide, events, i, err)
		       ? -1
		       : 0;
}

/* One output for each copy of the slot; the rings are made for the largest. */
static int connect_copies(struct wide *wide, struct perf_events *events,
	uint32_t slot, struct err *err)
{
	uint32_t *stack = wide->shared->stack[slot];
	uint32_t size = wide->slots[slot].stack;

	for (uint32_t copy = 0; copy < WIDE_COPIES; copy++) {
		if (copy)
			size = WIDE_COPY_LEAST << (copy - 1);
		if (copy && size >= stack[0])
			break;
		if (add_output(wide, events, WIDE_OUTPUT(slot, copy), size,
			    wide->slots[slot].tag, err))
			return -1;
		stack[copy] = events->fds.v[events->fds.n - 1].stack;
	}
	return 0;
}

/* All outputs of a slot, into a ring of its own. */
static int connect_slot(struct wide *wide, struct perf_events *events,
	uint32_t i, struct err *err)
{
	uint32_t n = wide->config.nslots, tag = wide->slots[i].tag;

	if (connect_copies(wide, events, i, err))
		return -1;
	if ((wide->config.waits >> i & 1) &&
		add_output(wide, events, WIDE_PAID_OUTPUT(n, i), 0, tag, err))
		return -1;
	/* as much as leaves room for what comes meanwhile */
	wide->shared->room[i] = perf_events_ring_bytes(events, tag) / 4 * 3;
	if (!wide->config.chunks)
		return 0;
	return perf_events_add_chunks(events, "bpf output", tag, err) ||
			       connect_output(wide, events,
				       WIDE_CHUNK_OUTPUT(n, i), err)
		       ? -1
		       : 0;
}

int wide_attach_event(struct wide *wide, const char *program,
	struct perf_event_attr *attr, int cpu, uint64_t cookie, struct err *err)
{
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = cookie);
	int fd = perf_events_machine(attr, cpu), *kept;

	if (fd < 0)
		return wide_error("perf_event_open", err);
	kept = vec_push(&wide->fds);
	if (!kept) {
		close(fd);
		return wide_error("perf_event_open", err);
	}
	*kept = fd;
	wide_begin_complaint();
	if (wide_keep_link(wide, bpf_program__attach_perf_event_opts(
					 bpf_object__find_program_by_name(
						 wide->object, program),
					 fd, &options)))
		return wide_error("attachment to an event", err);
	*kept = -1; /* the link has it */
	return fd;
}

/* The period of clock K of a slot: around its share of the interval. */
static uint64_t clock_period(const struct wide_slot *slot, unsigned k)
{
	uint64_t mean, range;
	uint32_t chance = 0;

	if (!slot->randomize)
		return slot->interval;
	if (getrandom(&chance, sizeof chance, GRND_NONBLOCK) < 0)
		chance = (uint32_t)random();
	mean = slot->interval * CLOCKS;
	range = slot->randomize * 1024 / 100;
	/* one rate from each eighth of the range: together they are the mean */
	return mean * 1024 /
	       (1024 - range + (2 * range * k + chance % (2 * range)) / CLOCKS);
}

static int attach_clocks(
	struct wide *wide, uint32_t i, int cpu, struct err *err)
{
	const struct wide_slot *slot = &wide->slots[i];
	unsigned n = slot->randomize ? CLOCKS : 1;

	for (unsigned k = 0; k < n; k++) {
		uint64_t period = clock_period(slot, k);
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.sample_period = period,
			.exclude_idle = 1,
		};

		struct wide_clock *clock;
		int fd = wide_attach_event(wide, "on_clock", &attr, cpu,
			i | (period / n) << 8, err);

		if (fd < 0)
			return -1;
		clock = vec_push(&wide->clocks);
		if (!clock)
			return wide_error("perf_event_open", err);
		*clock = (struct wide_clock){fd, cpu};
	}
	return 0;
}

/* All events of one kind on a processor. */
static int attach_count(
	struct wide *wide, uint32_t i, uint64_t event, int cpu, struct err *err)
{
	struct perf_event_attr attr = {
		.type = wide->slots[i].type,
		.config = event,
		.sample_period = 1,
	};

	return wide_attach_event(wide, "on_event", &attr, cpu, i, err) < 0 ? -1
									   : 0;
}

static int attach_slot(struct wide *wide, uint32_t i, int cpu, struct err *err)
{
	const struct wide_slot *slot = &wide->slots[i];

	switch (slot->source) {
	case WIDE_BY_CLOCK:
		return attach_clocks(wide, i, cpu, err);
	case WIDE_BY_EVENT:
		if (attach_count(wide, i, slot->event, cpu, err))
			return -1;
		return slot->also ? attach_count(wide, i, slot->also, cpu, err)
				  : 0;
	default:
		return 0;
	}
}

int wide_attach_slots(struct wide *wide, struct err *err)
{
	size_t n;
	int *cpus = perf_events_processors(&n), bad = 0;

	if (!cpus)
		return err_sys(err, "bpf", "list of processors");
	for (uint32_t i = 0; !bad && i < wide->config.nslots; i++)
		for (size_t c = 0; !bad && c < n; c++)
			bad = attach_slot(wide, i, cpus[c], err);
	free(cpus);
	return bad;
}

int wide_start(struct wide *wide, struct perf_events *events, struct err *err)
{
	for (uint32_t i = 0; i < wide->config.nslots; i++)
		if (connect_slot(wide, events, i, err))
			return -1;
	for (size_t i = 0; i < wide->clocks.n; i++)
		if (perf_events_tell(events, wide->clocks.v[i].fd,
			    wide->clocks.v[i].cpu))
			return wide_error("PERF_EVENT_IOC_SET_OUTPUT", err);
	for (uint32_t i = 0; i < wide->config.nslots; i++)
		if (wide->slots[i].calls &&
			wide_attach_uprobes(wide, i, events->cpus.v[0], err))
			return -1;
	return 0;
}

#endif
