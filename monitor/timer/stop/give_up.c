/* Sees the ptrace() of a thread before it is made, and lets its target go. */
#include "monitor/timer/stop/give_up.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/sys/process_memory.h"
#include "monitor/base/proc.h"

/* Whether the numbers of processes mean the same to a thread as to cpprof. */
static bool shares_numbers(pid_t tid)
{
	struct stat own, its;
	char path[40];

	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)tid);
	return stat("/proc/self/ns/pid", &own) == 0 && stat(path, &its) == 0 &&
	       own.st_dev == its.st_dev && own.st_ino == its.st_ino;
}

/*
 * Whether the kernel could make another than cpprof the tracer.  The parent is
 * that of PTRACE_TRACEME.
 */
static bool has_other_parent(pid_t tid)
{
	struct proc_status status;

	return proc_status(tid, &status) && status.parent != getpid();
}

/*
 * Whether it is where it does not stop when asked to, perhaps for ever: it
 * waits for a vfork(), or is about to.  Its child could be the one that asks.
 */
static bool cannot_stop(const struct tracee *tracee)
{
	struct proc_status status;
	uint64_t flags = 0;

	if (!proc_status(tracee->tid, &status) || status.state == 'D')
		return true;
	if (!tracee->in_call)
		return false;
	if (tracee->nr == SYS_clone)
		flags = tracee->args[0];
	else if (tracee->nr == SYS_clone3)
		process_memory(
			tracee->tid, tracee->args[0], &flags, sizeof flags);
	return tracee->nr == SYS_vfork || flags & CLONE_VFORK;
}

struct tracee *give_up_wanted(
	const struct tracees *tracees, struct tracee *caller)
{
	struct tracee *wanted;

	if (caller->nr != SYS_ptrace)
		return NULL;
	switch (caller->args[0]) {
	case PTRACE_TRACEME:
		return has_other_parent(caller->tid) ? caller : NULL;
	case PTRACE_ATTACH:
	case PTRACE_SEIZE:
		wanted = shares_numbers(caller->tid)
				 ? tracees_find(tracees, (pid_t)caller->args[1])
				 : NULL;
		return wanted && wanted != caller && !wanted->exiting &&
				       !cannot_stop(wanted)
			       ? wanted
			       : NULL;
	default:
		return NULL;
	}
}

bool give_up_to_end(const struct tracee *tracee, int signal)
{
	struct proc_status status;
	siginfo_t info = {0};

	/* a positive code: of the kernel, not of kill() */
	return (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
		       signal == SIGFPE || signal == SIGTRAP ||
		       signal == SIGSYS) &&
	       ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, &info) == 0 &&
	       info.si_code > 0 && proc_status(tracee->tid, &status) &&
	       status.inner == 1 && !(status.caught >> (signal - 1) & 1);
}
