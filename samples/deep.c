/*
 * deep - a hundred thousand frames.
 *
 * Source: recursion over a list as long as that is legal C and common in
 * programs that are profiled; a stack copy holds some thousand frames.
 *
 * descend calls itself --depth times and works at the bottom, in bottom, and
 * at nine places on its way, in waypoint.  What the cpu and the pagefaults
 * profile must show: every sample of bottom and of waypoint reaches
 * thread_part (with --main: main), whatever the depth; what --truth says
 * of cpu (us, the clock read by descend), two thirds of the turns bottom's, and
 * exactly its pages fault in each.
 * The faults of descend itself are those of its stack.
 *
 * The stack is that of a thread, mapped at its start; with --main the
 * program raises its stack limit and executes itself again.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "samples/sample.h"

#define PAGE 4096
#define STACK_MIN (64u << 20)
#define FRAME_MAX 512 /* bytes, more than descend takes */
#define PLACES 10
#define WAYPOINT_TURNS 25000000u
#define WAYPOINT_PAGES 20
#define BOTTOM_TURNS 500000000u
#define BOTTOM_PAGES 400

static uint64_t depth, visited, passed;
static uint64_t waypoint_ns, bottom_ns;
static char *pages, *bottom_pages;

static FRAME void waypoint(void)
{
	for (unsigned i = 0; i < WAYPOINT_PAGES; i++, pages += PAGE)
		*(volatile char *)pages = 1;
	SPIN(WAYPOINT_TURNS);
	passed++;
}

static FRAME void bottom(void)
{
	for (unsigned i = 0; i < BOTTOM_PAGES; i++)
		*(volatile char *)(bottom_pages + i * PAGE) = 1;
	SPIN(BOTTOM_TURNS);
}

/* Adds the clock time of CALL to NS.  It needs no local variable, so that a
   frame of descend does not grow. */
#define CLOCKED(ns, call)                                                      \
	do {                                                                   \
		(ns) -= sample_cpu_ns();                                       \
		call;                                                          \
		(ns) += sample_cpu_ns();                                       \
	} while (0)

static FRAME void descend(uint64_t level)
{
	if (level % (depth / PLACES) == 0 && level < depth)
		CLOCKED(waypoint_ns, waypoint());
	if (level < depth)
		descend(level + 1);
	else
		CLOCKED(bottom_ns, bottom());
	visited++;
}

static void tell(const char *base)
{
	char path[64];

	snprintf(path, sizeof(path), "%s;descend;waypoint", base);
	sample_truth_cpu_at(path, waypoint_ns);
	sample_truth_at("pagefaults", path, passed * WAYPOINT_PAGES);
	snprintf(path, sizeof(path), "%s;descend;bottom", base);
	sample_truth_cpu_at(path, bottom_ns);
	sample_truth_at("pagefaults", path, BOTTOM_PAGES);
}

static FRAME void *thread_part(void *unused)
{
	descend(1);
	return unused;
}

static size_t stack_size(void)
{
	return STACK_MIN + depth * FRAME_MAX;
}

static void run_in_thread(void)
{
	void *stack = mmap(NULL, stack_size(), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;
	int failed;

	if (stack == MAP_FAILED)
		sample_fail("mmap: %s", strerror(errno));
	pthread_attr_init(&attr);
	failed = pthread_attr_setstack(&attr, stack, stack_size());
	if (failed == 0)
		failed = pthread_create(&thread, &attr, thread_part, NULL);
	if (failed != 0)
		sample_fail("pthread_create: %s", strerror(failed));
	pthread_join(thread, NULL);
}

/* The limit holds from the next execution on. */
static void raise_stack_limit(char **argv)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) != 0)
		sample_fail("getrlimit: %s", strerror(errno));
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= stack_size())
		return;
	limit.rlim_cur = stack_size();
	if (setrlimit(RLIMIT_STACK, &limit) != 0)
		sample_fail("setrlimit: %s", strerror(errno));
	execv("/proc/self/exe", argv);
	sample_fail("execv: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	static const char *const options[] = {"--depth=", "--main", NULL};

	sample_start(argc, argv, options);
	depth = sample_number("--depth=", 100000);
	if (depth < PLACES || depth % PLACES != 0)
		sample_fail("--depth=: a multiple of %d", PLACES);
	if (sample_flag("--main"))
		raise_stack_limit(argv);
	pages = sample_untouched(PLACES * WAYPOINT_PAGES);
	bottom_pages = sample_untouched(BOTTOM_PAGES);
	if (sample_flag("--main"))
		descend(1);
	else
		run_in_thread();
	if (visited != depth)
		sample_fail("%llu frames", (unsigned long long)visited);
	printf("%llu frames\n", (unsigned long long)visited);
	tell(sample_flag("--main") ? "main" : "thread_part");
	return sample_end();
}
