#include "monitor/target/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
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
#include "monitor/target/proc.h"

/* What is watched beside SIGCHLD, all of it for the target. */
static const int handed_on[] = {
	SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP};

/* Signals so close to one another are one request. */
#define TOGETHER_NS 200000000

/* Asked so often, cpprof ends as any program would. */
#define PATIENCE 3

/* Blocks the signals and opens the descriptor for them. */
static int listen_to(struct job *job, pid_t pid)
{
	sigset_t set;

	memset(job, 0, sizeof *job);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGPIPE);
	for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
		sigaddset(&set, handed_on[i]);
	job->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (job->fd < 0)
		return -1;
	if (sigprocmask(SIG_BLOCK, &set, &job->old_mask)) {
		close(job->fd);
		return -1;
	}
	job->pid = pid;
	job->status = -1;
	job->pidfd = job->witness.fd = -1;
	return 0;
}

int job_watch(struct job *job, pid_t pid)
{
	struct witness witness;

	/* before the first signal is listened to */
	witness_start(&witness);
	if (listen_to(job, pid)) {
		witness_end(&witness);
		return -1;
	}
	job->witness = witness;
	return 0;
}

int job_attach(struct job *job, pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (listen_to(job, pid)) {
		close(fd);
		return -1;
	}
	job->pidfd = fd;
	return 0;
}

/* As linux/pidfd.h has it since 6.15; older headers do not. */
struct pidfd_status {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
#define PIDFD_STATUS _IOWR(0xff, 11, struct pidfd_status)
#define PIDFD_STATUS_EXIT 8

/*
 * The wait status of a process of somebody else's: the kernel keeps it when it
 * has been waited for, and before /proc has it, as the last field.
 */
static int status_of(const struct job *job)
{
	struct pidfd_status info = {.mask = PIDFD_STATUS_EXIT};
	char path[64], text[1024], *last;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)job->pid);
	if (proc_read(path, text, sizeof text) > 0) {
		last = strrchr(text, ' ');
		return last && strstr(text, ") Z ") ? atoi(last) : -1;
	}
	if (ioctl(job->pidfd, PIDFD_STATUS, &info) == 0 &&
		(info.mask & PIDFD_STATUS_EXIT))
		return info.exit_code;
	return -1;
}

/* A process that is not ours cannot be waited for. */
static void look_at(struct job *job)
{
	struct pollfd pollfd = {.fd = job->pidfd, .events = POLLIN};

	if (job->ended || poll(&pollfd, 1, 0) <= 0)
		return;
	job->ended = true;
	job->status = status_of(job);
}

/* Whether PID is stopped, by the state in its /proc/PID/stat. */
static bool is_stopped(pid_t pid)
{
	char path[64], text[512], *state;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	proc_read(path, text, sizeof text);
	state = strrchr(text, ')'); /* behind the name, which may be anything */
	return state && (state[2] == 'T' || state[2] == 't');
}

/*
 * A child that wakes cpprof when the target goes on though cpprof was not
 * continued.  It says so again and again, since cpprof may not be stopped yet.
 */
static pid_t start_waker(pid_t target)
{
	const struct timespec wait = {.tv_nsec = 20000000};
	pid_t cpprof = getpid(), waker = fork();

	if (waker)
		return waker;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == cpprof) {
		nanosleep(&wait, NULL);
		if (!is_stopped(target))
			kill(cpprof, SIGCONT);
	}
	_exit(0);
}

static void end_waker(pid_t waker)
{
	kill(waker, SIGKILL);
	waitpid(waker, NULL, 0);
}

/*
 * Stops by SIG, one of those that stop; once, though the terminal may have sent
 * it too: it is pending when it is let through.
 */
static void stop_by(int sig)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, old;
	sigset_t set, mask;

	if (sig == SIGSTOP) {
		raise(sig);
		return;
	}
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigaction(sig, &stop, &old);
	sigprocmask(SIG_BLOCK, &set, &mask);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(sig, &old, NULL);
}

/* Stops as the target did; when that is over, so is the target's stop. */
void job_stop(struct job *job, int sig)
{
	siginfo_t info = {0};
	pid_t waker;

	/* nobody would continue it, or it is not ours */
	if (getsid(0) == getpid() || job->pidfd >= 0)
		return;
	waker = start_waker(job->pid);
	if (waker < 0)
		return;
	stop_by(sig);
	end_waker(waker);
	/* Nothing new from the target: it is still in the same stop. */
	if (waitid(P_PID, (id_t)job->pid, &info,
		    WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid == 0)
		kill(job->pid, SIGCONT);
}

static void on_child(struct job *job)
{
	int status;

	while (!job->ended && wait4(job->pid, &status, WNOHANG | WUNTRACED,
				      &job->usage) > 0) {
		if (WIFSTOPPED(status)) {
			job_stop(job, WSTOPSIG(status));
			continue;
		}
		job->ended = true;
		job->status = status;
	}
}

void job_reap(struct job *job)
{
	pid_t pid;

	do
		pid = wait4(job->pid, &job->status, __WALL, &job->usage);
	while (pid < 0 && errno == EINTR);
	job->ended = true;
}

/* A signal that somebody has sent to cpprof. */
static void hand_on(struct job *job, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;

	/* the kernel's are the terminal's, which go to the group */
	if (!witness_saw(&job->witness, signal) && info->ssi_code <= 0)
		kill(job->pid, signal);
}

/* Attached, all of them ask for the end. */
static bool is_request(const struct job *job, uint32_t signal)
{
	return signal == SIGINT || signal == SIGTERM || job->pidfd >= 0;
}

void job_stand_by(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* A SIGINT or SIGTERM; true: it is not for the target. */
static bool ask(struct job *job)
{
	uint64_t before = job->warned, now = clock_now();

	job->warned = now;
	if (before && now - before < TOGETHER_NS)
		return job->done;
	if (!before && !job->ended && job->pidfd < 0)
		return false;
	job->done = true;
	if (++job->asked == PATIENCE)
		job_stand_by();
	return true;
}

void job_handle(struct job *job)
{
	struct signalfd_siginfo info;

	if (job->pidfd >= 0 && (!job->traced || job->leaderless))
		look_at(job);
	while (read(job->fd, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGUSR1) {
			witness_saw(&job->witness, SIGUSR1);
			job->toggles++;
		} else if (info.ssi_signo == SIGCHLD) {
			if (!job->traced && job->pidfd < 0)
				on_child(job);
		} else if (info.ssi_signo == SIGPIPE) {
			continue;
		} else if (is_request(job, info.ssi_signo) && ask(job)) {
			witness_saw(&job->witness, (int)info.ssi_signo);
		} else if (!job->ended && job->pidfd < 0) {
			hand_on(job, &info);
		}
	}
}

void job_release(struct job *job)
{
	struct signalfd_siginfo info;

	if (!job->pid)
		return;
	while (read(job->fd, &info, sizeof info) == sizeof info)
		;
	close(job->fd);
	witness_end(&job->witness);
	if (job->pidfd >= 0)
		close(job->pidfd);
	sigprocmask(SIG_SETMASK, &job->old_mask, NULL);
	job->pid = 0;
}
