/* Lists running threads and joins each, until no list has a new one. */
#include "monitor/run/attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/clock.h"
#include "monitor/perf/events.h"
#include "monitor/sample/sampler.h"
#include "monitor/tasks/proc_maps.h"

/*
 * A thread that forks while it is given its events passes on only some of them.
 * Then they are taken away and given again, at most so often.
 */
#define ROUNDS 20

/* How long to wait until a new thread runs, and one that makes it is through.
 */
#define START_NS 1000000000
#define START_LOOK_NS 200000

/*
 * More processor time than clone(2) needs until the kernel lists the new
 * thread. The kernel's figure may be a clock tick (10 ms at most) late.
 */
#define CLONE_NS 12000000

static bool holds(const proc_list *list, pid_t id)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i] == id)
			return true;
	return false;
}

/* The records of the whole machine tell of all threads. */
static bool is_told(const struct attach *a)
{
	return a->events && a->events->machine;
}

/* A thread is given events, and the threads that it makes inherit them. */
static bool shares(const struct attach *a)
{
	return a->events && !is_told(a);
}

/* Gives a thread its events; all that it makes from then on inherit them. */
static int give_events(struct attach *a, pid_t tid)
{
	if (perf_events_join(a->events, tid)) {
		a->refused = tid;
		return -1;
	}
	return a->sync(a->arg);
}

/*
 * The processor time that a thread has used, ns; UINT64_MAX: it has ended, or
 * the kernel does not keep the figure.
 */
static uint64_t ran_ns(pid_t tid)
{
	struct thread_times times;

	return thread_times_read(tid, tid, &times) && times.turns ? times.cpu
								  : UINT64_MAX;
}

/*
 * Whether a thread has ever had a processor, or has ended.  A kernel that keeps
 * no such figures says no of all.
 */
static bool has_run(pid_t tid)
{
	struct thread_times times;

	return !thread_times_read(tid, tid, &times) || times.turns;
}

/*
 * Whether a thread has left the call of clone(2) in which it may have been when
 * it joined: it has ended, sleeps, or has used enough processor time.  In the
 * call it runs, or waits uninterruptibly.
 */
static bool is_past_clone(const struct attach_fresh *fresh)
{
	struct proc_status status;

	if (!proc_status(fresh->tid, &status))
		return true;
	if (status.state != 'R' && status.state != 'D')
		return true;
	return ran_ns(fresh->tid) - fresh->ran_ns >= CLONE_NS;
}

/*
 * A new thread inherits its events when clone(2) begins, and the kernel lists
 * it when that ends.  One whose maker joins in between has no events: it is to
 * be looked for when its maker has left the call.
 */
static int await_clones(struct attach *a)
{
	const struct timespec look = {.tv_nsec = START_LOOK_NS};
	uint64_t until = clock_now() + START_NS;

	for (size_t i = 0; i < a->fresh.n; i++)
		a->fresh.v[i].ran_ns = ran_ns(a->fresh.v[i].tid);
	while (a->fresh.n && clock_now() < until && !a->over(a->arg)) {
		const struct attach_fresh *last = &a->fresh.v[a->fresh.n - 1];

		if (is_past_clone(last)) {
			a->fresh.n--;
			continue;
		}
		nanosleep(&look, NULL);
		if (a->stop && stop_serve(a->stop))
			return -1;
	}
	a->fresh.n = 0;
	return a->sync(a->arg);
}

/*
 * Whether the thread with the number TID is not, or no longer, of the tracked
 * process PID, which has ended.
 */
static bool is_another(const struct attach *a, pid_t pid, pid_t tid)
{
	bool there = true;
	struct proc_status status;

	for (size_t i = 0; i < a->processes.n; i++)
		if (a->processes.v[i] == pid)
			there = proc_is_there(a->pidfds.v[i]);
	return proc_status(tid, &status) && (!there || status.tgid != pid);
}

/* Takes a thread's events away, also from threads that inherited them. */
static int leave(struct attach *a, pid_t tid)
{
	for (size_t i = 0; i < a->joined.n; i++)
		if (a->joined.v[i] == tid)
			a->joined.v[i] = a->joined.v[--a->joined.n];
	perf_events_leave(a->events, tid);
	/* those it told of until then have none either */
	if (a->sync(a->arg))
		return -1;
	task_table_disown(&a->sampler->tasks, tid);
	return 0;
}

