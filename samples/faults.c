/*
 * faults - first touches of pages, counted to the fault.
 *
 * What its pagefaults profile must show: exactly what --truth says, for each
 * path: pages touched in the main thread, by reading, by the kernel inside
 * pread(2) (which an ordinary user may not see), in several threads at a time
 * and in forked children, which also fault on each page of their parent's that
 * they write.  The program holds each count against the kernel's own.
 *
 * The functions that touch do nothing else: no fault on the stack, on code or
 * on the books can happen below them.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samples/sample.h"

#define PAGE 4096

static size_t pages;
static char *inherited; /* written by the parent before it forks */
static int file;

static FRAME void touch_few(char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*(volatile char *)(at + i * PAGE) = 1;
}

static FRAME void touch_many(char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*(volatile char *)(at + i * PAGE) = 1;
}

static FRAME void read_untouched(char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)*(volatile char *)(at + i * PAGE);
}

static FRAME void touch_in_kernel(char *at, size_t n)
{
	for (size_t done = 0; done < n * PAGE;) {
		ssize_t got =
			pread(file, at + done, n * PAGE - done, (off_t)done);

		if (got <= 0)
			sample_fail("pread: %s", strerror(errno));
		done += (size_t)got;
	}
}

static FRAME void write_inherited(char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*(volatile char *)(at + i * PAGE) = 2;
}

/*
 * Touches what else could fault: the stack below, and libc's code for the
 * calls.
 */
static FRAME void settle(void)
{
	char below[4 * PAGE];

	for (size_t i = 0; i < sizeof(below); i += PAGE / 4)
		*(volatile char *)&below[i] = 1;
	if (pread(file, below, 1, 0) != 1)
		sample_fail("pread: %s", strerror(errno));
	(void)sample_faults();
}

#define COUNTED(touch, at, n)                                                  \
	do {                                                                   \
		uint64_t before_;                                              \
		settle();                                                      \
		before_ = sample_faults();                                     \
		touch(at, n);                                                  \
		hold(#touch, n, sample_faults() - before_);                    \
	} while (0)

/*
 * A page costs one fault, and rarely one more: the kernel serves a fault again
 * when another one, or what moves pages, was at the same table.  What it
 * counted is the truth.
 */
static void hold(const char *function, uint64_t n, uint64_t faults)
{
	if (faults < n || faults > n + n / 100)
		sample_fail("%s: %llu faults for %llu pages", function,
			(unsigned long long)faults, (unsigned long long)n);
	sample_truth("pagefaults", function, faults);
}

static FRAME void main_part(void)
{
	char *at = sample_untouched(6 * pages);

	SHADOW();
	COUNTED(touch_few, at, pages);
	COUNTED(touch_many, at + pages * PAGE, 3 * pages);
	COUNTED(read_untouched, at + 4 * pages * PAGE, pages);
	COUNTED(touch_in_kernel, at + 5 * pages * PAGE, pages);
}

static FRAME void *thread_part(void *at)
{
	SHADOW();
	COUNTED(touch_few, at, pages);
	COUNTED(touch_many, (char *)at + pages * PAGE, 2 * pages);
	return NULL;
}

static FRAME void child_part(void)
{
	char *at = sample_untouched(pages);

	SHADOW();
	COUNTED(touch_few, at, pages);
	COUNTED(write_inherited, inherited, pages);
}

static void run_threads(size_t n)
{
	pthread_t *threads = calloc(n + 1, sizeof(*threads));

	if (threads == NULL)
		sample_fail("no memory");
	for (size_t i = 0; i < n; i++) {
		int failed = pthread_create(&threads[i], NULL, thread_part,
			sample_untouched(3 * pages));

		if (failed != 0)
			sample_fail("pthread_create: %s", strerror(failed));
	}
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void run_children(size_t n)
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
	for (size_t i = 0; i < n; i++) {
		int status;

		if (wait(&status) < 0 || status != 0)
			sample_fail("a child failed");
	}
}

int main(int argc, char **argv)
{
	static const char *const options[] = {
		"--pages=", "--threads=", "--children=", NULL};
	size_t threads, children;

	sample_start(argc, argv, options);
	pages = sample_number("--pages=", 1000);
	threads = sample_number("--threads=", 4);
	children = sample_number("--children=", 3);
	file = memfd_create("faults", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, (off_t)(pages * PAGE)) != 0)
		sample_fail("memfd: %s", strerror(errno));
	inherited = sample_untouched(pages);
	memset(inherited, 1, pages * PAGE);

	main_part();
	run_threads(threads);
	run_children(children);
	printf("%zu pages in %zu threads and %zu children\n", pages, threads,
		children);
	return sample_end();
}
