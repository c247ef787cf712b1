/* Loads, opens and arms the timers of a run. */
#include <stdio.h>
#include <string.h>

#include "monitor/base/proc.h"
#include "monitor/probe/patterns.h"
#include "monitor/probe/strangers.h"
#include "monitor/run/attach.h"
#include "monitor/run/choose.h"
#include "monitor/run/run.h"

static void prepare_exec(void *arg)
{
	struct monitor *m = arg;

	preload_environment(&m->timers.preload, m->spawn.monitor);
}

void setup_spawn(struct monitor *m)
{
	m->spawn.before_exec = prepare_exec;
	m->spawn.arg = m;
}

/* The family of the run's timers; NULL: none of them has one. */
static const struct timer_family *family_of(const struct run_timers *timers)
{
	for (size_t i = 0; i < timers->n; i++)
		if (timers->all[i].kind->family)
			return timers->all[i].kind->family;
	return NULL;
}

/* Loads what timers of a family share; 1: the kernel refuses. */
static int load_group(struct monitor *m, struct err *err)
{
	const struct timer_family *family = family_of(&m->timers);
	struct timer_group *group = &m->timers.group;

	if (!family)
		return 0;
	group->impl = family->open(&m->timers.machine, err);
	if (!group->impl)
		return 1;
	group->family = family;
	for (size_t i = 0; i < m->config->nrequests; i++) {
		struct timer *timer = &m->timers.all[i];

		if (!timer->kind->family || timer->clock)
			continue;
		timer->impl = group->impl;
		if (timer->kind->arm(timer, err))
			return -1;
	}
	return family->load(group->impl, m->config->nrequests, err) ? 1 : 0;
}

/* Whether the kernel has refused what one of the timers needs. */
static bool is_refused(struct run_timers *timers)
{
	struct err why;

	for (size_t i = 0; i < timers->n; i++)
		if (timers->all[i].kind->family &&
			timers->all[i].kind->can(
				timers->all[i].request, &timers->machine, &why))
			return true;
	return false;
}

/* Says what counts request I instead of timers of the kind WAS. */
static void say_weaker(
	struct monitor *m, size_t i, const struct timer_kind *was)
{
	const struct timer_kind *kind = m->timers.all[i].kind;
	const char *name = m->config->requests[i].name;
	size_t n = strlen(m->timers.weaker);
	struct err why;

	was->can(&m->config->requests[i], &m->timers.machine, &why);
	snprintf(m->timers.weaker + n, sizeof m->timers.weaker - n,
		"%s: %s: %s; '%s' timers count instead%s%s\n", name, why.op,
		why.reason, kind->name, kind->loses ? ": " : "",
		kind->loses ? kind->loses : "");
}

/* The timers of a family are refused, or some of them: chooses other kinds. */
static int choose_others(struct monitor *m, struct err *err)
{
	const struct timer_family *family = family_of(&m->timers);
	const struct timer_kind *were[RESOURCES_MAX];

	if (!timer_has_others(m->config->timer, family))
		return -1;
	timer_group_close(&m->timers.group);
	if (!is_refused(&m->timers))
		timer_refuse_all(&m->timers.machine, err);
	for (size_t i = 0; i < m->timers.n; i++)
		were[i] = m->timers.all[i].kind;
	if (setup_timers(m, err))
		return -1;
	for (size_t i = 0; i < m->timers.n; i++)
		if (were[i]->family && !m->timers.all[i].kind->family)
			say_weaker(m, i, were[i]);
	return 0;
}

int setup_load(struct monitor *m, struct err *err)
{
	int failed;

	/* other timers of the family may still load without the refused ones */
	while ((failed = load_group(m, err)) > 0)
		if (choose_others(m, err))
			return -1;
	return failed;
}

/* Whether no timer samples by an event of its own. */
static bool is_all_of_family(const struct run_timers *timers)
{
	for (size_t i = 0; i < timers->n; i++)
		if (!timers->all[i].kind->family)
			return false;
	return true;
}

/* Opens the rings, with room for a tenth of a second. */
static int open_events(struct monitor *m, struct err *err)
{
	size_t bytes[RESOURCES_MAX] = {0};
	struct perf_open how = {
		.ring_bytes = bytes,
		.ntags = m->config->nrequests,
		.pid = m->spawn.pid,
		.switches = m->timers.needs & TIMER_NEEDS_SWITCHES,
		.attach = m->config->attach,
		.paused = !m->collection.on,
		.machine = is_all_of_family(&m->timers),
	};

	for (size_t i = 0; i < m->config->nrequests; i++) {
		const struct timer *timer = &m->timers.all[i];

		if (!(timer->kind->needs & TIMER_NEEDS_PERF))
			continue;
		if (!timer->clock)
			bytes[i] = perf_sample_rate(timer->request) / 10;
		how.switches |= resource_is_time(timer->request->resource) &&
				!timer->kind->family;
		how.objects |= timer->request->event.address;
	}
	return perf_events_open(&m->events, &how, err);
}

