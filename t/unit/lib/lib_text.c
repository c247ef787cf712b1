/* Figures and names between people and the program. */
#include <string.h>

#include "t/lib/tap.h"
#include "lib/err.h"
#include "lib/run/rerun.h"
#include "lib/text.h"

static void parse_gticks(void)
{
	static const struct {
		const char *s;
		enum text_unit unit;
		uint64_t n; /* 0: to be refused */
	} rows[] = {
		{"10", TEXT_COUNT, 10},
		{"64K", TEXT_COUNT, 64000},
		{"1M", TEXT_COUNT, 1000000},
		{"2G", TEXT_COUNT, 2000000000},
		{"1.5K", TEXT_COUNT, 1500},
		{"1.50000000000000000000000K", TEXT_COUNT, 1500},
		{"18446744073709551615", TEXT_COUNT, UINT64_MAX},
		{"18446744073709551616", TEXT_COUNT, 0},
		{"18446744073709551G", TEXT_COUNT, 0},
		{"1.5", TEXT_COUNT, 0},
		{"1KiB", TEXT_COUNT, 0},
		{"1ms", TEXT_COUNT, 0},
		{"64K", TEXT_BYTES, 65536},
		{"64KiB", TEXT_BYTES, 65536},
		{"1M", TEXT_BYTES, 1048576},
		{"1MiB", TEXT_BYTES, 1048576},
		{"1GiB", TEXT_BYTES, 1073741824},
		{"0.5K", TEXT_BYTES, 512},
		{"100", TEXT_BYTES, 100},
		{"0.3K", TEXT_BYTES, 0},
		{"1KB", TEXT_BYTES, 0},
		{"1ms", TEXT_USEC, 1000},
		{"1.5ms", TEXT_USEC, 1500},
		{"0.5s", TEXT_USEC, 500000},
		{"10us", TEXT_USEC, 10},
		{"10", TEXT_USEC, 10},
		{"1 ms", TEXT_USEC, 1000},
		{".5s", TEXT_USEC, 500000},
		{"0.0000001s", TEXT_USEC, 0},
		{"0.5us", TEXT_USEC, 0},
		{"1.0005ms", TEXT_USEC, 0},
		{"1K", TEXT_USEC, 0},
		{"1m", TEXT_USEC, 0},
		{"99999999999999999s", TEXT_USEC, 0},
		{"0", TEXT_USEC, 0},
		{"0.0ms", TEXT_USEC, 0},
		{"-1", TEXT_COUNT, 0},
		{"+1", TEXT_COUNT, 0},
		{" 1", TEXT_COUNT, 0},
		{"1 ", TEXT_COUNT, 0},
		{"", TEXT_COUNT, 0},
		{".", TEXT_COUNT, 0},
		{"K", TEXT_COUNT, 0},
		{"1..5K", TEXT_COUNT, 0},
		{"1.2.3K", TEXT_COUNT, 0},
		{"0x10", TEXT_COUNT, 0},
		{"1e3", TEXT_COUNT, 0},
		{"nan", TEXT_COUNT, 0},
		{"10Kx", TEXT_COUNT, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *why = NULL;
		uint64_t n = 0;
		int status =
			text_parse_gticks(rows[i].s, rows[i].unit, &n, &why);

		ok(rows[i].n ? !status && n == rows[i].n
			     : status == -1 && why && *why,
			"'%s' is %llu%s%s", rows[i].s, (unsigned long long)n,
			why ? ": " : "", why ? why : "");
	}
}

static void write_gticks(void)
{
	static const struct {
		uint64_t n;
		enum text_unit unit;
		const char *s;
	} rows[] = {
		{10, TEXT_COUNT, "10"},
		{1000000, TEXT_COUNT, "1000000"},
		{1000, TEXT_USEC, "1 ms"},
		{1500, TEXT_USEC, "1.5 ms"},
		{999, TEXT_USEC, "999 us"},
		{2500000, TEXT_USEC, "2.5 s"},
		{1000001, TEXT_USEC, "1.000001 s"},
		{65536, TEXT_BYTES, "64 KiB"},
		{1536, TEXT_BYTES, "1.5 KiB"},
		{1000, TEXT_BYTES, "1000 B"},
		{1025, TEXT_BYTES, "1025 B"},
		{3u << 30, TEXT_BYTES, "3 GiB"},
		{0, TEXT_BYTES, "0 B"},
		{0, TEXT_USEC, "0 us"},
	};
	uint64_t x = 88172645463325252;
	int wrong = 0;
	char buf[64];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ok(!strcmp(text_gticks(rows[i].n, rows[i].unit, buf, 64),
			   rows[i].s),
			"%s", buf);
	for (int i = 0; i < 3000; i++) {
		enum text_unit unit = (enum text_unit)(i % 3);
		const char *why;
		uint64_t n, back = 0;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		n = x >> (x & 63) | 1;
		text_gticks(n, unit, buf, sizeof buf);
		text_parse_gticks(buf, unit, &back, &why);
		wrong += back != n;
	}
	ok(!wrong, "what is written reads back as the same number");
}

static void fractions(void)
{
	static const struct {
		const char *s;
		double f; /* -1: to be refused */
	} rows[] = {{"0.05", 0.05}, {"5%", 0.05}, {"0", 0}, {"1", 1},
		{"100%", 1}, {".5", 0.5}, {"0.1%", 0.001}, {"33.3%", 0.333},
		{"1.0001", -1}, {"101%", -1}, {"-0.1", -1}, {"", -1}, {"%", -1},
		{"0.1x", -1}, {"5 %", -1}, {"nan", -1}, {"1e-2", -1},
		{"0,5", -1}, {" 0.5", -1}, {"5%%", -1}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double f = -1;
		bool good = text_parse_fraction(rows[i].s, &f);

		ok(f == rows[i].f && good == (rows[i].f >= 0), "'%s' is %g",
			rows[i].s, f);
	}
}

static void escape(void)
{
	static const struct {
		const char *s, *escaped;
	} rows[] = {
		{"main", "main"},
		{"a\nb\tc", "a\\x0ab\\x09c"},
		{"\033[31mred", "\\x1b[31mred"},
		{"\x7f", "\\x7f"},
		{"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
			"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"\xc2\x9b"
		 "1m",
			"\\xc2\\x9b1m"}, /* C1: CSI */
		{"\xe2\x80\xae"
		 "cod",
			"\\xe2\\x80\\xae"
			"cod"},                      /* RLO */
		{"\xe2\x81\xa6", "\\xe2\\x81\\xa6"}, /* LRI */
		{"\xc3", "\\xc3"},                   /* cut short */
		{"\xe2\x82", "\\xe2\\x82"},
		{"\xc0\xaf", "\\xc0\\xaf"}, /* overlong */
		{"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* surrogate */
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* too high */
		{"\xff\xfe", "\\xff\\xfe"},
		{"back\\slash", "back\\slash"},
	};
	char buf[64], small[9];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ok(!strcmp(text_escape(rows[i].s, buf, sizeof buf),
			   rows[i].escaped),
			"%s", buf);
	ok(!strcmp(text_escape("12345678", small, 9), "12345678"),
		"what fits just is whole");
	ok(!strcmp(text_escape("123456789", small, 9), "12345..."),
		"what does not ends in dots");
	ok(!strcmp(text_escape(
			   "1\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", small, 9),
		   "1\xe2\x82\xac..."),
		"and no character is halved: %s", small);
	ok(!strcmp(text_escape("\1\1\1", small, 9), "\\x01..."),
		"nor an escape: %s", small);
	ok(!strcmp(text_escape("abc", small, 3), "..") &&
			!*text_escape("abc", small, 1),
		"tiny buffers are terminated");
}

static void quoted(void)
{
	static const struct {
		const char *word, *typed;
	} rows[] = {
		{"a-b/c=1,2", "a-b/c=1,2"},
		{"", "''"},
		{"a b", "'a b'"},
		{"it's", "'it'\\''s'"},
		{"a\nb", "'a\\x0ab'"},
		{"$(x)", "'$(x)'"},
		{"~", "'~'"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *typed = text_quoted(rows[i].word);

		ok(typed && !strcmp(typed, rows[i].typed), "%s is typed %s",
			rows[i].typed, typed ? typed : "NULL");
		free(typed);
	}
}

static const struct {
	struct rerun_resource r;
	uint64_t interval;
	const char *what;
} rerun_rows[] = {
	{{"cpu", TEXT_USEC, 1000, 10, 10000, 10, 0, 0}, 100,
		"10 ms: 100 samples, and no slower"},
	{{"cpu", TEXT_USEC, 10000, 10, 130000, 13, 0, 0}, 100,
		"a thousand samples"},
	{{"cpu", TEXT_USEC, 1000000, 10, 7000000, 7, 0, 0}, 5000,
		"1, 2 or 5 times a power of ten, downwards"},
	{{"cpu", TEXT_USEC, 1000, 10, 21000, 19, 0, 0}, 0,
		"as many hits as are enough"},
	{{"cpu", TEXT_USEC, 1000, 10, 10000, 20, 0, 0}, 0, "enough samples"},
	{{"cpu", TEXT_USEC, 1000, 10, 150, 0, 0, 0}, 0,
		"one sample is nothing gained"},
	{{"cpu", TEXT_USEC, 150, 10, 1500, 10, 0, 0}, 0,
		"not twice the samples"},
	{{"real", TEXT_USEC, 10000, 100, 10000000, 2, 0, 0}, 0,
		"two long waits"},
	{{"pagefaults", TEXT_COUNT, 10, 1, 35, 3, 0, 0}, 1, "each fault"},
	{{"majorfaults", TEXT_COUNT, 1, 1, 3, 3, 0, 0}, 0, "each is sampled"},
	{{"cycles", TEXT_COUNT, 1000000, 1000, 300000, 0, 0, 0}, 1000,
		"the least that is possible"},
	{{"bytes", TEXT_BYTES, 4096, 1, 0, 0, 0, 0}, 0, "nothing"},
	{{"pagefaults", TEXT_COUNT, 1, 1, 36000, 9000, 27000, 0}, 10,
		"three in four lost"},
	{{"cpu", TEXT_USEC, 100, 10, 100000, 900, 100, 0}, 200,
		"one in ten lost"},
	{{"cpu", TEXT_USEC, 1000, 10, 100000, 98, 2, 0}, 0,
		"next to none lost"},
	{{"calls=f", TEXT_COUNT, 1, 1, 1000000, 0, 1000000, 0}, 2000000,
		"all lost"},
	{{"syscalls", TEXT_COUNT, 1, 1, 600000, 600000, 0, 3e6}, 50,
		"a sample each 5 us"},
	{{"syscalls", TEXT_COUNT, 1, 1, 600000, 600000, 0, 3e7}, 0,
		"a sample each 50 us"},
	{{"syscalls", TEXT_COUNT, 1, 1, 600000, 600000, 0, 1.5e7}, 10,
		"a sample each 25 us"},
	{{"syscalls", TEXT_COUNT, 1, 1, 600, 600, 0, 3e3}, 0,
		"they cost nothing that matters"},
	{{"syscalls", TEXT_COUNT, 1, 1, 20000, 20000, 0, 2e5}, 20,
		"as many as matter"},
	{{"syscalls", TEXT_COUNT, 1, 1, 19999, 19999, 0, 2e5}, 0, "one fewer"},
	{{"arcs", TEXT_COUNT, 0, 1, 1000, 100, 900, 0}, 0,
		"each is counted: there is no interval"},
	{{"cpu", TEXT_USEC, 1000000, 10, 1999000, 1, 0, 0}, 1000,
		"a thousand samples or somewhat more"},
};

static void rerun(void)
{
	struct rerun_resource both[] = {rerun_rows[0].r, rerun_rows[4].r};
	char *option;

	for (size_t i = 0; i < sizeof rerun_rows / sizeof *rerun_rows; i++) {
		uint64_t got = rerun_interval(&rerun_rows[i].r);

		ok(got == rerun_rows[i].interval, "%s: %s: %ju",
			rerun_rows[i].r.name, rerun_rows[i].what,
			(uintmax_t)got);
	}
	both[1].name = "user";
	option = rerun_option(both, 2);
	ok(option && !strcmp(option, "-r cpu:100us"),
		"the option that takes others: %s", option ? option : "none");
	free(option);
	option = rerun_option(both + 1, 1);
	ok(!option, "none where there are enough");
	free(option);
}

/* The plain table over all of both strings, in half steps. */
static unsigned slow_distance(const char *a, const char *b)
{
	static unsigned d[64][64];
	size_t na = strlen(a), nb = strlen(b);

	for (size_t i = 0; i <= na; i++)
		for (size_t j = 0; j <= nb; j++) {
			unsigned best = i || j ? 10000 : 0, c;

#define TRY(x) (c = (x), best = c < best ? c : best)
#define LOW(c) ((c) | ((c) >= 'A' && (c) <= 'Z' ? 32 : 0))
#define COST(x, y) ((x) == (y) ? 0u : LOW(x) == LOW(y) ? 1u : 2u)
			if (i)
				TRY(d[i - 1][j] + 2);
			if (j)
				TRY(d[i][j - 1] + 2);
			if (i && j)
				TRY(d[i - 1][j - 1] + COST(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && COST(a[i - 1], b[j - 2]) < 2 &&
				COST(a[i - 2], b[j - 1]) < 2)
				TRY(d[i - 2][j - 2] + 2 +
					COST(a[i - 1], b[j - 2]) +
					COST(a[i - 2], b[j - 1]));
			d[i][j] = best;
		}
	return (d[na][nb] + 1) / 2;
}

static void distances(void)
{
	uint32_t x = 12345;
	int wrong = 0;

	ok(text_distance("main", "main", 3) == 0, "the same");
	ok(text_distance("mian", "main", 3) == 1, "two letters swapped");
	ok(text_distance("Main", "main", 3) == 1, "case is half, rounded up");
	ok(text_distance("MAin", "main", 3) == 1, "and two of it are one");
	ok(text_distance("kitten", "sitting", 9) == 3, "kitten, sitting");
	ok(text_distance("abc", "xyz", 2) == 3, "beyond the limit: limit + 1");
	ok(text_distance("", "abc", 9) == 3, "from nothing");
	ok(text_distance("a", "abcdefgh", 4) == 5, "much longer");
	for (int i = 0; i < 20000; i++) {
		char a[40], b[40], *both[] = {a, b};
		unsigned limit = x >> 8 & 15, want, got;

		for (int k = 0; k < 2; k++) {
			size_t n = (x = x * 1664525 + 1013904223) >> 27;

			for (size_t j = 0; j < n; j++)
				both[k][j] =
					"abAB"[(x = x * 1664525 + 1013904223) >>
						30];
			both[k][n] = '\0';
		}
		want = slow_distance(a, b);
		want = want > limit ? limit + 1 : want;
		got = text_distance(a, b, limit);
		if (got != want && !wrong++)
			diag("%s %s limit %u: %u, not %u", a, b, limit, got,
				want);
	}
	ok(!wrong, "as the plain table has it, for 20000 pairs");
}

static void plural(void)
{
	ok(!strcmp(text_plural("fault", 1), "") &&
			!strcmp(text_plural("fault", 0), "s") &&
			!strcmp(text_plural("cycle", 2), "s"),
		"a fault, faults, cycles");
	ok(!strcmp(text_plural("switch", 2), "es") &&
			!strcmp(text_plural("prefetch", 5), "es") &&
			!strcmp(text_plural("miss", 2), "es") &&
			!strcmp(text_plural("miss", 1), ""),
		"switches, prefetches, misses");
}

static void nearest(void)
{
	static const char *const names[] = {"cpu", "user", "system",
		"pagefaults", "minorfaults", "majorfaults", "cpu",
		"db_read_record", "db_get_property"};
	size_t n = sizeof names / sizeof *names;
	const char *got[4];

	ok(text_nearest("cpi", names, n, got, 4) == 1 && !strcmp(got[0], "cpu"),
		"a slip: once, though it is there twice");
	ok(text_nearest("faults", names, n, got, 4) == 3 &&
			!strcmp(got[0], "pagefaults"),
		"a part of three names, the shortest first");
	ok(text_nearest("db_", names, n, got, 1) == 1 &&
			!strcmp(got[0], "db_read_record"),
		"no more than asked for");
	ok(text_nearest("pagefault", names, n, got, 4) >= 1 &&
			!strcmp(got[0], "pagefaults"),
		"a plural");
	ok(text_nearest("zzzzzz", names, n, got, 4) == 0, "nothing like it");
	ok(text_nearest("", names, n, got, 4) == 0, "no name");
	ok(text_nearest("cpu", names, n, got, 0) == 0, "none asked for");
}

static void errors(void)
{
	char buf[4096], tiny[7];
	struct err err;

	ok(err_set(&err, "a\nb", "open", "no %s", "way") == -1 && !*err.hint,
		"set");
	err_hint(&err, "do %d", 7);
	err_format(&err, buf, sizeof buf);
	ok(!strcmp(buf, "a\\x0ab: open: no way\nhint: do 7"), "%s",
		"object, operation, reason, hint; control characters escaped");
	err_set(&err, NULL, NULL, "just so");
	err_format(&err, buf, sizeof buf);
	ok(!strcmp(buf, "just so"), "empty parts are left out");
	err_format(&err, tiny, sizeof tiny);
	ok(!strcmp(tiny, "jus..."), "cut: %s", tiny);
	err_set(&err, err.reason, "again", "%s%s", err.reason, "!");
	ok(!strcmp(err.object, "just so") && !strcmp(err.reason, "just so!"),
		"made from itself");
}

int main(void)
{
	parse_gticks();
	write_gticks();
	fractions();
	escape();
	quoted();
	rerun();
	distances();
	plural();
	nearest();
	errors();
	return done_testing();
}
