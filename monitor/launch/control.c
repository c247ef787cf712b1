/* Takes signals from a signalfd and passes on those that cpprof alone got. */
#include "monitor/launch/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "monitor/base/proc.h"

/*
 * The signals that are passed on to the target: those that may be sent to its
 * group and would end cpprof.  Not SIGALRM and SIGXCPU, which cpprof sends to
 * threads of its own.
 */
static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1,
	SIGUSR2, SIGTSTP, SIGABRT, SIGTRAP, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
	SIGSTKFLT};

/* Signals so close to one another count as one. */
#define TOGETHER_NS 200000000

/* The signal that comes the third time ends cpprof as it would any program. */
#define PATIENCE 3

/* Fills SET with the signals that cpprof handles. */
static void fill_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGPIPE);
	for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		sigaddset(set, passed_on[i]);
}

void control_hold(struct control *control)
{
	sigset_t set;

	*control = (struct control){
		.fd = -1,
		.status = -1,
		.group.fd = -1,
		.pidfd = -1,
	};
	fill_set(&set);
	control->held = sigprocmask(SIG_BLOCK, &set, &control->old_mask) == 0;
}

/* Opens the descriptor for the signals. */
static int listen_to(struct control *control, pid_t pid)
{
	sigset_t set;

	fill_set(&set);
	control->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (control->fd < 0)
		return -1;
	control->pid = pid;
	return 0;
}

int control_begin(struct control *control, pid_t pid)
{
	if (listen_to(control, pid))
		return -1;
	group_signals_start(&control->group);
	return 0;
}

int control_attach(struct control *control, pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (listen_to(control, pid)) {
		close(fd);
		return -1;
	}
	control->pidfd = fd;
	return 0;
}

/* As linux/pidfd.h has it since 6.15; older headers lack it. */
struct pidfd_status {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
#define PIDFD_STATUS _IOWR(0xff, 11, struct pidfd_status)
#define PIDFD_STATUS_EXIT 8

/*
 * The wait status of another's process: the kernel keeps it when its parent has
 * waited for it.  Before that /proc has it, as the last field.
 */
static int status_of(const struct control *control)
{
	struct pidfd_status info = {.mask = PIDFD_STATUS_EXIT};
	char path[64], text[1024], *last;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)control->pid);
	if (proc_read(path, text, sizeof text) > 0) {
		last = strrchr(text, ' ');
		return last && strstr(text, ") Z ") ? atoi(last) : -1;
	}
	if (ioctl(control->pidfd, PIDFD_STATUS, &info) == 0 &&
		(info.mask & PIDFD_STATUS_EXIT))
		return info.exit_code;
	return -1;
}

/* Only its parent can wait for a process. */
static void check_end(struct control *control)
{
	struct pollfd pollfd = {.fd = control->pidfd, .events = POLLIN};

	if (control->ended || poll(&pollfd, 1, 0) <= 0)
		return;
	control->ended = true;
	control->status = status_of(control);
}

/*
 * Stops by SIG.  The terminal may have sent it too: then it is pending and
 * taken together with ours.
 */
static void stop_by(int sig)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, old;
	sigset_t set, mask;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigaction(sig, &stop, &old);
	sigprocmask(SIG_BLOCK, &set, &mask);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(sig, &old, NULL);
}

/*
 * Stops as the target did, by a signal of the terminal; when cpprof continues,
 * so does the target.  A SIGSTOP to the target alone is from somebody who will
 * continue it alone.
 */
void control_stop(struct control *control, int sig)
{
	siginfo_t info = {0};

	/* nobody would continue cpprof, or the target is not its child */
	if (sig == SIGSTOP || getsid(0) == getpid() || control->pidfd >= 0)
		return;
	stop_by(sig);
	/* Nothing new from the target: it is still in the same stop. */
	if (waitid(P_PID, (id_t)control->pid, &info,
		    WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid == 0)
		kill(control->pid, SIGCONT);
}

/* As wait4(), which a filter of system calls may refuse; then without usage. */
static pid_t wait_for(struct control *control, int *status, int options)
{
	siginfo_t info = {0};
	pid_t pid = wait4(control->pid, status, options, &control->usage);

	if (pid >= 0 || errno == EINTR ||
		waitid(P_PID, (id_t)control->pid, &info, WEXITED | options))
		return pid;
	*status = info.si_code == CLD_EXITED    ? W_EXITCODE(info.si_status, 0)
		  : info.si_code == CLD_STOPPED ? W_STOPCODE(info.si_status)
						: info.si_status;
	return info.si_pid;
}

static void on_child(struct control *control)
{
	int status;

	while (!control->ended &&
		wait_for(control, &status, WNOHANG | WUNTRACED) > 0) {
		if (WIFSTOPPED(status)) {
			control_stop(control, WSTOPSIG(status));
			continue;
		}
		control->ended = true;
		control->status = status;
	}
}

void control_reap(struct control *control)
{
	while (wait_for(control, &control->status, __WALL) < 0 &&
		errno == EINTR)
		;
	control->ended = true;
}

/* Passes a signal to cpprof on to the target. */
static void pass_on(
	struct control *control, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;

	/* the kernel sends the terminal's signals, which go to the group */
	if (!group_signals_take(&control->group, signal) && info->ssi_code <= 0)
		kill(control->pid, signal);
}

/* Attached: whether the signal asks for the end; all of these do. */
static bool is_request(const struct control *control, uint32_t signal)
{
	return signal == SIGINT || signal == SIGTERM || control->pidfd >= 0;
}

void control_stand_by(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Handles a SIGINT or SIGTERM; true: it is not for the target. */
static bool ask(struct control *control)
{
	uint64_t before = control->warned, now = clock_now();

	control->warned = now;
	if (before && now - before < TOGETHER_NS)
		return control->done;
	if (!before && !control->ended && control->pidfd < 0)
		return false;
	control->done = true;
	control->late |= control->ended;
	if (++control->asked == PATIENCE)
		control_stand_by();
	return true;
}

void control_handle(struct control *control)
{
	struct signalfd_siginfo info;

	if (control->pidfd >= 0 && (!control->traced || control->leaderless))
		check_end(control);
	while (read(control->fd, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGUSR1) {
			group_signals_take(&control->group, SIGUSR1);
			control->toggles++;
		} else if (info.ssi_signo == SIGCHLD) {
			if (!control->traced && control->pidfd < 0)
				on_child(control);
		} else if (info.ssi_signo == SIGPIPE) {
			continue;
		} else if (is_request(control, info.ssi_signo) &&
			   ask(control)) {
			group_signals_take(
				&control->group, (int)info.ssi_signo);
		} else if (!control->ended && control->pidfd < 0) {
			pass_on(control, &info);
		}
	}
}

void control_release(struct control *control)
{
	struct signalfd_siginfo info;

	if (!control->held)
		return;
	if (control->fd >= 0) {
		while (read(control->fd, &info, sizeof info) == sizeof info)
			;
		close(control->fd);
	}
	group_signals_end(&control->group);
	if (control->pidfd >= 0)
		close(control->pidfd);
	sigprocmask(SIG_SETMASK, &control->old_mask, NULL);
	control->held = false;
}
