/*
 * csv_values.h - the one way of names, units and paths into comma-separated
 * values.
 *
 * All return -1 when out of memory.
 */
#ifndef CPPROF_REPORT_CSV_VALUES_H
#define CPPROF_REPORT_CSV_VALUES_H

#include <jansson.h>
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

/*
 * VALUE (NULL or null: nothing): a text in quotes, a real as FORM says
 * ("f5": %.5f, "g6": %.6g), an integer in hexadecimal if that is "x".  Of a
 * list the texts, or the MEMBERs of its objects, joined in quotes.
 */
int csv_value(
	FILE *out, const json_t *value, const char *member, const char *form);

#endif
