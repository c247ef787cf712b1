/*
 * import.h - other tools' samples as a cpprofdata file, one row per format.
 *
 * An input is not trusted: a malformed part is an error that names its line or
 * offset.  Nothing is made up: if the input does not tell the gticks consumed
 * and the losses, they are unknown in the file that is written.
 *
 * An input is read once or twice from front to back; memory depends on the
 * distinct stacks, except for profile.proto, which has to be in memory
 * unpacked.
 */
#ifndef CPPROF_IMPORT_H
#define CPPROF_IMPORT_H

#include <stdio.h>

#include "lib/cpprofdata/writer.h"
#include "lib/progress.h"

/* What became of an input. */
struct imported {
	const char *format; /* name of its row */
	uint64_t samples;   /* that were written */
	uint64_t end;       /* time of the last, ns; 0: not known */
	char weight[200];   /* what a sample stands for, in words */
};

struct import {
	const char *path; /* for errors */
	FILE *in;         /* from its start; can be rewound */
	struct cpd_writer *out;
	const struct work *work; /* may be NULL */
	const char *version;     /* of this cpprof, for the head */
	char *const *argv;       /* likewise: its command line */
	uint32_t argc;
	struct imported *done;
};

struct import_format {
	const char *name; /* "perf" */
	const char *help; /* one line */
	/* Writes all but the end record. */
	int (*read)(const struct import *im, struct err *err);
};

extern const struct import_format import_formats[]; /* ends with name NULL */

/* The row of that name, or NULL and an error that lists them. */
const struct import_format *import_format_find(
	const char *name, struct err *err);

/*
 * Opens PATH, "-" for standard input; what cannot be rewound is copied to a
 * nameless file first.  NULL on error.
 */
FILE *import_open(const char *path, struct err *err);

/* The row that an input looks like, or NULL and an error. */
const struct import_format *import_detect(
	const char *path, FILE *in, struct err *err);

/* The formats' own. */
int import_folded(const struct import *im, struct err *err);
int import_perf(const struct import *im, struct err *err);
int import_pprof(const struct import *im, struct err *err);

#endif
