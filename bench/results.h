/*
 * results.h - what the benchmark measured, as lines of a text file.
 *
 * Every program and script of the benchmark appends to one results file, and
 * bench/table reads it.  A line is one of
 *
 *     fact    NAME    TEXT                                about the machine
 *     title   SECTION GROUP   TEXT                        over a table
 *     value   SECTION GROUP   ROW COLUMN  VALUE   LOW HIGH    RUNS    NOTE
 *
 * with single tabs between the fields.  A section is a kind of tables, a group
 * is one table of it.  VALUE is a number in the unit that COLUMN names, or "-"
 * where there is none; NOTE then says why.  LOW and HIGH are the smallest and
 * the largest of the RUNS, all of them numbers separated by commas, from which
 * VALUE (their median) came; both are VALUE and RUNS is "" where it comes from
 * one.  Nothing here prints or exits; errors are -1 with a struct err.
 */
#ifndef CPPROF_BENCH_RESULTS_H
#define CPPROF_BENCH_RESULTS_H

#include <stdio.h>

#include "lib/err.h"
#include "lib/vec.h"

struct aggregate {
	char *row, *column;
	double value, low, high; /* NAN: none */
	char *runs, *note;
};

struct group {
	char *section, *name;
	char *title; /* "" where none was given */
	VEC(struct aggregate) aggregates;
};

struct fact {
	char *name, *text;
};

struct results {
	VEC(struct fact) facts;
	VEC(struct group) groups; /* in order of first appearance */
};

/* Reads all of PATH; a malformed line is an error that names its number. */
int results_read(struct results *results, const char *path, struct err *err);
void results_free(struct results *results);

/* The cell of ROW and COLUMN, the last where there are several; or NULL. */
const struct aggregate *results_cell(
	const struct group *group, const char *row, const char *column);

/*
 * The distinct rows (or columns) of GROUP in order of first appearance, lent:
 * an array of *N pointers for free(), NULL when memory is out.
 */
const char **results_rows(const struct group *group, size_t *n);
const char **results_columns(const struct group *group, size_t *n);

/* Appends a value line with the median, least and largest of the N VALUES. */
void results_write(FILE *out, const char *section, const char *group,
	const char *row, const char *column, const double *values, size_t n);

/* The median of the N (at least 1) VALUES; they get sorted. */
double results_median(double *values, size_t n);

#endif
