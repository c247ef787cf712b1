/*
 * shortlived - many threads or processes, each shorter than an interval.
 *
 * --threads=N threads and --processes=N processes, two at a time (--together:
 * all threads at once; --generations=N: each process with a child that has a
 * child, so many in all, three at the most), each of them working --us
 * microseconds in short_work, touching --pages pages in short_touch and reading
 * --bytes bytes in short_read. Each alone consumes less than any sensible
 * interval; what the profiles must show is the sum, as
 * --truth tells it: cpu in us (each by its thread's own CPU clock), faults and
 * bytes exactly.  What creating and ending a thread costs comes on top of the
 * cpu told.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samples/sample.h"

#define PAGE 4096
#define BYTES_MAX 1024

static uint64_t turns, page_count, byte_count, generations;
static pthread_barrier_t together;
static bool wait_for_all;
static int zeros;

static FRAME void short_work(void)
{
	SPIN(turns);
}

static FRAME void short_touch(char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*(volatile char *)(at + i * PAGE) = 1;
}

static FRAME void short_read(char *buffer, size_t n)
{
	if (read(zeros, buffer, n) != (ssize_t)n)
		sample_fail("/dev/zero: %s", strerror(errno));
}

static void live(void)
{
	MEASURED_CPU(short_work);
	if (page_count > 0) {
		char *at = sample_untouched(page_count);

		short_touch(at, page_count);
		munmap(at, page_count * PAGE);
		sample_truth("pagefaults", "short_touch", page_count);
	}
	if (byte_count > 0) {
		char buffer[BYTES_MAX];

		short_read(buffer, byte_count);
		sample_truth("bytes-read", "short_read", byte_count);
		sample_truth("syscalls=read", "short_read", 1);
	}
}

static FRAME void *short_thread(void *unused)
{
	SHADOW();
	if (wait_for_all)
		pthread_barrier_wait(&together);
	live();
	if (wait_for_all)
		pthread_barrier_wait(&together);
	return unused;
}

static void beget(void (*child_does)(void))
{
	pid_t child = fork();
	int status;

	if (child < 0)
		sample_fail("fork: %s", strerror(errno));
	if (child == 0) {
		child_does();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		sample_fail("a child failed");
}

static FRAME void third_generation(void)
{
	SHADOW();
	live();
}

static FRAME void second_generation(void)
{
	SHADOW();
	live();
	if (generations > 2)
		beget(third_generation);
}

static FRAME void short_process(void)
{
	SHADOW();
	live();
	if (generations > 1)
		beget(second_generation);
}

static void run_threads(uint64_t n)
{
	uint64_t at_once = wait_for_all ? n : 2;
	pthread_t *threads = calloc(at_once + 1, sizeof(*threads));

	if (threads == NULL)
		sample_fail("no memory");
	if (wait_for_all && n > 0)
		pthread_barrier_init(&together, NULL, (unsigned)n);
	for (uint64_t i = 0; i < n; i++) {
		int failed;

		if (i >= at_once)
			pthread_join(threads[i % at_once], NULL);
		failed = pthread_create(
			&threads[i % at_once], NULL, short_thread, NULL);
		if (failed != 0)
			sample_fail("pthread_create: %s", strerror(failed));
	}
	for (uint64_t i = n > at_once ? n - at_once : 0; i < n; i++)
		pthread_join(threads[i % at_once], NULL);
	free(threads);
}

static void wait_one(void)
{
	int status;

	if (wait(&status) < 0 || status != 0)
		sample_fail("a child failed");
}

static void run_processes(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		pid_t child;

		if (i >= 2)
			wait_one();
		child = fork();
		if (child < 0)
			sample_fail("fork: %s", strerror(errno));
		if (child == 0) {
			short_process();
			_exit(0);
		}
	}
	for (uint64_t i = n > 2 ? n - 2 : 0; i < n; i++)
		wait_one();
}

int main(int argc, char **argv)
{
	static const char *const options[] = {"--threads=", "--processes=",
		"--us=", "--pages=", "--bytes=", "--generations=", "--together",
		NULL};
	uint64_t threads, processes, us;

	sample_start(argc, argv, options);
	threads = sample_number("--threads=", 1000);
	processes = sample_number("--processes=", 500);
	us = sample_number("--us=", 200);
	page_count = sample_number("--pages=", 22);
	byte_count = sample_number("--bytes=", 100);
	generations = sample_number("--generations=", 1);
	wait_for_all = sample_flag("--together");
	if (byte_count > BYTES_MAX)
		sample_fail("--bytes=: at most %d", BYTES_MAX);
	zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (zeros < 0)
		sample_fail("/dev/zero: %s", strerror(errno));
	turns = (uint64_t)(sample_turns_per_us() * (double)us);
	run_threads(threads);
	run_processes(processes);
	printf("%llu threads, %llu processes\n", (unsigned long long)threads,
		(unsigned long long)processes);
	return sample_end();
}
