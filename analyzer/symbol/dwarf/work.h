/*
 * work.h - how much debug information is looked at in one module.
 */
#ifndef CPPROF_SYMBOL_DWARF_WORK_H
#define CPPROF_SYMBOL_DWARF_WORK_H

/* Entries and ranges. */
#define SYM_DWARF_WORK_MAX 20000000

#endif
