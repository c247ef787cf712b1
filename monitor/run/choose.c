/* Which kind of timer counts a request. */
#include "monitor/run/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/run/monitor.h"
#include "monitor/perf/events.h"
#include "monitor/probe/probe.h"
#include "monitor/base/proc.h"
#include "monitor/timer/contexts/contexts.h"
#include "monitor/timer/percpu/percpu.h"
#include "monitor/timer/pertask/pertask.h"
#include "monitor/timer/stop/poller.h"
#include "monitor/timer/stop/stop_timer.h"

/* Percent.  At 100 or more an interval could be 0. */
#define RANDOMIZE_DEFAULT 50
#define RANDOMIZE_MOST 90

#define REGISTERS 4 /* breakpoints that the processor has */

/* All kinds, best first; one that the target may notice yields to all others.
 */
static const struct timer_kind *const timer_kinds[] = {
	&breakpoint_timer,
	&uprobe_timer,
	&percpu_timer,
	&pertask_timer,
	&read_timer,
	&stop_timer,
	&request_timer,
	&exception_timer,
	&poller_timer,
	&context_timer,
	NULL,
};

static const char *const family_names[] = {[TIMER_AUTO] = "auto",
	[TIMER_KERNEL] = "kernel",
	[TIMER_STOP] = "stop",
	[TIMER_PERCPU] = "per-cpu",
	[TIMER_PERTASK] = "per-task"};

static bool in_family(const struct timer_kind *kind, enum timer_choice choice)
{
	return choice == TIMER_AUTO || kind->families & 1u << choice;
}

/* No kind of the family can count the resource. */
static void no_kind(const struct resource_request *request,
	enum timer_choice choice, struct err *why)
{
	if (choice == TIMER_AUTO) {
		err_say(why, request->name, NULL,
			"this cpprof has no timer that can count it",
			"'cpprof resources' lists what can be counted");
		return;
	}
	err_set(why, request->name, NULL, "no %s timer can count it",
		family_names[choice]);
	err_hint(why, "leave the choice to --timer=auto");
}

const struct timer_kind *timer_choose(const struct resource_request *request,
	enum timer_choice choice, struct timer_machine *machine,
	struct err *why)
{
	const struct timer_kind *noticed = NULL;
	struct err reason;
	bool refused = false;

	err_clear(why);
	for (size_t i = 0; timer_kinds[i]; i++) {
		const struct timer_kind *kind = timer_kinds[i];

		if (!in_family(kind, choice) || !kind->counts(request))
			continue;
		if (kind->can(request, machine, &reason)) {
			refused = true;
			*why = reason;
		} else if (!kind->warns || !kind->warns(request)) {
			return kind;
		} else if (!noticed) {
			noticed = kind;
		}
	}
	if (noticed)
		return noticed;
	if (!refused)
		no_kind(request, choice, why);
	return NULL;
}

static const char *why_not_breakpoints(const struct calls *calls)
{
	return calls->beyond ? calls->beyond : "more than four functions";
}

/* Whether a running thread has fewer than N free registers. */
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

const struct timer_kind *timer_choose_for_calls(
	const struct resource_request *request, struct calls *calls,
	enum timer_choice choice, bool vary, struct timer_machine *machine,
	struct err *why)
{
	const struct timer_kind *kind;
	const size_t wanted = machine->breakpoints + calls->points.n;
	const bool fits = !calls->beyond && wanted <= REGISTERS;
	const bool can = uprobe_timer.can(request, machine, why) == 0;

	/* breakpoints cannot vary */
	if (vary && choice == TIMER_AUTO && can)
		choice = TIMER_PERCPU;
	if (!fits && choice == TIMER_PERTASK) {
		err_set(why, request->name, "breakpoint", "not for %s",
			why_not_breakpoints(calls));
		err_hint(why,
			"as root leave --timer out, or use --timer=per-cpu");
		return NULL;
	}
	calls->crowded = fits && choice != TIMER_PERTASK &&
			 choice != TIMER_PERCPU && choice != TIMER_STOP &&
			 is_crowded(calls, wanted) && can;
	if (calls->crowded ||
		(!fits && (choice == TIMER_AUTO || choice == TIMER_KERNEL)))
		choice = TIMER_PERCPU;
	kind = timer_choose(request, choice, machine, why);
	if (kind == &breakpoint_timer)
		machine->breakpoints = wanted;
	else if (!kind && choice == TIMER_PERCPU && !fits)
		snprintf(why->op, sizeof why->op, "uprobe, for %s",
			why_not_breakpoints(calls));
	return kind;
}

