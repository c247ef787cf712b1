/* A program of which some threads trace others, as debuggers do. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/live/target/monitor_target.h"

static void say(const char *who, const char *what, long result)
{
	printf("%s: %s: %s\n", who, what,
		result == -1 ? strerror(errno) : "done");
	fflush(stdout);
}

/* Waits for what PID does next, and tells it. */
static int told(const char *who, pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, __WALL | WUNTRACED) != pid)
		say(who, "waitpid", -1);
	else if (WIFSTOPPED(status))
		printf("%s: event %d\n", who, status >> 16);
	else if (WIFSIGNALED(status))
		printf("%s: killed by %d\n", who, WTERMSIG(status));
	else
		printf("%s: exit %d\n", who, WEXITSTATUS(status));
	fflush(stdout);
	return status;
}

/* Kills it and waits until it is gone. */
static void end(const char *who, pid_t pid)
{
	kill(pid, SIGKILL);
	while (WIFSTOPPED(told(who, pid)))
		;
}

static void trace_me(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		say("child", "TRACEME", ptrace(PTRACE_TRACEME, 0, 0, 0));
		raise(SIGUSR1);
		_exit(3);
	}
	if (WIFSTOPPED(told("child", pid))) {
		say("child", "CONT", ptrace(PTRACE_CONT, pid, 0, 0));
		told("child", pid);
	}
}

/* One that runs, or waits, or has been stopped. */
static void seize(const char *who, pid_t pid)
{
	if (strcmp(who, "stopped") == 0)
		told(who, pid);
	say(who, "SEIZE", ptrace(PTRACE_SEIZE, pid, 0, 0));
	say(who, "INTERRUPT", ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	told(who, pid);
	say(who, "CONT", ptrace(PTRACE_CONT, pid, 0, 0));
	end(who, pid);
}

static void seize_all(void)
{
	static const char *const who[] = {"runs", "waits", "stopped"};

	for (size_t i = 0; i < sizeof who / sizeof *who; i++) {
		pid_t pid = fork();

		while (pid == 0) {
			if (i == 0)
				burn_us(1000);
			else if (i == 1)
				pause();
			else
				raise(SIGSTOP);
		}
		seize(who[i], pid);
	}
}

/* A child traces its parent for a moment, as strace -D does. */
static void trace_parent(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		say("parent", "ATTACH", ptrace(PTRACE_ATTACH, parent, 0, 0));
		told("parent", parent);
		say("parent", "DETACH", ptrace(PTRACE_DETACH, parent, 0, 0));
		_exit(4);
	}
	told("tracer", pid);
}

/*
 * A parent that waits in vfork() does not stop, nor does one that is about to:
 * each time is another moment.
 */
static void trace_vforked(void)
{
	for (int i = 0; i < 200; i++) {
		pid_t pid = fork(), parent = getpid();

		if (pid == 0) {
			if (vfork() == 0) {
				ptrace(PTRACE_SEIZE, parent, 0, 0);
				_exit(5);
			}
			_exit(5);
		}
		told("vforked", pid);
	}
}

int do_tracers(void)
{
	trace_me();
	seize_all();
	trace_vforked();
	trace_parent();
	return 6;
}
