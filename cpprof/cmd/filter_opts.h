/*
 * filter_opts.h - --contains, --thread, --window and the other filters, --elide
 * and --group, which report and export have in common.
 */
#ifndef CPPROF_FILTER_OPTS_H
#define CPPROF_FILTER_OPTS_H

#include "lib/vec.h"
#include "cpprof/opt.h"
#include "cpprof/session/session.h"

/* The rows' ids follow each other in the order of enum filter_kind. */
enum { OPT_FILTER = 1000, OPT_GROUP = OPT_FILTER + FILTER_KINDS };

/* clang-format off */
#define OPT_FILTER_ROWS \
	{"process", 0, "NAME|PID", "keep the samples of these processes", \
		OPT_FILTER + FILTER_PROCESS}, \
	{"thread", 0, "NAME|TID", "keep the samples of these threads", \
		OPT_FILTER + FILTER_THREAD}, \
	{"window", 0, "SPAN", "keep this part of the run: 10s..20s", \
		OPT_FILTER + FILTER_WINDOW}, \
	{"contains", 0, "F", "keep the samples whose stack has F", \
		OPT_FILTER + FILTER_CONTAINS}, \
	{"then", 0, "F", "keep those of them with F below the last F", \
		OPT_FILTER + FILTER_THEN}, \
	{"without", 0, "F", "keep the samples whose stack has no F", \
		OPT_FILTER + FILTER_WITHOUT}, \
	{"module", 0, "M", "keep the samples whose stack is in module M", \
		OPT_FILTER + FILTER_MODULE}, \
	{"elide", 0, "F", "leave out F; its callers get what it consumed", \
		OPT_FILTER + FILTER_ELIDE}, \
	{"group", 0, "G", "show modules, files, threads or processes", \
		OPT_GROUP}
/* clang-format on */

struct filter_opt {
	enum filter_kind kind;
	const char *name; /* lies in argv */
};

/* The options as they were given; zero when empty. */
struct filter_opts {
	VEC(struct filter_opt) v;
	const char *group; /* lies in argv; NULL: not given */
};

/* Keeps OPT if it is one of them: 1, or 0 if it is not, or -1. */
int filter_opts_take(struct filter_opts *opts, const struct opt *opt,
	const char *value, struct err *err);

/* Sets the filters of a session, in the order given. */
int filter_opts_apply(
	const struct filter_opts *opts, struct session *s, struct err *err);

void filter_opts_fini(struct filter_opts *opts);

#endif
