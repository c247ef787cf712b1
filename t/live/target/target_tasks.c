/* monitor_target: threads and processes that come and go */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "t/live/target/monitor_target.h"

extern char **environ;

static void *short_life(void *us)
{
	pthread_setname_np(pthread_self(), "mayfly");
	burn_us((long)us);
	return NULL;
}

/* ARG1 threads, each of ARG2 us, a few at a time. */
int do_mayflies(void)
{
	long n = atol(arg1);

	for (long done = 0; done < n;) {
		pthread_t t[8];
		int k = 0;

		for (; k < 8 && done < n; k++, done++)
			must(pthread_create(&t[k], NULL, short_life,
				     (void *)atol(arg2)),
				"pthread_create");
		while (k > 0)
			pthread_join(t[--k], NULL);
	}
	puts("done");
	return 0;
}

/* Its files in /proc are known to the kernel, which takes time to forget them.
 */
static void *be_known(void *unused)
{
	static const char *const files[] = {"stat", "status", "maps", "comm",
		"fd", "fd/0", "fd/1", "ns", "ns/net", "ns/mnt", "attr",
		"syscall", "wchan"};
	long tid = syscall(SYS_gettid);

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char path[64];

		snprintf(path, sizeof path, "/proc/self/task/%ld/%s", tid,
			files[i]);
		access(path, F_OK);
		snprintf(path, sizeof path, "/proc/%ld/%s", tid, files[i]);
		access(path, F_OK);
	}
	pause();
	return unused;
}

/* ARG1 threads that wait when the program ends, after ARG2 us. */
int do_known(void)
{
	pthread_t t;

	for (long i = atol(arg1); i > 0; i--)
		must(pthread_create(&t, NULL, be_known, NULL),
			"pthread_create");
	usleep((useconds_t)atol(arg2));
	return 0;
}

/* ARG1 processes, each of ARG2 us, one after the other. */
int do_processes(void)
{
	for (long i = atol(arg1); i > 0; i--) {
		pid_t child = fork();

		must(child < 0, "fork");
		if (child == 0) {
			burn_us(atol(arg2));
			_exit(0);
		}
		wait_for(child);
	}
	puts("done");
	return 0;
}

static void *outlive(void *unused)
{
	burn_us(50000);
	puts("the thread went on");
	fflush(stdout);
	exit(7);
	return unused;
}

/* The leader ends first; a thread ends the process. */
int do_leader_first(void)
{
	pthread_t t;

	must(pthread_create(&t, NULL, outlive, NULL), "pthread_create");
	pthread_exit(NULL);
}

static void *exec_here(void *unused)
{
	execl(self, self, "burn", "50000", (char *)NULL);
	return unused;
}

/* exec from a thread that is not the leader, with others there. */
int do_exec_thread(void)
{
	pthread_t t;

	for (int i = 0; i < 3; i++)
		must(pthread_create(&t, NULL, short_life, (void *)10000000l),
			"pthread_create");
	must(pthread_create(&t, NULL, exec_here, NULL), "pthread_create");
	pthread_join(t, NULL);
	return 99;
}

/* execs itself ARG1 times. */
int do_exec_chain(void)
{
	long left = atol(arg1);
	char next[32];

	if (left == 0) {
		puts("end of the chain");
		return 0;
	}
	burn_us(200);
	snprintf(next, sizeof next, "%ld", left - 1);
	execl(self, self, "exec-chain", next, (char *)NULL);
	return 99;
}

static pid_t by_vfork(char **argv)
{
	pid_t child = vfork();

	if (child == 0) {
		execv(self, argv);
		_exit(99);
	}
	return child;
}

static pid_t by_clone3(void)
{
	struct clone_args args = {.exit_signal = SIGCHLD};
	pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof args);

	must(child < 0, "clone3");
	if (child == 0) {
		burn_us(200);
		_exit(0);
	}
	return child;
}

/* vfork, posix_spawn and clone3, ARG1 times each. */
int do_spawns(void)
{
	char *argv[] = {self, "burn", "200", NULL};

	for (long i = atol(arg1); i > 0; i--) {
		pid_t child;

		wait_for(by_vfork(argv));
		must(posix_spawn(&child, self, NULL, NULL, argv, environ),
			"posix_spawn");
		wait_for(child);
		wait_for(by_clone3());
	}
	return 0;
}

/*
 * A thread that the kernel makes in this process, a worker of an io_uring,
 * reads ARG1 pages of zeros into new memory: it has the faults.
 */
int do_kernel_thread(void)
{
	size_t size = (size_t)atol(arg1) * 4096;
	struct io_uring_params p = {0};
	int ring = (int)syscall(SYS_io_uring_setup, 1, &p);
	struct io_uring_sqe *ask;
	unsigned *tail;
	void *to = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *queue;

	if (ring < 0) {
		puts("no io_uring here");
		return 0;
	}
	queue = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof *tail,
		PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	ask = mmap(NULL, p.sq_entries * sizeof *ask, PROT_READ | PROT_WRITE,
		MAP_SHARED, ring, IORING_OFF_SQES);
	must(to == MAP_FAILED || queue == MAP_FAILED || ask == MAP_FAILED,
		"mmap");
	ask->opcode = IORING_OP_READ;
	ask->flags = IOSQE_ASYNC;
	ask->fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ask->addr = (uintptr_t)to;
	ask->len = (unsigned)size;
	tail = (unsigned *)(queue + p.sq_off.tail);
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	must(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS,
		     NULL, 0) != 1,
		"io_uring_enter");
	puts("done");
	return 0;
}
