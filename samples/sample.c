#include "sample.h"

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

static __thread const char *shadow[DEPTH_MAX];
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
				(unsigned long long)truths->at[i].amount);
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
	if (shadow_depth == DEPTH_MAX)
		sample_fail("shadow stack full in %s", function);
	shadow[shadow_depth++] = function;
	return function;
}

void sample_shadow_pop(const char **function)
{
	(void)function;
	shadow_depth--;
}

static void path_make(char path[PATH_LEN], const char *function)
{
	size_t len = 0;

	path[0] = '\0';
	for (unsigned i = 0; i <= shadow_depth; i++) {
		const char *name = i < shadow_depth ? shadow[i] : function;

		if (name == NULL)
			continue;
		len += (size_t)snprintf(path + len, PATH_LEN - len, "%s%s",
			len > 0 ? ";" : "", name);
		if (len >= PATH_LEN)
			sample_fail("path too long below %s", path);
	}
}

void sample_truth_at(const char *resource, const char *path, uint64_t amount)
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
		strcpy(truths->at[i].path, path);
		truths->n++;
	}
	truths->at[i].amount += amount;
	atomic_flag_clear_explicit(&truths->busy, memory_order_release);
}

void sample_truth(const char *resource, const char *function, uint64_t amount)
{
	char path[PATH_LEN];

	path_make(path, function);
	sample_truth_at(resource, path, amount);
}

static uint64_t clock_us(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts) != 0)
		sample_fail("clock_gettime: %s", strerror(errno));
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

uint64_t sample_cpu_us(void)
{
	return clock_us(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t sample_now_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

double sample_turns_per_us(void)
{
	const uint64_t turns = 1000000;
	double best = 0;

	/* the fastest of some: what else ran here only makes it slower */
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
