/*
 * facts.h - facts of a run that are no profile, for programs.
 *
 * They are one JSON object: of values, of lists of texts, of objects and of
 * lists of objects.  A format's write_facts() writes and frees it: as CSV each
 * value is a line.  It returns -1 when out of memory, as where it is NULL.
 */
#ifndef CPPROF_REPORT_RUN_FACTS_H
#define CPPROF_REPORT_RUN_FACTS_H

#include <jansson.h>

/* Begins an object of facts with the schema and the PROFILE's name. */
json_t *facts_new(const char *profile);

/* FACTS with the members of MORE behind its own; frees MORE, and where one is
   NULL the other, too: NULL. */
json_t *facts_with(json_t *facts, json_t *more);

#endif
