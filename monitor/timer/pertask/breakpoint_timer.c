/*
 * Hardware breakpoints that count calls, per task: four addresses of the
 * target's executable at once, for any user.  The addresses are known only
 * after the exec, so a new target is stopped there for a moment
 * (TIMER_NEEDS_EXEC).  The breakpoints end when a process runs another program.
 */
#include <linux/perf_event.h>

#include "monitor/arch/arch.h"
#include "monitor/perf/events.h"
#include "monitor/perf/source.h"
#include "monitor/probe/probe.h"
#include "monitor/timer/pertask/pertask.h"

static bool counts(const struct resource_request *request)
{
	return (request->resource->counts & (COUNTS_CALLS | COUNTS_AMOUNT)) ==
	       COUNTS_CALLS;
}

/*
 * A hypervisor may lose the register that tells why a trap came (KVM before
 * Linux 6.14); the kernel takes the trap for the program's own then.  Seen on a
 * busy guest: four times in 7 million hits.
 */
static const char *warns(const struct resource_request *request)
{
	(void)request;
	return machine_is_virtual()
		       ? "a breakpoint in a virtual machine may end the "
			 "program by SIGTRAP, once in millions of calls; root "
			 "has uprobes, which do not"
		       : NULL;
}

static int can_break(const struct resource_request *request,
	struct timer_machine *machine, struct err *why)
{
	(void)machine;
	return perf_events_probe_breakpoint(request->name, why);
}

/*
 * A thread that joins has the same points, where its process has mapped them.
 */
static bool place(const void *arg, pid_t tid, uint64_t *addr)
{
	const struct calls *calls = arg;
	uint64_t bias;

	if (!probe_bias(calls, tid, &bias))
		return false;
	*addr += bias;
	return true;
}

static int add_breakpoints(struct timer *timer, struct err *err)
{
	struct perf_sampling sampling = timer_sampling(timer, 1);

	for (size_t i = 0; i < timer->calls->points.n; i++) {
		struct perf_breakpoint point = {
			.addr = timer->calls->points.v[i].addr,
			.place = place,
			.arg = timer->calls,
		};

		if (perf_events_add_breakpoint(
			    timer->impl, &point, &sampling, err))
			return -1;
	}
	return 0;
}

/*
 * Before the exec there are no addresses: an event that counts nothing makes
 * the rings that the breakpoints will write to.
 */
static int arm_breakpoints(struct timer *timer, struct err *err)
{
	static const struct perf_source nothing = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.scale = 1,
	};
	struct perf_sampling sampling = timer_sampling(timer, nothing.scale);
	struct perf_events *events = timer->impl;

	if (events->attached)
		return add_breakpoints(timer, err);
	return perf_events_add(events, &nothing, &sampling, err);
}

static int place_breakpoints(
	struct timer *timer, pid_t pid, bool collect, struct err *err)
{
	uint64_t bias;

	if (!probe_bias(timer->calls, pid, &bias)) {
		err_set(err, timer->request->name, "breakpoint",
			"the program that runs is not %s",
			timer->calls->program);
		return err_hint(err, "name the executable itself");
	}
	if (add_breakpoints(timer, err))
		return -1;
	if (collect)
		perf_events_collect(timer->impl, true);
	return 0;
}

static int read_breakpoints(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	if (perf_events_read(
		    timer->impl, timer->index, &count->gticks, &count->lost))
		return err_sys(err, timer->request->name, "read of the event");
	return 0;
}

/* perf_events_close() closes the events, when the rings have been drained. */
const struct timer_kind breakpoint_timer = {
	.name = "per-task breakpoint",
	.costs = "10-20 us",
	.families = 1u << TIMER_KERNEL | 1u << TIMER_PERTASK,
	.needs = TIMER_NEEDS_PERF | TIMER_NEEDS_EXEC,
	.ends_at_exec = true,
	.warns = warns,
	.counts = counts,
	.can = can_break,
	.arm = arm_breakpoints,
	.place = place_breakpoints,
	.read = read_breakpoints,
};
