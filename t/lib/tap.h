/*
 * tap.h - Test Anything Protocol for tests written in C.
 *
 * ok(cond, "what is held %d", i) prints a line; done_testing() prints the plan
 * and gives the exit status.  skip() tells of what cannot run here.
 */
#ifndef CPPROF_TAP_H
#define CPPROF_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static bool ok(
	bool cond, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%sok %d - ", cond ? "" : "not ", ++tap_count);
	vprintf(fmt, ap);
	printf("\n");
	fflush(stdout);
	va_end(ap);
	tap_failed += !cond;
	return cond;
}

/* A test that needs what this machine lacks. */
__attribute__((format(printf, 2, 3), unused)) static void skip(
	int n, const char *fmt, ...)
{
	va_list ap;

	while (n-- > 0) {
		va_start(ap, fmt);
		printf("ok %d # SKIP ", ++tap_count);
		vprintf(fmt, ap);
		printf("\n");
		va_end(ap);
	}
}

__attribute__((format(printf, 1, 2), unused)) static void diag(
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("# ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

__attribute__((unused)) static int done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
