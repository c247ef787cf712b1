/*
 * burn - CPU time in known functions, in threads and processes.
 *
 * What its cpu profile must show: what --truth says, us of CPU time by path,
 * each measured by the thread's own CPU clock around the call.  In each of the
 * main thread, --threads threads and --children processes (all at a time),
 * left takes four units, one in burn_short and three in burn_long, and right
 * takes two in burn_short; a unit is --ms milliseconds.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samples/sample.h"

static uint64_t unit; /* turns */

static FRAME void burn_short(unsigned units)
{
	SPIN(units * unit);
}

static FRAME void burn_long(unsigned units)
{
	SPIN(units * unit);
}

static FRAME void left(void)
{
	SHADOW();
	MEASURED_CPU(burn_short, 1);
	MEASURED_CPU(burn_long, 3);
}

static FRAME void right(void)
{
	SHADOW();
	MEASURED_CPU(burn_short, 2);
}

static FRAME void *thread_part(void *unused)
{
	SHADOW();
	left();
	right();
	return unused;
}

static FRAME void child_part(void)
{
	SHADOW();
	left();
	right();
}

static void start_children(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pid_t child = fork();

		if (child < 0)
			sample_fail("fork: %s", strerror(errno));
		if (child == 0) {
			child_part();
			_exit(0);
		}
	}
}

static void wait_children(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int status;

		if (wait(&status) < 0 || status != 0)
			sample_fail("a child failed");
	}
}

static pthread_t *start_threads(size_t n)
{
	pthread_t *threads = calloc(n + 1, sizeof(*threads));

	if (threads == NULL)
		sample_fail("no memory");
	for (size_t i = 0; i < n; i++) {
		int failed =
			pthread_create(&threads[i], NULL, thread_part, NULL);

		if (failed != 0)
			sample_fail("pthread_create: %s", strerror(failed));
	}
	return threads;
}

int main(int argc, char **argv)
{
	static const char *const options[] = {
		"--ms=", "--threads=", "--children=", NULL};
	size_t threads, children;
	pthread_t *started;
	uint64_t ms;

	sample_start(argc, argv, options);
	ms = sample_number("--ms=", 25);
	threads = sample_number("--threads=", 3);
	children = sample_number("--children=", 2);
	unit = (uint64_t)(sample_turns_per_us() * 1000 * (double)ms);

	fflush(stdout);
	start_children(children);
	started = start_threads(threads);
	left();
	right();
	for (size_t i = 0; i < threads; i++)
		pthread_join(started[i], NULL);
	free(started);
	wait_children(children);
	printf("6 times %llu ms in 1 + %zu threads and %zu children\n",
		(unsigned long long)ms, threads, children);
	return sample_end();
}
