/*
 * history.h - the lines typed before, kept from shell to shell.
 *
 * In $XDG_STATE_HOME/cpprof/history (~/.local/state), the last 1000 lines;
 * where it cannot be kept the shell does without, and says nothing.
 */
#ifndef CPPROF_SHELL_HISTORY_H
#define CPPROF_SHELL_HISTORY_H

/* Reads the history; remembers LINE in it; cuts it to its length. */
void history_begin(void);
void history_add(const char *line);
void history_end(void);

#endif
