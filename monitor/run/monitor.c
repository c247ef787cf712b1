/* One run from the target's start to its end, in a thread of its own. */
#include "monitor/run/monitor.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/text.h"
#include "monitor/probe/files.h"
#include "monitor/run/attach.h"
#include "monitor/run/run.h"

/*
 * Memory of this size and more is mapped, and the kernel's again when it is
 * freed. Glibc would raise the limit by itself: then 900 programs that had run
 * left 36 MB, and not 7.
 */
#define MAPPED_BYTES (128 << 10)

/* The loop notices a signal in less than a third of this time. */
#define HEARD_S 1

/* The target did not become the program: ends it. */
static void cancel(struct monitor *m)
{
	if (!m->config->attach)
		spawn_cancel(&m->spawn);
}

/* To the target's end, or only as far as M->rest says. */
static enum monitor_result run_to_end(struct monitor *m, struct err *err)
{
	enum monitor_result result = MONITOR_OK;

	m->rest = REST_NOTHING;
	if (loop_to_end(m) || (!m->rest && summary_end(m))) {
		loop_failed(m, err);
		loop_nothing(m);
		if (!cpd_writer_error(m->writer))
			result = MONITOR_FAILED;
	}
	return result;
}

/* From the target's exec, or the attach, to its end. */
static enum monitor_result run(struct monitor *m, struct err *err)
{
	enum monitor_result result;

	if (summary_head(m) || summary_resources(m)) {
		*err = *cpd_writer_error(m->writer);
		cancel(m);
		return MONITOR_FAILED;
	}
	result = m->config->attach ? setup_attached(m, err)
				   : spawn_go(&m->spawn, m->config->argv, err);
	if (result != MONITOR_OK)
		return result;
	if (setup_begun(m, err)) {
		loop_nothing(m);
		return MONITOR_FAILED;
	}
	collection_start(&m->collection, clock_now());
	if (m->config->begun)
		m->config->begun(m->config);
	if (!m->config->attach)
		priority_raise(&m->priority);
	if (stop_start(m->timers.stop, clock_now()) ||
		cpd_writer_publish(m->writer)) {
		loop_failed(m, err);
		loop_nothing(m);
		return cpd_writer_error(m->writer) ? MONITOR_OK
						   : MONITOR_FAILED;
	}
	return run_to_end(m, err);
}

/* The child that will become the target, or the process to attach to. */
static int find_target(struct monitor *m, struct err *err)
{
	control_hold(&m->control);
	if (m->config->detach)
		return 0;
	if (!m->config->attach)
		return spawn_begin(
			&m->spawn, m->config->argv, &m->control.old_mask, err);
	m->spawn.pid = m->config->attach;
	if (attach_check(
		    m->spawn.pid, m->timers.needs & TIMER_NEEDS_TRACE, err))
		return -1;
	m->argv = attach_argv(m->spawn.pid);
	if (m->argv)
		return 0;
	return err_memory(err, "monitor", "start");
}

/* Polled timers count it to its end, then its books are closed. */
static void on_thread_end(void *arg, struct thread *thread, uint64_t time)
{
	struct monitor *m = arg;

	arcs_end(&m->sampler, thread, time);
	poller_ended(&m->timers.stop->poller, thread, time);
	accounting_ended(&m->totals.accounting, thread);
}

static void on_interpreter(
	void *arg, pid_t pid, const struct interpreter_place *place)
{
	struct monitor *m = arg;

	timer_group_interpret(&m->timers.group, pid, place);
}

/* What the user calls the program that WORD starts; of a script nothing. */
static void name_program(struct task_table *tasks, const char *word)
{
	const char *name = text_base_name(word);
	char path[PATH_MAX];

	if (strlen(name) <= NAME_MAX && probe_program(word, path) &&
		!strcmp(text_base_name(path), name) &&
		realpath(path, tasks->launched))
		strcpy(tasks->launched_as, name);
}

