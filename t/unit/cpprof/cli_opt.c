/* Options as rows: every way to write one, and every way to get it wrong. */
#include <string.h>

#include "cpprof/opt.h"
#include "t/lib/tap.h"

static const struct opt opts[] = {
	{"resource", 'r', "NAME", "a resource", 1},
	{"output", 'o', "FILE", "a file", 2},
	{"quiet", 'q', NULL, "say nothing", 3},
	{"quick", 0, NULL, "make haste", 4},
	{"interactive", 'i', NULL, "a shell", 5},
	OPT_HELP_ROW,
	{0},
};

/*
 * What a command line comes to: "name=value" and "name" for options, "[word]"
 * for operands, "!object: reason|hint" for an error.
 */
struct expected {
	const char *line;
	bool stop;
	const char *result;
};

static const struct expected table[] = {
	{"", true, ""},
	{"--resource=cpu", true, "resource=cpu "},
	{"--resource cpu", true, "resource=cpu "},
	{"--resource=", true, "resource= "},
	{"--resource=a=b", true, "resource=a=b "},
	{"-r cpu", true, "resource=cpu "},
	{"-rcpu", true, "resource=cpu "},
	{"-r -q", true, "resource=-q "},
	{"-iq", true, "interactive quiet "},
	{"-iqrcpu", true, "interactive quiet resource=cpu "},
	{"-iqr cpu", true, "interactive quiet resource=cpu "},
	{"--res=cpu", true, "resource=cpu "},
	{"--int", true, "interactive "},
	{"--qui", true,
		"!--qui: ambiguous option|it could be '--quiet' or "
		"'--quick'"},
	{"--quiet", true, "quiet "},
	{"-h", true, "help "},
	{"-q ls -l", true, "quiet [ls] [-l] "},
	{"-q -- -ls -q", true, "quiet [-ls] [-q] "},
	{"ls --quiet", true, "[ls] [--quiet] "},
	{"a -q b", false, "quiet [a] [b] "},
	{"a -q -- -b c", false, "quiet [a] [-b] [c] "},
	{"- -q", false, "quiet [-] "},
	{"a b c", false, "[a] [b] [c] "},
	{"--resouce=cpu", true,
		"!--resouce=cpu: no such option|did you mean '--resource'?"},
	{"--zzzzzzzz", true,
		"!--zzzzzzzz: no such option|--help lists the options"},
	{"-z", true, "!-z: no such option|--help lists the options"},
	{"-qz", true, "quiet !-z: no such option|--help lists the options"},
	{"--resource", true,
		"!--resource: missing argument|it is used as --resource=NAME"},
	{"-q -r", true,
		"quiet !-r: missing argument|it is used as --resource=NAME"},
	{"--quiet=yes", true,
		"!--quiet=yes: takes no argument|use --quiet alone"},
	{"--=x", true, "!--=x: no such option|--help lists the options"},
};

static void scan_line(const struct expected *e, char *got, size_t size)
{
	char words[256], *argv[16];
	const struct opt *opt;
	const char *value;
	struct opt_scan scan;
	struct err err;
	int argc = 0, r;
	size_t n = 0;

	snprintf(words, sizeof words, "%s", e->line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	got[0] = '\0';
	opt_begin(&scan, opts, e->stop, argc, argv);
	while ((r = opt_next(&scan, &opt, &value, &err)) > 0)
		n += (size_t)snprintf(got + n, size - n, "%s%s%s ", opt->name,
			value ? "=" : "", value ? value : "");
	if (r < 0) {
		snprintf(got + n, size - n, "!%s: %s|%s", err.object,
			err.reason, err.hint);
		return;
	}
	for (int i = 0; i < scan.noperands; i++)
		n += (size_t)snprintf(
			got + n, size - n, "[%s] ", scan.operands[i]);
}

int main(void)
{
	char got[2048];

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		scan_line(&table[i], got, sizeof got);
		if (!ok(strcmp(got, table[i].result) == 0, "%s",
			    *table[i].line ? table[i].line : "(nothing)"))
			diag("got: %s", got);
	}
	return done_testing();
}
