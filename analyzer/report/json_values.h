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

/* Of man/cpprof-profile.schema.json.  The version changes when a member goes or
   means something else; members may be added. */
#define JSON_SCHEMA "cpprof-profile"
#define JSON_VERSION 1

/* A number; those that JSON cannot hold become its largest. */
json_t *json_number(uint64_t n);

/* To five places. */
json_t *json_fraction(double x);

/* A string; bytes that are not UTF-8 are escaped. */
json_t *json_text(const char *s);

/* The same, but null for "" and 0, which stand for unknown. */
json_t *json_known_text(const char *s);
json_t *json_known_number(uint64_t n);

/* Adds OBJECT to *LIST; where either is NULL, neither is left. */
void json_add(json_t **list, json_t *object);

/* OBJECT with the members of MORE behind its own; frees MORE, and where one is
   NULL the other, too: NULL. */
json_t *json_with(json_t *object, json_t *more);

/* Begins a report: the schema, and the PROFILE's name. */
json_t *json_begin(const char *profile);

/* FILTERS (NULL: none) in the order they were given; what the filters of a
   tree keep. */
json_t *json_filters(const struct filters *filters);
json_t *json_kept(const struct tree *tree);
json_t *json_undecided(const struct tree *tree);

/* Begins a report with ENTRIES: the caller writes them, then "]}". */
json_t *json_head(
	const struct tree *tree, const char *profile, double threshold);

/*
 * Writes JSON, an object, on one line, without its FIRST first and LAST last
 * characters, and frees it.
 */
int json_put(FILE *out, json_t *json, size_t first, size_t last);

#endif
