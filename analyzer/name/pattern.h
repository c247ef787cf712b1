/*
 * pattern.h - the words with which a user names many things at once.
 *
 * A word with * or ? is a glob: * stands for any text, ? for one character, all
 * else for itself, so operator[] and [lost] need no quoting.  A word between
 * two slashes is a POSIX extended regular expression that is found anywhere in
 * a name: /^Py.*Call/.  Any other word is plain and is no pattern.
 *
 * Patterns that take a regular expression library out of all bounds (repeats
 * of repeats, back-references) are refused.
 */
#ifndef CPPROF_NAME_PATTERN_H
#define CPPROF_NAME_PATTERN_H

#include <stdbool.h>

#include "lib/err.h"

struct pattern;

/* Whether WORD is a pattern; whether it is a regular expression. */
bool pattern_is(const char *word);
bool pattern_is_regex(const char *word);

/* NULL and an error with a hint when WORD cannot be read; pattern_free(). */
struct pattern *pattern_new(const char *word, struct err *err);
void pattern_free(struct pattern *pattern);

bool pattern_fits(const struct pattern *pattern, const char *name);

#endif
