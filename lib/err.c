/* Fills errors and makes their lines. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/err.h"
#include "lib/text.h"

void err_clear(struct err *err)
{
	memset(err, 0, sizeof *err);
}

static void set_head(struct err *err, const char *object, const char *op)
{
	/* The object may be a part of *err itself. */
	char keep[sizeof err->object];

	snprintf(keep, sizeof keep, "%s", object ? object : "");
	memcpy(err->object, keep, sizeof keep);
	snprintf(err->op, sizeof err->op, "%s", op ? op : "");
	err->hint[0] = '\0';
}

int err_set(struct err *err, const char *object, const char *op,
	const char *fmt, ...)
{
	char reason[sizeof err->reason];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof reason, fmt, ap);
	va_end(ap);
	set_head(err, object, op);
	memcpy(err->reason, reason, sizeof reason);
	return -1;
}

int err_sys(struct err *err, const char *object, const char *op)
{
	int saved = errno;

	err_set(err, object, op, "%s", strerror(saved));
	errno = saved;
	return -1;
}

int err_memory(struct err *err, const char *object, const char *op)
{
	return err_set(err, object, op, "Out of memory");
}

__attribute__((format(printf, 2, 0))) static void set_hint(
	struct err *err, const char *fmt, va_list ap)
{
	char hint[sizeof err->hint];

	vsnprintf(hint, sizeof hint, fmt, ap);
	memcpy(err->hint, hint, sizeof hint);
}

int err_hint(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_hint(err, fmt, ap);
	va_end(ap);
	return -1;
}

int err_say(struct err *err, const char *object, const char *op,
	const char *reason, const char *hint, ...)
{
	va_list ap;

	err_set(err, object, op, "%s", reason);
	va_start(ap, hint);
	set_hint(err, hint, ap);
	va_end(ap);
	return -1;
}

/* Appends LEAD and TEXT, escaped; returns the new length. */
static size_t append(
	char *buf, size_t size, size_t n, const char *lead, const char *text)
{
	int k;

	if (n + 1 >= size)
		return n;
	k = snprintf(buf + n, size - n, "%s", lead);
	n = (size_t)k < size - n ? n + (size_t)k : size - 1;
	text_escape(text, buf + n, size - n);
	return n + strlen(buf + n);
}

void err_format(const struct err *err, char *buf, size_t size)
{
	const char *parts[] = {err->object, err->op, err->reason};
	size_t n = 0;

	if (!size)
		return;
	buf[0] = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (*parts[i])
			n = append(buf, size, n, n ? ": " : "", parts[i]);
	if (*err->hint)
		append(buf, size, n, n ? "\nhint: " : "hint: ", err->hint);
}
