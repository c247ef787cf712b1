/* Reads and writes figures, escapes and quotes names. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/text.h"

struct unit {
	const char *name;
	uint64_t factor;
};

/* From the largest; the first of a factor is the one written. */
static const struct unit count_units[] = {
	{"G", 1000 * 1000 * 1000},
	{"M", 1000 * 1000},
	{"K", 1000},
	{"k", 1000},
	{"", 1},
	{NULL, 0},
};

static const struct unit bytes_units[] = {
	{"GiB", 1 << 30},
	{"G", 1 << 30},
	{"MiB", 1 << 20},
	{"M", 1 << 20},
	{"KiB", 1 << 10},
	{"K", 1 << 10},
	{"k", 1 << 10},
	{"B", 1},
	{"", 1},
	{NULL, 0},
};

static const struct unit usec_units[] = {
	{"s", 1000 * 1000},
	{"ms", 1000},
	{"us", 1},
	{"", 1},
	{NULL, 0},
};

static const struct {
	const struct unit *units;
	const char *unknown, *broken;
} unit_rows[] = {
	[TEXT_COUNT] = {count_units, "the units are K, M and G",
		"not a whole number"},
	[TEXT_BYTES] = {bytes_units, "the units are K, M, G, KiB, MiB and GiB",
		"not a whole number of bytes"},
	[TEXT_USEC] = {usec_units, "the units are us, ms and s",
		"not a whole number of microseconds"},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct decimal {
	uint64_t digits; /* the number is digits / scale */
	uint64_t scale;  /* a power of ten, at most 10^18 */
	bool overflow;
};

/*
 * Reads digits with at most one point among them, and at least one digit;
 * returns what follows, or NULL.  Trailing zeros of the fraction do not count.
 */
static const char *read_decimal(const char *s, struct decimal *d)
{
	size_t digits = 0, zeros = 0;

	*d = (struct decimal){0, 1, false};
	for (; is_digit(*s); s++, digits++)
		if (__builtin_mul_overflow(d->digits, 10, &d->digits) ||
			__builtin_add_overflow(
				d->digits, (uint64_t)(*s - '0'), &d->digits))
			d->overflow = true;
	if (*s != '.')
		return digits ? s : NULL;
	for (s++; is_digit(*s); s++, digits++) {
		if (*s == '0') {
			zeros++;
			continue;
		}
		for (zeros++; zeros; zeros--)
			if (d->scale > UINT64_MAX / 100 ||
				__builtin_mul_overflow(
					d->digits, 10, &d->digits))
				d->overflow = true;
			else
				d->scale *= 10;
		if (__builtin_add_overflow(
			    d->digits, (uint64_t)(*s - '0'), &d->digits))
			d->overflow = true;
	}
	return digits ? s : NULL;
}

static int because(const char **why, const char *reason)
{
	*why = reason;
	return -1;
}

int text_parse_gticks(
	const char *s, enum text_unit unit, uint64_t *gticks, const char **why)
{
	const struct unit *row = unit_rows[unit].units;
	struct decimal d;
	unsigned __int128 value;

	s = read_decimal(s, &d);
	if (!s)
		return because(why, "not a number");
	if (*s == ' ' && s[1])
		s++;
	while (row->name && strcmp(row->name, s))
		row++;
	if (!row->name)
		return because(why, unit_rows[unit].unknown);
	if (d.overflow)
		return because(why, "too many digits");
	value = (unsigned __int128)d.digits * row->factor;
	if (!value)
		return because(why, "it must be more than zero");
	if (value % d.scale)
		return because(why, unit_rows[unit].broken);
	value /= d.scale;
	if (value > UINT64_MAX)
		return because(why, "too large");
	*gticks = (uint64_t)value;
	return 0;
}

/* Writes N / FACTOR with its unit, if PLACES decimals at most are enough. */
static bool write_scaled(uint64_t n, uint64_t factor, int places,
	const char *name, char *buf, size_t size)
{
	char digits[8] = "";
	uint64_t rest = n % factor;
	int i = 0;

	for (; rest && i < places; i++) {
		rest *= 10;
		digits[i] = (char)('0' + rest / factor);
		rest %= factor;
	}
	if (rest)
		return false;
	digits[i] = '\0';
	snprintf(buf, size, "%llu%s%s %s", (unsigned long long)(n / factor),
		i ? "." : "", digits, name);
	return true;
}

char *text_gticks(uint64_t n, enum text_unit unit, char *buf, size_t size)
{
	const struct unit *row = unit_rows[unit].units;
	int places = unit == TEXT_USEC ? 6 : 2;

	if (unit == TEXT_COUNT) {
		snprintf(buf, size, "%llu", (unsigned long long)n);
		return buf;
	}
	while (row->factor > 1 &&
		(n < row->factor || !write_scaled(n, row->factor, places,
					    row->name, buf, size)))
		row++;
	if (row->factor == 1)
		write_scaled(n, 1, 0, row->name, buf, size);
	return buf;
}

char *text_interval(uint64_t n, enum text_unit unit, char *buf, size_t size)
{
	char *to = buf;

	text_gticks(n, unit, buf, size);
	for (const char *from = buf; *from; from++)
		if (*from != ' ')
			*to++ = *from;
	*to = '\0';
	return buf;
}

bool text_parse_fraction(const char *s, double *fraction)
{
	struct decimal d;
	double value;

	s = read_decimal(s, &d);
	if (!s || d.overflow)
		return false;
	/* Both are exact up to 2^53, so the quotient is correctly rounded. */
	if (!strcmp(s, "%"))
		value = (double)d.digits / ((double)d.scale * 100);
	else if (!*s)
		value = (double)d.digits / (double)d.scale;
	else
		return false;
	if (value > 1)
		return false;
	*fraction = value;
	return true;
}

/*
 * The length of the UTF-8 character at S and its code point, or 0: overlong
 * forms, surrogates and codes above 10FFFF are no characters.
 */
static size_t utf8_char(const unsigned char *s, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = *s < 0x80   ? 1
		   : *s < 0xc2 ? 0
		   : *s < 0xe0 ? 2
		   : *s < 0xf0 ? 3
		   : *s < 0xf5 ? 4
			       : 0;

	if (n < 2) {
		*code = *s;
		return n;
	}
	*code = *s & (0x7f >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff ||
		(*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return n;
}

/* Whether a terminal or a page might do more with it than show it, or show
   nothing, so that two names look alike: controls, formats, separators of
   lines, variants. */
static bool is_unsafe(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} unsafe[] = {{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x600, 0x605},
		{0x61c, 0x61c}, {0x6dd, 0x6dd}, {0x70f, 0x70f},
		{0x180b, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x206f}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},
		{0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};

	for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
		if (code <= unsafe[i].last)
			return code >= unsafe[i].first;
	return false;
}

char *text_escape(const char *s, char *buf, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = 0, mark = 0; /* mark: the last place where "..." fits */

	if (!size)
		return buf;
	while (*s) {
		uint32_t code;
		size_t len = utf8_char((const unsigned char *)s, &code);
		bool raw = len && !is_unsafe(code);
		size_t need = raw ? len : 4;

		if (n + 3 < size)
			mark = n;
		if (n + need >= size) {
			n = mark;
			for (int i = 0; i < 3 && n + 1 < size; i++)
				buf[n++] = '.';
			break;
		}
		if (raw) {
			memcpy(buf + n, s, len);
			s += len;
		} else {
			unsigned char c = (unsigned char)*s++;

			memcpy(buf + n, "\\x", 2);
			buf[n + 2] = hex[c >> 4];
			buf[n + 3] = hex[c & 15];
		}
		n += need;
	}
	buf[n] = '\0';
	return buf;
}

const char *text_plural(const char *noun, uint64_t n)
{
	size_t len = strlen(noun);

	if (n == 1)
		return "";
	if (len && noun[len - 1] == 's')
		return "es";
	return len > 1 && noun[len - 1] == 'h' && strchr("cs", noun[len - 2])
		       ? "es"
		       : "s";
}

static bool is_tame(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789%+,-./:=@_")];
}

char *text_killed(int status, char *buf, size_t size)
{
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	const char *name = sigabbrev_np(signal);

	*buf = '\0';
	if (signal)
		snprintf(buf, size,
			name ? "killed by signal %d (%s)"
			     : "killed by signal %d",
			signal, name);
	return buf;
}

char *text_quoted(const char *word)
{
	size_t size = 4 * strlen(word) + 1, n = 0;
	char *escaped = malloc(size), *quoted;

	if (!escaped || is_tame(text_escape(word, escaped, size)))
		return escaped;
	quoted = malloc(4 * strlen(escaped) + 3);
	if (quoted) {
		quoted[n++] = '\'';
		for (const char *s = escaped; *s; s++) {
			if (*s == '\'') {
				memcpy(quoted + n, "'\\'", 3);
				n += 3;
			}
			quoted[n++] = *s;
		}
		quoted[n++] = '\'';
		quoted[n] = '\0';
	}
	free(escaped);
	return quoted;
}

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void text_list(char *list, size_t size, const char *word)
{
	size_t n = strlen(list);

	snprintf(list + n, size - n, "%s%s", n ? ", " : "", word);
}

char *text_end(FILE *out, char **text)
{
	if (out && fclose(out) == 0)
		return *text;
	free(*text);
	return NULL;
}
