/*
 * clock PROG [ARGS...]: runs PROG and adds to the file that BENCH_CLOCK names
 * what it alone took, a line of
 *
 *     START END USER SYSTEM MAXRSS STATUS
 *
 * START and END in ns of CLOCK_MONOTONIC, USER and SYSTEM in us of CPU time
 * and MAXRSS in KiB of PROG and its children, STATUS as wait(2) has it.  A
 * profiler is told to run `clock PROG` instead of PROG: what the profiler takes
 * is then told from what it does to PROG.  Exits with the status of PROG.
 */
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static long usec(const struct timeval *t)
{
	return t->tv_sec * 1000000L + t->tv_usec;
}

static int tell(
	int64_t start, int64_t end, const struct rusage *usage, int status)
{
	const char *path = getenv("BENCH_CLOCK");
	FILE *out = path ? fopen(path, "ae") : NULL;

	if (!out)
		return path ? -1 : 0;
	fprintf(out, "%" PRId64 " %" PRId64 " %ld %ld %ld %d\n", start, end,
		usec(&usage->ru_utime), usec(&usage->ru_stime),
		usage->ru_maxrss, status);
	return fclose(out);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int64_t start;
	int status, failed;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: clock PROG [ARGS...]\n");
		return 2;
	}
	start = now();
	failed = posix_spawnp(&pid, argv[1], NULL, NULL, argv + 1, environ);
	if (failed) {
		fprintf(stderr, "clock: %s: %s\n", argv[1], strerror(failed));
		return 127;
	}
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return 126;
	if (tell(start, now(), &usage, status) != 0) {
		fprintf(stderr, "clock: %s: %s\n", getenv("BENCH_CLOCK"),
			strerror(errno));
		return 126;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
