#include "attach.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int no_process(const char *object, struct err *err)
{
	err_set(err, object, "attach", "no such process");
	return err_hint(err, "'ps -e' lists what runs");
}

/* What ptrace's rules say, beside the owner. */
static int check_trace(
	const char *object, const struct proc_status *status, struct err *err)
{
	char scope[16] = "";

	if (status->tracer) {
		err_set(err, object, "attach", "already traced by process %d",
			(int)status->tracer);
		return err_hint(err,
			"a thread has one tracer: end that one (a debugger, "
			"strace), or use kernel timers: --timer=kernel");
	}
	proc_read("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
	if (geteuid() == 0 ? scope[0] == '3' : scope[0] >= '1') {
		err_set(err, object, "attach", "kernel.yama.ptrace_scope is %c",
			scope[0]);
		return err_hint(err,
			scope[0] == '3'
				? "nobody may trace until the next boot; use "
				  "--timer=kernel"
				: "run 'sysctl kernel.yama.ptrace_scope=0' as "
				  "root, or cpprof as root");
	}
	return 0;
}

int attach_check(pid_t pid, bool trace, struct err *err)
{
	struct proc_status status;
	char object[32];

	snprintf(object, sizeof object, "%d", (int)pid);
	if (pid <= 0 || !proc_status(pid, &status))
		return no_process(object, err);
	if (status.tgid != pid) {
		err_set(err, object, "attach", "it is a thread of process %d",
			(int)status.tgid);
		return err_hint(err, "attach to the process: cpprof attach %d",
			(int)status.tgid);
	}
	if (status.state == 'Z' || status.state == 'X') {
		err_set(err, object, "attach", "it has ended already");
		return err_hint(err, "its parent has yet to take notice");
	}
	if (pid == getpid())
		return err_set(err, object, "attach", "that is cpprof itself");
	if (geteuid() != 0 && status.uid != geteuid()) {
		err_set(err, object, "attach", "it is another user's");
		return err_hint(err, "run cpprof as that user or as root");
	}
	return trace ? check_trace(object, &status, err) : 0;
}

static bool has_joined(const struct attach *a, pid_t tid)
{
	for (size_t i = 0; i < a->joined.n; i++)
		if (a->joined.v[i] == tid)
			return true;
	return false;
}

/* A thread that the stream has told of inherited its events. */
static bool is_inherited(const struct attach *a, pid_t tid)
{
	return a->events && tasks_known(&a->sampler->tasks, tid);
}

/* *NEWS: this one was not known before. */
static int join(struct attach *a, pid_t pid, pid_t tid, bool *news)
{
	pid_t *slot;

	if (has_joined(a, tid))
		return 0;
	slot = vec_push(&a->joined);
	if (!slot)
		return -1;
	*slot = tid;
	*news = true;
	if (is_inherited(a, tid))
		return 0;
	/* the first one has had its events from the beginning */
	if (a->events && tid != a->pid && perf_events_join(a->events, tid))
		return -1;
	if (a->tracer && tracer_attach(a->tracer, pid, tid))
		return -1;
	return proc_introduce(&a->sampler->tasks, pid, tid, now());
}

/* All threads of a process, until none is new. */
static int join_process(struct attach *a, pid_t pid)
{
	bool news = true;

	if (a->wide && wide_adopt(a->wide, pid, false) < 0)
		return -1;
	while (news) {
		proc_list threads = {0};
		int bad = proc_threads(pid, &threads);

		news = false;
		for (size_t i = 0; !bad && i < threads.n; i++)
			bad = join(a, pid, threads.v[i], &news);
		vec_free(&threads);
		if (bad || a->sync(a->arg))
			return -1;
	}
	return 0;
}

int attach_all(struct attach *a, struct err *err)
{
	proc_list children = {0};
	char object[32];
	int bad;

	errno = ENOMEM;
	bad = join_process(a, a->pid) ||
	      (a->children && proc_descendants(a->pid, &children));
	for (size_t i = 0; !bad && i < children.n; i++)
		bad = join_process(a, children.v[i]);
	vec_free(&children);
	vec_free(&a->joined);
	if (!bad)
		return 0;
	snprintf(object, sizeof object, "%d", (int)a->pid);
	err_sys(err, object, "attach");
	return err_hint(err, "it may be another user's, or have gained "
			     "privilege by a set-uid program; try as root");
}

char **attach_argv(pid_t pid)
{
	char path[64], *text = malloc(65536);
	VEC(char *) argv = {0};
	ssize_t n = 0;

	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	if (text)
		n = proc_read(path, text, 65536);
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(text + at) + 1) {
		char **slot = vec_push(&argv);

		if (slot)
			*slot = strdup(text + at);
	}
	free(text);
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
