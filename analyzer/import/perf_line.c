/* Takes apart the lines of `perf script': events, frames, source lines. */
#include "analyzer/import/perf_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char *skip_blanks(char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static char *word_end(char *p)
{
	while (*p && *p != ' ' && *p != '\t')
		p++;
	return p;
}

/* Reads the digits from *P on; false: there are none, or too many. */
static bool take_digits(const char **p, const char *end, uint64_t *n)
{
	const char *first = *p;

	for (*n = 0; *p < end && is_digit(**p); ++*p)
		if (__builtin_mul_overflow(*n, 10, n) ||
			__builtin_add_overflow(*n, (uint64_t)(**p - '0'), n))
			return false;
	return *p > first;
}

/* All of the word is a number up to MOST. */
static bool whole_number(
	const char *p, const char *end, uint64_t most, uint64_t *number)
{
	return take_digits(&p, end, number) && p == end && *number <= most;
}

static bool take_id(const char *p, const char *end, int32_t *id)
{
	uint64_t n;
	bool good = whole_number(p, end, INT32_MAX, &n);

	if (good)
		*id = (int32_t)n;
	return good;
}

/* "pid/tid", or "tid" alone. */
static bool take_ids(const char *p, const char *end, struct perf_event *event)
{
	const char *slash = memchr(p, '/', (size_t)(end - p));

	event->pid = -1;
	if (slash)
		return take_id(p, slash, &event->pid) &&
		       take_id(slash + 1, end, &event->tid);
	return take_id(p, end, &event->tid);
}

/* "12.345678:", of any number of digits behind the point. */
static bool take_time(const char *p, const char *end, uint64_t *time)
{
	uint64_t ns = 0, unit = 1000000000, seconds;

	if (!take_digits(&p, end, &seconds) || p == end || *p++ != '.')
		return false;
	for (; p < end && is_digit(*p); p++) {
		unit /= 10;
		ns += unit * (uint64_t)(*p - '0');
	}
	if (p + 1 != end || *p != ':')
		return false;
	return !__builtin_mul_overflow(seconds, 1000000000, time) &&
	       !__builtin_add_overflow(*time, ns, time);
}

/* What follows the ids; false: this is not how a line goes on. */
static bool take_tail(char *p, struct perf_event *event)
{
	char *end;

	event->has_time = event->has_period = false;
	event->event = "";
	p = skip_blanks(p);
	end = word_end(p);
	if (*p == '[' && end[-1] == ']') {
		p = skip_blanks(end);
		end = word_end(p);
	}
	if (take_time(p, end, &event->time)) {
		event->has_time = true;
		p = skip_blanks(end);
		end = word_end(p);
	}
	if (whole_number(p, end, INT64_MAX, &event->period)) {
		event->has_period = true;
		p = skip_blanks(end);
		end = word_end(p);
	}
	event->rest = p;
	if (end > p && end[-1] == ':') {
		event->event = p;
		event->rest = end;
	}
	return event->has_time || *event->event || (!*p && !event->has_period);
}

bool perf_event_line(char *line, bool timed, struct perf_event *event)
{
	char *p, *end;

	if (!*line || *line == '\t')
		return false;
	p = skip_blanks(line); /* perf puts short names to the right */
	event->comm = p;
	/* A comm may have blanks and numbers: the ids are where the rest of the
	   line fits. */
	for (p = word_end(p); *p; p = end) {
		char *name_end = p;

		p = skip_blanks(p);
		end = word_end(p);
		if (!take_ids(p, end, event) || !take_tail(end, event) ||
			(timed && !event->has_time))
			continue;
		*name_end = '\0';
		if (*event->event)
			event->rest[-1] = '\0';
		return true;
	}
	return false;
}

/* The " (" before the dso, which may have some itself: "(/x (deleted))". */
static char *dso_start(char *line, char *last)
{
	int depth = 0;

	for (char *p = last; p > line; p--) {
		if (*p == ')')
			depth++;
		else if (*p == '(' && --depth == 0)
			return p[-1] == ' ' || p[-1] == '\t' ? p : NULL;
	}
	return NULL;
}

