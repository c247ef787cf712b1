/*
 * complete.h - what the TAB key offers: commands, and the names in a file.
 */
#ifndef CPPROF_SHELL_COMPLETE_H
#define CPPROF_SHELL_COMPLETE_H

#include "cpprof/session/session.h"
#include "cpprof/shell/row.h"

/* Tells readline.  SESSION and COMMANDS are borrowed while lines are read. */
void complete_begin(
	const struct session *session, const struct shell_row *commands);

#endif
