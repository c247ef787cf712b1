/*
 * namer.h - looks the names of addresses up, module by module.
 */
#ifndef CPPROF_SYMBOL_NAMER_H
#define CPPROF_SYMBOL_NAMER_H

#include "analyzer/symbol/task.h"

/* Names what is left of TASK.  -1: no memory, or the writer's error. */
int sym_name_all(const struct sym_task *task);

#endif