/* Says what the target may notice of a timer that the user did not ask for. */
static void warn(const struct monitor *m)
{
	const struct monitor_config *config = m->config;

	if (!config->warn || config->timer != TIMER_AUTO)
		return;
	for (size_t i = 0; i < config->nrequests; i++) {
		const struct timer_kind *kind = m->timers.all[i].kind;
		const struct calls *calls = m->timers.all[i].calls;
		const char *text =
			kind->warns ? kind->warns(&config->requests[i]) : NULL;

		if (calls && calls->crowded)
			text = "others have the processor's breakpoints; "
			       "counted by uprobes";
		if (!text)
			continue;
		config->warn(config->requests[i].name, text);
		return;
	}
}

/* Says which other processes on the machine its uprobes may end. */
static void warn_of_strangers(const struct monitor *m)
{
	const struct monitor_config *config = m->config;
	pid_t own = config->attach ? config->attach : m->spawn.pid, pid;
	char name[16] = "", shown[64], text[256];
	size_t n;

	for (size_t i = 0; config->warn && i < config->nrequests; i++) {
		if (!m->timers.all[i].kind->traps)
			continue;
		n = strangers_find(m->timers.all[i].calls, own, &pid);
		if (!n)
			continue;
		proc_comm(pid, name);
		text_escape(name, shown, sizeof shown);
		snprintf(text, sizeof text,
			"its uprobes are in other processes, too: %s (%d)%s "
			"may die of SIGTRAP, being traced or valgrind's",
			shown, (int)pid, n > 1 ? " and others" : "");
		config->warn(config->requests[i].name, text);
		return;
	}
}

/* Says of which functions a call will cost more than of others. */
static void warn_of_steps(const struct monitor *m)
{
	char list[160], text[320];

	for (size_t i = 0; m->config->warn && i < m->config->nrequests; i++) {
		const struct calls *calls = m->timers.all[i].calls;
		size_t n = calls ? patterns_list(calls, POINT_STEPPED, list,
					   sizeof list)
				 : 0;

		if (!n)
			continue;
		snprintf(text, sizeof text,
			"a call costs 0.5-1 us, but 12-20 us of %zu of %zu "
			"functions, whose first instruction the kernel has to "
			"step through: %s",
			n, calls->points.n, list);
		m->config->warn(m->config->requests[i].name, text);
	}
}

/* The target counts from its exec on; threads that are attached to are tracked
   one by one, and counted when all are. */
static int start_group(struct monitor *m, struct err *err)
{
	const struct timer_group *group = &m->timers.group;

	if (!group->family)
		return 0;
	if (group->family->start(group->impl, &m->events, err))
		return -1;
	group->family->collect(
		group->impl, m->collection.on && !m->config->attach);
	if (m->config->attach || group->family->track(group->impl, m->spawn.pid,
					 UINT64_MAX, true) > 0)
		return 0;
	return err_sys(err, "bpf", "adoption of the target");
}

static int arm_all(struct monitor *m, struct err *err)
{
	if ((m->timers.needs & TIMER_NEEDS_PERF) && open_events(m, err))
		return -1;
	for (size_t i = 0; i < m->config->nrequests; i++) {
		struct timer *timer = &m->timers.all[i];

		if (!timer->kind->family && !timer->clock &&
			timer->kind->arm(timer, err))
			return -1;
	}
	return start_group(m, err);
}

int setup_arm(struct monitor *m, struct err *err)
{
	warn(m);
	warn_of_strangers(m);
	warn_of_steps(m);
	contexts_set(m->timers.contexts, m->collection.on);
	if (arm_all(m, err)) {
		if (!m->timers.group.family)
			return -1;
		perf_events_close(&m->events);
		return choose_others(m, err) || setup_load(m, err) ||
				       setup_arm(m, err)
			       ? -1
			       : 0;
	}
	for (size_t i = 0; i < m->config->nrequests; i++)
		if (m->timers.all[i].calls &&
			probe_cost_add(&m->timers.probes,
				m->timers.all[i].calls,
				m->timers.all[i].kind->traps))
			return err_sys(err, "probes", NULL);
	if (m->timers.needs & TIMER_NEEDS_PERF)
		return perf_events_start(&m->events, err);
	return 0;
}

