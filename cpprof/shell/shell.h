/*
 * shell.h - the shell: commands about a profile from the keyboard, a pipe, a
 * script or the command line.
 *
 * At a terminal, an error is printed and the next command is read.  Anywhere
 * else the first error ends the shell with status 1; the message names its
 * line.
 */
#ifndef CPPROF_SHELL_H
#define CPPROF_SHELL_H

/* Opens FILE and reads commands from standard input.  An exit status. */
int shell_open(const char *file);

#endif
