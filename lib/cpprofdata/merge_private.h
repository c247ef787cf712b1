/*
 * merge_private.h - a merge under way: lib/cpprofdata/merge.c checks the
 * inputs, lib/cpprofdata/merge_join.c joins them, lib/cpprofdata/merge_name.c
 * takes new names.
 */
#ifndef CPPROF_CPPROFDATA_MERGE_PRIVATE_H
#define CPPROF_CPPROFDATA_MERGE_PRIVATE_H

#include <sys/types.h>

#include "lib/cpprofdata/merge.h"
#include "lib/cpprofdata/merge_tables.h"
#include "lib/cpprofdata/records.h"
#include "lib/cpprofdata/writer_private.h"

#define RUN_NOTE "run" /* key of the note on a file that was merged */

struct merge_input {
	const char *path;
	dev_t dev;
	ino_t ino;
	struct cpd_head head; /* strings in the arena; argc and argv left out */
	const char *command;  /* the words of argv */
	VEC(struct cpd_resource) resources; /* [id - 1] */
	bool has_head, enough;
};

struct merge_sum { /* of one resource */
	uint64_t total, doubt;
	size_t totals; /* how many files have one */
};

struct cpd_merge {
	struct merge_input *inputs;
	size_t n;
	struct arena arena;
	struct arena notes_arena; /* of the file under way */
	struct cpd_merge_tables tables;
	struct cpd_writer *writer;
	const struct work *work; /* borrowed; NULL: none */
	uint64_t records;        /* since it was last asked */
	const char *host;        /* of the merged head */
	struct merge_sum *sums;  /* [resource of the merged file - 1] */
	const struct merge_input
		*base; /* it began first; times are by its clock */

	/* the file under way */
	const struct merge_input *in;
	uint64_t shift;                   /* to add to its times */
	VEC(uint32_t) numbers[CPD_KINDS]; /* [id]: in the merged file */
	VEC(uint32_t) nodes;              /* likewise */
	VEC(struct cpd_note) notes;
	bool is_merged;     /* it has notes on its runs */
	int32_t pid;        /* of its first process; 0: none */
	struct cpd_end end; /* status -1: it has none */
	bool ended;
	bool has_usage;

	/* where it is given new names: */
	struct cpd_renaming *renaming; /* NULL: it is not */
	VEC(struct cpd_function)
	found;             /* [id]: a new one, and in .id its
			      number in the file, or 0 */
	uint32_t last;     /* module that was named last */
	uint64_t nameless; /* of its addresses */
	VEC(bool) renamed; /* [module] */

	struct cpd_usage usage; /* of all, if all have it */
	size_t nusages;
	struct cpd_merged merged;
};

/* Always -1. */
int cpd_merge_no_memory(struct err *err);

/* Keeps a note of the file under way to its end.  -1: no memory. */
int cpd_merge_note(struct cpd_merge *m, const struct cpd_note *note);

/* Gives the file under way its new names. */
int cpd_merge_name(struct cpd_merge *m, struct err *err);

const struct cpd_resource *cpd_merge_find_resource(
	const struct merge_input *in, const char *name);

#endif
