/*
 * attach_target - runs for a while with all that an attach can meet: threads
 * that work, that wait in epoll_wait (and would notice an interruption), that
 * come and go all the time, and a child.
 *
 *     attach_target MS
 *
 * Runs for MS, or until a SIGTERM.  Says "ready" at once, and at the end how
 * many waits were interrupted.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static volatile unsigned long sink;
static volatile int over, interrupted;

static KEEP void work(unsigned long turns)
{
	for (unsigned long i = 0; i < turns; i++)
		sink += i;
}

static KEEP void read_zeros(int fd)
{
	char buffer[100];

	for (int i = 0; i < 10; i++)
		if (read(fd, buffer, sizeof buffer) != sizeof buffer)
			abort();
}

static void *busy(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY);

	while (!over) {
		work(300000);
		read_zeros(fd);
	}
	return arg;
}

static void *wait_events(void *arg)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	if (epoll_wait(fd, &event, 1, -1) < 0 && errno == EINTR)
		interrupted++;
	return arg;
}

static void *mayfly(void *arg)
{
	work(100000);
	return arg;
}

/* Of the main thread alone. */
static void on_term(int signal)
{
	(void)signal;
	over = 1;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long end = now_ms() + (argc > 1 ? atol(argv[1]) : 1000);
	pthread_t worker, waiter, short_one;
	sigset_t term;
	pid_t child;

	signal(SIGTERM, on_term);
	child = fork();

	if (child == 0) {
		busy(NULL);
		return 0;
	}
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	pthread_create(&worker, NULL, busy, NULL);
	pthread_create(&waiter, NULL, wait_events, NULL);
	pthread_sigmask(SIG_UNBLOCK, &term, NULL);
	puts("ready");
	fflush(stdout);
	while (!over && now_ms() < end) {
		pthread_sigmask(SIG_BLOCK, &term, NULL);
		pthread_create(&short_one, NULL, mayfly, NULL);
		pthread_join(short_one, NULL);
		pthread_sigmask(SIG_UNBLOCK, &term, NULL);
	}
	over = 1;
	pthread_join(worker, NULL);
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
	printf("%d interrupted\n", interrupted);
	return 7;
}
