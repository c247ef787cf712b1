/*
 * line.h - a line of the shell, cut into commands and words.
 *
 * Words are separated by blanks, commands by `;` or a new line; `#` at the
 * start of a word begins a comment.  A word that starts with ' or " goes to the
 * next such quote; the quote itself is written twice.  Anywhere else in a word
 * quotes are ordinary, since names have them (`<&'a T>`).  At the start of a
 * word `> FILE` and `>> FILE` send the command's output to a file, and
 * `| COMMAND` (up to the next `;`) to a command of /bin/sh.
 */
#ifndef CPPROF_SHELL_LINE_H
#define CPPROF_SHELL_LINE_H

#include "cpprof/output.h"

#define LINE_WORDS_MAX 8

struct line_command {
	char *words[LINE_WORDS_MAX];
	size_t n;
	bool redirected;
	struct output_target target;
	bool ended; /* by `;` or a new line */
	char *text; /* holds the words */
};

/*
 * Cuts the first command off *REST: 1, or 0 when none is left (blank
 * ones are skipped), or -1 with an error.  After 1, line_free() is due.
 */
int line_next(const char **rest, struct line_command *command, struct err *err);
void line_free(struct line_command *command);

/* Writes WORD to BUF as line_next() would read it back.  Returns BUF. */
char *line_quoted(const char *word, char *buf, size_t size);

#endif