const struct timer_kind *timer_in_process(const struct timer_kind *kind)
{
	return kind == &uprobe_timer ? &report_timer : kind;
}

bool timer_has_others(
	enum timer_choice choice, const struct timer_family *family)
{
	for (size_t i = 0; timer_kinds[i]; i++)
		if (in_family(timer_kinds[i], choice) &&
			timer_kinds[i]->family != family)
			return true;
	return false;
}

void monitor_try(const struct resource_request *requests, size_t n,
	enum timer_choice choice, struct timer_machine *machine)
{
	if (in_family(&percpu_timer, choice))
		percpu_try(requests, n, machine);
}

/*
 * The default interval, or 1, 2 or 5 times a power of ten at which small rings
 * have room for the samples.
 */
static uint64_t fitting_interval(const struct resource_request *request)
{
	uint64_t take = perf_events_take(), rate = request->resource->rate;
	uint64_t interval = 1, power = 1;

	if (rate <= request->interval * take)
		return request->interval;
	for (; interval * take < rate; power *= 10)
		for (unsigned i = 0; i < 3 && interval * take < rate; i++)
			interval = power * (const unsigned[]){2, 5, 10}[i];
	return interval;
}

void monitor_choose(const struct resource_request *request,
	enum timer_choice choice, struct timer_machine *machine,
	struct monitor_choice *chosen)
{
	const struct timer_kind *kind =
		timer_choose(request, choice, machine, &chosen->why);
	struct err ignored;

	/* what most programs have: setup_timers.c asks each for it */
	if (request->resource->counts & COUNTS_HEAP)
		kind = timer_in_process(kind);
	chosen->timer = kind ? kind->name : NULL;
	chosen->costs = kind ? kind->costs : NULL;
	chosen->slows = kind ? "none" : NULL;
	for (int i = TIMER_STOP; kind && i < TIMER_CHOICES; i++)
		if (kind->families & 1u << i && request->resource->slows[i])
			chosen->slows = request->resource->slows[i];
	chosen->user_only = false;
	chosen->interval = request->interval;
	if (kind == &pertask_timer && !request->given && perf_events_limited())
		chosen->interval = fitting_interval(request);
	if (kind == &pertask_timer)
		perf_events_probe(request->name, resource_perf(request),
			&chosen->user_only, &ignored);
	/* breakpoints are better, but uprobes can do more */
	if (kind == &breakpoint_timer &&
		uprobe_timer.can(request, machine, &chosen->why) == 0)
		err_clear(&chosen->why);
}

int monitor_parse_randomize(
	const char *word, unsigned *percent, struct err *err)
{
	unsigned long value;
	char *end;

	*percent = RANDOMIZE_DEFAULT;
	if (!word)
		return 0;
	value = strtoul(word, &end, 10);
	if (*end == '%')
		end++;
	if (*word < '0' || *word > '9' || *end || value < 1 ||
		value > RANDOMIZE_MOST)
		return err_say(err, word, "--randomize", "no such percentage",
			"from 1 to %d; without, it is %d", RANDOMIZE_MOST,
			RANDOMIZE_DEFAULT);
	*percent = (unsigned)value;
	return 0;
}

int monitor_parse_timer(
	const char *word, enum timer_choice *choice, struct err *err)
{
	for (size_t i = 0; i < sizeof family_names / sizeof *family_names; i++)
		if (strcmp(word, family_names[i]) == 0) {
			*choice = (enum timer_choice)i;
			return 0;
		}
	return err_say(err, word, "--timer", "no such family of timers",
		"auto takes the best there is; kernel or stop "
		"force one family, per-cpu or per-task one kind of "
		"kernel timers");
}
