/* Kernel timers on the whole machine, counted by BPF programs. */
#include "monitor/timer/percpu/percpu_private.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "monitor/probe/probe.h"

/* Bytes and I/O time: by what each call moves. */
static void set_transfers(struct percpu_config *config)
{
	for (unsigned nr = 0; nr < PERCPU_CALLS; nr++)
		config->transfer[nr] = (uint8_t)syscall_transfer(nr);
}

static void set_maps(struct percpu_config *config, uint32_t bit)
{
	config->maps |= bit;
	config->mmap = SYS_mmap;
	config->mremap = SYS_mremap;
	config->brk = SYS_brk;
	config->page = (uint32_t)sysconf(_SC_PAGESIZE);
}

static void set_calls(struct percpu_config *config,
	const struct syscall_set *set, uint32_t bit)
{
	for (unsigned nr = 0; nr < PERCPU_CALLS; nr++)
		if (syscall_set_has(set, nr))
			config->call_counters[nr] |= bit;
}

static void set_signals(
	struct percpu_config *config, uint64_t signals, uint32_t bit)
{
	for (unsigned n = 1; n < PERCPU_SIGNALS; n++)
		if (signals >> (n - 1) & 1)
			config->signal_counters[n] |= bit;
}

static void set_switches(
	struct percpu_config *config, unsigned switches, uint32_t bit)
{
	if (switches & SWITCH_VOLUNTARY)
		config->voluntary |= bit;
	if (switches & SWITCH_INVOLUNTARY)
		config->involuntary |= bit;
}

/* The functions that allocate, as the search found them. */
static void set_allocators(
	const struct calls *calls, struct percpu_allocators *told)
{
	for (size_t i = 0; i < calls->points.n && i < ALLOCATION_POINTS; i++) {
		const struct probe_point *p = &calls->points.v[i];

		told->points[i] = (struct percpu_point){
			.addr = p->addr,
			.first = (uint16_t)p->first,
			.end = (uint16_t)(p->first + p->ranges),
			.request = p->request,
		};
		told->follows |= p->request == ALLOCATION_RETURN;
	}
	for (size_t i = 0; i < calls->ranges.n && i < ALLOCATION_RANGES; i++)
		told->ranges[i] = (struct percpu_range){
			calls->ranges.v[i].from, calls->ranges.v[i].size};
}

static void set_requests(struct percpu_allocators *allocators,
	const struct timer *timer, uint32_t bit)
{
	unsigned counts = timer->request->resource->counts;

	if (counts & COUNTS_ALLOCATED)
		allocators->bytes |= bit;
	else if (counts & COUNTS_ALLOCATIONS)
		allocators->requests |= bit;
	else
		allocators->ends |= bit;
	if (!timer->calls) /* it is only tried */
		return;
	allocators->run = timer->calls->run;
	set_allocators(timer->calls, allocators);
	if (counts & COUNTS_FREES)
		allocators->frees |= bit;
}

/* Tells the programs what the counter of that BIT counts. */
static void configure(struct percpu_config *config,
	const struct resource_request *request, uint32_t bit)
{
	unsigned what = request->resource->counts;

	if (what & COUNTS_SYSCALLS)
		set_calls(config, &request->syscalls, bit);
	if (what & COUNTS_READS)
		config->reads |= bit;
	if (what & COUNTS_WRITES)
		config->writes |= bit;
	if (what & COUNTS_IOTIME)
		config->io_time |= bit;
	if (what & (COUNTS_READS | COUNTS_WRITES | COUNTS_IOTIME))
		set_transfers(config);
	if (what & COUNTS_MAPPED)
		set_maps(config, bit);
	if (what & COUNTS_WAITING)
		config->events |= bit;
	if (what & COUNTS_IN_LINE)
		config->queues |= bit;
	config->waits = config->events | config->queues;
	if (what & COUNTS_SWITCHES)
		set_switches(config, request->switches, bit);
	if (what & COUNTS_ARCS)
		config->arcs |= bit;
	if (what & COUNTS_SIGNALS)
		set_signals(config, request->signals, bit);
}

