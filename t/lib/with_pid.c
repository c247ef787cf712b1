/*
 * with_pid PID PROG [ARGS...]: runs PROG as a child of the number PID, which
 * must be free, and exits with its status.  77: the kernel does not take the
 * number (too old, no privilege), or it is not free.
 */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	pid_t want = argc > 2 ? atoi(argv[1]) : 0, pid;
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&want,
		.set_tid_size = 1,
	};
	int status;

	if (want <= 0) {
		fprintf(stderr, "usage: with_pid PID PROG [ARGS...]\n");
		return 2;
	}
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
	if (pid < 0)
		return 77;
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status);
}
