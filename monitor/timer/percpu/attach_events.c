/* The perf events of the per-CPU timers: outputs, and what the counters count.
 */
#include "monitor/timer/percpu/percpu_private.h"

#include <linux/bpf.h>
#include <stdlib.h>

#include "monitor/probe/probe.h"

/*
 * A clock that varies consists of this many slower ones, each with a period of
 * its own: BPF programs cannot change the period of a perf clock.
 */
#define CLOCKS 8

/*
 * Its ticks are faster than their intervals: with a period of 1 ms they were in
 * step with the scheduler's of 4 ms, which begins and ends the turns of threads
 * where others want the processor, and hit these at the same moment of each.
 * In so long they lead by one interval, but by no more than a part of it at
 * each tick.  A tick too many counts for nothing (tick_hits()).
 */
#define OUT_OF_STEP_NS 64000000u
#define OUT_OF_STEP_LEAST 64

uint32_t percpu_counter(const struct percpu *percpu, uint32_t tag)
{
	uint32_t i = 0;

	while (i + 1 < percpu->config.ncounters &&
		percpu->counters[i].tag != tag)
		i++;
	return i;
}

/* Output number I of a processor is the event FD.  -1 with errno. */
static int connect(const struct percpu *percpu, uint32_t i, int cpu, int fd)
{
	uint32_t key = i * percpu->config.ncpus + (uint32_t)cpu;

	return bpf_map_update_elem(
		percpu_map(percpu, "outputs"), &key, &fd, BPF_ANY);
}

/* Makes the event that was added last output number I of each processor. */
static int connect_output(struct percpu *percpu,
	const struct perf_events *events, uint32_t i, struct err *err)
{
	const struct perf_fd *last =
		&events->fds.v[events->fds.n - events->cpus.n];

	for (size_t c = 0; c < events->cpus.n; c++)
		if (connect(percpu, i, last[c].cpu, last[c].fd))
			return percpu_error("connection of the outputs", err);
	return 0;
}

static int add_output(struct percpu *percpu, struct perf_events *events,
	uint32_t i, uint32_t stack, uint32_t tag, struct err *err)
{
	return perf_events_add_output(events, "bpf output", stack, tag, err) ||
			       connect_output(percpu, events, i, err)
		       ? -1
		       : 0;
}

/* One output for each copy of the counter. */
static int connect_copies(struct percpu *percpu, struct perf_events *events,
	uint32_t counter, struct err *err)
{
	uint32_t *stack = percpu->shared->stack[counter];
	const uint32_t sizes[PERCPU_COPIES] = {percpu->counters[counter].stack,
		PERCPU_COPY_LEAST, PERCPU_COPY_MIDDLE};

	for (uint32_t copy = 0; copy < PERCPU_COPIES; copy++) {
		if (copy && sizes[copy] >= stack[0])
			continue;
		if (add_output(percpu, events, PERCPU_OUTPUT(counter, copy),
			    sizes[copy], percpu->counters[counter].tag, err))
			return -1;
		stack[copy] = events->fds.v[events->fds.n - 1].stack;
	}
	return 0;
}

/* All outputs of a counter, into a ring of its own. */
static int connect_counter(struct percpu *percpu, struct perf_events *events,
	uint32_t i, struct err *err)
{
	const struct percpu_config *config = &percpu->config;
	uint32_t n = config->ncounters, tag = percpu->counters[i].tag;
	/* of these there are no stacks */
	uint32_t bare = percpu->allocators.ends | config->arcs;

	if (!(bare >> i & 1) && connect_copies(percpu, events, i, err))
		return -1;
	/* the first one's has the frames of interpreters, too */
	if ((!i || (config->waits | config->clocks | bare) >> i & 1) &&
		add_output(
			percpu, events, PERCPU_BARE_OUTPUT(n, i), 0, tag, err))
		return -1;
	return 0;
}

/*
 * The period of clock K of a counter: random, around its share of the interval.
 */
