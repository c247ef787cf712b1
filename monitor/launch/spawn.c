/* Forks the target, which waits on a pipe for the word to go. */
#include "monitor/launch/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/launch/program.h"

struct spawn_report { /* from the child: before its exec, and if the exec fails
		       */
	struct rusage before;
	int error;
};

/* Raises no SIGPIPE if the monitor was killed meanwhile. */
static void tell(int result, const struct spawn_report *report)
{
	ssize_t ignored = send(result, report, sizeof *report, MSG_NOSIGNAL);

	(void)ignored;
}

/* What the process that becomes the target has to know. */
struct become {
	const struct spawn *spawn;
	int go, result;
	const sigset_t *mask; /* of signals that are blocked; NULL: as now */
	struct sigaction chld;
	char *const *argv;
	bool waits; /* for an exit status, where the spawn is beside */
};

/* Waits until the other end of a pipe or socket is closed. */
static void wait_for_end(int fd)
{
	char byte;

	while (read(fd, &byte, 1) > 0 || errno == EINTR)
		errno = 0;
}

/* Waits for the end of the pipe, then becomes the target. */
static _Noreturn void become(const struct become *b)
{
	struct spawn_report report = {0};
	unsigned char status;
	ssize_t n;

	if (b->mask)
		sigprocmask(SIG_SETMASK, b->mask, NULL);
	while ((n = read(b->go, &status, 1)) < 0 && errno == EINTR)
		;
	if (n == 1) { /* cancelled; the monitor reports the reason first */
		wait_for_end(b->go);
		_exit(status);
	}
	sigaction(SIGCHLD, &b->chld, NULL);
	getrusage(RUSAGE_SELF, &report.before);
	tell(b->result, &report);
	if (b->spawn->before_exec)
		b->spawn->before_exec(b->spawn->arg);
	report.error = program_exec(b->argv);
	tell(b->result, &report);
	if (b->waits)
		wait_for_end(b->result);
	_exit(program_is_missing(report.error) ? LAUNCH_NOT_FOUND
					       : LAUNCH_NOT_EXECUTABLE);
}

/*
 * If cpprof was started with SIGCHLD ignored, the child's status would be lost.
 */
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

/* The pipe and the socket: near ends in SPAWN, far ones in B. */
static int open_channels(struct spawn *spawn, struct become *b, struct err *err)
{
	int go[2], result[2];

	spawn->before = (struct rusage){0};
	if (pipe2(go, O_CLOEXEC))
		return no_channel(b->argv[0], "pipe", err);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, result)) {
		close(go[0]);
		close(go[1]);
		return no_channel(b->argv[0], "socketpair", err);
	}
	spawn->go = go[1];
	spawn->result = result[0];
	b->go = go[0];
	b->result = result[1];
	default_sigchld(&b->chld);
	return 0;
}

static void close_ends(int go, int result)
{
	close(go);
	close(result);
}

int spawn_begin(struct spawn *spawn, char *const *argv, const sigset_t *mask,
	struct err *err)
{
	struct become b = {.spawn = spawn, .argv = argv, .mask = mask};

	if (open_channels(spawn, &b, err))
		return -1;
	spawn->monitor = getpid();
	spawn->pid = fork();
	if (spawn->pid == 0) {
		close_ends(spawn->go, spawn->result);
		become(&b);
	}
	close_ends(b.go, b.result);
	if (spawn->pid < 0) {
		err_sys(err, argv[0], "fork");
		close_ends(spawn->go, spawn->result);
		return -1;
	}
	return 0;
}

/* Makes a child and ends: its own child is no relation of the target's. */
static void double_fork(struct spawn *spawn, const struct become *b)
{
	pid_t self, child = fork();
	int null;

	if (child)
		_exit(child < 0 ? errno : 0);
	close_ends(b->go, b->result);
	setsid();
	self = getpid();
	(void)!send(spawn->result, &self, sizeof self, MSG_NOSIGNAL);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		close(null);
	}
}

int spawn_beside(struct spawn *spawn, char *const *argv, struct err *err)
{
	struct become b = {.spawn = spawn, .argv = argv, .waits = true};
	pid_t self = getpid(), child, monitor;
	int status = 0;

	if (open_channels(spawn, &b, err))
		return -1;
	child = fork();
	if (child == 0) {
		spawn->pid = self;
		spawn->beside = true;
		double_fork(spawn, &b);
		return 0;
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	close_ends(spawn->go, spawn->result);
	if (child < 0 || status) {
		errno = child < 0 ? errno : WEXITSTATUS(status);
		close_ends(b.go, b.result);
		return err_sys(err, argv[0], "fork");
	}
	/* where Yama lets only ancestors trace */
	if (recv(b.result, &monitor, sizeof monitor, 0) == sizeof monitor) {
		prctl(PR_SET_PTRACER, monitor, 0, 0, 0);
		spawn->monitor = monitor;
	}
	become(&b);
}

/*
 * A traced child stops at its exit, and goes on from there; if the kernel
 * refuses that, when the tracer's thread ends.
 */
static void reap(struct spawn *spawn)
{
	int status = 0;
	pid_t pid;

	do {
		pid = waitpid(spawn->pid, &status, __WALL);
		if (pid > 0 && WIFSTOPPED(status) &&
			ptrace(PTRACE_CONT, pid, NULL, NULL) && errno != ESRCH)
			break;
	} while (pid > 0 ? WIFSTOPPED(status) : errno == EINTR);
	spawn->pid = -1;
}

/* Waits until the child reports, or can report no more; -1: it never will. */
static int wait_for_word(const struct spawn *spawn, struct err *err)
{
	struct pollfd pollfd = {.fd = spawn->result, .events = POLLIN};

	while (poll(&pollfd, 1, 1) == 0)
		if (spawn->serve(spawn->arg, err))
			return -1;
	return 0;
}

/* The child is stopped for good: ends it, if it is one. */
static enum monitor_result give_up(struct spawn *spawn)
{
	close(spawn->result);
	if (!spawn->beside) {
		kill(spawn->pid, SIGKILL);
		reap(spawn);
	}
	return MONITOR_FAILED;
}

enum monitor_result spawn_go(
	struct spawn *spawn, char *const *argv, struct err *err)
{
	struct spawn_report report = {0};
	int error = 0;
	ssize_t n;

	close(spawn->go);
	for (;;) {
		if (wait_for_word(spawn, err))
			return give_up(spawn);
		n = read(spawn->result, &report, sizeof report);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof report)
			break;
		spawn->before = report.before;
		error = report.error;
		if (error)
			break;
	}
	/* beside: its end tells the other one to exit */
	if (!error || !spawn->beside)
		close(spawn->result);
	if (!error)
		return MONITOR_OK;
	if (!spawn->beside)
		reap(spawn);
	return program_explain(argv[0], error, err);
}

void spawn_cancel(struct spawn *spawn)
{
	const unsigned char status = LAUNCH_FAILED;

	if (spawn->beside) { /* the pipe stays open until the reason is reported
			      */
		(void)!write(spawn->go, &status, 1);
		close(spawn->result);
		return;
	}
	kill(spawn->pid, SIGKILL);
	close(spawn->go);
	close(spawn->result);
	reap(spawn);
}
