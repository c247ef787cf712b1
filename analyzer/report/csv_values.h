/*
 * csv_values.h - the one way of names, units and paths into comma-separated
 * values.
 *
 * All return -1 when out of memory.
 */
#ifndef CPPROF_REPORT_CSV_VALUES_H
#define CPPROF_REPORT_CSV_VALUES_H

#include <stdint.h>
#include <stdio.h>

/*
 * Element I of a list within a quoted field, whose quotation marks the caller
 * writes.  ";" joins the elements, so in TEXT it becomes \x3b; what a
 * spreadsheet would take for the begin of a formula is escaped, too.
 */
int csv_text(FILE *out, uint32_t i, const char *text);

/* A quoted field of one text; a comma behind it. */
int csv_field(FILE *out, const char *text);

#endif