static int serve_launch(void *arg, struct err *err)
{
	struct monitor *m = arg;

	stop_serve(m->timers.stop);
	return !m->timers.stop->tracer.begun &&
			       stop_is_refused(m->timers.stop, err)
		       ? -1
		       : 0;
}

/* Sets breakpoints where the target has its functions now. */
static void place_breakpoints(void *arg)
{
	struct monitor *m = arg;
	struct err why;

	for (size_t i = 0; i < m->config->nrequests; i++) {
		struct timer *timer = &m->timers.all[i];

		if (!(timer->kind->needs & TIMER_NEEDS_EXEC) ||
			m->timers.misplaced.reason[0])
			continue;
		if (timer->kind->place(
			    timer, m->spawn.pid, m->collection.on, &why))
			m->timers.misplaced = why;
	}
	if (m->timers.misplaced.reason[0])
		kill(m->spawn.pid, SIGKILL);
}

/* Whether something is to be done at the target's exec. */
static bool awaits_exec(const struct monitor *m)
{
	return m->timers.needs & TIMER_NEEDS_EXEC && !m->config->attach;
}

int setup_begun(struct monitor *m, struct err *err)
{
	struct pollfd pollfd = {.fd = m->control.fd, .events = POLLIN};

	if (!awaits_exec(m))
		return 0;
	while (!m->control.ended && !stop_is_refused(m->timers.stop, err) &&
		(m->timers.misplaced.reason[0] ||
			!m->timers.stop->tracer.begun)) {
		if (stop_serve(m->timers.stop))
			return loop_failed(m, err);
		poll(&pollfd, 1, 1);
		control_handle(&m->control);
	}
	if (!m->timers.misplaced.reason[0])
		return m->timers.stop->tracer.begun || m->control.ended ? 0
									: -1;
	*err = m->timers.misplaced;
	return -1;
}

/* A child that is stopped before its exec stops cpprof. */
static int serve_signals(void *arg, struct err *err)
{
	struct monitor *m = arg;

	(void)err;
	control_handle(&m->control);
	return 0;
}

int setup_tracing(struct monitor *m, struct err *err)
{
	bool exec = awaits_exec(m);

	m->spawn.serve = serve_signals;
	m->spawn.arg = m;
	if (!(m->timers.needs & TIMER_NEEDS_TRACE) && !exec)
		return 0;
	stop_trace(m->timers.stop, m->timers.needs,
		exec ? place_breakpoints : NULL, m->config->attach);
	if (m->config->attach)
		return 0;
	m->spawn.serve = serve_launch;
	return tracer_seize(&m->timers.stop->tracer, m->spawn.pid, err);
}

/* Signals are handled between two threads: there may be thousands of them. */
static bool is_attach_over(void *arg)
{
	struct monitor *m = arg;

	control_handle(&m->control);
	return m->control.done || m->control.ended;
}

/* Tracks all that runs already, then lets everything count. */
enum monitor_result setup_attached(struct monitor *m, struct err *err)
{
	struct attach attach = {
		.pid = m->config->attach,
		.children = m->config->children,
		.sampler = &m->sampler,
		.events =
			m->timers.needs & TIMER_NEEDS_PERF ? &m->events : NULL,
		.group = &m->timers.group,
		.stop = m->control.traced ? m->timers.stop : NULL,
		.sync = loop_catch_up,
		.over = is_attach_over,
		.arg = m,
	};

	if (attach_all(&attach, err)) {
		if (cpd_writer_error(m->writer) ||
			m->sampler.tasks.err.reason[0])
			loop_failed(m, err);
		return MONITOR_FAILED;
	}
	m->parts = attach.parts;
	m->control.leaderless =
		!tracees_find(&m->timers.stop->traced.tracees, attach.pid);
	timer_group_collect(&m->timers.group, m->collection.on);
	if (attach.events)
		perf_events_enable(&m->events);
	return MONITOR_OK;
}

void setup_close(struct run_timers *timers)
{
	preload_free(&timers->preload);
	contexts_free(timers->contexts);
	for (size_t i = 0; i < timers->n; i++)
		probe_free(&timers->calls[i]);
	probe_cost_fini(&timers->probes);
	timer_group_close(&timers->group);
	stop_free(timers->stop);
}