static int prepare(struct monitor *m, struct err *err)
{
	if (m->config->attach || m->config->detach
			? control_attach(&m->control, m->spawn.pid)
			: control_begin(&m->control, m->spawn.pid)) {
		err_sys(err, "signals", "signalfd");
	} else if (setup_load(m, err)) {
		/* the error is set */
	} else if (setup_arm(m, err) || setup_tracing(m, err)) {
		/* the error is set */
	} else if (loop_prepare(m)) {
		err_memory(err, "monitor", "start");
	} else {
		sampler_init(&m->sampler, m->writer, &m->events, m->timers.all,
			m->config->nrequests);
		if (m->config->unwinder)
			m->sampler.taker.unwinder =
				unwinder_named(m->config->unwinder);
		m->sampler.family = m->timers.group.family;
		m->sampler.late = m->timers.group.family;
		m->sampler.awaits = m->config->asyncio;
		m->sampler.probes = &m->timers.probes;
		m->sampler.arcs = &m->arcs;
		m->sampler.root = m->config->attach ? 0 : m->spawn.pid;
		if (!m->config->attach)
			name_program(&m->sampler.tasks, m->config->argv[0]);
		m->sampler.tasks.collection = &m->collection;
		if (m->events.objects)
			m->sampler.tasks.objects = &m->sampler.objects;
		m->sampler.tasks.ended = on_thread_end;
		m->sampler.tasks.interprets = on_interpreter;
		m->sampler.tasks.arg = m;
		accounting_init(&m->totals.accounting, &m->sampler);
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
		text_list(list, sizeof list, u->name);
	return err_say(
		err, name, NULL, "no such unwinder", "there are: %s", list);
}

struct monitor *monitor_new(const struct monitor_config *config,
	struct cpd_writer *writer, struct err *err)
{
	struct monitor *m = calloc(1, sizeof *m);

	if (!m) {
		err_sys(err, "monitor", "start");
		return NULL;
	}
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	m->config = config;
	m->writer = writer;
	if (collection_init(&m->collection, config->delay, config->duration)) {
		err_sys(err, "monitor", "start");
		free(m);
		return NULL;
	}
	return m;
}

static enum monitor_result run_all(struct monitor *m, struct err *err)
{
	enum monitor_result result;

	/* what attach does is quick if others do not have the processors */
	if (m->config->attach)
		priority_raise(&m->priority);
	result = prepare(m, err) ? MONITOR_FAILED : run(m, err);
	priority_drop(&m->priority);
	return result;
}

struct own_thread { /* a run in a thread of its own */
	struct monitor *monitor;
	struct err *err;
	enum monitor_result result;
	sigset_t mask; /* to run with; afterwards as the run left it */
};

static void *run_here(void *arg)
{
	struct own_thread *own = arg;

	pthread_sigmask(SIG_SETMASK, &own->mask, NULL);
	own->result = run_all(own->monitor, own->err);
	pthread_sigmask(SIG_SETMASK, NULL, &own->mask);
	return NULL;
}

/* Whether a signal of SET came, and was not handled yet. */
static bool is_asked_in_vain(const sigset_t *set)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       sigandset(&pending, &pending, set) == 0 &&
	       !sigisemptyset(&pending);
}

/* Whether the next signal is the target's, also before it has begun. */
static bool is_for_target(const struct monitor *m)
{
	return !m->config->attach && !m->config->detach && !m->control.warned &&
	       !m->control.ended;
}

/*
 * Ends cpprof by a signal of SET as it would end any program, and the target if
 * it is the first one: a child that waits to become the target would do so now,
 * without cpprof.
 */
static void give_in(struct monitor *m, const sigset_t *set)
{
	const struct timespec none = {0};
	pid_t child = is_for_target(m) ? m->spawn.pid : 0;
	siginfo_t info;

	if (sigtimedwait(set, &info, &none) < 0)
		return; /* it was handled after all */
	/* the kernel sends the terminal's signals, which go to the group */
	if (child > 0 && info.si_code <= 0 &&
		!group_signals_take(&m->control.group, info.si_signo))
		kill(child, info.si_signo);
	raise(info.si_signo);
	pthread_sigmask(SIG_UNBLOCK, set, NULL);
}

