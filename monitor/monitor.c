#include "monitor.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "attach.h"
#include "books.h"
#include "job.h"
#include "launch.h"
#include "pace.h"
#include "perf_timer.h"
#include "sampler.h"
#include "stop_timer.h"
#include "tracer.h"
#include "wide.h"

#define ROUND_NS 50000000 /* the rings are looked at this often at the least   \
			   */

/* And where stacks are read from the live process, before they change. */
#define HURRIED_ROUND_NS 250000

/*
 * A record's time is taken a little before it is in its ring; nothing comes
 * in with a time this far back, unless the machine stopped in between.
 */
#define SLACK_NS 2000000

/* How long a thread attached to may make system calls unseen, if it wakes. */
#define ENGAGE_NS 10000000

#define PROGRESS_NS 1000000000u

#define FLUSH_NS 1000000000u /* what a killed monitor can lose */

struct monitor {
	const struct monitor_config *config;
	struct cpd_writer *writer;
	struct launch launch;
	struct perf_events events;
	struct wide *wide; /* NULL: none */
	struct timer timers[RESOURCES_MAX];
	size_t armed;   /* the first of them */
	unsigned needs; /* of all their kinds: TIMER_NEEDS_... */
	struct sampler sampler;
	struct books books;
	struct pace pace;
	struct job job;
	struct stop_timers stops;
	struct tracer tracer;
	bool more;         /* the tracer has more to do */
	char **argv;       /* of the process attached to */
	uint64_t deadline; /* ns, monotonic; 0: none */
	uint64_t engaged;  /* when the tracer last looked for who is not */
	VEC(struct pollfd) polled;
	uint64_t start, ended, flushed, told;
	struct books_evidence evidence;
	struct account accounts[RESOURCES_MAX];
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int write_head(struct monitor *m)
{
	struct utsname uname_;
	struct timespec real;
	char cwd[4096] = "";
	struct cpd_head head = {
		.argv = (const char *const *)(m->argv ? m->argv
						      : m->config->argv),
		.cwd = cwd,
		.version = m->config->version,
		.ncpu = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		.uid = (uint32_t)getuid(),
	};

	uname(&uname_);
	if (!getcwd(cwd, sizeof cwd))
		cwd[0] = '\0';
	while (head.argv[head.argc])
		head.argc++;
	clock_gettime(CLOCK_REALTIME, &real);
	head.start = m->start = now();
	head.start_unix =
		(uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec;
	head.host = uname_.nodename;
	head.kernel = uname_.release;
	head.machine = uname_.machine;
	return cpd_write_head(m->writer, &head);
}

static uint32_t flags_of(const struct monitor *m, const struct timer *timer)
{
	const struct resource *resource = timer->request->resource;
	bool user_only =
		m->events.user_only && (timer->kind->needs & TIMER_NEEDS_PERF);
	uint32_t flags = resource->clock ? CPD_RESOURCE_CLOCK : 0;

	if (resource->counted == COUNT_USER ||
		resource->counted == COUNT_SYSTEM ||
		(!resource->clock && user_only))
		flags |= CPD_RESOURCE_ESTIMATE;
	if (user_only)
		flags |= CPD_RESOURCE_USER_ONLY;
	return flags;
}

static int write_resources(struct monitor *m)
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
			.timer = m->timers[i].kind->name,
			.flags = flags_of(m, &m->timers[i]),
		};

		m->timers[i].resource = cpd_write_resource(m->writer, &record);
		if (!m->timers[i].resource)
			return -1;
	}
	return 0;
}

