/*
 * layout.c - names and figures in lines; see layout.h.
 */
#include "analyzer/report/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define DOTS "..."
#define DOTS_WIDTH 3
#define PARTS "   " /* between the parts of a line */

size_t layout_columns(const struct report_options *options)
{
	size_t columns = options->columns ? options->columns : LAYOUT_COLUMNS;

	return columns < LAYOUT_COLUMNS_MIN ? LAYOUT_COLUMNS_MIN : columns;
}

/* Width. */

/* The character at *TEXT, valid UTF-8 or else a byte; moves on. */
static uint32_t next_character(const char **text)
{
	const unsigned char *s = (const unsigned char *)*text;
	int more = *s >= 0xf0 ? 3 : *s >= 0xe0 ? 2 : *s >= 0xc0 ? 1 : 0;
	uint32_t c = more == 3   ? *s & 7u
		     : more == 2 ? *s & 15u
		     : more == 1 ? *s & 31u
				 : *s;

	s++;
	for (; more && (*s & 0xc0) == 0x80; more--)
		c = c << 6 | (*s++ & 63u);
	*text = (const char *)s;
	return c;
}

/* Blocks of Unicode whose characters take no column, or two. */
static size_t character_width(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		size_t width;
	} blocks[] = {
		{0x300, 0x36f, 0},
		{0x1100, 0x115f, 2},
		{0x200b, 0x200f, 0},
		{0x20d0, 0x20ff, 0},
		{0x2e80, 0xa4cf, 2},
		{0xac00, 0xd7a3, 2},
		{0xf900, 0xfaff, 2},
		{0xfe00, 0xfe0f, 0},
		{0xfe30, 0xfe6f, 2},
		{0xff00, 0xff60, 2},
		{0xffe0, 0xffe6, 2},
		{0x1f300, 0x1faff, 2},
		{0x20000, 0x3fffd, 2},
	};

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (c >= blocks[i].first && c <= blocks[i].last)
			return blocks[i].width;
	return 1;
}

size_t layout_width(const char *text)
{
	size_t width = 0;

	while (*text)
		width += character_width(next_character(&text));
	return width;
}

/* Where at most WIDTH columns of TEXT end. */
static const char *head_end(const char *text, size_t width)
{
	const char *end = text;

	while (*text) {
		size_t w = character_width(next_character(&text));

		if (w > width)
			break;
		width -= w;
		end = text;
	}
	return end;
}

/* Where the last columns of TEXT begin: at most WIDTH of its ALL. */
static const char *tail_begin(const char *text, size_t all, size_t width)
{
	while (all > width && *text)
		all -= character_width(next_character(&text));
	return text;
}

size_t layout_head(const char *text, size_t width)
{
	const char *end = head_end(text, width);

	if (end == text && *text)
		next_character(&end);
	return (size_t)(end - text);
}

char *layout_shorten(const char *text, size_t width)
{
	size_t all = layout_width(text), rest, head, tail;
	const char *end, *begin;
	char *s;

	if (all <= width)
		return strdup(text);
	if (width < DOTS_WIDTH + 2)
		return strndup(text, (size_t)(head_end(text, width) - text));
	rest = width - DOTS_WIDTH;
	tail = rest / 2;
	head = rest - tail;
	end = head_end(text, head);
	begin = tail_begin(text, all, tail);
	if (asprintf(&s, "%.*s" DOTS "%s", (int)(end - text), text, begin) < 0)
		return NULL;
	return s;
}

/* "15 268", "94.2 %" and "58.3 ms" are words. */
static bool in_figure(const char *text, const char *blank)
{
	static const char *const units[] = {
		"%", "us", "ms", "s", "B", "KiB", "MiB", "GiB"};

	if (blank == text || !isdigit((unsigned char)blank[-1]))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t n = strlen(units[i]);

		if (strncmp(blank + 1, units[i], n) == 0 &&
			!isalnum((unsigned char)blank[1 + n]))
			return true;
	}
	return isdigit((unsigned char)blank[1]);
}

/* Whether what is AT in TEXT is in a command, 'cpprof report', that ends within
   COLUMNS. */
static bool in_command(const char *text, const char *at, size_t columns)
{
	size_t depth = 0;

	for (const char *s = text; *s && (s < at || depth); s++) {
		if (*s != '\'')
			continue;
		if (s == text || strchr(" (=", s[-1]))
			depth++;
		else if (depth)
			depth--;
		if (!depth && s > at)
			return (size_t)(s - text) + 4 < columns;
	}
	return false;
}

/* Whether a BLANK is behind the option -r. */
static bool in_option(const char *text, const char *blank)
{
	return blank - text > 3 && !strncmp(blank - 3, " -r", 3);
}

/* Where the part at TEXT ends: at three blanks; where there are none, at
   one. */
static const char *part_end(
	const char *text, const char *blanks, size_t columns)
{
	const char *end = strstr(text, blanks);

	while (end && (in_figure(text, end) || in_option(text, end) ||
			      in_command(text, end, columns)))
		end = strstr(end + 1, blanks);
	return end ? end : text + strlen(text);
}

