/*
 * prompt.h - lines typed at a terminal: editing, completion, history.
 *
 * The only door to readline.  Between prompt_begin() and prompt_end() the
 * interrupt key clears the line, or stops what a command computes
 * (cpprof/progress_line.h), and never ends the program.  History is in
 * $XDG_STATE_HOME/cpprof/history (~/.local/state), the last 1000 lines; where
 * it cannot be kept the shell does without, and says nothing.
 */
#ifndef CPPROF_SHELL_PROMPT_H
#define CPPROF_SHELL_PROMPT_H

#include "cpprof/shell/shell.h"

#define HISTORY_LINES 1000

/* SHELL is what completion looks into. */
void prompt_begin(struct shell *shell);

/* The next line, the caller's to free; NULL at the end (Ctrl-D). */
char *prompt_line(void);

void prompt_end(void);

/* Sets up completion; SHELL stays the caller's. */
void complete_begin(struct shell *shell);

/* Reads the history; remembers LINE in it; cuts it to its length. */
void history_begin(void);
void history_add(const char *line);
void history_end(void);

#endif