static enum percpu_source source_of(const struct resource *r)
{
	if (!r->counts)
		return PERCPU_BY_EVENT;
	if (r->counts & COUNTS_RECORDS)
		return PERCPU_BY_RECORD;
	if (r->counts & (COUNTS_CALLS | COUNTS_ARCS))
		return PERCPU_BY_CALL;
	if (r->counts & COUNTS_HEAP)
		return PERCPU_BY_REQUEST;
	/* `real` also by its waits */
	return r->counts & COUNTS_CPU ? PERCPU_BY_CLOCK : PERCPU_BY_TRACEPOINT;
}

static uint32_t stack_of(const struct resource_request *request)
{
	uint32_t stack = perf_sample_stack(request);

	return stack < PERCPU_STACK_MOST ? stack : PERCPU_STACK_MOST;
}

int percpu_arm(struct timer *timer, struct err *err)
{
	const struct resource_request *request = timer->request;
	const struct resource *r = request->resource;
	struct percpu *percpu = timer->impl;
	struct percpu_config *config = &percpu->config;
	const uint32_t i = config->ncounters, bit = 1u << i;
	struct percpu_counter counter = {
		.source = source_of(r),
		.programs = percpu_programs(r),
		.interval = request->interval * resource_scale(r),
		.randomize = timer->randomize,
		.stack = stack_of(request),
		.tag = timer->index,
		.calls = timer->calls,
	};

	if (i == PERCPU_COUNTERS) {
		err_set(err, request->name, NULL,
			"more than %d resources with kernel timers",
			PERCPU_COUNTERS);
		return err_hint(err,
			"profile the others in another run; stop timers "
			"(--timer=stop) take up to %d",
			RESOURCES_MAX);
	}
	if (counter.source == PERCPU_BY_EVENT ||
		counter.source == PERCPU_BY_RECORD) {
		counter.type = request->event.type;
		counter.event = request->event.config;
		counter.also = request->event.also;
		counter.amount = request->amount;
	}
	percpu->counters[i] = counter;
	config->ncounters++;
	config->interval[i] = counter.interval;
	config->spread[i] = counter.randomize * 1024 / 100;
	config->uprobes |= counter.calls != NULL;
	if (counter.source == PERCPU_BY_CLOCK)
		config->clocks |= bit;
	if (counter.source == PERCPU_BY_REQUEST)
		set_requests(&percpu->allocators, timer, bit);
	configure(config, request, bit);
	return 0;
}

/* Arms one request of each kind of those that are not refused; how many. */
static size_t arm_each(struct percpu *percpu,
	const struct resource_request *requests, size_t n)
{
	bool has[TIMER_PROGRAMS] = {false};
	size_t armed = 0;
	struct err why;

	for (size_t i = 0; i < n; i++) {
		const struct resource *r = requests[i].resource;
		size_t programs = percpu_programs(r);
		struct timer timer = {.kind = &percpu_timer,
			.request = &requests[i],
			.impl = percpu};

		if (has[programs] ||
			!(percpu_probes(&requests[i]) ||
				percpu_counts(&requests[i])) ||
			percpu_can(&requests[i], percpu->machine, &why))
			continue;
		has[programs] = true;
		armed += percpu_arm(&timer, &why) == 0;
	}
	return armed;
}

void percpu_try(const struct resource_request *requests, size_t n,
	struct timer_machine *machine)
{
	struct err why;
	bool again = true;

	while (again) { /* each time with one kind less */
		struct percpu *percpu = percpu_family.open(machine, &why);

		if (!percpu)
			return;
		again = arm_each(percpu, requests, n) &&
			percpu_load(percpu, &why);
		percpu_family.close(percpu);
	}
}

/* The family closes the programs, when the rings have been drained. */
const struct timer_kind percpu_timer = {
	.name = "kernel, per-CPU",
	.costs = "0.1 us",
	.families = 1u << TIMER_KERNEL | 1u << TIMER_PERCPU,
	.family = &percpu_family,
	.needs = TIMER_NEEDS_PERF,
	.shares_clock = true,
	.randomizes = true,
	.counts = percpu_counts,
	.can = percpu_can,
	.arm = percpu_arm,
	.read = percpu_read,
};
