/*
 * shell.h - the shell: commands about a profile from the keyboard, a pipe, a
 * script or the command line.
 *
 * Typed at a terminal, a wrong command is told and the next one read.  Anywhere
 * else the first error ends the shell with status 1, and says which line it
 * was in.
 */
#ifndef CPPROF_SHELL_H
#define CPPROF_SHELL_H

/* Opens FILE and reads commands from standard input.  An exit status. */
int shell_open(const char *file);

#endif
