/* Writes the file's head, and at the end its totals and notes. */
#include "monitor/run/run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/sys/processors.h"
#include "monitor/probe/patterns.h"
#include "monitor/sample/sideband.h"

int summary_head(struct monitor *m)
{
	struct utsname uname_;
	struct timespec real;
	char cwd[PATH_MAX] = "";
	processor_list cpus = {0};
	struct cpd_head head = {
		.argv = (const char *const *)(m->argv ? m->argv
						      : m->config->argv),
		.cwd = cwd,
		.version = m->config->version,
		.uid = (uint32_t)getuid(),
	};

	uname(&uname_);
	if (!getcwd(cwd, sizeof cwd))
		cwd[0] = '\0';
	processors_list(&cpus);
	head.ncpu = (uint32_t)cpus.n;
	vec_free(&cpus);
	while (head.argv[head.argc])
		head.argc++;
	clock_gettime(CLOCK_REALTIME, &real);
	head.start = m->start = clock_now();
	head.start_unix =
		(uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec;
	head.host = uname_.nodename;
	head.kernel = uname_.release;
	head.machine = uname_.machine;
	return cpd_write_head(m->writer, &head);
}

/*
 * Whether hits pass in events at their stacks: not where a clock or a poll
 * finds a thread, nor where a counter of the processor runs on until its
 * interrupt.
 */
static bool counts_events(const struct timer *timer)
{
	const struct perf_source *perf = resource_perf(timer->request);

	if (!timer->request->resource->counts)
		return perf && (perf->type == PERF_TYPE_SOFTWARE ||
				       perf->type == PERF_TYPE_TRACEPOINT);
	return !resource_is_cpu(timer->request->resource) &&
	       !(timer->kind->needs & TIMER_NEEDS_POLLER);
}

static uint32_t flags_of(const struct monitor *m, const struct timer *timer)
{
	const struct resource *resource = timer->request->resource;
	bool sees_user = !(resource->counts & COUNTS_CALLS) &&
			 m->events.user_only &&
			 (timer->kind->needs & TIMER_NEEDS_PERF);
	/* who waits is in neither mode */
	bool waits = resource->counts &&
		     !(resource->counts & ~(COUNTS_IN_LINE | COUNTS_WAITING));
	bool user_only = sees_user && !waits;
	uint32_t flags = resource_is_time(resource) ? CPD_RESOURCE_CLOCK : 0;

	if (resource_is_part(resource) ||
		(!resource_is_time(resource) && user_only))
		flags |= CPD_RESOURCE_ESTIMATE;
	if (user_only)
		flags |= CPD_RESOURCE_USER_ONLY;
	if (timer->randomize)
		flags |= CPD_RESOURCE_RANDOM;
	if (counts_events(timer))
		flags |= CPD_RESOURCE_EVENTS;
	if (resource->counts & COUNTS_FREED && timer->request->interval > 1)
		flags |= CPD_RESOURCE_ESTIMATE;
	if (resource->of_calls)
		flags |= CPD_RESOURCE_OF_CALLS;
	if (resource->perf && resource->perf->address)
		flags |= CPD_RESOURCE_AT_MEMORY;
	if (resource_counts_each(resource))
		flags |= CPD_RESOURCE_EACH;
	if (resource->counts == COUNTS_WAITING)
		flags |= CPD_RESOURCE_APART;
	if (sampler_can_see_probes(timer) && !sees_user)
		flags |= CPD_RESOURCE_NO_PROBES;
	/* accounting takes CPU time from the kernel, also where threads are
	   polled */
	if (((timer->kind->needs & (TIMER_NEEDS_TRACE | TIMER_NEEDS_POLLER)) &&
		    resource->counts != COUNTS_CPU) ||
		resource->counts & COUNTS_INSTRUMENTED)
		flags |= CPD_RESOURCE_OWN_COUNT;
	return flags;
}

int summary_resources(struct monitor *m)
{
	for (size_t i = 0; i < m->config->nrequests; i++) {
		const struct resource_request *request =
			&m->config->requests[i];
		struct cpd_resource record = {
			.name = request->name,
			.title = request->title,
			.gtick = request->resource->gtick,
			.unit = (enum cpd_unit)request->resource->unit,
			.interval = request->interval,
			.timer = m->timers.all[i].kind->name,
			.flags = flags_of(m, &m->timers.all[i]),
		};

		m->timers.all[i].resource =
			cpd_write_resource(m->writer, &record);
		if (!m->timers.all[i].resource)
			return -1;
	}
	return 0;
}

/* How often breakpoints ended because a process ran another program. */
static uint64_t execs_of(const struct monitor *m, const struct timer *timer)
{
	uint64_t execs = m->sampler.tasks.execs;

	if (!timer->kind->ends_at_exec)
		return 0;
	return m->config->attach || !execs ? execs : execs - 1;
}

void summary_fill(const struct monitor *m, struct monitor_summary *summary)
{
	memset(summary, 0, sizeof *summary);
	summary->status = m->control.status;
	memcpy(summary->weaker, m->timers.weaker, sizeof summary->weaker);
	if (!m->timers.stop->tracer.leave)
		summary->untraced = m->timers.untraced;
	summary->elapsed = (double)(clock_now() - m->start) / 1e9;
	summary->collected = (double)collection_collected(&m->collection,
				     m->collection.start, m->ended) /
			     1e9;
	summary->cpu = (double)(m->totals.usage.user + m->totals.usage.system);
	summary->copies = m->timers.needs & TIMER_NEEDS_PERF;
	summary->processes = m->sampler.tasks.nprocesses;
	summary->threads = m->sampler.tasks.nthreads;
	summary->left = m->totals.left;
	summary->oldest = m->totals.oldest;
	if (m->sampler.taker.stack.check) {
		summary->checked = m->sampler.taker.stack.check->samples;
		summary->contradicted = m->sampler.taker.stack.check->differ;
	}
	for (size_t i = 0; i < m->config->nrequests; i++) {
		const struct tally *tally = &m->sampler.tally[i];
		const struct account *a = &m->totals.accounts[i];
		struct monitor_books *books = &summary->resource[i];

		summary->samples += tally->samples;
		summary->truncated += tally->truncated;
		books->samples = tally->samples;
		books->lost = a->lost_samples;
		books->losing = a->lost;
		summary->lost += books->lost;
		books->hits = tally->hits;
		books->weight = tally->weight;
		books->total = a->total;
		books->probes = a->probes;
		books->uncounted = a->uncounted;
		books->differs =
			m->totals.has_usage
				? cpd_usage_differs(&m->totals.usage,
					  m->config->requests[i].name, a->total,
					  &(struct cpd_crowd){
						  summary->processes,
						  summary->threads, 1},
					  &books->used)
				: 0;
		books->execs = execs_of(m, &m->timers.all[i]);
		books->inlined = m->timers.all[i].calls &&
				 m->timers.all[i].calls->inlined;
		books->estimate =
			flags_of(m, &m->timers.all[i]) & CPD_RESOURCE_ESTIMATE;
	}
}

/* Writes a note. */
__attribute__((format(printf, 3, 4))) static int note(
	struct monitor *m, const char *key, const char *fmt, ...)
{
	char text[1536];
	struct cpd_note record = {key, text};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return cpd_write_note(m->writer, &record);
}

/*
 * A per-CPU clock counts the thread's time: its next sample has the hits of
 * those that were throttled.
 */
static int note_throttling(struct monitor *m)
{
	const char *where =
		m->events.machine        ? "counts for the samples after it"
		: m->timers.group.family ? "is [unsampled], or counts for the "
					   "samples after it"
					 : "is [unsampled]";

	if (!m->sampler.throttled)
		return 0;
	return note(m, "warning",
		"the kernel throttled the timers %ju times "
		"(kernel.perf_event_max_sample_rate); what it held back %s",
		(uintmax_t)m->sampler.throttled, where);
}

/* What the unwinder "check" found. */
static int note_check(struct monitor *m)
{
	const struct unwind_check *check = m->sampler.taker.stack.check;
	const char *key = "unwinder check";
	char text[512];

	if (!check)
		return 0;
	if (note(m, key,
		    "%ju samples, %ju frames compared; libunwind contradicts "
		    "%ju samples, goes on where %ju end, gives up where %ju go "
		    "on",
		    (uintmax_t)check->samples, (uintmax_t)check->frames,
		    (uintmax_t)check->differ, (uintmax_t)check->shorter,
		    (uintmax_t)check->longer))
		return -1;
	for (size_t i = 0; i < check->nexamples; i++) {
		unwind_check_describe(&check->examples[i], text, sizeof text);
		if (note(m, key, "%s", text))
			return -1;
	}
	return 0;
}

/* Says of which functions not all calls are counted. */
static void say_uncounted(struct monitor *m, const struct timer *timer)
{
	size_t n = strlen(m->timers.weaker), room = sizeof m->timers.weaker;
	char list[200];

	if (patterns_list(timer->calls, POINT_LEFT, list, sizeof list))
		n += (size_t)snprintf(m->timers.weaker + n, room - n,
			"%s: more than %ju calls (--count-limit): %s: what is "
			"counted is less than there were\n",
			timer->request->name, (uintmax_t)timer->calls->limit,
			list);
	if (n < room &&
		patterns_list(timer->calls, POINT_REFUSED, list, sizeof list))
		snprintf(m->timers.weaker + n, room - n,
			"%s: the kernel takes no probe at the first "
			"instruction of %s: not counted\n",
			timer->request->name, list);
}

static int note_limited(struct monitor *m, const struct calls *calls)
{
	for (size_t i = 0; i < calls->points.n; i++) {
		const struct probe_point *point = &calls->points.v[i];
		char path[PATH_MAX];

		if (point->left &&
			note(m, CPD_NOTE_LIMITED, "%jx %s",
				(uintmax_t)point->entry,
				realpath(point->file, path) ?: point->file))
			return -1;
	}
	return 0;
}

static int note_weaker(struct monitor *m)
{
	const char *line = m->timers.weaker;

	for (size_t n; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		if (note(m, "warning", "%.*s", (int)n, line))
			return -1;
	}
	return 0;
}

/*
 * A PERF_RECORD_LOST comes before the next record that fits.  After the last
 * lost ones there is none, but the kernel's own count has them all.
 */
static uint64_t count_lost_sideband(const struct monitor *m)
{
	uint64_t events, lost;

	if (perf_events_read(&m->events, PERF_NO_TAG, &events, &lost) ||
		lost < m->sampler.lost_sideband)
		return m->sampler.lost_sideband;
	return lost;
}

static int note_lost_sideband(struct monitor *m)
{
	uint64_t lost = count_lost_sideband(m);

	if (!lost)
		return 0;
	return note(m, "warning",
		"%ju records of new mappings, threads and processes were lost; "
		"stacks may be [truncated] and threads missing",
		(uintmax_t)lost);
}

static int note_untraced(struct monitor *m)
{
	if (!m->timers.untraced.reason[0] || m->loop.starved ||
		m->timers.stop->tracer.leave)
		return 0;
	return note(m, "warning",
		"collecting ended early, as the kernel refused to trace on: "
		"%s: %s: %s",
		m->timers.untraced.object, m->timers.untraced.op,
		m->timers.untraced.reason);
}

/* A clock does not know which of its time the stops for another timer took. */
static int note_stops(struct monitor *m)
{
	uint64_t stops = m->timers.stop->traced.call_stops;

	for (size_t i = 0; stops && i < m->config->nrequests; i++)
		if (resource_is_time(m->config->requests[i].resource))
			return note(m, "warning",
				"%s: the program was stopped %ju times at "
				"system calls, to count them; its time has "
				"what that took",
				m->config->requests[i].name, (uintmax_t)stops);
	return 0;
}

static int note_given_up(struct monitor *m)
{
	unsigned n = m->timers.stop->traced.given_up;

	if (!n)
		return 0;
	return note(m, CPD_NOTE_TRACED,
		"%u %s of the program %s traced by another part of it: what "
		"%s did from then on is not in the figures of stop timers",
		n, n == 1 ? "thread" : "threads", n == 1 ? "was" : "were",
		n == 1 ? "it" : "they");
}

static int note_left_alone(struct monitor *m)
{
	unsigned n = m->timers.stop->timers.exceptions.left;

	return n ? note(m, "warning",
			   "%u %s SIGFPE or unmasks exceptions itself: its "
			   "floating point exceptions were not counted from "
			   "then on",
			   n,
			   n == 1 ? "program handles"
				  : "programs: each handles")
		 : 0;
}

/* The timers and rings are those of the processors at the start. */
static int note_processors(struct monitor *m)
{
	size_t had = m->events.cpus.n;
	processor_list now = {0};
	bool changed = had && !processors_list(&now) &&
		       (now.n != had || memcmp(now.v, m->events.cpus.v,
						had * sizeof *now.v) != 0);

	vec_free(&now);
	if (!changed)
		return 0;
	return note(m, "warning",
		"the processors on line were others when the run ended than "
		"when it began: what ran on one that came is [lost], "
		"[unsampled] or not counted");
}

static int note_cut(struct monitor *m)
{
	if (!m->loop.cut)
		return 0;
	return note(m, "warning", "%s; what was not read then is [lost]",
		m->loop.starved ? "collecting ended early, for lack of memory"
				: "a signal ended the reading of the last "
				  "samples");
}

static int note_dropped(struct monitor *m)
{
	uint64_t dropped = perf_events_dropped(&m->events, PERF_NO_TAG);

	for (uint32_t i = 0; i < m->events.shares.n; i++)
		if (m->events.shares.v[i].owner == i)
			dropped += perf_events_dropped(&m->events, i);
	if (!dropped)
		return 0;
	return note(m, "warning",
		"%ju times a record from the kernel was wrong, and the records "
		"behind it were dropped; samples may be [lost], stacks "
		"[truncated] and threads missing",
		(uintmax_t)dropped);
}

/* For calls: what is not counted, though the user may expect it. */
static int note_calls(struct monitor *m, const struct timer *timer)
{
	uint64_t execs = execs_of(m, timer);

	if (timer->calls->inlined &&
		note(m, "warning",
			"%s: the compiler has inlined %s in places; inlined "
			"calls are not counted",
			timer->request->name, timer->calls->inlined))
		return -1;
	if (!execs)
		return 0;
	return note(m, "warning",
		"%s: processes became another program %ju times (exec); "
		"breakpoints end there, and calls in it are not counted",
		timer->request->name, (uintmax_t)execs);
}

/* The program goes on without its monitor. */
static int note_asked(struct monitor *m)
{
	if (m->control.pidfd >= 0 || m->control.ended || !m->control.done)
		return 0;
	return note(m, "warning",
		"collecting was ended by a signal, before the program's end");
}

/* Why samples in Python have native frames alone. */
static int note_python(struct monitor *m)
{
	const struct interpreters *all = &m->sampler.interpreters;

	if (*m->sampler.modules.no_python &&
		note(m, "python",
			"%s has native frames alone: those that it executes "
			"are known of Python 3.11 to 3.15",
			m->sampler.modules.no_python))
		return -1;
	return all->native && note(m, "python",
				      "%ju of %ju samples in Python have "
				      "native frames alone: of %ju its own "
				      "were lost, of the others they did not "
				      "fit",
				      (uintmax_t)all->native,
				      (uintmax_t)all->samples,
				      (uintmax_t)all->lost)
		       ? -1
		       : 0;
}

/* Tracking all threads of a process takes a while, which does not count. */
static int note_begin(struct monitor *m)
{
	if (!m->config->attach)
		return 0;
	if (m->parts &&
		note(m, "warning",
			"%zu threads began while those that made them were "
			"attached to, again and again; they may be counted in "
			"part",
			m->parts))
		return -1;
	return note(m, "attached",
		"all threads were found %.6f s after the start; on for "
		"%.6f s from there on",
		(double)(m->collection.start - m->start) / 1e9,
		(double)collection_collected(
			&m->collection, m->collection.start, m->ended) /
			1e9);
}

static uint64_t used(long a, long b)
{
	return a > b ? (uint64_t)(a - b) : 0;
}

static uint64_t minus_time(struct timeval a, struct timeval b)
{
	return used(
		a.tv_sec * 1000000 + a.tv_usec, b.tv_sec * 1000000 + b.tv_usec);
}

/* What the kernel counted, where that is of this run and all of it. */
static int write_usage(struct monitor *m)
{
	const struct rusage *all = &m->totals.evidence.usage;
	const struct rusage *before = &m->totals.evidence.before;

	if (m->config->attach || m->totals.evidence.partly ||
		(!all->ru_maxrss && !all->ru_minflt)) /* wait4 was refused */
		return 0;
	m->totals.usage = (struct cpd_usage){
		.user = minus_time(all->ru_utime, before->ru_utime),
		.system = minus_time(all->ru_stime, before->ru_stime),
		.minor = used(all->ru_minflt, before->ru_minflt),
		.major = used(all->ru_majflt, before->ru_majflt),
		.waits = used(all->ru_nvcsw, before->ru_nvcsw),
		.preemptions = used(all->ru_nivcsw, before->ru_nivcsw),
	};
	m->totals.has_usage = true;
	return cpd_write_usage(m->writer, &m->totals.usage);
}

static int note_family(struct monitor *m)
{
	const struct timer_group *group = &m->timers.group;

	return group->family ? group->family->note(group->impl, m->writer) : 0;
}

/* What the target has started and left, as a daemon. */
static void find_left(struct monitor *m)
{
	const struct id_map *processes = &m->sampler.tasks.processes;
	uint64_t begun = UINT64_MAX;

	for (size_t i = 0; i < processes->n; i++) {
		const struct process *p = processes->v[i].thing;

		if (kill(p->pid, 0) < 0 && errno == ESRCH)
			continue;
		m->totals.left++;
		if (p->time < begun) {
			begun = p->time;
			m->totals.oldest = p->pid;
		}
	}
}

int summary_end(struct monitor *m)
{
	sideband_finish(&m->sampler);
	if (!m->config->attach && m->control.ended)
		find_left(m);
	task_table_finish(&m->sampler.tasks,
		m->sampler.last_time ? m->sampler.last_time : clock_now());
	/* a process attached to consumed some before */
	if (!m->config->attach && m->control.ended)
		m->totals.evidence.usage = m->control.usage;
	m->totals.evidence.cut = m->loop.cut;
	m->totals.evidence.before = m->spawn.before;
	m->totals.evidence.cpu_before = m->timers.stop->poller.before;
	/* only awaited or traced processes have a usage */
	m->totals.evidence.partly =
		!collection_is_whole(&m->collection, m->ended) ||
		!m->control.ended || (m->config->detach && !m->control.traced);
	if (accounting_close(&m->totals.accounting, &m->totals.evidence,
		    m->totals.accounts, &m->sampler.tasks.err))
		return -1;
	if (write_usage(m))
		return -1;
	if (collection_note(&m->collection, m->writer, m->ended) ||
		note_begin(m))
		return -1;
	for (size_t i = 0; i < m->config->nrequests; i++)
		if (m->timers.all[i].calls &&
			(note_calls(m, &m->timers.all[i]) ||
				note_limited(m, m->timers.all[i].calls)))
			return -1;
	for (size_t i = 0; i < m->config->nrequests; i++)
		if (m->timers.all[i].calls)
			say_uncounted(m, &m->timers.all[i]);
	return note_asked(m) || note_family(m) ||
			       contexts_note(m->timers.contexts, m->writer) ||
			       note_weaker(m) || note_untraced(m) ||
			       note_stops(m) || note_given_up(m) ||
			       note_left_alone(m) || note_processors(m) ||
			       note_throttling(m) || note_lost_sideband(m) ||
			       note_cut(m) || note_dropped(m) ||
			       note_python(m) || note_check(m)
		       ? -1
		       : 0;
}