/* Which kind of timer counts each request. */
static int choose_timers(struct monitor *m, struct err *err)
{
	const struct monitor_config *config = m->config;

	for (size_t i = 0; i < config->nrequests; i++) {
		const struct resource_request *request = &config->requests[i];
		const struct timer_kind *kind =
			timer_choose(request, config->timer, err);

		if (!kind)
			return -1;
		m->timers[i] = (struct timer){
			.kind = kind,
			.request = request,
			.index = (uint32_t)i,
			.randomize = config->randomize,
		};
		if (config->randomize && timer_can_vary(&m->timers[i], err))
			return -1;
		if (kind->needs & TIMER_NEEDS_TRACE)
			m->timers[i].private = &m->stops;
		else
			m->timers[i].private = &m->events;
		m->needs |= kind->needs;
	}
	return 0;
}

/* The rings, with room for a tenth of a second. */
static int open_events(struct monitor *m, struct err *err)
{
	struct perf_open how = {
		.pid = m->launch.pid,
		.switches = m->needs & TIMER_NEEDS_SWITCHES,
		.attach = m->config->attach,
		.paused = !m->pace.on,
	};

	for (size_t i = 0; i < m->config->nrequests; i++) {
		const struct timer *timer = &m->timers[i];

		if (!(timer->kind->needs & TIMER_NEEDS_PERF))
			continue;
		how.ring_bytes += kernel_timer_rate(timer->request) / 10;
		how.switches |= timer->request->resource->clock &&
				!(timer->kind->needs & TIMER_NEEDS_WIDE);
	}
	if (how.ring_bytes > (64u << 20))
		how.ring_bytes = 64u << 20;
	if (how.ring_bytes < (1u << 20))
		how.ring_bytes = 1u << 20;
	return perf_events_open(&m->events, &how, err);
}

/* The programs wait for the target's exec. */
static int start_wide(struct monitor *m, struct err *err)
{
	if (wide_start(m->wide, &m->events, err))
		return -1;
	wide_collect(m->wide, m->pace.on);
	if (m->config->attach) /* they are adopted one by one */
		return 0;
	if (wide_adopt(m->wide, m->launch.pid, true) > 0)
		return 0;
	return err_sys(err, "bpf", "adoption of the target");
}

static int arm_timers(struct monitor *m, struct err *err)
{
	if ((m->needs & TIMER_NEEDS_PERF) && open_events(m, err))
		return -1;
	if (m->needs & TIMER_NEEDS_WIDE) {
		m->wide = wide_open(err);
		if (!m->wide)
			return -1;
	}
	for (size_t i = 0; i < m->config->nrequests; i++) {
		struct timer *timer = &m->timers[i];

		if (timer->kind->needs & TIMER_NEEDS_WIDE)
			timer->private = m->wide;
		if (timer->kind->arm(timer, err))
			return -1;
		m->armed = i + 1;
	}
	if (m->wide && start_wide(m, err))
		return -1;
	if (m->needs & TIMER_NEEDS_PERF)
		return perf_events_start(&m->events, err);
	return 0;
}

/* A flood of samples must find the monitor awake. */
static void ask_for_priority(void)
{
	struct sched_param param = {.sched_priority = 1};

	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
}

static void drop_priority(void)
{
	struct sched_param param = {0};

	sched_setscheduler(0, SCHED_OTHER, &param);
}

static int watch(struct monitor *m)
{
	struct pollfd *p = vec_push(&m->polled);

	if (!p)
		return -1;
	*p = (struct pollfd){.fd = m->job.fd, .events = POLLIN};
	for (size_t i = 0; i < m->events.wake.n; i++) {
		p = vec_push(&m->polled);
		if (!p)
			return -1;
		*p = (struct pollfd){
			.fd = m->events.wake.v[i], .events = POLLIN};
	}
	return 0;
}

/* Handles all records before the horizon. */
static int drain(struct monitor *m, uint64_t horizon)
{
	const struct perf_event_header *header;
	uint64_t time;

	merge_refresh(&m->events.merge);
	while ((header = merge_next(&m->events.merge, horizon, &time))) {
		int failed = sampler_record(&m->sampler, header, time);

		merge_done(&m->events.merge);
		if (failed)
			return -1;
	}
	return 0;
}

