/* The process that waits in the target's group, and the questions to it. */
#include "monitor/launch/group_signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 1000 /* for an answer */

/* The signals that came since the last call. */
static unsigned long long take_pending(const sigset_t *all)
{
	const struct timespec none = {0};
	unsigned long long set = 0;
	int signal;

	while ((signal = sigtimedwait(all, NULL, &none)) > 0)
		set |= 1ull << (signal - 1);
	return set;
}

/* The process in the group: it answers until the other side is gone. */
static _Noreturn void stand_by(int fd)
{
	unsigned long long set;
	sigset_t all;
	pid_t self = getpid();
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (dup2(fd, 0) < 0 || syscall(SYS_close_range, 1, ~0u, 0))
		_exit(1);
	(void)!chdir("/");
	if (send(0, &self, sizeof self, MSG_NOSIGNAL) < 0)
		_exit(1);
	while (recv(0, &byte, 1, 0) == 1) {
		set = take_pending(&all);
		if (send(0, &set, sizeof set, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

void group_signals_start(struct group_signals *group)
{
	int ends[2];
	pid_t child;

	*group = (struct group_signals){.fd = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return;
	child = fork();
	if (child == 0) {
		/* not our child: nobody waits for it by mistake */
		close(ends[0]);
		if (fork() == 0)
			stand_by(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (child > 0 && recv(ends[0], &group->pid, sizeof group->pid, 0) ==
				 sizeof group->pid)
		group->fd = ends[0];
	else
		close(ends[0]);
}

/* Asks the process which signals it has got. */
static void ask(struct group_signals *group)
{
	struct pollfd pollfd = {.fd = group->fd, .events = POLLIN};
	unsigned long long set;

	/* A process that signals a group locks the list of all processes
	   meanwhile. This waits for the lock, until the process has the signal
	   too. */
	setpgid(0, getpgrp());
	kill(group->pid, SIGCONT); /* the group may have been stopped */
	if (send(group->fd, "", 1, MSG_NOSIGNAL) == 1 &&
		poll(&pollfd, 1, PATIENCE_MS) > 0 &&
		recv(group->fd, &set, sizeof set, 0) == sizeof set)
		group->seen |= set;
	else
		group_signals_end(group);
}

bool group_signals_take(struct group_signals *group, int signal)
{
	unsigned long long bit = 1ull << (signal - 1);
	bool saw;

	if (group->fd >= 0)
		ask(group);
	saw = group->seen & bit;
	group->seen &= ~bit;
	return saw;
}

void group_signals_end(struct group_signals *group)
{
	if (group->fd >= 0)
		close(group->fd);
	group->fd = -1;
}
