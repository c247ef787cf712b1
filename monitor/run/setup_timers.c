/* Chooses the kind of each of a run's timers, and what is probed for it. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "monitor/probe/allocators.h"
#include "monitor/probe/files.h"
#include "monitor/run/choose.h"
#include "monitor/run/run.h"

/* Whether the target must not have the object, with the reason in WHY. */
static bool is_forbidden(const struct monitor *m, struct err *why)
{
	if (!m->config->attach && !m->config->no_preload)
		return false;
	err_set(why, COUNTING_OBJECT, NULL, "%s",
		m->config->attach ? "the program runs already"
				  : "--no-preload forbids it");
	return true;
}

#define SPREAD 50 /* percent */
#define SPREAD_OF_HEAP 100
#define VARIES                                                                 \
	(COUNTS_SYSCALLS | COUNTS_READS | COUNTS_WRITES | COUNTS_MAPPED |      \
		COUNTS_HEAP)

/*
 * The percent that request I's interval varies by.  A loop that calls a, then
 * b, would have all samples in one of them if each tenth call had one: so of
 * calls, requests and bytes intervals vary unless they were given.  All
 * requests of memory vary alike.
 */
static unsigned spread_of(const struct monitor_config *config, size_t i)
{
	const struct resource_request *requests = config->requests;
	unsigned counts = requests[i].resource->counts;

	if (config->randomize || requests[i].given ||
		requests[i].interval == 1 || !(counts & VARIES))
		return config->randomize;
	for (size_t k = 0; counts & COUNTS_HEAP && k < config->nrequests; k++)
		if (requests[k].resource->counts & COUNTS_HEAP &&
			requests[k].given)
			return 0;
	return counts & COUNTS_HEAP ? SPREAD_OF_HEAP : SPREAD;
}

/*
 * Lets the target count request I by itself.  -1 if it cannot, with the reason
 * in WHY.
 */
static int find_object(struct monitor *m, size_t i, struct err *why)
{
	const struct resource_request *request = &m->config->requests[i];
	struct preload *preload = &m->timers.preload;
	const unsigned counts = request->resource->counts;
	enum counting which = counts & (COUNTS_ALLOCATED | COUNTS_FREED)
				      ? COUNTING_BYTES
				      : COUNTING_REQUESTS;

	if (is_forbidden(m, why) || preload_find(preload, &m->timers.calls[i],
					    m->config->argv, why))
		return -1;
	preload->interval[which] = request->interval;
	if (counts & COUNTS_ENDS)
		preload->follows |= 1u << which;
	preload->randomize = spread_of(m->config, i);
	return 0;
}

/* KIND has no probes, and the target cannot have the object. */
static int needs_object(const struct resource_request *request,
	const struct timer_kind *kind, const struct err *why, struct err *err)
{
	err_set(err, request->name, kind->name,
		"the program cannot count its requests: %s", why->reason);
	return err_hint(
		err, "as root, leave --timer out: uprobes can count them");
}

/* Lets the target count its calls by context. */
static int find_contexts(struct monitor *m, size_t i, struct err *err)
{
	struct run_timers *timers = &m->timers;
	char path[PATH_MAX];
	struct err why;

	/* where there is no such program its exec says so */
	if (is_forbidden(m, &why) || (probe_program(m->config->argv[0], path) &&
					     preload_check(&timers->preload,
						     m->config->argv, &why))) {
		err_set(err, m->config->requests[i].name, "start",
			"the program cannot count its calls: %s", why.reason);
		return err_hint(err, "functions compiled with "
				     "-finstrument-functions or -pg can, in a "
				     "program that is linked dynamically");
	}
	if (!timers->contexts)
		timers->contexts = contexts_new(err);
	if (!timers->contexts)
		return -1;
	timers->preload.contexts =
		contexts_fd(timers->contexts, timers->preload.run);
	return 0;
}

static bool counts_ends(const struct monitor_config *config)
{
	bool ends = false;

	for (size_t i = 0; i < config->nrequests; i++)
		ends |= config->requests[i].resource->counts & COUNTS_ENDS;
	return ends;
}

/* The functions whose calls are counted by who calls. */
static int find_counted(struct monitor *m, size_t i, struct err *err)
{
	const struct monitor_config *config = m->config;
	struct calls *calls = &m->timers.calls[i];

	if (!m->timers.all[i].calls &&
		probe_find(calls, config->counted ? config->counted : "*",
			PROBE_PATTERNS, config->attach ? NULL : config->argv,
			config->attach, err))
		return -1;
	calls->limit = config->count_limit;
	m->timers.all[i].calls = calls;
	return 0;
}

/*
 * For a resource other than calls; where a timer can count it, also finds what
 * to probe.
 */
static const struct timer_kind *choose_plain(
	struct monitor *m, size_t i, struct err *err)
{
	const struct monitor_config *config = m->config;
	struct calls *calls = &m->timers.calls[i];
	const struct timer_kind *kind = timer_choose(
		&config->requests[i], config->timer, &m->timers.machine, err);
	struct err why;