static int flush(struct monitor *m, uint64_t time)
{
	if (time - m->flushed < FLUSH_NS)
		return 0;
	m->flushed = time;
	return cpd_writer_flush(m->writer);
}

/* For the tracer: what the rings have of the moment of a stop. */
static int catch_up(void *arg)
{
	return drain(arg, now());
}

static void serve_launch(void *arg)
{
	struct monitor *m = arg;

	tracer_serve(&m->tracer);
}

/* Before the target's exec, where stop timers need it. */
static int begin_tracing(struct monitor *m, struct err *err)
{
	if (!(m->needs & TIMER_NEEDS_TRACE))
		return 0;
	m->tracer.sampler = &m->sampler;
	m->tracer.timers = &m->stops;
	m->stops.pace = &m->pace;
	m->stops.off = !m->pace.on;
	m->tracer.job = &m->job;
	m->tracer.own_news = !(m->needs & TIMER_NEEDS_PERF);
	m->tracer.sync = catch_up;
	m->tracer.arg = m;
	m->job.traced = true;
	if (m->config->attach) {
		m->tracer.begun = true;
		return 0;
	}
	m->launch.serve = serve_launch;
	m->launch.arg = m;
	return tracer_seize(&m->tracer, m->launch.pid, err);
}

/* Handles stops; -1: failed. */
static int trace(struct monitor *m)
{
	int more = m->job.traced ? tracer_serve(&m->tracer) : 0;

	m->more = more > 0;
	if (m->config->attach && m->stops.syscalls &&
		now() - m->engaged > ENGAGE_NS) {
		m->engaged = now();
		tracer_engage(&m->tracer);
	}
	return more < 0 ? -1 : 0;
}