static uint64_t clock_period(const struct percpu_counter *counter, unsigned k)
{
	uint64_t mean, range;

	if (!counter->randomize)
		return counter->interval;
	mean = counter->interval * CLOCKS;
	range = counter->randomize * 1024 / 100;
	/* one rate from each eighth of the range: their sum is the mean rate */
	return mean * 1024 /
	       (1024 - range +
		       (2 * range * k + random_below(2 * range)) / CLOCKS);
}

static int attach_clocks(
	struct percpu *percpu, uint32_t i, int cpu, struct err *err)
{
	const struct percpu_counter *counter = &percpu->counters[i];
	unsigned n = counter->randomize ? CLOCKS : 1;

	for (unsigned k = 0; k < n; k++) {
		uint64_t period = clock_period(counter, k),
			 lead = OUT_OF_STEP_NS / period;
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.sample_period =
				period -
				period / (lead > OUT_OF_STEP_LEAST
							 ? lead
							 : OUT_OF_STEP_LEAST),
			.exclude_idle = 1,
		};

		int fd = percpu_attach_event(percpu, "on_event", &attr, cpu,
			i | (period / n) << 8, err);

		if (fd < 0)
			return -1;
		if (!vec_add(&percpu->clocks, (struct percpu_clock){fd, cpu}))
			return percpu_error("perf_event_open", err);
	}
	return 0;
}

/* All events of one kind on a processor. */
static int attach_count(struct percpu *percpu, const char *program, uint32_t i,
	uint64_t event, int cpu, struct err *err)
{
	struct perf_event_attr attr = {
		.type = percpu->counters[i].type,
		.config = event,
		.sample_period = 1,
	};

	return percpu_attach_event(percpu, program, &attr, cpu,
		       percpu->counters[i].amount | i, err) < 0
		       ? -1
		       : 0;
}

static int attach_counter(
	struct percpu *percpu, uint32_t i, int cpu, struct err *err)
{
	const struct percpu_counter *counter = &percpu->counters[i];

	switch (counter->source) {
	case PERCPU_BY_CLOCK:
		return attach_clocks(percpu, i, cpu, err);
	case PERCPU_BY_EVENT:
		if (attach_count(
			    percpu, "on_event", i, counter->event, cpu, err))
			return -1;
		return counter->also ? attach_count(percpu, "on_event", i,
					       counter->also, cpu, err)
				     : 0;
	case PERCPU_BY_RECORD:
		return attach_count(
			percpu, "on_tracepoint", i, counter->event, cpu, err);
	default:
		return 0;
	}
}

int percpu_attach_counters(
	struct percpu *percpu, uint32_t *refused, struct err *err)
{
	processor_list cpus = {0};
	int bad = 0;

	*refused = PERCPU_EACH;
	if (processors_list(&cpus))
		return err_sys(err, "bpf", "list of processors");
	for (uint32_t i = 0; !bad && i < percpu->config.ncounters; i++)
		for (size_t c = 0; !bad && c < cpus.n; c++) {
			*refused = 1u << i;
			bad = attach_counter(percpu, i, cpus.v[c], err);
			/* one event has the program run on all of them */
			if (percpu->counters[i].source == PERCPU_BY_RECORD)
				break;
		}
	vec_free(&cpus);
	return bad;
}

int percpu_start(void *impl, struct perf_events *events, struct err *err)
{
	struct percpu *percpu = impl;

	for (uint32_t i = 0; i < percpu->config.ncounters; i++)
		if (connect_counter(percpu, events, i, err))
			return -1;
	for (size_t i = 0; i < percpu->clocks.n; i++)
		if (perf_events_tell(events, percpu->clocks.v[i].fd,
			    percpu->clocks.v[i].cpu))
			return percpu_error("PERF_EVENT_IOC_SET_OUTPUT", err);
	percpu_start_clocks(percpu);
	for (uint32_t i = 0; i < percpu->config.ncounters; i++)
		if (percpu->counters[i].calls &&
			percpu_attach_uprobes(
				percpu, i, events->cpus.v[0], err))
			return percpu_refuse(percpu, 1u << i, err);
	return 0;
}
