/*
 * merge.h - joins cpprofdata files of the same resources to one.
 *
 * The profiles of the result are the sums of those of the inputs.  Processes,
 * threads, call-tree nodes and functions are numbered anew; a process keeps its
 * id, its name and the host it ran on, so that a reader can still tell them
 * apart.  Totals and losses are added up; the total of a file that was cut is
 * the sum of its samples and losses.  Notes are kept; a note "run" for each
 * file says what ran.
 *
 * Intervals may differ between the files: a sample's weight is what it stands
 * for.  The result then has the largest one in its resource record, and a note.
 *
 * Files of one program share modules (by their build ids) and so nodes.  An
 * address that two files name differently gets the better name.
 *
 * Times are those of the first host's clock, by the time of day at which the
 * runs began.  The samples of a file follow those of the one before it, so
 * times go up within a run only.
 *
 * Memory depends on the tables (strings, processes, nodes, functions), and not
 * on the number of samples.
 */
#ifndef CPPROF_CPPROFDATA_MERGE_H
#define CPPROF_CPPROFDATA_MERGE_H

#include "lib/cpprofdata/writer.h"
#include "lib/progress.h"

struct cpd_merge;

/*
 * Reads the heads of the N files at PATHS.  They must be different regular
 * files with the same resources.  Nothing is written yet.  Borrows PATHS, and
 * WORK, which may be NULL.  NULL: ERR says why.
 */
struct cpd_merge *cpd_merge_open(const char *const *paths, size_t n,
	const struct work *work, struct err *err);

/*
 * Whether writing to OUT would destroy an input, also by renaming an older OUT
 * to OUT.old: -1 with the error.
 */
int cpd_merge_check_output(
	const struct cpd_merge *merge, const char *out, struct err *err);

/* The result of a merge. */
struct cpd_merged {
	uint64_t processes;
	uint64_t unfinished; /* files that were cut short, or still grow */
	struct cpd_end end;  /* for cpd_writer_close() */
};

/*
 * Reads them all and writes everything to W except the end record.  VERSION and
 * ARGV (which ends with NULL) are for the head.  To be called once.
 */
int cpd_merge_write(struct cpd_merge *merge, struct cpd_writer *w,
	const char *version, char *const *argv, struct cpd_merged *merged,
	struct err *err);

/*
 * As cpd_merge_write() of one file, which stays as it is but for its names:
 * NAME is called when all that is to be named is written.  It looks names up
 * and hands each record, in the order of the relay (lib/cpprofdata/relay.h), to
 * cpd_merge_take().  0, or -1 with the error.
 */
struct cpd_renaming {
	int (*name)(void *arg, struct cpd_writer *w, struct err *err);
	void *arg;
	uint64_t addresses, before, after; /* how many have a name */
	uint64_t better; /* how many have another than they had */
};
int cpd_merge_rename(struct cpd_merge *merge, struct cpd_writer *w,
	struct cpd_renaming *renaming, struct cpd_merged *merged,
	struct err *err);

/*
 * A function, address or note.  An address keeps the better of its names; a
 * note replaces an older one on the same file.  0, or -1: no memory, or the
 * writer's error.
 */
int cpd_merge_take(struct cpd_merge *merge, int kind, void *record);

/* How many addresses of the module that was named last still have no name. */
uint64_t cpd_merge_nameless(const struct cpd_merge *merge);

/* NULL is ignored. */
void cpd_merge_close(struct cpd_merge *merge);

#endif
