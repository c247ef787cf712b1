/* Takes threads that run already, and lets threads go in the middle. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/base/proc.h"
#include "monitor/resource/syscalls.h"
#include "monitor/timer/stop/stop_timer.h"
#include "monitor/timer/stop/tracer.h"

int tracer_seize(struct tracer *t, pid_t pid, struct err *err)
{
	if (!tracees_add(&t->traced->tracees, pid, pid))
		return err_memory(err, "ptrace", "seize");
	if (tracee_seize(pid) == 0)
		return 0;
	err_sys(err, "ptrace", "PTRACE_SEIZE");
	return err_hint(err,
		"stop timers and breakpoints need ptrace: see "
		"kernel.yama.ptrace_scope, or whether a seccomp filter, a "
		"container's profile or another tracer forbids it");
}

int tracer_attach(struct tracer *t, pid_t pid, pid_t tid)
{
	struct tracee *tracee = tracees_find(&t->traced->tracees, tid);
	struct proc_status status;

	if (tracee)
		return 1;
	if (tracee_seize(tid)) {
		int error = errno;

		/* ended, or made by a thread that was seized before */
		if (error == ESRCH || !proc_status(tid, &status) ||
			proc_is_dead(&status) || status.tracer == gettid())
			return 1;
		errno = error;
		return -1;
	}
	tracee = tracees_add(&t->traced->tracees, tid, pid);
	if (!tracee) {
		errno = ENOMEM;
		return -1;
	}
	tracee->seen = true; /* whoever attaches introduces it */
	return 0;
}

void tracer_leave(struct tracer *t, pid_t tid)
{
	struct tracee *tracee = tracees_find(&t->traced->tracees, tid);
	int status;

	if (!tracee)
		return;
	tracee_interrupt(tracee);
	if (waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status)) {
		int signal = status >> 16 ? 0 : WSTOPSIG(status);

		tracee_release(tracee, exceptions_leave(&t->timers->exceptions,
					       tracee, signal));
	}
	tracees_remove(&t->traced->tracees, tracee);
}

void tracer_end(struct tracer *t)
{
	while (t->timers->exceptions.wanted && t->traced->tracees.threads.n) {
		struct tracee *o = t->traced->tracees.threads.v[0].thing;

		tracer_leave(t, o->tid);
	}
}

/* Calls that continue after a stop, unnoticed by the program. */
static bool restarts(long nr)
{
	static const char *const names[] = {"futex", "poll", "ppoll", "select",
		"pselect6", "nanosleep", "clock_nanosleep", "wait4", "waitid",
		"pause", "rt_sigsuspend", "restart_syscall"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (nr == syscall_number(names[i]))
			return true;
	return false;
}

size_t tracer_engage(struct tracer *t)
{
	size_t left = 0;

	for (size_t i = 0; i < t->traced->tracees.threads.n; i++) {
		struct tracee *o = t->traced->tracees.threads.v[i].thing;
		long nr;

		if (o->engaged)
			continue;
		nr = proc_syscall(o->tid);
		if (nr == -1 || restarts(nr))
			tracee_interrupt(o);
		left++;
	}
	return left;
}