/* "symbol+0x12" */
static uint64_t cut_offset(char *symbol)
{
	char *plus = strrchr(symbol, '+'), *end;
	uint64_t offset;

	if (!plus || plus == symbol || strncmp(plus, "+0x", 3) != 0 || !plus[3])
		return UINT64_MAX;
	errno = 0;
	offset = strtoull(plus + 3, &end, 16);
	if (*end || errno)
		return UINT64_MAX;
	*plus = '\0';
	return offset;
}

bool perf_frame_line(char *line, struct perf_frame *frame)
{
	char *p = skip_blanks(line), *end = word_end(p), *last, *dso;

	*frame = (struct perf_frame){.dso = ""};
	if (p == end || strspn(p, "0123456789abcdefABCDEF") < (size_t)(end - p))
		return false;
	frame->addr = strtoull(p, NULL, 16);
	p = skip_blanks(end);
	last = p + strlen(p);
	while (last > p && (last[-1] == ' ' || last[-1] == '\t'))
		*--last = '\0';
	if (last > p && last[-1] == ')' && (dso = dso_start(line, last - 1))) {
		last[-1] = '\0';
		frame->dso = dso + 1;
		dso[-1] = '\0';
		if (dso <= p) /* no symbol between them */
			p = dso - 1;
	}
	frame->inlined = strcmp(frame->dso, "inlined") == 0;
	last = p + strlen(p);
	while (last > p && (last[-1] == ' ' || last[-1] == '\t'))
		*--last = '\0';
	frame->offset = cut_offset(p);
	frame->symbol = *p ? p : "[unknown]";
	return true;
}

bool perf_record_line(const char *line, bool timed)
{
	const char *name = strstr(line, "PERF_RECORD_");
	struct perf_event event;
	char *copy;
	bool is = false;

	if (!name)
		return false;
	if (name == line + strspn(line, " \t"))
		return true; /* it has no process and no time */
	copy = strdup(line);
	if (copy && perf_event_line(copy, timed, &event))
		is = (*event.event ? event.event : event.rest) ==
		     copy + (name - line);
	free(copy);
	return is;
}

/* "file.c:12", "file.c:12 (inlined)", "??:0" */
static bool is_place(const char *line)
{
	const char *colon = strrchr(line, ':');
	size_t n = colon ? strspn(colon + 1, "0123456789?") : 0;

	return n && (!colon[1 + n] || strncmp(colon + 1 + n, " (", 2) == 0);
}

/* "libc.so.6[27b25]" */
static bool is_address(const char *line)
{
	const char *bracket = strrchr(line, '[');
	size_t n = bracket ? strspn(bracket + 1, "0123456789abcdef") : 0;

	return n && strcmp(bracket + 1 + n, "]") == 0;
}

bool perf_is_srcline(const char *line)
{
	return is_place(line) || is_address(line);
}

void perf_srcline_read(char *line, struct perf_srcline *source)
{
	char *colon = strrchr(line, ':'), *blank = strstr(line, " (inlined)");
	uint64_t number = colon ? strtoull(colon + 1, NULL, 10) : 0;

	*source = (struct perf_srcline){.inlined = blank && !blank[10]};
	if (!is_place(line) || !number || number > UINT32_MAX)
		return;
	*colon = '\0';
	source->file = skip_blanks(line);
	source->line = (uint32_t)number;
}

/* "Lorg/some/Class;.method" or "Lorg/some/Class;::method" */
static bool is_java_method(const char *name, const char *end)
{
	const char *semicolon = memchr(name, ';', (size_t)(end - name));

	return *name == 'L' && semicolon && semicolon + 2 < end &&
	       (semicolon[1] == '.' || strncmp(semicolon + 1, "::", 2) == 0);
}

char *perf_java_inlined(char *symbol, const char *dso)
{
	static const char head[] = "/tmp/perf-", arrow[] = "->";
	char *last = NULL, *next;

	if (strncmp(dso, head, strlen(head)) != 0)
		return NULL;
	for (char *name = symbol;; name = next + strlen(arrow)) {
		next = strstr(name, arrow);
		if (!is_java_method(name, next ? next : name + strlen(name)))
			return NULL;
		if (!next)
			return last;
		last = next;
	}
}
