/*
 * csv_values.h - quoted fields of comma-separated values.
 *
 * Both return -1 when out of memory.
 */
#ifndef CPPROF_REPORT_CSV_VALUES_H
#define CPPROF_REPORT_CSV_VALUES_H

#include <stdio.h>

/*
 * Writes TEXT escaped, without its quotation marks.  A ";" in it becomes \x3b,
 * since ";" joins the lists within a field.
 */
int csv_text(FILE *out, const char *text);

/* The same with quotation marks around it and a comma behind. */
int csv_field(FILE *out, const char *text);

#endif
