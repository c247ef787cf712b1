/*
 * csv_values.h - quoted fields of comma-separated values.
 *
 * Both return -1 when out of memory.
 */
#ifndef CPPROF_REPORT_CSV_VALUES_H
#define CPPROF_REPORT_CSV_VALUES_H

#include <stdio.h>

/*
 * TEXT escaped, as it stands within quotation marks; a ";" in it is \x3b, since
 * lists within a field are joined with that.
 */
int csv_text(FILE *out, const char *text);

/* The same with its quotation marks, and a comma. */
int csv_field(FILE *out, const char *text);

#endif
