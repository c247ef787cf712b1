/*
 * filter.h - refinement: which samples are looked at.
 *
 * Filters stack up, each narrowing what the ones before it kept:
 *
 *   process NAME|PID  samples of the processes of that name or number
 *   thread NAME|TID   samples of the threads of that name or number
 *   window FROM..TO   samples of that part of the run; a wait that lies partly
 *                     in it counts with that part
 *   contains F        samples whose stack has F
 *   then F            samples whose stack has F somewhere below the function of
 *                     the last `contains` or `then`
 *   without F         samples whose stack has no F
 *   module M          samples whose stack has a function of the module M
 *   elide F, only F   all samples; of their stacks no frame of F, or no other,
 *                     but the system call or memory below one
 *
 * Names may be patterns, see analyzer/name/pattern.h.
 *
 * So `contains A`, `then B`, `then C` keeps the stacks in which an A, further
 * inward a B and further inward than that a C are found, other frames between
 * them or not; the next `contains` begins anew, from the outermost frame.  This
 * is the refinement of Hall's "Call path refinement profiles" (IEEE
 * Transactions on Software Engineering 21, 1995) and of Froyd, Mellor-Crummey
 * and Fowler (ICS 2005, section 5), in the stacks as the view shows them:
 * folded calls and clones have no frame to be found.
 *
 * A truncated stack may hide a function among the outer frames that it lacks.
 * Where the frames that it has do not settle whether a filter keeps it, it is
 * undecided: not kept, and told apart (struct tree, undecided).
 *
 * A loss is in the stack of its own name alone ([lost], [unsampled], ...), in a
 * thread only if it names one, and in no window: nobody knows when it was.  No
 * `without` keeps it, since what it stands for may have had F.
 *
 * The struct is embedded and zero when empty; it owns the names and lists.  It
 * belongs to one dataset, whose trees borrow it: a tree may be used while the
 * filters are those that it was made with.
 */
#ifndef CPPROF_FILTER_H
#define CPPROF_FILTER_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/data/dataset.h"

enum filter_kind {
	FILTER_PROCESS,
	FILTER_THREAD,
	FILTER_WINDOW,
	FILTER_CONTAINS, /* from here on: on stacks */
	FILTER_THEN,
	FILTER_WITHOUT,
	FILTER_MODULE,
	/* these keep all; in a list of their own, see struct tree_view */
	FILTER_ELIDE,
	FILTER_ONLY,
	FILTER_KINDS
};

/* Names of the kinds, as commands, options and reports have them. */
extern const char *const filter_names[FILTER_KINDS];

struct filter {
	enum filter_kind kind;
	char *name;        /* as the user gave it */
	uint32_t *found;   /* processes, threads or functions it stands for, in
			      ascending order */
	size_t nfound;     /* 1 or more; WINDOW: 0 */
	uint64_t from, to; /* WINDOW: ns since the run began, this and those
			      before it together; and the samples in there */
	struct aggregate *aggregates;
	size_t naggregates;
};

#define FILTERS_MAX 10000 /* nobody types as many */

struct filters {
	struct filter *v;
	size_t n, cap;
	const struct work *work; /* borrowed; asked while a file is read again;
				    NULL: none */
};

/*
 * Adds a filter.  -1, with nothing changed, when NAME is unknown (the error has
 * the nearest), when `then` has nothing to follow, when a window is empty or
 * the file cannot be read a second time (standard input, or it has changed),
 * when there are FILTERS_MAX, or when out of memory.
 *
 * A NAME of digits is first taken for a number; `%3` is the process (thread)
 * with the id 3 in the file.  A process goes by its name, by its program's path
 * and by that path's last part; a thread without a name by its process's name.
 */
int filters_add(struct filters *filters, const struct dataset *data,
	enum filter_kind kind, const char *name, struct err *err);

/*
 * The samples that FILTERS (NULL: none) leave by their time: those of the
 * innermost window, or all of DATA.  Whether there is a window.
 */
const struct aggregate *filters_aggregates(
	const struct filters *filters, const struct dataset *data, size_t *n);
bool filters_on_time(const struct filters *filters);

/* Where there is a window, the file's times when it begins and ends. */
void filters_span(const struct filters *filters, const struct dataset *data,
	uint64_t *from, uint64_t *to);

/* Cuts off what of SAMPLE lies outside of the window; false: all of it does. */
bool filters_cut(const struct filters *filters, const struct dataset *data,
	struct cpd_sample *sample);

/* What a stack is shown as of which ELIDED (NULL: none) leave no frame. */
uint32_t filters_rest(const struct filters *elided);

/* Takes the last one away; false when there is none. */
bool filters_undo(struct filters *filters);

void filters_fini(struct filters *filters);

#endif