/* The thread has its events, but is another program's. */
static int leave_another(struct attach *a, pid_t tid)
{
	if (a->stop)
		tracer_leave(&a->stop->tracer, tid);
	return shares(a) ? leave(a, tid) : 0;
}

/* Sets *FOUND if the thread was unknown. */
static int join(struct attach *a, pid_t pid, pid_t tid, bool *found)
{
	int seized = 0;

	/* events before a process's first thread is known belong to no thread
	 */
	if (is_told(a) && task_table_knows(&a->sampler->tasks, pid) &&
		a->sync(a->arg))
		return -1;
	/* a thread that a record told of has its events */
	if (holds(&a->joined, tid) ||
		(a->events && task_table_origin(&a->sampler->tasks, tid)))
		return 0;
	if (is_another(a, pid, tid))
		return 0;
	/* it may be making another at the moment */
	if (!vec_add(&a->joined, tid) ||
		(!is_told(a) &&
			!vec_add(&a->fresh, (struct attach_fresh){.tid = tid})))
		return -1;
	*found = true;
	if (shares(a) && give_events(a, tid))
		return -1;
	if (a->stop) {
		seized = tracer_attach(&a->stop->tracer, pid, tid);
		if (seized < 0) {
			a->refused = tid;
			return -1;
		}
	}
	if (is_another(a, pid, tid))
		return leave_another(a, tid);
	if (a->stop && stop_serve(a->stop))
		return -1;
	if (seized && !a->events) /* the tracer tells of it */
		return 0;
	return proc_introduce(&a->sampler->tasks, pid, tid, clock_now());
}

/* Whether the process with the number is the child of a tracked one. */
static bool is_child(const struct attach *a, pid_t pid, int pidfd)
{
	struct proc_status status;

	if (!proc_status(pid, &status) || !proc_is_there(pidfd))
		return false;
	for (size_t i = 0; i < a->processes.n; i++)
		if (a->processes.v[i] == status.parent)
			return proc_is_there(a->pidfds.v[i]);
	return false;
}

/*
 * *BEGUN: a time by which it had begun and had not ended.  -1 with ESRCH: it
 * has ended, and another process may have its number.
 */
static int push_process(struct attach *a, pid_t pid, uint64_t *begun)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	*begun = clock_now();
	if (fd < 0)
		return -1;
	if (a->processes.n ? !is_child(a, pid, fd) : !proc_is_there(fd)) {
		close(fd);
		errno = ESRCH;
		return -1;
	}
	if (!vec_add(&a->pidfds, fd)) {
		close(fd);
		return -1;
	}
	return vec_add(&a->processes, pid) ? 0 : -1;
}

/*
 * The kernel lists a new thread before its record, and writes the record before
 * the thread runs.  So when all have run once, the records of all have come.
 */
static int await_told(struct attach *a, const proc_list *threads)
{
	const struct timespec look = {.tv_nsec = START_LOOK_NS};
	uint64_t until = clock_now() + START_NS;

	for (size_t i = 0; a->tells_runs && i < threads->n; i++)
		while (!holds(&a->joined, threads->v[i]) &&
			!has_run(threads->v[i]) && clock_now() < until)
			nanosleep(&look, NULL);
	return a->sync(a->arg);
}

/* *MORE: some of the threads were unknown. */
static int join_threads(struct attach *a, pid_t pid, bool *more)
{
	proc_list threads = {0};
	int bad = proc_threads(pid, &threads);

	if (!bad && shares(a))
		bad = await_told(a, &threads);
	for (size_t i = 0; !bad && i < threads.n && !a->over(a->arg); i++)
		bad = join(a, pid, threads.v[i], more);
	vec_free(&threads);
	return bad || a->sync(a->arg) ? -1 : 0;
}

/* Joins all threads of a process, until none is new. */
static int join_process(struct attach *a, pid_t pid, bool *found)
{
	bool more = true;
	uint64_t begun;

	if (!holds(&a->processes, pid)) {
		if (push_process(a, pid, &begun))
			return a->processes.n && errno == ESRCH ? 0 : -1;
		/* threads from before do not count, unless they are joined,
		   too */
		if (is_told(a) && a->sync(a->arg))
			return -1;
		if (a->group->family && a->group->family->track(a->group->impl,
						pid, begun, false) < 0)
			return -1;
	}
	while (more && !a->over(a->arg)) {
		more = false;
		if (join_threads(a, pid, &more))
			return -1;
		*found |= more;
	}
	return 0;
}

