/* Lines of the shell: words, quotes, comments, redirections. */
#include <string.h>

#include "cpprof/shell/line.h"
#include "t/lib/tap.h"

/* "<word> <word> ;" per command; "=> file", "+> file", "| command". */
static const struct {
	const char *line, *result;
} table[] = {
	{"", ""},
	{"   \t ; ; ", ""},
	{"down", "<down> ;"},
	{"down main 0.1", "<down> <main> <0.1> ;"},
	{"root main; down", "<root> <main> ;<down> ;"},
	{"a\nb", "<a> ;<b> ;"},
	{"a # b; c", "<a> ;"},
	{"# b\nc", "<c> ;"},
	{"a#b", "<a#b> ;"},
	{"root 'a b; c'", "<root> <a b; c> ;"},
	{"root \"it's\"", "<root> <it's> ;"},
	{"root 'it''s'", "<root> <it's> ;"},
	{"root '''' ''", "<root> <'> <> ;"},
	{"root <&'a", "<root> <<&'a> ;"},
	{"root operator>>", "<root> <operator>>> ;"},
	{"root vector<int>::f", "<root> <vector<int>::f> ;"},
	{"up [futex wait] 5%", "<up> <[futex wait]> <5%> ;"},
	{"up [a b; c d", "<up> <[a> <b> ;<c> <d> ;"},
	{"up [ab]* c]", "<up> <[ab]*> <c]> ;"},
	{"tree > f", "<tree> => f;"},
	{"tree >f", "<tree> => f;"},
	{"tree >> 'f g'", "<tree> +> f g;"},
	{"tree | grep ';' | wc; a", "<tree> | grep ';' | wc;<a> ;"},
	{"root 'a", "!a quote ' is left open"},
	{"root 'a'b", "!text right behind a closing quote '"},
	{"tree >", "!a file name is missing"},
	{"tree |", "!a command is missing"},
	{"> f", "!there is no command to take the output of"},
	{"tree > f g", "!text behind the file of a redirection"},
	{"1 2 3 4 5 6 7 8 9", "!too many arguments"},
};

static void cut(const char *line, char *got, size_t size)
{
	static const char *const marks[] = {"", "=> ", "+> ", "| "};
	struct line_command c;
	struct err err;
	size_t n = 0;
	int r;

	got[0] = '\0';
	while ((r = line_next(&line, &c, &err)) > 0) {
		for (size_t i = 0; i < c.n; i++)
			n += (size_t)snprintf(
				got + n, size - n, "<%s> ", c.words[i]);
		n += (size_t)snprintf(got + n, size - n, "%s%s;",
			marks[c.redirected ? c.target.to : 0],
			c.redirected ? c.target.what : "");
		line_free(&c);
	}
	if (r < 0)
		snprintf(got + n, size - n, "!%s", err.reason);
}

static void round_trip(const char *word)
{
	char quoted[256], line[300];
	const char *rest = line;
	struct line_command c = {0};
	struct err err;

	line_quoted(word, quoted, sizeof quoted);
	snprintf(line, sizeof line, "root %s", quoted);
	ok(line_next(&rest, &c, &err) == 1 && c.n == 2 &&
			strcmp(c.words[1], word) == 0,
		"quoted and read back: %s", quoted);
	line_free(&c);
}

int main(void)
{
	char got[2048];

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		cut(table[i].line, got, sizeof got);
		if (!ok(strcmp(got, table[i].result) == 0, "line %zu", i))
			diag("%s: got: %s", table[i].line, got);
	}
	round_trip("main");
	round_trip("std::vector<int, std::allocator<int> >::f");
	round_trip("<&'a T as B>::c; d");
	round_trip("a \"b\" 'c'");
	round_trip("'");
	round_trip("#x");
	round_trip("");
	return done_testing();
}
