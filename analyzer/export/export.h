/*
 * export.h - profiles in the formats of other programs, one row each.
 *
 * A writer goes over the file's stacks as reports show them (inlined calls,
 * clones and filters as the view has them) and writes as it goes: memory goes
 * with the distinct stacks and not with the samples.  Losses are frames of
 * their own, so totals are the books'.  Names are escaped on the way out, to
 * UTF-8 without control characters and direction overrides.
 *
 * Write errors are found by ferror() on the stream, by the caller.
 */
#ifndef CPPROF_EXPORT_H
#define CPPROF_EXPORT_H

#include <stdio.h>

#include "analyzer/tree/tree.h"

struct export
{
	const struct dataset *data;
	const struct tree *tree; /* of the view, borrowed; NULL: a writer that
				    needs one makes it */
	struct tree_view view;   /* its resource is the one that a reader shows
				    first; its filters and work are borrowed */
	bool all;                /* every resource of the file; else that one */
	bool no_labels;          /* nothing about processes and threads */
	bool short_names;        /* functions as people call them */
	bool own_objects;        /* HTML: each resource has its own objects */
	uint32_t root;           /* likewise: what it shows first; a function */
	double threshold;        /* likewise */
};

struct export_format {
	const char *name; /* "folded" */
	const char *help; /* one line */
	bool several;     /* has room for several resources */
	bool binary;      /* is not for a terminal */
	bool short_names; /* unless full ones are wanted */
	int (*write)(FILE *out, const struct export *x, struct err *err);
};

extern const struct export_format export_formats[]; /* ends with name NULL */

/* The row of that name, or NULL and an error that lists them. */
const struct export_format *export_format_find(
	const char *name, struct err *err);

/*
 * "root;...;leaf hits" lines, most hits first, for one resource.  Stacks of the
 * same text are one line.  A `;` in a name is written \x3b.  The losses are
 * lines of their own ("[lost] 12"), in hits too: their gticks divided by the
 * interval, rounded to the nearest and at least 1, so that none vanishes.  Of a
 * resource whose interval varied, gticks stand in place of hits.
 */
int export_folded(FILE *out, const struct export *x, struct err *err);

/* pprof's profile.proto, packed by gzip. */
int export_pprof(FILE *out, const struct export *x, struct err *err);

/* A page for a browser: the sample trees, and scripts that explore them. */
int export_html(FILE *out, const struct export *x, struct err *err);

/* Sample by sample, as `perf script' prints them. */
int export_perf_script(FILE *out, const struct export *x, struct err *err);

/* The Firefox Profiler's processed profile. */
int export_firefox(FILE *out, const struct export *x, struct err *err);

#endif
