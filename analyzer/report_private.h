/*
 * report_private.h - shared by the formats.
 */
#ifndef CPPROF_REPORT_PRIVATE_H
#define CPPROF_REPORT_PRIVATE_H

#include "report.h"

/* An entry that rests on fewer hits than this is rough, and said to be. */
#define FEW_HITS 20

/* "down", "function": as in commands and in data formats. */
const char *report_kind(enum profile_kind kind);

bool report_has_root(enum profile_kind kind);

bool report_has_filters(const struct tree *tree);

/* The lines about the tree's filters and what they keep; none without. */
int report_filters(FILE *out, const struct tree *tree);

/* Gticks of the losses that the tree's filters do not keep. */
uint64_t report_loss_left_out(const struct tree *tree);

/* Names of the losses as functions show them, by enum cpd_loss_kind. */
extern const char *const report_loss_names[CPD_LOSS_KINDS];

/*
 * Writes NAME, of any length, escaped as text_escape() does, and \xNN for every
 * character of the ASCII string SPECIAL too.  -1 when out of memory.
 */
int report_name(FILE *out, const char *name, const char *special);

/*
 * The same into new memory, the caller's to free; NULL when out of memory.
 */
char *report_escape(const char *name, const char *special);

/* The name of step I of an entry's path. */
const char *report_step(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i);

/*
 * The call site in step I from which step I + 1 was called, "" where none is
 * known or they are not told apart.  For a tree's entry (I = 0), the site in
 * its caller.
 */
const char *report_site(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i);

/* Out of memory while writing; returns -1. */
int report_no_memory(struct err *err);

int report_text(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err);
int report_json(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err);
int report_csv(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err);

#endif
