/* Globs are of fnmatch(3), regular expressions of regcomp(3), with bounds on
   their repetitions. */
#include "analyzer/name/pattern.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* A repeat {m,n} makes the library write its operand out N times. */
#define REPEATS_MAX 1000

struct pattern {
	char *glob; /* NULL: a regular expression */
	regex_t regex;
};

bool pattern_is_regex(const char *word)
{
	size_t n = strlen(word);

	return n >= 2 && word[0] == '/' && word[n - 1] == '/';
}

bool pattern_is(const char *word)
{
	return pattern_is_regex(word) || strpbrk(word, "*?");
}

/* What in REGEX could take any amount of time or memory; NULL: nothing. */
static const char *excess(const char *regex)
{
	unsigned long all = 1;

	for (const char *c = regex; *c; c++) {
		if (*c == '\\' && c[1] >= '1' && c[1] <= '9')
			return "back-references are not supported";
		if (*c == '\\' && c[1]) {
			c++;
		} else if (*c == '{') {
			const char *comma = c + 1 + strcspn(c + 1, ",}");
			unsigned long low = strtoul(c + 1, NULL, 10), high = 0;

			if (*comma == ',')
				high = strtoul(comma + 1, NULL, 10);
			high = high > low ? high : low;
			all *= high > REPEATS_MAX ? REPEATS_MAX + 1
			       : high             ? high
						  : 1;
			if (all > REPEATS_MAX)
				return "it repeats too often";
		}
	}
	return NULL;
}

static int compile(struct pattern *pattern, const char *word, struct err *err)
{
	size_t n = strlen(word) - 2;
	char *inner = strndup(word + 1, n), why[128];
	const char *no;
	int bad;

	if (!inner)
		return err_sys(err, word, NULL);
	no = n ? excess(inner) : "it is empty";
	if (no) {
		free(inner);
		return err_say(err, word, "regular expression", no,
			"/^Py.*Call/ is one; f* is a glob");
	}
	bad = regcomp(&pattern->regex, inner, REG_EXTENDED | REG_NOSUB);
	free(inner);
	if (!bad)
		return 0;
	regerror(bad, &pattern->regex, why, sizeof why);
	return err_say(err, word, "regular expression", why,
		"write \\ before a character such as ( [ * + that "
		"stands for itself");
}

/* Escapes what fnmatch() treats specially, except * and ?. */
static char *escape_glob(const char *word)
{
	char *glob = malloc(2 * strlen(word) + 1), *to = glob;

	for (; glob && *word; word++) {
		if (*word == '[' || *word == ']' || *word == '\\')
			*to++ = '\\';
		*to++ = *word;
	}
	if (glob)
		*to = '\0';
	return glob;
}

struct pattern *pattern_new(const char *word, struct err *err)
{
	struct pattern *pattern = calloc(1, sizeof *pattern);
	int bad = -1;

	if (!pattern) {
		err_sys(err, word, NULL);
	} else if (pattern_is_regex(word)) {
		bad = compile(pattern, word, err);
	} else {
		pattern->glob = escape_glob(word);
		bad = pattern->glob ? 0 : err_sys(err, word, NULL);
	}
	if (!bad)
		return pattern;
	free(pattern);
	return NULL;
}

void pattern_free(struct pattern *pattern)
{
	if (!pattern)
		return;
	if (!pattern->glob)
		regfree(&pattern->regex);
	free(pattern->glob);
	free(pattern);
}

bool pattern_fits(const struct pattern *pattern, const char *name)
{
	if (pattern->glob)
		return !fnmatch(pattern->glob, name, 0);
	return !regexec(&pattern->regex, name, 0, NULL, 0);
}