/*
 * Waits for the thread.  If it is stuck, SIGINT and SIGTERM end cpprof.
 */
static int join(struct monitor *m, pthread_t thread)
{
	struct timespec until;
	unsigned in_vain = 0;
	sigset_t set;
	int failed;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	for (;;) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += HEARD_S;
		failed = pthread_timedjoin_np(thread, NULL, &until);
		if (failed != ETIMEDOUT)
			return failed;
		in_vain = is_asked_in_vain(&set) ? in_vain + 1 : 0;
		if (in_vain == 3)
			give_in(m, &set);
	}
}

/* What the thread of the run, which has ended, left to be done. */
static enum monitor_result do_rest(
	struct monitor *m, enum monitor_result result, struct err *err)
{
	m->control.traced = false; /* the kernel has let all go on */
	if (m->rest == REST_LOOP && result == MONITOR_OK)
		return run_to_end(m, err);
	if (m->rest)
		loop_nothing(m);
	return result;
}

/*
 * A thread has its own priority, which the target does not see in its parent.
 * And a thread that traces has to end with the run: then the kernel lets all
 * tracees go on, without a stop and without an EINTR.
 */
static enum monitor_result run_in_thread(struct monitor *m, struct err *err)
{
	struct own_thread run = {m, err, MONITOR_FAILED, {{0}}};
	sigset_t all;
	pthread_t thread;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &run.mask);
	failed = pthread_create(&thread, NULL, run_here, &run);
	if (!failed)
		failed = join(m, thread);
	pthread_sigmask(SIG_SETMASK, &run.mask, NULL);
	if (failed) {
		cancel(m);
		errno = failed;
		err_sys(err, "monitor", "thread");
		return MONITOR_FAILED;
	}
	return do_rest(m, run.result, err);
}

enum monitor_result monitor_run(
	struct monitor *m, struct monitor_summary *summary, struct err *err)
{
	enum monitor_result result;

	if (access("/proc/self/maps", R_OK)) {
		err_sys(err, "/proc/self/maps", "open");
		err_hint(err, "cpprof reads programs' mappings in /proc: "
			      "'mount -t proc proc /proc' as root provides it");
		return MONITOR_FAILED;
	}
	if (setup_timers(m, err))
		return MONITOR_FAILED;
	setup_spawn(m);
	if (m->config->detach && spawn_beside(&m->spawn, m->config->argv, err))
		return MONITOR_FAILED;
	/* from here: the C library has installed no handlers for threads yet,
	   so the target ignores the signals that were ignored */
	if (find_target(m, err))
		return MONITOR_FAILED;
	result = run_in_thread(m, err);
	if (result == MONITOR_OK)
		summary_fill(m, summary);
	else if (m->control.ended && !m->timers.misplaced.reason[0])
		summary->status = m->control.status;
	return result;
}

bool monitor_is_asked(struct monitor *m)
{
	unsigned before = m->control.asked;

	control_handle(&m->control);
	return m->control.asked != before;
}

void monitor_wait(struct monitor *m, struct monitor_summary *summary)
{
	if (m->control.ended || m->control.pidfd >= 0)
		return;
	control_stand_by();
	loop_nothing(m);
	summary->status = m->control.status;
}

struct run_files monitor_files(const struct monitor *m)
{
	return modules_files(&m->sampler.modules);
}

void monitor_free(struct monitor *m)
{
	if (!m)
		return;
	accounting_fini(&m->totals.accounting);
	collection_fini(&m->collection);
	arcs_fini(&m->arcs);
	setup_close(&m->timers);
	sampler_fini(&m->sampler); /* whose modules the timers' maps are of */
	attach_free_argv(m->argv);
	perf_events_close(&m->events);
	loop_fini(&m->loop);
	control_release(&m->control);
	free(m);
}
