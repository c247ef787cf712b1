/* monitor_target: what a program finds when it begins, and what others see of
 * it */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "t/live/target/monitor_target.h"

extern char **environ;

int do_exit(void)
{
	return atoi(arg1);
}

int do_signal(void)
{
	struct rlimit none = {0, 0};

	/* what a shell starts in the background ignores some */
	signal(atoi(arg1), SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
	raise(atoi(arg1));
	return 99;
}

/* A fault: unlike raise(), the kernel sends the signal. */
int do_crash(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	__builtin_trap();
}

/* Open descriptors, with what they are; the folder's own is left out. */
int do_fds(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD), mode = fcntl(fd, F_GETFL);
		struct stat st;

		if (flags >= 0 && fstat(fd, &st) == 0)
			printf("%d %o %x %x %jx:%jx\n", fd, st.st_mode,
				(unsigned)flags, (unsigned)mode,
				(uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	}
	return 0;
}

static void print_status(void)
{
	static const char *const wanted[] = {"SigBlk", "SigIgn", "SigCgt",
		"Uid", "Gid", "Groups", "Cap", "NoNewPrivs", "Seccomp",
		"Cpus_allowed", "Umask", "Threads", "TracerPid", "CoreDumping"};
	FILE *f = fopen("/proc/self/status", "r");
	char line[512];

	must(!f, "status");
	while (fgets(line, sizeof line, f))
		for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
			if (strncmp(line, wanted[i], strlen(wanted[i])) == 0)
				fputs(line, stdout);
	fclose(f);
}

/* What it may ask of its parent and its group. */
int do_parent(void)
{
	pid_t parent = getppid();
	struct sched_param param = {0};
	cpu_set_t set;

	usleep(300000); /* until the monitor is what it will be */
	sched_getparam(parent, &param);
	CPU_ZERO(&set);
	sched_getaffinity(parent, sizeof set, &set);
	printf("parent: policy %d priority %d nice %d group's %d on %d\n",
		sched_getscheduler(parent), param.sched_priority,
		getpriority(PRIO_PROCESS, (id_t)parent),
		getpriority(PRIO_PGRP, 0), CPU_COUNT(&set));
	return 0;
}

/* All that a program may find set when it begins. */
int do_attributes(void)
{
	struct sched_param param;
	char cwd[4096];

	print_status();
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit;

		if (getrlimit(i, &limit) == 0)
			printf("limit %d %jd %jd\n", i,
				(intmax_t)limit.rlim_cur,
				(intmax_t)limit.rlim_max);
	}
	errno = 0;
	printf("nice %d policy %d", getpriority(PRIO_PROCESS, 0),
		sched_getscheduler(0));
	sched_getparam(0, &param);
	printf(" priority %d\n", param.sched_priority);
	printf("group %d session %d foreground %d\n", getpgrp(), getsid(0),
		tcgetpgrp(0));
	printf("dumpable %d death %d subreaper slack %d\n",
		prctl(PR_GET_DUMPABLE), 0, prctl(PR_GET_TIMERSLACK));
	printf("cwd %s\n", getcwd(cwd, sizeof cwd));
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "_=", 2) != 0)
			printf("env %s\n", *e);
	return 0;
}

int do_close_all(void)
{
	printf("before\n");
	fflush(stdout);
	for (int fd = 0; fd < 4096; fd++)
		close(fd);
	burn_us(30000);
	return 3;
}

/* Leaves a daemon behind that writes ARG1 when ARG2 is gone. */
#define DAEMON_MS 60000 /* or after this, at the latest */

int do_daemon(void)
{
	if (fork())
		return 4;
	setsid();
	if (fork())
		_exit(0);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	for (int ms = 0; ms < DAEMON_MS && access(arg2, F_OK) == 0; ms++) {
		burn_us(300);
		usleep(700);
	}
	must(open(arg1, O_CREAT | O_WRONLY, 0600) < 0, "open");
	return 0;
}

/* Stops itself and is continued by a child; then ends with 6. */
int do_stop_self(void)
{
	pid_t child = fork(), me = getpid();

	if (child == 0) {
		usleep(500000);
		kill(getppid() == me ? me : 0, SIGCONT);
		_exit(0);
	}
	raise(atoi(arg1));
	puts("went on");
	wait_for(child);
	return 6;
}

static volatile sig_atomic_t got[65];

static void on_signal(int sig)
{
	got[sig]++;
}

/* Says "ready", then every signal that comes, until ARG1 of them came. */
int do_signals(void)
{
	sigset_t all, none;
	int n = atoi(arg1);

	sigfillset(&all);
	sigemptyset(&none);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int s = 1; s < 32; s++)
		signal(s, on_signal);
	puts("ready");
	fflush(stdout);
	while (n > 0) {
		sigsuspend(&none);
		for (int s = 1; s < 65; s++)
			for (; got[s] > 0; got[s]--, n--) {
				printf("signal %d\n", s);
				fflush(stdout);
			}
	}
	return 0;
}
