/*
 * table [-j JSON] RESULTS: prints the results of a benchmark as tables, and
 * writes them to JSON.
 *
 * A group of results is a table.  A value is printed with three digits, and
 * behind a ratio that was measured several times stand, in brackets, the least
 * and the largest.  A row with no value says why.  Below a table whose rows are
 * numbers stands the slope of each column: the exponent b of the line
 * y = a x^b through it (0: does not depend on it, 1: proportional to it).
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/results.h"

#define CELL 80

/* Figures that are in the JSON file and, being part of others, in no table. */
static bool hidden(const char *column)
{
	static const char *const names[] = {"wall s", "CPU s", "collector s",
		"after s", "collector MB", "report CPU s"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(column, names[i]))
			return true;
	return false;
}

static bool is_ratio(const char *column)
{
	size_t n = strlen(column);

	return n > 2 && !strcmp(column + n - 2, " x");
}

/* Three digits, but no fewer than the whole part has; never an exponent. */
static void print_number(char *buf, size_t size, double x)
{
	double a = fabs(x);
	int decimals = a >= 100 || x == 0 ? 0 : a >= 10 ? 1 : a >= 0.01 ? 2 : 4;

	if (a >= 100 && a < 1000 && x != floor(x))
		decimals = 0;
	if (x == floor(x) && a >= 10)
		decimals = 0;
	snprintf(buf, size, "%.*f", decimals, x);
}

static void print_cell(char *buf, const struct aggregate *c)
{
	char value[24], low[24], high[24];

	if (!c || isnan(c->value)) {
		snprintf(buf, CELL, "-");
		return;
	}
	print_number(value, sizeof value, c->value);
	if (!c->runs[0] || !is_ratio(c->column)) {
		snprintf(buf, CELL, "%s", value);
		return;
	}
	print_number(low, sizeof low, c->low);
	print_number(high, sizeof high, c->high);
	snprintf(buf, CELL, "%s [%s-%s]", value, low, high);
}

/* The first note of ROW in GROUP, or NULL. */
static const char *note_of(const struct group *group, const char *row)
{
	for (size_t i = 0; i < group->aggregates.n; i++)
		if (!strcmp(group->aggregates.v[i].row, row) &&
			group->aggregates.v[i].note[0])
			return group->aggregates.v[i].note;
	return NULL;
}

static bool has_values(const struct group *group, const char *row)
{
	for (size_t i = 0; i < group->aggregates.n; i++) {
		const struct aggregate *c = &group->aggregates.v[i];

		if (!strcmp(c->row, row) && !isnan(c->value))
			return true;
	}
	return false;
}

static bool numeric(const char *const *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strspn(rows[i], "0123456789") != strlen(rows[i]))
			return false;
	return n > 2;
}

