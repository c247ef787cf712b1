/*
 * complete.h - what the TAB key offers: commands, and the names in a file.
 */
#ifndef CPPROF_SHELL_COMPLETE_H
#define CPPROF_SHELL_COMPLETE_H

#include "analyzer/data/dataset.h"
#include "cpprof/shell/row.h"

/* Tells readline.  DATA and COMMANDS are borrowed while lines are read. */
void complete_begin(
	const struct dataset *data, const struct shell_row *commands);

#endif
