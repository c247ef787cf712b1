/*
 * attach_crowd - a process that makes threads all the time, for attach.
 *
 *     attach_crowd relay MS    one thread at a time works; each makes the next
 *                              one and ends, the first one at once
 *     attach_crowd flood MS    three threads that make short ones
 *     attach_crowd forks MS    one that makes processes, which make the next
 *     attach_crowd idle MS     the first thread has ended, another sleeps
 *
 * Says "ready" and runs for MS, or until a SIGTERM.  Exits with 7.  The relay
 * tells every few ms what time it is (CLOCK_MONOTONIC) and how much processor
 * time it has had, both in us.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define STACK 65536

static volatile unsigned long sink;
static volatile long end;
static pthread_attr_t detached;

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void on_term(int sig)
{
	(void)sig;
	end = 0;
}

static KEEP void work(unsigned long turns)
{
	for (unsigned long i = 0; i < turns; i++)
		sink += i;
}

static long clock_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void tell(void)
{
	static long told;
	long now = clock_us(CLOCK_MONOTONIC);

	if (now - told < 3000)
		return;
	told = now;
	printf("at %ld %ld\n", now, clock_us(CLOCK_PROCESS_CPUTIME_ID));
	fflush(stdout);
}

static KEEP void *relay(void *arg)
{
	pthread_t next;

	work(200000);
	tell();
	if (now_ms() >= end)
		exit(7);
	if (pthread_create(&next, &detached, relay, arg))
		abort();
	return arg;
}

static void *brief(void *arg)
{
	work(2000);
	return arg;
}

static KEEP void *flood(void *arg)
{
	pthread_t t;

	while (now_ms() < end)
		if (pthread_create(&t, NULL, brief, NULL) == 0)
			pthread_join(t, NULL);
	return arg;
}

static KEEP void forks(void)
{
	while (now_ms() < end) {
		pid_t child = fork();

		if (child == 0) {
			work(200000);
			continue;
		}
		/* a chain of processes that wait for one another would grow */
		if (child > 0)
			waitpid(child, NULL, 0);
		break;
	}
}

static void *idle(void *arg)
{
	while (now_ms() < end) {
		work(200000);
		usleep(10000);
	}
	exit(7);
	return arg;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "relay";
	pthread_t t[3];

	end = now_ms() + (argc > 2 ? atol(argv[2]) : 1000);
	signal(SIGTERM, on_term);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&detached, STACK);
	puts("ready");
	fflush(stdout);
	if (strcmp(mode, "flood") == 0) {
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, flood, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
		return 7;
	}
	if (strcmp(mode, "forks") == 0) {
		forks();
		return 7;
	}
	pthread_create(&t[0], &detached, *mode == 'i' ? idle : relay, NULL);
	pthread_exit(NULL);
}
