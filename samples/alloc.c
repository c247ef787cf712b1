/*
 * alloc - requests for memory of every kind, with known callers.
 *
 * Each function requests memory by one of malloc's family.  In some cases the
 * allocator calls another of its functions; some requests cannot be met.  What
 * its profiles must show (bytes-allocated and allocations, interval 1): each
 * path of the truth exactly, each request once.  The amounts of --truth are
 * bytes and requests.
 *
 *     --times=N     rounds of it all, default 10
 *     --threads=N   that request 100 bytes ten times each, default 3
 *     --children=N  made by fork, that request 1000 bytes each, default 3
 */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samples/sample.h"

/* Begins a frame, and adds one request of BYTES to the truth of its path. */
#define ASKS(bytes)                                                            \
	SHADOW();                                                              \
	asked(bytes)

static void *volatile got;
static void *volatile nothing; /* NULL, unknown to the compiler */
static volatile size_t more = SIZE_MAX;

static void asked(uint64_t bytes)
{
	if (bytes)
		sample_truth("bytes-allocated", NULL, bytes);
	sample_truth("allocations", NULL, 1);
}

static void drop(void)
{
	free(got);
	got = NULL;
}

static FRAME void by_malloc(size_t n)
{
	ASKS(n);
	got = malloc(n);
}

static FRAME void by_calloc(size_t n)
{
	ASKS(3 * n);
	got = calloc(3, n);
}

static FRAME void by_realloc(size_t n)
{
	ASKS(n);
	got = realloc(got, n);
}

static FRAME void by_realloc_of_nothing(size_t n)
{
	ASKS(n);
	got = realloc(nothing, n);
}

static FRAME void by_reallocarray(size_t n)
{
	ASKS(7 * n);
	got = reallocarray(got, 7, n);
}

static FRAME void by_reallocarray_of_nothing(size_t n)
{
	ASKS(5 * n);
	got = reallocarray(nothing, 5, n);
}

static FRAME void by_memalign(size_t alignment, size_t n)
{
	ASKS(n);
	got = memalign(alignment, n);
}

static FRAME void by_aligned_alloc(size_t alignment, size_t n)
{
	ASKS(n);
	got = aligned_alloc(alignment, n);
}

static FRAME void by_posix_memalign(size_t alignment, size_t n)
{
	void *p;

	ASKS(n);
	if (posix_memalign(&p, alignment, n))
		sample_fail("posix_memalign");
	got = p;
}

static FRAME void by_valloc(size_t n)
{
	ASKS(n);
	got = valloc(n);
}

/* A library makes the request: it counts for the library. */
static FRAME void by_strdup(void)
{
	ASKS(sizeof "nineteen characters");
	got = strdup("nineteen characters");
}

/* More than any address space has: the request fails and counts no bytes. */
static FRAME void by_malloc_of_all(size_t n)
{
	ASKS(0);
	got = malloc(more - n);
}

static FRAME void by_calloc_of_all(size_t n)
{
	ASKS(0);
	got = calloc(more / 2, n);
}

static void grow(void)
{
	/* in place, moved, into a mapping, in that mapping */
	static const size_t sizes[] = {50, 60, 3000, 400000, 800000, 10};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		by_realloc(sizes[i]);
	drop();
}

static void align(void)
{
	static const size_t alignments[] = {8, 16, 64, 4096};

	for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
		by_memalign(alignments[i], 128);
		drop();
		by_aligned_alloc(alignments[i], 4096);
		drop();
		by_posix_memalign(alignments[i], 100);
		drop();
	}
}

static void ask(void)
{
	by_malloc(100);
	drop();
	by_calloc(40);
	drop();
	by_realloc_of_nothing(10);
	grow();
	by_reallocarray_of_nothing(10);
	by_reallocarray(1000);
	drop();
	align();
	by_valloc(5000);
	drop();
	by_strdup();
	drop();
	by_malloc_of_all(3);
	by_calloc_of_all(4);
}

static FRAME void *in_thread(void *arg)
{
	SHADOW();
	for (int i = 0; i < 10; i++) {
		void *volatile mine;

		asked(100);
		mine = malloc(100);
		free(mine);
	}
	return arg;
}

static FRAME void in_child(void)
{
	SHADOW();
	by_malloc(1000);
}

static FRAME void threads(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, in_thread, NULL))
			sample_fail("pthread_create");
		pthread_join(thread, NULL);
	}
}

static FRAME void children(uint64_t n)
{
	SHADOW();
	for (uint64_t i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			sample_fail("fork");
		if (pid == 0) {
			in_child();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static const char *const options[] = {
	"--times=", "--threads=", "--children=", NULL};

int main(int argc, char **argv)
{
	sample_start(argc, argv, options);
	for (uint64_t i = sample_number("--times=", 10); i-- > 0;)
		ask();
	threads(sample_number("--threads=", 3));
	children(sample_number("--children=", 3));
	return sample_end();
}
