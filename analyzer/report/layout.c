/*
 * layout.c - names and figures in lines; see layout.h.
 */
#include "analyzer/report/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"

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

/* The bytes of TEXT that have room in WIDTH columns; at least a character. */
static size_t head_of(const char *text, size_t width)
{
	const char *at = text, *end = text;

	while (*at) {
		size_t w = character_width(next_character(&at));

		if (w > width && end > text)
			break;
		end = at;
		width -= w < width ? w : width;
	}
	return (size_t)(end - text);
}

/* Whether a line may end behind C, which is behind BEFORE: at an end of KIND 0,
   of kind 1, where there is none, or of any. */
static bool may_break(char before, char c, const char *rest, size_t kind)
{
	static const char *const ends[] = {",<( ", ":_/-", ",<( :_/-"};

	return strchr(ends[kind], c) && !strchr(":)", *rest) &&
	       !(c == '<' && !strncmp(rest, "...", 3)) &&
	       !(c == ':' && isdigit((unsigned char)*rest)) &&
	       !(c == '_' && (before == '_' || *rest == '_')) &&
	       !(c == '-' && (!isalnum((unsigned char)before) ||
				     !isalnum((unsigned char)*rest)));
}

/* The number that TEXT ends in, +0xADDRESS or :LINE; or NULL. */
static const char *number_of(const char *text)
{
	const char *address = strstr(text, "+0x"), *line = strrchr(text, ':');

	if (address)
		return address;
	return line && line[1] && !line[1 + strspn(line + 1, "0123456789")]
		       ? line
		       : NULL;
}

/* So many bytes of TEXT go on a line that has ROOM: up to its number, or to the
   end of a part of the name, in its second half if there is one. */
static size_t break_at(const char *text, size_t room)
{
	size_t n = head_of(text, room);
	const char *number = number_of(text);

	if (number > text && n > (size_t)(number - text) &&
		strspn(number, "+:0x123456789abcdef") <= room)
		return (size_t)(number - text);

	for (size_t kind = 0; kind < 3; kind++)
		for (size_t i = n; i > (kind < 2 ? n / 2 : 1) && i > 1; i--)
			if (may_break(text[i - 2], text[i - 1], text + i, kind))
				return i;
	return n - (n > 1 && text[n - 1] == ':' && text[n] == ':');
}

size_t layout_word(FILE *out, const char *word, size_t columns, size_t *used)
{
	size_t lines = 0, n, end;

	for (; *word && *used + layout_width(word) > columns; lines++) {
		n = break_at(word, columns > *used ? columns - *used : 1);
		for (end = n; end > 1 && word[end - 1] == ' ';)
			end--;
		if (out)
			fprintf(out, "%.*s\n%*s", (int)end, word, LAYOUT_INDENT,
				"");
		word += n + (word[n] == ' ');
		*used = LAYOUT_INDENT;
	}
	if (out)
		fputs(word, out);
	*used += layout_width(word);
	return lines;
}

char *layout_wrap(const char *text, size_t width)
{
	char *broken = NULL;
	size_t size, used = 0;
	FILE *out = open_memstream(&broken, &size);

	if (!out)
		return NULL;
	layout_word(out, text, width, &used);
	return text_end(out, &broken);
}

void layout_cells(FILE *out, struct layout_cell *cells, size_t n, size_t used)
{
	bool more = true;

	for (; more; used = 0) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			const char *line =
				cells[i].text ? strsep(&cells[i].text, "\n")
					      : "";
			size_t width = layout_width(line);
			size_t at = cells[i].right ? cells[i].column - width
						   : cells[i].column;

			if (!width)
				continue;
			if (i && used && at < used + 2)
				at = used + 2;
			layout_pad(out, used, at);
			fputs(line, out);
			used = at + width;
			more |= cells[i].text != NULL;
		}
		fputc('\n', out);
	}
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
 * longer than a line is broken between its words, and a word that is within
 * itself, but not where it is to be typed.  Returns what is used of the last
 * line.
 */
static size_t flow(FILE *out, const char *text, const char *blanks,
	size_t columns, size_t used)
{
	const char *all = text;
	size_t gap = 0, begin = used; /* of this line */

	while (*text) {
		const char *end = part_end(text, blanks, columns);
		char *part = strndup(text, (size_t)(end - text));
		size_t width = part ? layout_width(part) : 0;

		if (used > begin && used + gap + width > columns) {
			fprintf(out, "\n%*s", LAYOUT_INDENT, "");
			used = begin = LAYOUT_INDENT;
		} else if (gap) {
			fputs(blanks, out);
			used += gap;
		}
		gap = strlen(blanks);
		if (part && gap > 1 && used + width > columns)
			used = flow(out, part, " ", columns, used);
		else if (part)
			layout_word(out, part,
				in_command(all, text, SIZE_MAX) ? SIZE_MAX
								: columns,
				&used);
		free(part);
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

void layout_more(FILE *out, const struct report_options *options, size_t n,
	const char *noun, const char *how)
{
	if (n)
		layout_note(out, options, "%zu more %s%s%s%s", n, noun,
			text_plural(noun, n), *how ? ": " : "", how);
}

void layout_few_note(FILE *out, const struct report_options *options)
{
	layout_note(out, options,
		"? rough: fewer than %d samples stand behind it", FEW_SAMPLES);
}