/* Joins the process and its descendants, until none is new. */
static int join_all(struct attach *a)
{
	bool found = true;

	while ((found || a->fresh.n) && !a->over(a->arg)) {
		proc_list children = {0};
		int bad = found ? 0 : await_clones(a);

		found = false;
		bad = bad || join_process(a, a->pid, &found) ||
		      (a->children && proc_descendants(a->pid, &children));
		for (size_t i = 0; !bad && i < children.n; i++)
			bad = join_process(a, children.v[i], &found);
		vec_free(&children);
		if (bad)
			return -1;
	}
	return 0;
}

/* Lists threads that may have inherited only some of their events. */
static int list_parts(const struct attach *a, proc_list *list)
{
	const struct task_table *tasks = &a->sampler->tasks;

	list->n = 0;
	for (size_t i = 0; i < tasks->threads.n; i++) {
		const struct thread *t = tasks->threads.v[i].thing;

		if (task_table_part(tasks, t->tid) && !vec_add(list, t->tid))
			return -1;
	}
	return 0;
}

/*
 * Joins threads again that passed on only some of their events.  *LEFT: how
 * many.
 */
static int take_back(struct attach *a, size_t *left)
{
	uint64_t until = clock_now() + START_NS;
	proc_list parts = {0};
	int bad;

	*left = 0;
	do {
		/* a thread with all of them says so when it begins to run */
		bad = list_parts(a, &parts) || await_told(a, &parts);
		for (size_t i = 0; !bad && i < parts.n; i++) {
			pid_t from =
				task_table_part(&a->sampler->tasks, parts.v[i]);

			if (!from)
				continue;
			++*left;
			bad = leave(a, from);
		}
		/* more may have come from threads that have ended meanwhile */
	} while (!bad && parts.n && !*left && clock_now() < until);
	vec_free(&parts);
	return bad;
}

/* Joins all threads, each with all its events once. */
static int join_whole(struct attach *a)
{
	size_t left = 1;

	a->tells_runs = has_run(gettid());
	for (unsigned round = 0; left && round < ROUNDS; round++) {
		if (join_all(a))
			return -1;
		left = 0;
		if (shares(a) && take_back(a, &left))
			return -1;
	}
	a->parts = left;
	return left && !a->over(a->arg) ? join_all(a) : 0;
}

static bool has_breakpoints(const struct perf_events *events)
{
	for (size_t i = 0; events && i < events->added.n; i++)
		if (events->added.v[i].attr.type == PERF_TYPE_BREAKPOINT)
			return true;
	return false;
}

int attach_all(struct attach *a, struct err *err)
{
	int bad = join_whole(a), error = errno;

	vec_free(&a->joined);
	vec_free(&a->fresh);
	vec_free(&a->processes);
	while (a->pidfds.n)
		close(a->pidfds.v[--a->pidfds.n]);
	vec_free(&a->pidfds);
	if (!bad)
		return 0;
	if (error == ENOSPC && !has_breakpoints(a->events)) {
		errno = error;
		return err_sys(err, "attach", "perf_event_open");
	}
	return attach_explain(a->pid, a->refused, error, a->stop != NULL, err);
}

/* The arguments of a thread; those of a leader that has ended are gone. */
static ssize_t read_cmdline(pid_t pid, char *text, size_t size)
{
	proc_list threads = {0};
	ssize_t n = 0;

	proc_threads(pid, &threads);
	for (size_t i = 0; n <= 0 && i < threads.n; i++)
		n = proc_thread_file(pid, threads.v[i], "cmdline", text, size);
	vec_free(&threads);
	return n;
}

char **attach_argv(pid_t pid)
{
	char *text = malloc(65536);
	VEC(char *) argv = {0};
	ssize_t n = text ? read_cmdline(pid, text, 65536) : 0;

	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(text + at) + 1) {
		char *arg = strdup(text + at);

		if (!arg || !vec_add(&argv, arg))
			free(arg);
	}
	free(text);
	/* a title that a process gave itself is followed by what was there */
	while (argv.n > 1 && !*argv.v[argv.n - 1])
		free(argv.v[--argv.n]);
	if (!vec_push(&argv))
		return NULL;
	return argv.v;
}

void attach_free_argv(char **argv)
{
	for (char **arg = argv; arg && *arg; arg++)
		free(*arg);
	free(argv);
}