/* Begins to collect, or stops it, as it comes due; -1: no memory. */
static int keep_pace(struct monitor *m)
{
	int changed = pace_keep(&m->pace, m->job.toggles, now());

	m->job.toggles = 0;
	if (changed <= 0)
		return changed;
	m->stops.off = !m->pace.on;
	if (m->wide)
		wide_collect(m->wide, m->pace.on);
	perf_events_collect(&m->events, m->pace.on);
	return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Until then, ns, nothing needs to be done by itself; ROUND at the most. */
static uint64_t pause_left(const struct monitor *m, uint64_t round)
{
	uint64_t t = now(), next = pace_next(&m->pace);

	if (m->deadline)
		next = least(next, m->deadline);
	return next > t ? least(next - t, round) : 0;
}

static bool is_over(const struct monitor *m)
{
	return m->job.ended || m->job.done ||
	       (m->deadline && now() >= m->deadline);
}

static void wait_for_more(struct monitor *m)
{
	struct timespec most = {.tv_nsec = ROUND_NS};
	int ready;

	if (m->sampler.hurry) {
		m->sampler.hurry--;
		most.tv_nsec = HURRIED_ROUND_NS;
	}
	most.tv_nsec = (long)pause_left(m, (uint64_t)most.tv_nsec);
	if (m->more || m->job.ended)
		most.tv_nsec = 0;
	ready = ppoll(m->polled.v, m->polled.n, &most, NULL);
	if (m->config->attach || (ready > 0 && m->polled.v[0].revents))
		job_handle(&m->job);
	if (ready <= 0)
		return;
	for (size_t i = 1; i < m->polled.n; i++)
		if (m->polled.v[i].revents & (POLLHUP | POLLERR))
			m->polled.v[i].fd = -1; /* its task is gone */
}

/* How it is going, once a second, for whoever wants to know. */
static void tell(struct monitor *m, uint64_t time)
{
	struct monitor_progress progress = {
		.elapsed = (double)(time - m->start) / 1e9,
		.collecting = m->pace.on,
	};
	struct timer_count count;
	struct err ignored;

	if (!m->config->progress || time - m->told < PROGRESS_NS)
		return;
	m->told = time;
	for (size_t i = 0; i < m->config->nrequests; i++) {
		const struct timer *timer = &m->timers[i];
		const struct tally *tally = &m->sampler.tally[i];

		progress.resource[i].samples = tally->samples;
		progress.resource[i].lost = tally->lost_records;
		if (timer->kind->read(timer, &count, &ignored) == 0 &&
			count.lost)
			progress.resource[i].lost = count.lost;
	}
	m->config->progress(m->config->progress_arg, &progress);
}

static int observe(struct monitor *m)
{
	uint64_t last = now();

	m->flushed = m->told = last;
	while (!is_over(m)) {
		uint64_t t = now();

		if (t - SLACK_NS > last)
			last = t - SLACK_NS;
		if (drain(m, last) || flush(m, t) || trace(m) || keep_pace(m))
			return -1;
		last = t;
		tell(m, t);
		wait_for_more(m);
	}
	if (m->wide)
		wide_collect(m->wide, false);
	for (size_t i = 0; i < m->events.fds.n; i++)
		ioctl(m->events.fds.v[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	m->ended = now();
	return drain(m, UINT64_MAX);
}

/* The file cannot be written: let the target end as if it were alone. */
static void wait_unobserved(struct monitor *m)
{
	wide_close(m->wide);
	m->wide = NULL;
	perf_events_close(&m->events);
	m->polled.n = 1;
	m->tracer.unobserved = true;
	while (!m->job.ended && !m->config->attach) {
		trace(m);
		if (m->job.ended ||
			(poll(m->polled.v, 1, m->more ? 0 : -1) < 0 &&
				errno != EINTR))
			break;
		job_handle(&m->job);
	}
}

static void summarize(const struct monitor *m, struct monitor_summary *summary)
{
	memset(summary, 0, sizeof *summary);
	summary->status = m->job.status;
	summary->elapsed = (double)(now() - m->start) / 1e9;
	summary->collected =
		(double)pace_collected(&m->pace, m->pace.start, m->ended) / 1e9;
	summary->processes = m->sampler.tasks.nprocesses;
	summary->threads = m->sampler.tasks.nthreads;
	if (m->sampler.stack.check) {
		summary->checked = m->sampler.stack.check->samples;
		summary->contradicted = m->sampler.stack.check->differ;
	}
	for (size_t i = 0; i < m->config->nrequests; i++) {
		const struct tally *tally = &m->sampler.tally[i];

		summary->samples += tally->samples;
		summary->truncated += tally->truncated;
		summary->lost += m->accounts[i].lost_samples;
		summary->resource[i].samples = tally->samples;
		summary->resource[i].hits = tally->hits;
		summary->resource[i].weight = tally->weight;
		summary->resource[i].total = m->accounts[i].total;
		summary->resource[i].estimate =
			flags_of(m, &m->timers[i]) & CPD_RESOURCE_ESTIMATE;
	}
}

static int note_throttling(struct monitor *m)
{
	char text[256];
	struct cpd_note note = {"warning", text};

	if (!m->sampler.throttled)
		return 0;
	snprintf(text, sizeof text,
		"the kernel throttled the timers %ju times "
		"(kernel.perf_event_max_sample_rate); what it held back is "
		"[unsampled]",
		(uintmax_t)m->sampler.throttled);
	return cpd_write_note(m->writer, &note);
}

/* What the unwinder "check" found. */
static int note_check(struct monitor *m)
{
	const struct unwind_check *check = m->sampler.stack.check;
	char text[512];
	struct cpd_note note = {"unwinder check", text};

	if (!check)
		return 0;
	snprintf(text, sizeof text,
		"%ju samples, %ju frames compared; libunwind contradicts %ju "
		"samples, goes on where %ju end, gives up where %ju go on",
		(uintmax_t)check->samples, (uintmax_t)check->frames,
		(uintmax_t)check->differ, (uintmax_t)check->shorter,
		(uintmax_t)check->longer);
	if (cpd_write_note(m->writer, &note))
		return -1;
	for (size_t i = 0; i < check->nexamples; i++) {
		unwind_check_describe(&check->examples[i], text, sizeof text);
		if (cpd_write_note(m->writer, &note))
			return -1;
	}
	return 0;
}

static int note_lost_news(struct monitor *m)
{
	char text[256];
	struct cpd_note note = {"warning", text};

	if (!m->sampler.lost_news)
		return 0;
	snprintf(text, sizeof text,
		"%ju records of new mappings, threads and processes were lost; "
		"stacks may be [truncated] and threads missing",
		(uintmax_t)m->sampler.lost_news);
	return cpd_write_note(m->writer, &note);
}

static int close_books(struct monitor *m, struct err *err)
{
	if (sampler_finish(&m->sampler))
		return -1;
	tasks_finish(&m->sampler.tasks,
		m->sampler.last_time ? m->sampler.last_time : now());
	if (!m->config->attach) /* else it was consumed before as well */
		m->evidence.usage = m->job.usage;
	m->evidence.faults_before = m->launch.faults;
	m->evidence.partly = !pace_is_whole(&m->pace, m->ended);
	if (books_close(&m->books, &m->evidence, m->accounts, err))
		return -1;
	if (pace_note(&m->pace, m->writer, m->ended))
		return -1;
	return note_throttling(m) || note_lost_news(m) || note_check(m) ? -1
									: 0;
}

/* The target has not become what it is to be: end it. */
static void cancel(struct monitor *m)
{
	if (!m->config->attach)
		launch_cancel(&m->launch);
}

/* All that runs already is watched, then everything counts. */
static enum monitor_result begin_attached(struct monitor *m, struct err *err)
{
	struct attach attach = {
		.pid = m->config->attach,
		.children = m->config->children,
		.sampler = &m->sampler,
		.events = m->needs & TIMER_NEEDS_PERF ? &m->events : NULL,
		.wide = m->wide,
		.tracer = m->job.traced ? &m->tracer : NULL,
		.sync = catch_up,
		.arg = m,
	};

	if (attach_all(&attach, err))
		return MONITOR_FAILED;
	perf_events_enable(&m->events);
	return MONITOR_OK;
}

/* From the target's exec, or the attach, to its end. */
static enum monitor_result run(struct monitor *m, struct err *err)
{
	enum monitor_result result;

	if (write_head(m) || write_resources(m)) {
		*err = *cpd_writer_error(m->writer);
		cancel(m);
		return MONITOR_FAILED;
	}
	result = m->config->attach
			 ? begin_attached(m, err)
			 : launch_go(&m->launch, m->config->argv, err);
	if (result != MONITOR_OK)
		return result;
	pace_start(&m->pace, now());
	if (m->config->attach && m->config->duration)
		m->deadline = now() + m->config->duration;
	ask_for_priority();
	err_set(err, "monitor", NULL, "Out of memory");
	if (cpd_writer_publish(m->writer) || observe(m) ||
		close_books(m, err)) {
		wait_unobserved(m);
		if (!cpd_writer_error(m->writer))
			result = MONITOR_FAILED;
	}
	drop_priority();
	return result;
}

/* The child that will become the target, or the process there is. */
static int find_target(struct monitor *m, struct err *err)
{
	if (!m->config->attach)
		return launch_begin(&m->launch, m->config->argv, err);
	m->launch.pid = m->config->attach;
	if (attach_check(m->launch.pid, m->needs & TIMER_NEEDS_TRACE, err))
		return -1;
	m->argv = attach_argv(m->launch.pid);
	if (m->argv)
		return 0;
	errno = ENOMEM;
	return err_sys(err, "monitor", "start");
}

static int prepare(struct monitor *m, struct err *err)
{
	if (find_target(m, err))
		return -1;
	if (m->config->attach ? job_attach(&m->job, m->launch.pid)
			      : job_watch(&m->job, m->launch.pid)) {
		err_sys(err, "signals", "signalfd");
	} else if (arm_timers(m, err) || begin_tracing(m, err)) {
		/* the error is set */
	} else if (watch(m) || sampler_init(&m->sampler, m->writer, &m->events,
				       m->timers, m->config->nrequests)) {
		errno = ENOMEM;
		err_sys(err, "monitor", "start");
	} else {
		if (m->config->unwinder)
			m->sampler.unwinder =
				unwinder_named(m->config->unwinder);
		m->sampler.late = m->wide;
		m->sampler.tasks.pace = &m->pace;
		books_init(&m->books, &m->sampler);
		return 0;
	}
	cancel(m);
	return -1;
}

int monitor_check_unwinder(const char *name, struct err *err)
{
	char list[128] = "";

	if (unwinder_named(name))
		return 0;
	for (const struct unwinder *u = unwinders; u->name; u++)
		snprintf(list + strlen(list), sizeof list - strlen(list),
			"%s%s", u == unwinders ? "" : ", ", u->name);
	err_set(err, name, NULL, "no such unwinder");
	return err_hint(err, "there are: %s", list);
}

struct monitor *monitor_new(const struct monitor_config *config,
	struct cpd_writer *writer, struct err *err)
{
	struct monitor *m = calloc(1, sizeof *m);

	if (!m) {
		err_sys(err, "monitor", "start");
		return NULL;
	}
	m->config = config;
	m->writer = writer;
	if (pace_init(&m->pace, config->attach ? 0 : config->delay,
		    config->attach ? 0 : config->duration)) {
		err_sys(err, "monitor", "start");
		free(m);
		return NULL;
	}
	return m;
}

static enum monitor_result run_all(
	struct monitor *m, struct monitor_summary *summary, struct err *err)
{
	enum monitor_result result;

	if (prepare(m, err))
		return MONITOR_FAILED;
	result = run(m, err);
	if (result == MONITOR_OK)
		summarize(m, summary);
	return result;
}

struct tracing { /* a run in a thread of its own */
	struct monitor *monitor;
	struct monitor_summary *summary;
	struct err *err;
	enum monitor_result result;
	sigset_t mask; /* to run with; afterwards as the run left it */
};

static void *run_traced(void *arg)
{
	struct tracing *run = arg;

	pthread_sigmask(SIG_SETMASK, &run->mask, NULL);
	run->result = run_all(run->monitor, run->summary, run->err);
	pthread_sigmask(SIG_SETMASK, NULL, &run->mask);
	return NULL;
}

/*
 * The thread that traces has to end when the run does: then the kernel lets
 * what is still traced go on, without a stop and without an EINTR.
 */
static enum monitor_result run_in_thread(
	struct monitor *m, struct monitor_summary *summary, struct err *err)
{
	struct tracing run = {m, summary, err, MONITOR_FAILED, {{0}}};
	sigset_t all;
	pthread_t thread;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &run.mask);
	failed = pthread_create(&thread, NULL, run_traced, &run);
	if (!failed)
		failed = pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &run.mask, NULL);
	if (failed) {
		errno = failed;
		err_sys(err, "monitor", "thread");
	}
	return run.result;
}

enum monitor_result monitor_run(
	struct monitor *m, struct monitor_summary *summary, struct err *err)
{
	if (choose_timers(m, err))
		return MONITOR_FAILED;
	if (m->needs & TIMER_NEEDS_TRACE)
		return run_in_thread(m, summary, err);
	return run_all(m, summary, err);
}

int monitor_open_module(void *monitor, uint32_t module)
{
	struct monitor *m = monitor;

	return modules_open(&m->sampler.modules, module);
}

void monitor_free(struct monitor *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->armed; i++)
		m->timers[i].kind->disarm(&m->timers[i]);
	books_fini(&m->books);
	pace_fini(&m->pace);
	sampler_fini(&m->sampler);
	wide_close(m->wide);
	tracer_fini(&m->tracer);
	attach_free_argv(m->argv);
	perf_events_close(&m->events);
	vec_free(&m->polled);
	job_release(&m->job);
	free(m);
}
