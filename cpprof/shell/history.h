/*
 * history.h - the lines typed before, kept from shell to shell.
 *
 * Kept in $XDG_STATE_HOME/cpprof/history (~/.local/state), the last 1000 lines.
 * Where that cannot be written, the shell works without, silently.
 */
#ifndef CPPROF_SHELL_HISTORY_H
#define CPPROF_SHELL_HISTORY_H

#include <limits.h>

struct history {
	char path[PATH_MAX]; /* "": it is not kept */
};

/* Reads the history; remembers LINE in it; cuts it to its length. */
void history_begin(struct history *history);
void history_add(const struct history *history, const char *line);
void history_end(const struct history *history);

#endif
