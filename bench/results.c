#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/results.h"

#define FIELDS_MAX 10

static int split(char *line, char **fields)
{
	int n = 0;

	line[strcspn(line, "\n")] = '\0';
	while (n < FIELDS_MAX) {
		char *tab = strchr(line, '\t');

		fields[n++] = line;
		if (!tab)
			return n;
		*tab = '\0';
		line = tab + 1;
	}
	return -1;
}

static struct group *group_of(
	struct results *results, const char *section, const char *name)
{
	struct group *g;

	for (size_t i = 0; i < results->groups.n; i++) {
		g = &results->groups.v[i];
		if (!strcmp(g->section, section) && !strcmp(g->name, name))
			return g;
	}
	g = vec_push(&results->groups);
	if (!g)
		return NULL;
	g->section = strdup(section);
	g->name = strdup(name);
	g->title = strdup("");
	return g->section && g->name && g->title ? g : NULL;
}

static double number(const char *text)
{
	char *end;
	double x = strtod(text, &end);

	return end == text || *end ? NAN : x;
}

static int add_cell(struct results *results, char **f)
{
	struct group *g = group_of(results, f[1], f[2]);
	struct aggregate *c = g ? vec_push(&g->aggregates) : NULL;

	if (!c)
		return -1;
	c->row = strdup(f[3]);
	c->column = strdup(f[4]);
	c->value = number(f[5]);
	c->low = number(f[6]);
	c->high = number(f[7]);
	c->runs = strdup(f[8]);
	c->note = strdup(f[9]);
	return c->row && c->column && c->runs && c->note ? 0 : -1;
}

static int add_title(struct results *results, char **f)
{
	struct group *g = group_of(results, f[1], f[2]);
	char *title = g ? strdup(f[3]) : NULL;

	if (!title)
		return -1;
	free(g->title);
	g->title = title;
	return 0;
}

static int add_fact(struct results *results, char **f)
{
	struct fact *fact = vec_push(&results->facts);

	if (!fact)
		return -1;
	fact->name = strdup(f[1]);
	fact->text = strdup(f[2]);
	return fact->name && fact->text ? 0 : -1;
}

static int add_line(struct results *results, char *line, int number_of_line,
	const char *path, struct err *err)
{
	char *f[FIELDS_MAX];
	int n = split(line, f), bad;

	if (n == 3 && !strcmp(f[0], "fact"))
		bad = add_fact(results, f);
	else if (n == 4 && !strcmp(f[0], "title"))
		bad = add_title(results, f);
	else if (n == FIELDS_MAX && !strcmp(f[0], "value"))
		bad = add_cell(results, f);
	else
		return err_set(err, path, "read",
			"line %d is no line of results", number_of_line);
	return bad ? err_set(err, path, "read", "out of memory") : 0;
}

int results_read(struct results *results, const char *path, struct err *err)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int failed = 0;

	memset(results, 0, sizeof *results);
	if (!in)
		return err_sys(err, path, "open");
	for (int n = 1; !failed && getline(&line, &size, in) >= 0; n++)
		failed = add_line(results, line, n, path, err);
	if (!failed && ferror(in))
		failed = err_sys(err, path, "read");
	free(line);
	fclose(in);
	if (failed)
		results_free(results);
	return failed;
}

static void free_group(struct group *g)
{
	for (size_t i = 0; i < g->aggregates.n; i++) {
		free(g->aggregates.v[i].row);
		free(g->aggregates.v[i].column);
		free(g->aggregates.v[i].runs);
		free(g->aggregates.v[i].note);
	}
	vec_free(&g->aggregates);
	free(g->section);
	free(g->name);
	free(g->title);
}

void results_free(struct results *results)
{
	for (size_t i = 0; i < results->groups.n; i++)
		free_group(&results->groups.v[i]);
	vec_free(&results->groups);
	for (size_t i = 0; i < results->facts.n; i++) {
		free(results->facts.v[i].name);
		free(results->facts.v[i].text);
	}
	vec_free(&results->facts);
}

const struct aggregate *results_cell(
	const struct group *group, const char *row, const char *column)
{
	for (size_t i = group->aggregates.n; i-- > 0;) {
		const struct aggregate *c = &group->aggregates.v[i];

		if (!strcmp(c->row, row) && !strcmp(c->column, column))
			return c;
	}
	return NULL;
}

static const char **distinct(
	const struct group *group, size_t *n, size_t name_offset)
{
	const char **names = calloc(group->aggregates.n + 1, sizeof *names);

	*n = 0;
	for (size_t i = 0; names && i < group->aggregates.n; i++) {
		const char *aggregate = (const char *)&group->aggregates.v[i];
		const char *name;
		size_t known = 0;

		memcpy(&name, aggregate + name_offset, sizeof name);
		while (known < *n && strcmp(names[known], name))
			known++;
		if (known == *n)
			names[(*n)++] = name;
	}
	return names;
}

const char **results_rows(const struct group *group, size_t *n)
{
	return distinct(group, n, offsetof(struct aggregate, row));
}

const char **results_columns(const struct group *group, size_t *n)
{
	return distinct(group, n, offsetof(struct aggregate, column));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double results_median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, compare);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

void results_write(FILE *out, const char *section, const char *group,
	const char *row, const char *column, const double *values, size_t n)
{
	double *sorted = calloc(n, sizeof *sorted);

	if (!sorted || !n) {
		free(sorted);
		return;
	}
	memcpy(sorted, values, n * sizeof *sorted);
	fprintf(out, "value\t%s\t%s\t%s\t%s\t%.6g", section, group, row, column,
		results_median(sorted, n));
	fprintf(out, "\t%.6g\t%.6g\t", sorted[0], sorted[n - 1]);
	for (size_t i = 0; n > 1 && i < n; i++)
		fprintf(out, "%s%.6g", i ? "," : "", values[i]);
	fprintf(out, "\t\n");
	free(sorted);
}
