/* Reads tables of lines. */
#include "monitor/interpreter/lines.h"

#include <stdbool.h>

enum {                 /* what an entry says, from its first byte */
	ONE_LINE = 10, /* to 12: so many less 10 lines on */
	NO_COLUMNS = 13,
	LONG,
	NO_LINE,
};

struct line_entry {
	uint32_t from, to; /* offsets of instructions */
	uint32_t line;     /* 0: none */
};

struct line_table {
	const uint8_t *at, *end;
	uint32_t to;
	int64_t line;
};

/* A number in groups of 6 bits, its sign in the lowest bit. */
static int64_t take_signed(struct line_table *t)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (bool more = true; more && t->at < t->end && shift < 36;
		shift += 6) {
		more = *t->at & 64;
		value |= (uint64_t)(*t->at++ & 63) << shift;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

static bool next(struct line_table *t, struct line_entry *entry)
{
	unsigned code, head;

	if (t->at == t->end)
		return false;
	head = *t->at++;
	code = head >> 3 & 15;
	entry->from = t->to;
	entry->to = t->to += ((head & 7) + 1) * 2;
	if (code == NO_COLUMNS || code == LONG)
		t->line += take_signed(t);
	else if (code >= ONE_LINE && code < NO_COLUMNS)
		t->line += code - ONE_LINE;
	entry->line = code == NO_LINE || t->line <= 0 || t->line > INT32_MAX
			      ? 0
			      : (uint32_t)t->line;
	while (t->at < t->end && !(*t->at & 128)) /* columns */
		t->at++;
	return true;
}

uint32_t lines_at(const uint8_t *table, size_t n, uint32_t first, uint32_t at)
{
	struct line_table t = {table, table + n, 0, first};
	struct line_entry entry;

	if ((int32_t)at < 0) /* it has not begun */
		return first;
	while (next(&t, &entry))
		if (at < entry.to)
			return entry.line;
	return 0;
}

void lines_span(const uint8_t *table, size_t n, uint32_t first, uint32_t *least,
	uint32_t *most)
{
	struct line_table t = {table, table + n, 0, first};
	struct line_entry entry;

	*least = *most = first;
	while (next(&t, &entry)) {
		if (!entry.line)
			continue;
		if (entry.line < *least)
			*least = entry.line;
		if (entry.line > *most)
			*most = entry.line;
	}
}