	if (kind && config->requests[i].resource->counts & COUNTS_ARCS)
		return find_counted(m, i, err) ? NULL : kind;
	if (kind == &context_timer && find_contexts(m, i, err))
		return NULL;
	if (!kind || !(config->requests[i].resource->counts & COUNTS_HEAP))
		return kind;
	if (!m->timers.all[i].calls &&
		allocators_find(calls, config->attach ? NULL : config->argv,
			config->attach, counts_ends(config), err))
		return NULL;
	m->timers.all[i].calls = calls;
	m->timers.preload.stops = kind == &request_timer;
	if (calls->run || find_object(m, i, &why) == 0)
		return timer_in_process(kind);
	if (kind != &request_timer)
		return kind;
	needs_object(&config->requests[i], kind, &why, err);
	return NULL;
}

/* Chooses the kind of timer for request I. */
static const struct timer_kind *choose(
	struct monitor *m, size_t i, struct err *err)
{
	const struct monitor_config *config = m->config;
	const struct resource_request *request = &config->requests[i];

	if (!(request->resource->counts & COUNTS_CALLS))
		return choose_plain(m, i, err);
	if (!m->timers.all[i].calls &&
		probe_find(&m->timers.calls[i], resource_function(request),
			request->resource->argument == ARGUMENT_USDT
				? PROBE_USDT
				: PROBE_FUNCTIONS,
			config->attach ? NULL : config->argv, config->attach,
			err))
		return NULL;
	m->timers.all[i].calls = &m->timers.calls[i];
	return timer_choose_for_calls(request, &m->timers.calls[i],
		config->timer, config->randomize, &m->timers.machine, err);
}

static bool is_cpu_clock(const struct timer *timer)
{
	return resource_is_cpu(timer->request->resource) &&
	       timer->kind->shares_clock;
}

/*
 * `cpu`, `user` and `system` with one interval share a clock: the samples of
 * the latter two are those of the first, each is taken once, and the others
 * cost nothing.
 */
static void share_clocks(struct run_timers *timers)
{
	for (size_t i = 0; i < timers->n; i++) {
		struct timer *timer = &timers->all[i];

		timer->clock = NULL;
		for (size_t k = 0; k < i && !timer->clock; k++) {
			const struct timer *first = &timers->all[k];

			if (is_cpu_clock(first) && is_cpu_clock(timer) &&
				!first->clock && first->kind == timer->kind &&
				first->request->interval ==
					timer->request->interval)
				timer->clock = first;
		}
	}
}

static void find_ends(struct run_timers *timers)
{
	for (size_t i = 0; i < timers->n; i++) {
		const char *ends = timers->all[i].request->resource->ends;

		for (size_t k = 0; ends && k < timers->n; k++)
			if (strcmp(timers->all[k].request->name, ends) == 0)
				timers->all[i].ends = &timers->all[k];
	}
}

static int setup_timer(struct monitor *m, size_t i, struct err *err)
{
	const struct monitor_config *config = m->config;
	const struct timer_kind *kind = choose(m, i, err);
	struct timer *timer = &m->timers.all[i];

	if (!kind)
		return -1;
	timer->kind = kind;
	timer->request = &config->requests[i];
	timer->index = (uint32_t)i;
	timer->randomize = kind->randomizes ? spread_of(config, i) : 0;
	if (config->randomize && timer_can_vary(timer, err))
		return -1;
	timer->impl = stop_impl(m->timers.stop, kind->needs);
	if (kind == &context_timer)
		timer->impl = m->timers.contexts;
	if (!timer->impl)
		timer->impl = &m->events;
	m->timers.needs |= kind->needs;
	return 0;
}

/* Adds to the hint the option that names all resources but those REFUSED. */
static void offer_rest(
	const struct monitor_config *config, uint32_t refused, struct err *err)
{
	const struct err before = *err;
	const char *comma = *err->hint ? "; the rest can be had: -r "
				       : "the rest can be had: -r ";
	size_t n = strlen(err->hint), size = sizeof err->hint;
	char path[PATH_MAX], every[64];

	if (!config->attach && !probe_program(config->argv[0], path))
		return;
	for (size_t i = 0; i < config->nrequests && n < size; i++) {
		const struct resource_request *q = &config->requests[i];

		if (refused >> i & 1)
			continue;
		n += (size_t)snprintf(err->hint + n, size - n, "%s%s%s%s",
			comma, q->name, q->given ? ":" : "",
			q->given ? text_interval(q->interval, q->resource->unit,
					   every, sizeof every)
				 : "");
		comma = ",";
	}
	if (n >= size)
		*err = before;
}

int setup_timers(struct monitor *m, struct err *err)
{
	const struct monitor_config *config = m->config;
	const struct stop_links links = {&m->sampler, &m->events,
		&m->collection, &m->control, loop_catch_up, m};

	uint32_t refused = 0;
	struct err why;

	m->timers.machine.breakpoints = 0;
	stop_free(m->timers.stop);
	m->timers.stop = stop_new(&links);
	if (!m->timers.stop)
		return err_sys(err, "monitor", "start");
	m->timers.n = config->nrequests;
	m->timers.needs = 0;
	for (size_t i = 0; i < config->nrequests; i++) {
		if (setup_timer(m, i, &why) == 0)
			continue;
		if (!refused)
			*err = why;
		refused |= 1u << i;
	}
	if (refused) {
		offer_rest(config, refused, err);
		return -1;
	}
	share_clocks(&m->timers);
	find_ends(&m->timers);
	return 0;
}
