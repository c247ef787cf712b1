#include "monitor/probe/call_timer.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "monitor/perf/events.h"
#include "monitor/target/proc.h"
#include "monitor/timer/percpu/percpu.h"

static bool counts(const struct resource_request *request)
{
	return request->resource->counted == COUNT_CALLS;
}

/* --- breakpoints --- */

static int can_break(const struct resource_request *request, struct err *why)
{
	return perf_events_probe_breakpoint(request->name, why);
}

/* A thread that joins has the same points, wherever its process has them. */
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
	const struct resource_request *request = timer->request;
	struct perf_events *events = timer->impl;

	for (size_t i = 0; i < timer->calls->points.n; i++) {
		struct perf_breakpoint point = {
			.addr = timer->calls->points.v[i].addr,
			.place = place,
			.arg = timer->calls,
		};

		if (perf_events_add_breakpoint(events, request->name, &point,
			    request->interval, perf_sample_stack(request),
			    timer->index, err))
			return -1;
	}
	return 0;
}

/*
 * Before the exec there is no address yet: an event that counts nothing makes
 * the rings that the breakpoints will write to.
 */
static int arm_breakpoints(struct timer *timer, struct err *err)
{
	static const struct perf_source nothing = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.scale = 1,
	};
	const struct resource_request *request = timer->request;
	struct perf_events *events = timer->impl;

	if (events->attached)
		return add_breakpoints(timer, err);
	return perf_events_add(events, request->name, &nothing,
		request->interval, perf_sample_stack(request), timer->index,
		err);
}

int probe_timer_place(
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
	memset(count, 0, sizeof *count);
	if (perf_events_read(
		    timer->impl, timer->index, &count->gticks, &count->lost))
		return err_sys(err, timer->request->name, "read of the event");
	return 0;
}

/* The events are closed together, when the rings have been drained. */
static void disarm(struct timer *timer)
{
	timer->impl = NULL;
}

const struct timer_kind breakpoint_timer = {
	.name = "kernel, per-task breakpoint",
	.families = 1u << TIMER_KERNEL | 1u << TIMER_PERTASK,
	.needs = TIMER_NEEDS_PERF | TIMER_NEEDS_EXEC,
	.counts = counts,
	.can = can_break,
	.arm = arm_breakpoints,
	.read = read_breakpoints,
	.disarm = disarm,
};

/* --- uprobes --- */

static bool probes(const struct resource_request *request)
{
	return request->resource->counted == COUNT_CALLS ||
	       request->resource->counted == COUNT_ALLOCATED ||
	       request->resource->counted == COUNT_ALLOCATIONS;
}

/*
 * The right to other perf events is not enough.  Whoever has it is told that
 * there is no such file.
 */
static bool may_probe(int type)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)type,
		.config1 = (uint64_t)(uintptr_t) "/nothing/of/that/name",
	};
	int fd = perf_events_machine(&attr, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != EACCES && errno != EPERM);
}

static int needs_root(const struct resource_request *request, struct err *why)
{
	err_set(why, request->name, "uprobe", "Operation not permitted");
	return err_hint(why, "run cpprof as root: uprobes need CAP_SYS_ADMIN");
}

static int can_probe(const struct resource_request *request, struct err *why)
{
	int type = percpu_uprobe_type();

	errno = 0;
	if (percpu_can(request, why)) {
		if (errno == EPERM || errno == EACCES)
			needs_root(request, why);
		return -1;
	}
	if (type < 0) {
		err_set(why, request->name, "uprobe", "this kernel has none");
		return err_hint(
			why, "it has to be built with CONFIG_UPROBE_EVENTS");
	}
	if (may_probe(type))
		return 0;
	return needs_root(request, why);
}

static int arm_uprobes(struct timer *timer, struct err *err)
{
	return percpu_timer.arm(timer, err);
}

static int read_uprobes(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	memset(count, 0, sizeof *count);
	return percpu_timer.read(timer, count, err);
}

const struct timer_kind uprobe_timer = {
	.name = "kernel, per-CPU uprobe",
	.families = 1u << TIMER_KERNEL | 1u << TIMER_PERCPU,
	.needs = TIMER_NEEDS_PERF | TIMER_NEEDS_PERCPU,
	.randomizes = true,
	.counts = probes,
	.can = can_probe,
	.attempt = percpu_try,
	.arm = arm_uprobes,
	.read = read_uprobes,
	.disarm = disarm,
};

/* --- which of the two --- */

static const char *why_not_breakpoints(const struct calls *calls)
{
	return calls->outside ? "a function outside of the program"
			      : "more than four functions";
}

/* Whether a thread that is there has not N registers left. */
static bool is_crowded(const struct calls *calls, size_t n)
{
	bool crowded = !perf_events_breakpoints_free(0, n);
	proc_list threads = {0};

	if (calls->pid && proc_threads(calls->pid, &threads) == 0)
		for (size_t i = 0; i < threads.n && !crowded; i++)
			crowded =
				!perf_events_breakpoints_free(threads.v[i], n);
	vec_free(&threads);
	return crowded;
}

const struct timer_kind *probe_timer_choose(
	const struct resource_request *request, struct calls *calls,
	enum timer_choice choice, size_t *registers, struct err *why)
{
	const struct timer_kind *kind;
	bool fits = !calls->outside &&
		    *registers + calls->points.n <= CALLS_REGISTERS;

	if (!fits && choice == TIMER_PERTASK) {
		err_set(why, request->name, "breakpoint", "not for %s",
			why_not_breakpoints(calls));
		err_hint(why,
			"as root leave --timer out, or use --timer=per-cpu");
		return NULL;
	}
	calls->crowded = fits && choice != TIMER_PERTASK &&
			 choice != TIMER_PERCPU && choice != TIMER_STOP &&
			 is_crowded(calls, *registers + calls->points.n) &&
			 can_probe(request, why) == 0;
	if (calls->crowded ||
		(!fits && (choice == TIMER_AUTO || choice == TIMER_KERNEL)))
		choice = TIMER_PERCPU;
	kind = timer_choose(request, choice, why);
	if (kind == &breakpoint_timer)
		*registers += calls->points.n;
	else if (!kind && choice == TIMER_PERCPU && !fits)
		snprintf(why->op, sizeof why->op, "uprobe, for %s",
			why_not_breakpoints(calls));
	return kind;
}
