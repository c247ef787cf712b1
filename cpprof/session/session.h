/*
 * session.h - a file that a user looks at: the view in force and what it shows.
 *
 * The shell and the subcommands both use it.  A session owns its dataset, the
 * sample trees and the profiles made from it (session_cache.h).  What it hands
 * out is lent until the view changes (resource, sites, inlines, clones,
 * filters) or until session_close().
 */
#ifndef CPPROF_SESSION_H
#define CPPROF_SESSION_H

#include "analyzer/report/report.h"
#include "analyzer/source/text.h"
#include "cpprof/output.h"
#include "cpprof/progress_line.h"

#define DEFAULT_THRESHOLD 0.01

struct session {
	struct dataset *data;
	char *root;       /* as the user named it */
	bool rooted;      /* the user did */
	double threshold; /* of profiles for which no other is asked */
	const struct report_format *format;
	struct report_options style; /* as set; root, colour and width are those
					of each command */
	struct report_told told;     /* the style's */
	bool names_set; /* the style's names are the user's, for exports, too */
	struct tree_view view;  /* change it with session_view() only */
	struct filters filters; /* likewise session_filter(), _undo() */
	struct filters elided;  /* likewise session_filter(), _show_elided() */
	enum dataset_group group; /* likewise session_group() */
	int objects; /* those that the view has, -1 where they are not set: the
			calls where they say what it was for; session_view()
			takes it up */
	struct source_paths sources; /* the user's folders of sources */
	struct session_cache *cache;
	/* All long work asks it.  Between patience_begin() and _end() the
	   user is told; outside, only an interrupt counts. */
	struct patience patience;
};

/* A session without a file, whose style can be set and checked. */
struct session *session_new(struct err *err);

/*
 * Opens FILE ("-": standard input) and looks at its first resource that has
 * samples, from the default root.  NULL on error.
 */
struct session *session_open(const char *file, struct err *err);
void session_close(struct session *s);

/*
 * Changes the view; what it had handed out is gone if VIEW is another one.  The
 * filters, what is elided and the groups stay, whatever VIEW has.
 */
void session_view(struct session *s, const struct tree_view *view);

/*
 * Adds a filter to those in force, a FILTER_ELIDE or _ONLY to what is elided; a
 * wrong NAME is an error that has the nearest and changes nothing.
 */
int session_filter(struct session *s, enum filter_kind kind, const char *name,
	struct err *err);

/* Takes the last filter away; an error where there is none. */
int session_undo(struct session *s, struct err *err);

/* Shows what was elided. */
void session_show_elided(struct session *s);

/* Shows functions, modules, ...: by the group's name, or "off". */
int session_group(struct session *s, const char *name, struct err *err);

/*
 * The functions that NAME stands for as dataset_find_part() has them, or the
 * group of that name if groups are shown.
 */
int session_find(const struct session *s, const char *name, uint32_t **found,
	size_t *n, struct err *err);

/*
 * The functions that NAME stands for, and no group.  If it is a part of several
 * names, those in the samples of the resource count.
 */
int session_find_function(const struct session *s, const char *name,
	uint32_t **found, size_t *n, struct err *err);

/* -1, and the error that no stack has NAME, be it for filters or elisions. */
int session_in_no_sample(
	const struct session *s, const char *name, struct err *err);

/*
 * The same functions as TREE shows them: clones as what they are clones of;
 * elided ones are an error.
 */
int session_roots(const struct session *s, const struct tree *tree,
	const char *name, uint32_t **roots, size_t *n, struct err *err);

/* Sets the root to NAME if there is such a function. */
int session_root(struct session *s, const char *name, struct err *err);

/* Reads a fraction or a percentage. */
int session_parse_threshold(
	const char *word, double *threshold, struct err *err);

/* Reads a number of lines; 0: all. */
int session_parse_top(const char *word, size_t *top, struct err *err);

const struct tree *session_tree(const struct session *s, struct err *err);

/* The same; where the format is for people an error, too, if it has no samples
   or the filters keep none. */
const struct tree *session_sampled_tree(
	const struct session *s, struct err *err);

/*
 * The trees of N RESOURCES, in that order, in VIEW.  The list is the caller's
 * to free.  NULL and the error.
 */
const struct tree **session_trees(struct session *s,
	const struct tree_view *view, const uint32_t *resources, size_t n,
	struct err *err);

/* The resource of calls counted by caller; 0: there is none, or the session's
   view asks for more of their stacks than is known. */
uint32_t session_arcs(const struct session *s);

/* The style for a profile of ROOT (NULL: none) on an output. */
struct report_options session_options(
	const struct session *s, const char *root, const struct output *out);

/*
 * The profile of that kind; ROOT is ignored by kinds without.  A profile with
 * no entry is an error that says why, but for formats that programs read.
 */
const struct profile *session_profile(struct session *s, enum profile_kind kind,
	const char *root, double threshold, struct err *err);

/*
 * The function profile of the view if it was asked for and is still there; NULL
 * where it was not, and where it is of groups or elides functions.
 */
const struct profile *session_known_functions(const struct session *s);

/* The resource of the view. */
const struct cpd_resource *session_resource(const struct session *s);

/* Prints a line about a file that was cut, or that has no end. */
void session_warn(const struct session *s);

#endif
