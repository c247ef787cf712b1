/*
 * report.h - profiles and files in writing.
 *
 * One row per format (text, paper, json, csv); each writes one profile to a
 * stream.  All but the text form are interfaces (cpprof-report(1)).  Names are
 * escaped on the way out.  Write errors are found by ferror() on the stream,
 * by the caller.
 */
#ifndef CPPROF_REPORT_H
#define CPPROF_REPORT_H

#include <stdio.h>

#include "analyzer/questions/leaks.h"
#include "analyzer/questions/pages.h"
#include "analyzer/questions/percall.h"
#include "analyzer/questions/why.h"

enum report_form {
	REPORT_FORM_TREE,
	REPORT_FORM_LIST,
};

/* What is told once in a session. */
struct report_told {
	bool whole;   /* what shows paths whole */
	bool inlined; /* where node's inlined code counts */
};

struct report_options {
	const char *root; /* as the user named it; NULL for kinds without */
	bool intervals;   /* with the 95 % interval of each fraction */
	/* of the text forms alone */
	bool color;         /* SGR colours, the caller knows a terminal */
	unsigned columns;   /* width of a line; 0: not known */
	unsigned rows;      /* of the screen; 0: none */
	bool bars;          /* beside the table of functions, if it is wide */
	bool unit;          /* the resource's unit instead of % */
	bool no_fold;       /* wrappers are listed, too */
	bool calls;         /* system calls are */
	bool full_names;    /* functions by their full names */
	unsigned char form; /* an enum report_form */
	size_t top;         /* at most this many lines; 0: all */
	size_t line;   /* of a table of paths only this path, from 1; 0: all */
	bool whole;    /* nothing is left out of a path, however long a line */
	bool inside;   /* other lines above say what is shown */
	bool in_shell; /* hints name commands of the shell */
	struct report_told *told; /* NULL: all is told each time */
};

struct diff;
struct json_t;
struct rows;
struct task_list;

struct report_format {
	const char *name; /* "text", "paper", "json", "csv" */
	const char *help;
	bool data; /* for programs: no blank lines, and a profile without
		      entries is no error */
	/* of a profile; NULL: rows */
	int (*write)(FILE *out, const struct profile *profile,
		const struct report_options *options, struct err *err);
	int (*write_diff)(FILE *out, const struct diff *diff,
		const struct report_options *options,
		struct err *err); /* NULL: none */
	/* of what is no profile, see facts_csv(); NULL: the format is for
	 * people
	 */
	int (*write_facts)(FILE *out, struct json_t *facts);
	/* of answers, see rows.h; NULL: likewise */
	int (*write_rows)(
		FILE *out, struct json_t *head, const struct rows *rows);
	bool summary_last; /* behind the profiles: the first line is a header
			      of theirs */
};

extern const struct report_format report_formats[]; /* ends with name NULL */

/* The row of that name, or NULL and an error that lists them. */
const struct report_format *report_format_find(
	const char *name, struct err *err);

int report_profile(FILE *out, const struct report_format *format,
	const struct profile *profile, const struct report_options *options,
	struct err *err);

/* What a summary is of: N resources of DATA, and of these one in full. */
struct summary_choice {
	const struct dataset *data;
	const uint32_t *resources;
	size_t n;
	uint32_t full;
};

/*
 * Writes the first lines of a summary: the run, and each resource with its
 * consumption, its samples, and whether its books balance.  Of the one in full
 * it also says what the books lack.
 */
int report_summary(FILE *out, const struct summary_choice *choice,
	const struct report_options *options, struct err *err);

/* The tree's filters and what they keep; nothing without filters. */
int report_filter_lines(FILE *out, const struct tree *tree,
	const struct report_options *options, struct err *err);

/* The processes or THREADS of a tree's file.  Those below THRESHOLD of what its
   filters keep are only counted. */
struct task_choice {
	const struct tree *tree;
	bool threads;
	double threshold;
	bool few; /* whatever the threshold, the heaviest that have something */
};

/* Writes them with their consumption of the tree's resource, heaviest first. */
int report_tasks(FILE *out, const struct report_format *format,
	const struct task_choice *choice, const struct report_options *options,
	struct err *err);

/*
 * Functions, or with a root in OPTIONS call paths, under each resource side by
 * side.
 */
int report_why(FILE *out, const struct report_format *format,
	const struct why *why, double threshold,
	const struct report_options *options, struct err *err);

/* What a call costs, path by path. */
int report_percall(FILE *out, const struct report_format *format,
	const struct percall *percall, double threshold,
	const struct report_options *options, struct err *err);

/* What lives at the end, path by path. */
int report_leaks(FILE *out, const struct report_format *format,
	const struct leaks *leaks, double threshold,
	const struct report_options *options, struct err *err);

/* Which pages of memory had how many events. */
int report_pages(FILE *out, const struct report_format *format,
	const struct pages *pages, double threshold,
	const struct report_options *options, struct err *err);

/*
 * The facts of report_summary() in a format for programs: of the run and of the
 * resources.
 */
int report_summary_facts(FILE *out, const struct report_format *format,
	const struct summary_choice *choice, struct err *err);

/* The filters of TREE and what they keep, in a format for programs. */
int report_filter_facts(FILE *out, const struct report_format *format,
	const struct tree *tree, struct err *err);

/* What is in the file: `cpprof info`. */
int report_info(FILE *out, const struct report_format *format,
	const struct dataset *data, const struct report_options *options,
	struct err *err);

#endif
