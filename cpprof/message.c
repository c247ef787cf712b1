/* Prints messages and errors to standard error, names in them quoted. */
#include "cpprof/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"

void message_error(const struct err *err)
{
	char text[sizeof(struct err) * 2];

	err_format(err, text, sizeof text);
	fprintf(stderr, "cpprof: %s\n", text);
}

int message_where(struct err *err, const char *where)
{
	char object[sizeof err->object], old[sizeof err->object];
	int n;

	memcpy(old, err->object, sizeof old);
	n = snprintf(object, sizeof object, "%s%s", where, *old ? ": " : "");
	if (n > 0 && (size_t)n < sizeof object)
		text_escape(old, object + n, sizeof object - (size_t)n);
	memcpy(err->object, object, sizeof object);
	return -1;
}

void message(const char *fmt, ...)
{
	va_list ap;

	fputs("cpprof: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

int message_hint(struct err *err, const char *wrong, const char *const *names,
	size_t n, const char *otherwise)
{
	const char *near[3];
	size_t found = text_nearest(wrong, names, n, near, 3), len = 0;
	char buf[256] = "";

	for (size_t i = 0; i < found && len < sizeof buf; i++) {
		const char *lead = i == 0           ? "did you mean "
				   : i == found - 1 ? " or "
						    : ", ";
		len += (size_t)snprintf(
			buf + len, sizeof buf - len, "%s'%s'", lead, near[i]);
	}
	return err_hint(err, "%s%s", found ? buf : otherwise, found ? "?" : "");
}

int message_flush(void)
{
	struct err err;

	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	if (errno == EPIPE)
		return 0;
	if (errno == 0)
		errno = EIO;
	err_sys(&err, "standard output", "write");
	message_error(&err);
	return EXIT_WRONG;
}
