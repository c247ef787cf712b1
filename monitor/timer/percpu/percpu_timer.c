/* Kernel timers on the whole machine, counted by BPF programs. */
#include "monitor/timer/timer.h"

#include <string.h>

#include "monitor/probe/allocators.h"
#include "monitor/perf/source.h"
#include "monitor/timer/percpu/percpu.h"

static bool is_software(const struct resource *r)
{
	return r->perf && r->perf->type == PERF_TYPE_SOFTWARE;
}

static bool counts(const struct resource_request *request)
{
	switch (request->resource->counted) {
	case COUNT_NONE: /* a processor's event of each thread's */
		return is_software(request->resource);
	case COUNT_CALLS: /* uprobe_timer */
	case COUNT_ALLOCATED:
	case COUNT_ALLOCATIONS:
		return false;
	default:
		return true;
	}
}

static int can(const struct resource_request *request, struct err *why)
{
	return wide_can(request, why);
}

/* Bytes and I/O time: by what each call moves. */
static void set_transfers(struct wide_config *config)
{
	for (unsigned nr = 0; nr < WIDE_CALLS; nr++)
		config->transfer[nr] = (uint8_t)syscall_transfer(nr);
}

static void set_calls(
	struct wide_config *config, const struct syscall_set *set, uint32_t bit)
{
	for (unsigned nr = 0; nr < WIDE_CALLS; nr++)
		if (syscall_set_has(set, nr))
			config->call_slots[nr] |= bit;
}

static void set_signals(
	struct wide_config *config, uint64_t signals, uint32_t bit)
{
	for (unsigned n = 1; n < WIDE_SIGNALS; n++)
		if (signals >> (n - 1) & 1)
			config->signal_slots[n] |= bit;
}

static void set_switches(
	struct wide_config *config, unsigned switches, uint32_t bit)
{
	if (switches & SWITCH_VOLUNTARY)
		config->voluntary |= bit;
	if (switches & SWITCH_INVOLUNTARY)
		config->involuntary |= bit;
}

static void set_requests(struct wide_allocators *allocators,
	const struct timer *timer, uint32_t bit)
{
	if (timer->request->resource->counted == COUNT_ALLOCATED)
		allocators->bytes |= bit;
	else
		allocators->requests |= bit;
	if (timer->calls) /* not where it is but tried */
		allocators_tell(timer->calls, allocators);
}

/* Tells the programs what the slot of that BIT counts. */
static void configure(struct wide_config *config,
	const struct resource_request *request, uint32_t bit)
{
	enum counted what = request->resource->counted;

	switch (what) {
	case COUNT_SYSCALLS:
		set_calls(config, &request->syscalls, bit);
		break;
	case COUNT_BYTES_READ:
	case COUNT_BYTES_WRITTEN:
	case COUNT_BYTES:
		if (what != COUNT_BYTES_WRITTEN)
			config->reads |= bit;
		if (what != COUNT_BYTES_READ)
			config->writes |= bit;
		set_transfers(config);
		break;
	case COUNT_IOTIME:
		config->io_time |= bit;
		set_transfers(config);
		break;
	case COUNT_REAL:
	case COUNT_BLOCKED:
		config->waits |= bit;
		break;
	case COUNT_SWITCHES:
		set_switches(config, request->switches, bit);
		break;
	case COUNT_SIGNALS:
		set_signals(config, request->signals, bit);
		break;
	default:
		break;
	}
}

static enum wide_source source_of(const struct resource *r)
{
	switch (r->counted) {
	case COUNT_NONE:
		return WIDE_BY_EVENT;
	case COUNT_CALLS:
		return WIDE_BY_CALL;
	case COUNT_ALLOCATED:
	case COUNT_ALLOCATIONS:
		return WIDE_BY_REQUEST;
	case COUNT_CPU:
	case COUNT_USER:
	case COUNT_SYSTEM:
	case COUNT_REAL: /* and by its waits */
		return WIDE_BY_CLOCK;
	default:
		return WIDE_BY_TRACEPOINT;
	}
}

static uint32_t stack_of(const struct resource_request *request)
{
	uint32_t stack = kernel_timer_stack(request);

	return stack < WIDE_STACK_MOST ? stack : WIDE_STACK_MOST;
}

static int arm(struct timer *timer, struct err *err)
{
	const struct resource_request *request = timer->request;
	const struct resource *r = request->resource;
	struct wide *wide = timer->private;
	struct wide_slot slot = {
		.source = source_of(r),
		.interval = request->interval * resource_scale(r),
		.randomize = timer->randomize,
		.stack = stack_of(request),
		.tag = timer->index,
		.calls = timer->calls,
	};
	int i;

	if (slot.source == WIDE_BY_EVENT) {
		slot.type = r->perf->type;
		slot.event = r->perf->config;
		slot.also = r->perf->also;
	}
	i = wide_add(wide, &slot);
	if (i < 0) {
		err_set(err, request->name, NULL,
			"more than %d resources with kernel timers",
			WIDE_SLOTS);
		return err_hint(err,
			"profile the others in another run; stop timers "
			"(--timer=stop) take up to %d",
			RESOURCES_MAX);
	}
	configure(wide_config(wide), request, 1u << i);
	if (slot.source == WIDE_BY_REQUEST)
		set_requests(wide_allocators(wide), timer, 1u << i);
	return 0;
}

static int read_count(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	uint32_t scale = resource_scale(timer->request->resource);
	struct wide_count counted;

	if (wide_read(timer->private, timer->index, &counted))
		return err_sys(err, timer->request->name, "read of the counts");
	count->gticks = counted.count / scale;
	count->rest = counted.count % scale;
	count->lost = counted.lost;
	count->lost_gticks = counted.lost_weight / scale;
	return 0;
}

/* Loads and puts in place what the timer would; WHY has no reason if it can. */
static void load(const struct resource_request *request, struct err *why)
{
	struct wide *wide = wide_open(why);
	struct timer timer = {
		.kind = &wide_timer, .request = request, .private = wide};

	if (!wide)
		return;
	err_clear(why);
	if (arm(&timer, why) == 0)
		wide_load(wide, why);
	wide_close(wide);
}

/* What the same programs count, by one of it. */
static enum counted alike(enum counted what)
{
	switch (what) {
	case COUNT_USER:
	case COUNT_SYSTEM:
		return COUNT_CPU;
	case COUNT_BLOCKED:
		return COUNT_REAL;
	case COUNT_BYTES_READ:
	case COUNT_BYTES_WRITTEN:
		return COUNT_BYTES;
	case COUNT_ALLOCATIONS:
		return COUNT_ALLOCATED;
	default:
		return what;
	}
}

int wide_try(const struct resource_request *request, struct err *why)
{
	static bool tried[COUNT_KINDS];
	static struct err answers[COUNT_KINDS];
	enum counted what = alike(request->resource->counted);

	if (wide_can(request, why))
		return -1;
	if (!tried[what])
		load(request, &answers[what]);
	tried[what] = true;
	if (answers[what].reason[0])
		wide_refuse(request, &answers[what]);
	return wide_can(request, why);
}

/* The programs are closed together, when the rings have been drained. */
static void disarm(struct timer *timer)
{
	timer->private = NULL;
}

const struct timer_kind wide_timer = {
	.name = "kernel, wide",
	.family = "kernel",
	.needs = TIMER_NEEDS_PERF | TIMER_NEEDS_WIDE,
	.randomizes = true,
	.counts = counts,
	.can = can,
	.attempt = wide_try,
	.arm = arm,
	.read = read_count,
	.disarm = disarm,
};
