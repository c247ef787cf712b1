/*
 * command.h - commands of cpprof's as messages name them.
 *
 * Nothing here keeps state.
 */
#ifndef CPPROF_COMMAND_H
#define CPPROF_COMMAND_H

#include <stddef.h>

/* The file that is written and read where the user names none. */
#define DEFAULT_FILE "cpprofdata"

/*
 * Copies WORD to BUF as a shell takes it: if need be in single quotes, cut
 * within the quotes.  Control characters are escaped.  Returns BUF.
 */
char *command_quoted(const char *word, char *buf, size_t size);

/*
 * "cpprof COMMAND FILE", to be pasted: without FILE where COMMAND looks at it
 * anyway; COMMAND "" starts the shell.  Returns BUF.
 */
char *command_on(const char *command, const char *file, char *buf, size_t size);

#endif
