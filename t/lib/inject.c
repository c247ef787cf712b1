/*
 * inject - lets one system call of a program fail, and none of its children's.
 *
 *     inject ERRNO CALL N COMMAND [ARGS...]
 *
 * The Nth CALL, from 1, that COMMAND's own process makes after its exec fails
 * with ERRNO, a number; from there on all of them where N ends in "+".  N 0:
 * none does, and "CALL COUNT" is said on standard error.  CALL is a number.
 * N "=NAME": each load of a BPF program of that name does (CALL is bpf's), and
 * of libbpf's loader, which loads several in the kernel, where none is seen.
 * Exits with the command's status, or 128 + the signal that ended it, when it
 * and all its descendants have ended; 77: this kernel cannot do it.  What has
 * not ended after LIMIT_S, or at a SIGTERM, is killed, all of it: 124.
 *
 * strace(1) would be the command's tracer and count for each thread by itself;
 * this is a seccomp filter that asks here.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 60

static volatile sig_atomic_t is_late;

struct shared {
	volatile int listener; /* 0: not yet, -1: none */
	char **argv;
	unsigned call;
};

/* Shares its descriptors, until its exec, with the process that asks. */
static int child(void *arg)
{
	struct shared *s = arg;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, s->call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof code / sizeof *code, .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		s->listener = -1;
		_exit(77);
	}
	s->listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (s->listener < 0)
		_exit(77);
	execvp(s->argv[0], s->argv);
	_exit(127);
}

/* Whether a thread is the command's, which has begun. */
static int is_own(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d", (int)pid, (int)tid);
	return access(path, F_OK) == 0;
}

#define LOADER "__loader.prog" /* libbpf's, <bpf/skel_internal.h> */

/* Whether that is the load of the BPF program NAME, or of the loader. */
static int loads(const struct seccomp_notif *ask, const char *name)
{
	char said[16] = "";
	struct iovec local = {said, sizeof said - 1},
		     remote = {(char *)ask->data.args[1] +
				       offsetof(union bpf_attr, prog_name),
			     sizeof said - 1};

	return ask->data.args[0] == BPF_PROG_LOAD &&
	       process_vm_readv((pid_t)ask->pid, &local, 1, &remote, 1, 0) >
		       0 &&
	       (strcmp(said, name) == 0 || strcmp(said, LOADER) == 0);
}

/* Answers until no process is left to ask; returns how often the command did.
 */
static unsigned long serve(int fd, pid_t pid, int error, unsigned long which,
	int more, const char *name)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	unsigned long n = 0;

	while (!is_late) {
		struct seccomp_notif ask = {0};
		struct seccomp_notif_resp answer = {0};

		if (poll(&pollfd, 1, 1000) <= 0)
			continue;
		if (pollfd.revents & POLLHUP)
			break;
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &ask))
			continue;
		answer.id = ask.id;
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		if (name ? loads(&ask, name)
			 : is_own(pid, (pid_t)ask.pid) && ++n >= which &&
					which && (more || n == which)) {
			answer.flags = 0;
			answer.error = -error;
		}
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	return n;
}

static void on_late(int signal)
{
	(void)signal;
	is_late = 1;
}

/* After LIMIT_S or at a SIGTERM, calls return and IS_LATE is set. */
static void watch_time(void)
{
	struct sigaction action = {.sa_handler = on_late};

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	alarm(LIMIT_S);
}

static void kill_children(void)
{
	FILE *f = fopen("/proc/thread-self/children", "r");
	int child;

	while (f && fscanf(f, "%d", &child) == 1)
		kill(child, SIGKILL);
	if (f)
		fclose(f);
}

/* Until no child is left; those of a killed one become this process's own. */
static void kill_all(void)
{
	do
		kill_children();
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

int main(int argc, char **argv)
{
	static char stack[65536] __attribute__((aligned(16)));
	struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned long which, n;
	int status = 0;
	char *end;
	pid_t pid;

	if (argc < 5 || s == MAP_FAILED)
		return 2;
	which = strtoul(argv[3], &end, 10);
	s->call = (unsigned)atoi(argv[2]);
	s->argv = argv + 4;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = clone(child, stack + sizeof stack, CLONE_FILES | SIGCHLD, s);
	while (pid > 0 && !s->listener)
		usleep(1000);
	if (pid < 0 || s->listener < 0)
		return 77;
	/* signals are the command's */
	signal(SIGINT, SIG_IGN);
	watch_time();
	n = serve(s->listener, pid, atoi(argv[1]), which, *end == '+',
		argv[3][0] == '=' ? argv[3] + 1 : NULL);
	if (is_late) {
		kill_all();
		return 124;
	}
	waitpid(pid, &status, 0);
	if (!which && argv[3][0] != '=')
		fprintf(stderr, "%u %lu\n", s->call, n);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
