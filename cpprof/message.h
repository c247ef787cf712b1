/*
 * message.h - what the program says on standard error, and how it exits.
 *
 * Nothing else prints, except the shell's output.  Nothing here fails: if
 * standard error cannot be written, there is nobody to tell.
 */
#ifndef CPPROF_MESSAGE_H
#define CPPROF_MESSAGE_H

#include <stdbool.h>

#include "lib/err.h"

/* The way out where malloc had little to do. */
#define HINT_OWN_HEAP                                                          \
	"what malloc gave counts, and no other heap; of Go, 'cpprof report "   \
	"--up=runtime.mallocgc' of cpu or pagefaults shows who allocates"

/* Exit statuses of cpprof itself. */
enum {
	EXIT_WRONG = 1,        /* all but run */
	EXIT_NOTHING = 2,      /* symbolize: no name was found */
	EXIT_RUN_FAILED = 125, /* run: the program was not run */
	EXIT_RUN_NOT_EXECUTABLE = 126,
	EXIT_RUN_NOT_FOUND = 127,
};

/* Prints "cpprof: OBJECT: OPERATION: REASON" and the hint, if there is one. */
void message_error(const struct err *err);

/* Puts WHERE ("script:3") in front of the error's object.  Returns -1. */
int message_where(struct err *err, const char *where);

/* Prints "cpprof: " and the text and ends the line. */
void message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The hint of ERR: "did you mean 'A', 'B' or 'C'?" for the NAMES nearest to
 * WRONG, or OTHERWISE where none is near.  Returns -1.
 */
int message_hint(struct err *err, const char *wrong, const char *const *names,
	size_t n, const char *otherwise);

/*
 * Flushes standard output.  0, or EXIT_WRONG after the error was printed; a
 * reader that has gone away (EPIPE) is no error.
 */
int message_flush(void);

#endif
