/*
 * rows.h - an answer for programs: an object with a list of entries.
 *
 * JSON has it on one line.  CSV has a header line, and a line for each entry or
 * for each object in it, made from the same values.  A format's write_rows()
 * writes it: rows_json(), rows_csv() (report_private.h).
 */
#ifndef CPPROF_REPORT_ROWS_H
#define CPPROF_REPORT_ROWS_H

#include <jansson.h>
#include <stddef.h>

struct rows {
	/*
	 * Of CSV, separated by commas: NAME[=KEY[.MEMBER]][:FORM].  KEY (else
	 * NAME) is looked up in the line's object, the entry and the head; a
	 * list of objects is joined by their MEMBERs.  In quotes it is a text,
	 * for which null is "".  FORM: as csv_value() has it,
	 * else f5.
	 */
	const char *columns;
	size_t n; /* entries */
	/* Entry I, new; json_null(): it is left out; NULL: no memory. */
	json_t *(*entry)(const void *of, size_t i);
	const void *of;
	/* The objects that have a line of CSV each, a new list; NULL here: the
	   entry has one. */
	json_t *(*lines)(json_t *entry);
	json_t *tail; /* members of the object behind the entries; borrowed */
};

#endif
