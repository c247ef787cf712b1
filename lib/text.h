/*
 * text.h - figures and names, read from and shown to people.
 *
 * Intervals have units (`1ms`, `10`, `64K`); names that come from a binary or a
 * file are untrusted; for a wrong name the nearest right ones are found.
 * Nothing here keeps state or allocates, except where it says so.
 */
#ifndef CPPROF_TEXT_H
#define CPPROF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How a number of gticks is written. */
enum text_unit {
	TEXT_COUNT, /* plain, or K M G (powers of 1000) */
	TEXT_BYTES, /* plain, or K M G, KiB MiB GiB (powers of 1024) */
	TEXT_USEC,  /* needs a unit: us ms s; a bare number is microseconds */
};

/*
 * Reads all of S as a positive number of gticks.  Returns 0, or -1 when S is
 * no such number, or is zero, or does not fit: *WHY then says which, a static
 * string.
 */
int text_parse_gticks(
	const char *s, enum text_unit unit, uint64_t *gticks, const char **why);

/* Writes N as a person would: "1 ms", "64 KiB", "10".  Returns BUF. */
char *text_gticks(uint64_t n, enum text_unit unit, char *buf, size_t size);

/* The same as an option takes it: no blank in it. */
char *text_interval(uint64_t n, enum text_unit unit, char *buf, size_t size);

/* Reads all of S as a fraction from 0 to 1, as `0.05` or `5%`. */
bool text_parse_fraction(const char *s, double *fraction);

/*
 * Copies S to BUF with control characters, DEL, invalid UTF-8 and what Unicode
 * has without width or to turn the direction written \xNN per byte; a name
 * longer than SIZE is cut with "...".  Always terminates; returns BUF.
 */
char *text_escape(const char *s, char *buf, size_t size);

/* "killed by signal 11 (SEGV)", from a wait status, or "" where it has no such
   end.  Returns BUF. */
char *text_killed(int status, char *buf, size_t size);

/*
 * WORD as it must be typed in a shell: as it is, or in single quotes.  Control
 * characters are escaped.  In new memory; NULL when there is none.
 */
char *text_quoted(const char *word);

/*
 * The Damerau-Levenshtein distance of A and B in its restricted form (optimal
 * string alignment: swapped letters are not edited again), or LIMIT + 1 when it
 * is larger than LIMIT or B longer than 1000 letters.  A difference in case
 * counts half a step, rounded up.
 */
unsigned text_distance(const char *a, const char *b, unsigned limit);

/*
 * What makes the plural of NOUN for N: "", "s" or "es" (faults, switches,
 * misses).
 */
const char *text_plural(const char *noun, uint64_t n);

/* What is behind the last '/' of PATH; PATH where there is nothing. */
const char *text_base_name(const char *path);

/* Appends WORD to LIST, with ", " between them, as far as SIZE has room. */
void text_list(char *list, size_t size, const char *word);

/* Closes OUT, the open_memstream() of *TEXT: the text, in new memory; NULL, and
   nothing is left of it, where there was none.  OUT may be NULL, too. */
char *text_end(FILE *out, char **text);

/*
 * Picks from the N NAMES up to MAX (at most 32) that are nearest to WRONG (a
 * prefix, a substring or a small distance), nearest first, each once.  Returns
 * how many.
 */
size_t text_nearest(const char *wrong, const char *const *names, size_t n,
	const char **nearest, size_t max);

#endif