/*
 * Writes TEXT, broken at BLANKS, behind USED columns of a line; a part that is
 * longer than a line is broken between its words, and a word that is has its
 * middle left out, but not where it is to be typed.  Returns what is used of
 * the last line.
 */
static size_t flow(FILE *out, const char *text, const char *blanks,
	size_t columns, size_t used)
{
	const char *all = text;
	size_t gap = 0, begin = used; /* of this line */

	while (*text) {
		const char *end = part_end(text, blanks, columns);
		char *part = strndup(text, (size_t)(end - text)), *fit = NULL;
		size_t width = part ? layout_width(part) : 0;

		if (used > begin && used + gap + width > columns) {
			fputs("\n  ", out);
			used = begin = 2;
		} else if (gap) {
			fputs(blanks, out);
			used += gap;
		}
		gap = strlen(blanks);
		if (part && gap > 1 && used + width > columns)
			used = flow(out, part, " ", columns, used);
		else if (part)
			fit = in_command(all, text, SIZE_MAX)
				      ? strdup(part)
				      : layout_shorten(part, columns - used);
		fputs(fit ? fit : "", out);
		used += fit ? layout_width(fit) : 0;
		free(part);
		free(fit);
		text = *end ? end + gap : end;
	}
	return used;
}

void layout_flow(FILE *out, const char *text, size_t columns)
{
	flow(out, text, strstr(text, PARTS) ? PARTS : " ", columns, 0);
}

FILE *layout_lines_begin(struct layout_lines *lines)
{
	*lines = (struct layout_lines){0};
	lines->stream = open_memstream(&lines->text, &lines->size);
	return lines->stream;
}

int layout_lines_end(
	struct layout_lines *lines, int status, FILE *out, size_t columns)
{
	char *rest = NULL, *line;

	if (fclose(lines->stream))
		status = -1;
	line = status ? NULL : strtok_r(lines->text, "\n", &rest);
	for (; line; line = strtok_r(NULL, "\n", &rest)) {
		layout_flow(out, line, columns);
		fputc('\n', out);
	}
	free(lines->text);
	return status;
}

size_t layout_indent(
	const struct report_options *options, size_t deep, size_t room)
{
	size_t step = layout_columns(options) < LAYOUT_NARROW ? 1 : 2;

	return deep < room / 2 / step ? deep * step : room / 2;
}

void layout_pad(FILE *out, size_t from, size_t to)
{
	fprintf(out, "%*s", from < to ? (int)(to - from) : 0, "");
}

/* Figures. */

char *layout_number(uint64_t n, char *buf, size_t size)
{
	char digits[32];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
	size_t used = 0;

	for (int i = 0; i < len && used + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			buf[used++] = ' ';
		buf[used++] = digits[i];
	}
	buf[used] = '\0';
	return buf;
}

struct scale {
	const char *name;
	double factor;
};

char *layout_amount(const struct cpd_resource *resource, uint64_t gticks,
	char *buf, size_t size)
{
	static const struct scale bytes[] = {
		{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}};
	static const struct scale usec[] = {{"s", 1e6}, {"ms", 1e3}, {"us", 1}};
	const struct scale *row = resource->unit == CPD_USEC ? usec : bytes;
	double x = (double)gticks;

	if (resource->unit == CPD_COUNT)
		return layout_number(gticks, buf, size);
	/* three figures, when rounded: 999.6 ms is 1.00 s */
	while (row->factor > 1 && x < 0.9995 * row->factor)
		row++;
	x /= row->factor;
	snprintf(buf, size, "%.*f %s",
		row->factor == 1 || x >= 99.95 ? 0
		: x >= 9.995                   ? 1
					       : 2,
		x, row->name);
	return buf;
}

static char *percent(uint64_t part, uint64_t all, char *buf, size_t size)
{
	snprintf(buf, size, "%.1f %%",
		all ? 100 * (double)part / (double)all : 0.0);
	return buf;
}

char *layout_figure(const struct tree *tree, uint64_t weight,
	const struct report_options *options, char *buf, size_t size)
{
	const struct cpd_resource *r = tree_resource(tree);

	if (!options->unit)
		return percent(weight, tree->whole.weight, buf, size);
	return layout_amount(r, weight, buf, size);
}

char *layout_kept(
	const struct tree *tree, uint64_t weight, char *buf, size_t size)
{
	return percent(weight, tree_total(tree, 0)->weight, buf, size);
}

char layout_mark(const struct tree *tree, const struct tree_sums *sums)
{
	return profile_is_rough(tree, sums) ? '?' : ' ';
}

void layout_note(FILE *out, const struct report_options *options,
	const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	fputs(options->color ? "\033[2m" : "", out);
	layout_flow(out, text ? text : "", layout_columns(options));
	fputs(options->color ? "\033[0m\n" : "\n", out);
	free(text);
}

void layout_few_note(FILE *out, const struct report_options *options)
{
	layout_note(out, options,
		"? rough: fewer than %d samples stand behind it", FEW_SAMPLES);
}
