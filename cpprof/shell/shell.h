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

#include <stdbool.h>
#include <stdio.h>

#include "cpprof/session.h"

struct shell {
	struct session *session;
	const char *file;
	bool typed; /* commands come from the keyboard */
	bool quit;
	unsigned depth; /* of scripts read by scripts */
};

/* Opens FILE and reads commands from standard input.  An exit status. */
int shell_open(const char *file);

/* Runs the commands of a script; NAME stands in errors.  0 or -1. */
int shell_source(
	struct shell *shell, FILE *script, const char *name, struct err *err);

#endif
