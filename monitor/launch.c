#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct launch_report { /* from the child: before its exec, and if that fails */
	uint64_t faults;
	int error;
};

/* Without a SIGPIPE when the monitor was killed meanwhile. */
static void tell(int result, const struct launch_report *report)
{
	ssize_t ignored = send(result, report, sizeof *report, MSG_NOSIGNAL);

	(void)ignored;
}

/* In the child: waits for the end of the pipe, then becomes the target. */
static _Noreturn void become(
	int go, int result, const struct sigaction *chld, char *const *argv)
{
	struct rusage usage;
	struct launch_report report = {0};
	char byte;

	while (read(go, &byte, 1) < 0 && errno == EINTR)
		;
	sigaction(SIGCHLD, chld, NULL);
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		report.faults =
			(uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
	tell(result, &report);
	execvp(argv[0], argv);
	report.error = errno;
	tell(result, &report);
	_exit(127);
}

/* A SIGCHLD ignored by whoever started cpprof would lose the child's status. */
static void default_sigchld(struct sigaction *old)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	sigaction(SIGCHLD, &action, old);
}

static int no_channel(const char *program, const char *op, struct err *err)
{
	bool many = errno == EMFILE;

	err_sys(err, program, op);
	return many ? err_hint(err, "raise the limit of open files (ulimit -n)")
		    : -1;
}

int launch_begin(struct launch *launch, char *const *argv, struct err *err)
{
	struct sigaction chld;
	int go[2], result[2];

	launch->faults = 0;
	if (pipe2(go, O_CLOEXEC))
		return no_channel(argv[0], "pipe", err);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, result)) {
		close(go[0]);
		close(go[1]);
		return no_channel(argv[0], "socketpair", err);
	}
	launch->go = go[1];
	launch->result = result[0];
	default_sigchld(&chld);
	launch->pid = fork();
	if (launch->pid == 0) {
		close(go[1]);
		close(result[0]);
		become(go[0], result[1], &chld, argv);
	}
	close(go[0]);
	close(result[1]);
	if (launch->pid < 0) {
		err_sys(err, argv[0], "fork");
		close(launch->go);
		close(launch->result);
		return -1;
	}
	return 0;
}

/* A child that is traced stops at its exit, and goes on from there. */
static void reap(struct launch *launch)
{
	int status = 0;
	pid_t pid;

	do {
		pid = waitpid(launch->pid, &status, __WALL);
		if (pid > 0 && WIFSTOPPED(status))
			ptrace(PTRACE_CONT, pid, NULL, NULL);
	} while (pid > 0 ? WIFSTOPPED(status) : errno == EINTR);
	launch->pid = -1;
}

/* Waits until the child has something to say, or can have no more. */
static void wait_for_word(const struct launch *launch)
{
	struct pollfd pollfd = {.fd = launch->result, .events = POLLIN};

	while (launch->serve && poll(&pollfd, 1, 1) == 0)
		launch->serve(launch->arg);
}

static enum monitor_result exec_failed(
	int error, const char *program, struct err *err)
{
	bool is_path = strchr(program, '/') != NULL;

	errno = error;
	err_sys(err, program, "exec");
	switch (error) {
	case ENOENT:
		if (is_path && access(program, F_OK) == 0)
			err_hint(err, "the file is there, but not the "
				      "interpreter that it names");
		else if (is_path)
			err_hint(err, "there is no such file");
		else if (access(program, X_OK) == 0)
			err_hint(err,
				"it is in the current directory, not in "
				"PATH: use ./%s",
				program);
		else
			err_hint(err, "no program of that name is in PATH");
		return MONITOR_NOT_FOUND;
	case ENOTDIR:
		err_hint(err, "there is no such file");
		return MONITOR_NOT_FOUND;
	case EACCES:
		err_hint(err, "it is not an executable file; 'chmod +x' makes "
			      "a script or program one");
		return MONITOR_NOT_EXECUTABLE;
	case ENOEXEC:
		err_hint(err, "it is no program that this machine can run");
		return MONITOR_NOT_EXECUTABLE;
	default:
		return MONITOR_NOT_EXECUTABLE;
	}
}

enum monitor_result launch_go(
	struct launch *launch, char *const *argv, struct err *err)
{
	struct launch_report report = {0};
	int error = 0;
	ssize_t n;

	close(launch->go);
	for (;;) {
		wait_for_word(launch);
		n = read(launch->result, &report, sizeof report);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof report)
			break;
		launch->faults = report.faults;
		error = report.error;
	}
	close(launch->result);
	if (!error)
		return MONITOR_OK;
	reap(launch);
	return exec_failed(error, argv[0], err);
}

void launch_cancel(struct launch *launch)
{
	kill(launch->pid, SIGKILL);
	close(launch->go);
	close(launch->result);
	reap(launch);
}
