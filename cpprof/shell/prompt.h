/*
 * prompt.h - lines typed at a terminal: editing, completion, history.
 *
 * Between prompt_begin() and prompt_end() the interrupt key clears the line, or
 * stops what a command computes (cpprof/progress_line.h).  It never ends the
 * program.
 */
#ifndef CPPROF_SHELL_PROMPT_H
#define CPPROF_SHELL_PROMPT_H

#include "cpprof/session/session.h"
#include "cpprof/shell/history.h"
#include "cpprof/shell/row.h"

/* SESSION and COMMANDS are what completion looks into; borrowed. */
void prompt_begin(struct history *history, const struct session *session,
	const struct shell_row *commands);

/* The next line behind PROMPT, the caller's to free; NULL at the end (Ctrl-D).
 */
char *prompt_line(const struct history *history, const char *prompt);

void prompt_end(const struct history *history);

#endif