/* The slope of COLUMN over ROWS by least squares in logarithms; NAN if none. */
static double slope(const struct group *group, const char *const *rows,
	size_t nrows, const char *column)
{
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;

	for (size_t i = 0; i < nrows; i++) {
		const struct aggregate *c =
			results_cell(group, rows[i], column);
		double x = log(atof(rows[i])), y;

		if (!c || isnan(c->value) || c->value <= 0)
			continue;
		y = log(c->value);
		n++;
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
	}
	if (n < 3 || n * sxx == sx * sx)
		return NAN;
	return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static size_t width_of(const struct group *group, const char *const *rows,
	size_t nrows, const char *column)
{
	size_t width = strlen(column);
	char buf[CELL];

	for (size_t i = 0; i < nrows; i++) {
		print_cell(buf, results_cell(group, rows[i], column));
		if (strlen(buf) > width)
			width = strlen(buf);
	}
	return width;
}

static void print_title(const struct group *group)
{
	const struct aggregate *wall = results_cell(group, "bare", "wall s");
	const struct aggregate *cpu = results_cell(group, "bare", "CPU s");

	printf("\n%s", group->title[0] ? group->title : group->name);
	if (wall && cpu)
		printf("\nbare: %.3g s wall [%.3g-%.3g], "
		       "%.3g s CPU [%.3g-%.3g]",
			wall->value, wall->low, wall->high, cpu->value,
			cpu->low, cpu->high);
	printf("\n\n");
}

static void print_rows(const struct group *group, const char *const *rows,
	size_t nrows, const char *const *columns, size_t ncolumns,
	const size_t *widths, int first)
{
	char buf[CELL];

	for (size_t i = 0; i < nrows; i++) {
		const char *note = note_of(group, rows[i]);

		if (!strcmp(rows[i], "bare"))
			continue;
		printf("  %-*s", first, rows[i]);
		if (!has_values(group, rows[i])) {
			printf("  not measured: %s\n", note ? note : "-");
			continue;
		}
		for (size_t k = 0; k < ncolumns; k++) {
			if (hidden(columns[k]))
				continue;
			print_cell(
				buf, results_cell(group, rows[i], columns[k]));
			printf("  %*s", (int)widths[k], buf);
		}
		printf(note ? "  (%s)\n" : "\n", note);
	}
}

static void print_slopes(const struct group *group, const char *const *rows,
	size_t nrows, const char *const *columns, size_t ncolumns,
	const size_t *widths, int first)
{
	printf("  %-*s", first, "slope");
	for (size_t k = 0; k < ncolumns; k++) {
		double b = slope(group, rows, nrows, columns[k]);

		if (hidden(columns[k]))
			continue;
		if (isnan(b))
			printf("  %*s", (int)widths[k], "-");
		else
			printf("  %*.2f", (int)widths[k], b);
	}
	printf("\n");
}

static void print_group(const struct group *group)
{
	size_t nrows, ncolumns;
	const char **rows = results_rows(group, &nrows);
	const char **columns = results_columns(group, &ncolumns);
	size_t *widths = calloc(ncolumns + 1, sizeof *widths);
	int first = 10;

	if (!rows || !columns || !widths || !nrows)
		goto out;
	print_title(group);
	for (size_t i = 0; i < nrows; i++)
		if ((int)strlen(rows[i]) > first)
			first = (int)strlen(rows[i]);
	printf("  %-*s", first, "");
	for (size_t k = 0; k < ncolumns; k++) {
		widths[k] = width_of(group, rows, nrows, columns[k]);
		if (!hidden(columns[k]))
			printf("  %*s", (int)widths[k], columns[k]);
	}
	printf("\n");
	print_rows(group, rows, nrows, columns, ncolumns, widths, first);
	if (numeric(rows, nrows))
		print_slopes(
			group, rows, nrows, columns, ncolumns, widths, first);
out:
	free(rows);
	free(columns);
	free(widths);
}

static json_t *json_number(double x)
{
	return isnan(x) ? json_null() : json_real(x);
}

static json_t *json_runs(const char *runs)
{
	json_t *array = json_array();

	while (*runs) {
		char *end;

		json_array_append_new(array, json_real(strtod(runs, &end)));
		runs = *end ? end + 1 : end;
	}
	return array;
}

static json_t *json_group(const struct group *group)
{
	json_t *aggregates = json_array();

	for (size_t i = 0; i < group->aggregates.n; i++) {
		const struct aggregate *c = &group->aggregates.v[i];

		json_array_append_new(aggregates,
			json_pack("{ss ss so so so so ss}", "row", c->row,
				"column", c->column, "value",
				json_number(c->value), "low",
				json_number(c->low), "high",
				json_number(c->high), "runs",
				json_runs(c->runs), "note", c->note));
	}
	return json_pack("{ss ss ss so}", "section", group->section, "group",
		group->name, "title", group->title, "cells", aggregates);
}

static int write_json(const struct results *results, const char *path)
{
	json_t *root = json_object(), *facts = json_object(),
	       *groups = json_array();
	int failed;

	for (size_t i = 0; i < results->facts.n; i++)
		json_object_set_new(facts, results->facts.v[i].name,
			json_string(results->facts.v[i].text));
	for (size_t i = 0; i < results->groups.n; i++)
		json_array_append_new(
			groups, json_group(&results->groups.v[i]));
	json_object_set_new(root, "machine", facts);
	json_object_set_new(root, "tables", groups);
	failed = json_dump_file(
		root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(7));
	json_decref(root);
	/* Names may hold anything: what was written has to be JSON. */
	root = failed ? NULL : json_load_file(path, 0, NULL);
	failed = failed || !root;
	json_decref(root);
	return failed;
}

int main(int argc, char **argv)
{
	struct results results;
	const char *json = NULL;
	struct err err;
	char text[2048];
	int c;

	while ((c = getopt(argc, argv, "j:")) == 'j')
		json = optarg;
	if (c != -1 || optind + 1 != argc) {
		fprintf(stderr, "usage: table [-j JSON] RESULTS\n");
		return 2;
	}
	if (results_read(&results, argv[optind], &err) != 0) {
		err_format(&err, text, sizeof text);
		fprintf(stderr, "table: %s\n", text);
		return 1;
	}
	for (size_t i = 0; i < results.facts.n; i++)
		printf("%-12s %s\n", results.facts.v[i].name,
			results.facts.v[i].text);
	for (size_t i = 0; i < results.groups.n; i++)
		print_group(&results.groups.v[i]);
	if (json && write_json(&results, json) != 0) {
		fprintf(stderr, "table: %s: cannot be written\n", json);
		return 1;
	}
	results_free(&results);
	return 0;
}
