/*
 * json_values.h - what all JSON reports have in common.
 *
 * All return NULL (or -1) when out of memory.
 */
#ifndef CPPROF_REPORT_JSON_VALUES_H
#define CPPROF_REPORT_JSON_VALUES_H

#include <jansson.h>
#include <stdio.h>

#include "analyzer/tree/tree.h"

/* Numbers beyond JSON's stop at its largest. */
json_t *json_number(uint64_t n);

/* To five places. */
json_t *json_fraction(double x);

/* What is no UTF-8 is escaped. */
json_t *json_text(const char *s);

/* FILTERS (NULL: none) in the order they were given; what a tree's keep. */
json_t *json_filters(const struct filters *filters);
json_t *json_kept(const struct tree *tree);
json_t *json_undecided(const struct tree *tree);

/*
 * What a report with ENTRIES begins with; it goes on with them and ends with
 * "]}".
 */
json_t *json_head(
	const struct tree *tree, const char *profile, double threshold);

/*
 * Writes JSON, an object, on one line, without its FIRST first and LAST last
 * characters, and frees it.
 */
int json_put(FILE *out, json_t *json, size_t first, size_t last);

#endif
