#include "samples/sample.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PATHS_MAX 512
#define PATH_LEN 512
#define DEPTH_MAX 32

struct truth {
	const char *resource;
	char path[PATH_LEN];
	uint64_t amount;
	unsigned parts; /* of AMOUNT, in a gtick */
};

/* In shared memory: the children of a fork add to it too. */
struct truths {
	atomic_flag busy;
	size_t n;
	struct truth at[PATHS_MAX];
};

static struct truths *truths;
static int arg_count;
static char **args;

/* The current path, and where it ends after each of its functions. */
static __thread char shadow[PATH_LEN];
static __thread size_t shadow_ends[DEPTH_MAX];
static __thread unsigned shadow_depth;

static bool arg_is(const char *arg, const char *option)
{
	size_t len = strlen(option);

	return option[len - 1] == '=' ? strncmp(arg, option, len) == 0
				      : strcmp(arg, option) == 0;
}

static bool arg_known(const char *arg, const char *const *options)
{
	if (arg_is(arg, "--truth"))
		return true;
	for (; options != NULL && *options != NULL; options++)
		if (arg_is(arg, *options))
			return true;
	return false;
}

void sample_start(int argc, char **argv, const char *const *options)
{
	for (int i = 1; i < argc; i++) {
		if (arg_known(argv[i], options))
			continue;
		fprintf(stderr, "usage: %s [--truth]", argv[0]);
		for (; options != NULL && *options != NULL; options++)
			fprintf(stderr, " [%s]", *options);
		fprintf(stderr, "\n");
		exit(2);
	}
	arg_count = argc;
	args = argv;
	truths = mmap(NULL, sizeof(*truths), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (truths == MAP_FAILED)
		sample_fail("mmap: %s", strerror(errno));
	sample_shadow_push("main");
}

static const char *arg_find(const char *option)
{
	for (int i = 1; i < arg_count; i++)
		if (arg_is(args[i], option))
			return args[i] + strlen(option);
	return NULL;
}

bool sample_flag(const char *option)
{
	return arg_find(option) != NULL;
}

uint64_t sample_number(const char *option, uint64_t otherwise)
{
	const char *text = arg_find(option);
	unsigned long long value;
	char *end;

	if (text == NULL)
		return otherwise;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || *text == '-') {
		fprintf(stderr, "%s%s: not a number\n", option, text);
		exit(2);
	}
	return value;
}

static int by_path(const void *a, const void *b)
{
	const struct truth *x = a, *y = b;
	int order = strcmp(x->resource, y->resource);

	return order != 0 ? order : strcmp(x->path, y->path);
}

int sample_end(void)
{
	if (sample_flag("--truth")) {
		qsort(truths->at, truths->n, sizeof(truths->at[0]), by_path);
		for (size_t i = 0; i < truths->n; i++)
			printf("truth %s %s %llu\n", truths->at[i].resource,
				truths->at[i].path,
				(unsigned long long)(truths->at[i].amount /
						     truths->at[i].parts));
	}
	if (fflush(stdout) != 0 || ferror(stdout))
		sample_fail("stdout: %s", strerror(errno));
	return 0;
}

void sample_fail(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	_exit(1);
}

const char *sample_shadow_push(const char *function)
{
	size_t len = shadow_depth > 0 ? shadow_ends[shadow_depth - 1] : 0;
	size_t more = strlen(function);

	if (shadow_depth == DEPTH_MAX || len + 1 + more >= PATH_LEN)
		sample_fail("shadow stack full in %s", function);
	if (len > 0)
		shadow[len++] = ';';
	memcpy(shadow + len, function, more + 1);
	shadow_ends[shadow_depth++] = len + more;
	return function;
}

void sample_shadow_pop(const char **function)
{
	(void)function;
	shadow_depth--;
	shadow[shadow_depth > 0 ? shadow_ends[shadow_depth - 1] : 0] = '\0';
}

/* PARTS of AMOUNT are a gtick. */
static void truth_add(
	const char *resource, const char *path, uint64_t amount, unsigned parts)
{
	size_t i;

	while (atomic_flag_test_and_set_explicit(
		&truths->busy, memory_order_acquire))
		__builtin_ia32_pause();
	for (i = 0; i < truths->n; i++)
		if (strcmp(truths->at[i].resource, resource) == 0 &&
			strcmp(truths->at[i].path, path) == 0)
			break;
	if (i == PATHS_MAX || strlen(path) >= PATH_LEN)
		sample_fail("no room for %s", path);
	if (i == truths->n) {
		truths->at[i].resource = resource;
		truths->at[i].parts = parts;
		strcpy(truths->at[i].path, path);
		truths->n++;
	}
	truths->at[i].amount += amount;
	atomic_flag_clear_explicit(&truths->busy, memory_order_release);
}

/* The same for the current path. */
static void truth_add_here(const char *resource, const char *function,
	uint64_t amount, unsigned parts)
{
	if (function != NULL)
		sample_shadow_push(function);
	truth_add(resource, shadow, amount, parts);
	if (function != NULL)
		sample_shadow_pop(&function);
}

void sample_truth_at(const char *resource, const char *path, uint64_t amount)
{
	truth_add(resource, path, amount, 1);
}

void sample_truth(const char *resource, const char *function, uint64_t amount)
{
	truth_add_here(resource, function, amount, 1);
}

void sample_truth_cpu_at(const char *path, uint64_t ns)
{
	truth_add("cpu", path, ns, 1000);
}

void sample_truth_cpu(const char *function, uint64_t ns)
{
	truth_add_here("cpu", function, ns, 1000);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts) != 0)
		sample_fail("clock_gettime: %s", strerror(errno));
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t sample_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t sample_cpu_us(void)
{
	return sample_cpu_ns() / 1000;
}

uint64_t sample_now_us(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000;
}

double sample_turns_per_us(void)
{
	const uint64_t turns = 1000000;
	double best = 0;

	/* the fastest of some: anything else that ran only makes it slower */
	for (int i = 0; i < 15; i++) {
		uint64_t from = sample_cpu_us(), took;

		SPIN(turns);
		took = sample_cpu_us() - from;
		if (took > 0 && (double)turns / (double)took > best)
			best = (double)turns / (double)took;
	}
	return best;
}

void *sample_untouched(size_t pages)
{
	size_t size = pages * 4096;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		sample_fail("mmap: %s", strerror(errno));
	/* EINVAL: a kernel without huge pages, which is as good */
	if (madvise(at, size, MADV_NOHUGEPAGE) != 0 && errno != EINVAL)
		sample_fail("madvise: %s", strerror(errno));
	return at;
}

uint64_t sample_faults(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage) != 0)
		sample_fail("getrusage: %s", strerror(errno));
	return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}
