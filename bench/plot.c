/*
 * plot RESULTS SVG: draws every table of the section "growth", one panel each,
 * both axes logarithmic.  A column of the table is a line; a figure that is not
 * positive has no logarithm and no point.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/results.h"

#define PANEL_W 420
#define PANEL_H 300
#define LEFT 58
#define TOP 34
#define PLOT_W 340
#define PLOT_H 190
#define PER_ROW 2

static const char *const colours[] = {"#1b6ca8", "#c8553d", "#3a7d44",
	"#8e5ea2", "#b8860b", "#444444", "#008b8b", "#d62778"};

#define COLOURS (sizeof colours / sizeof *colours)

struct axes {
	double x0, x1, y0, y1; /* decades, whole */
};

static void put_text(FILE *out, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			fputc(*s, out);
		}
}

/* Decades around all points of GROUP; false where there are none. */
static bool find_axes(const struct group *group, struct axes *a)
{
	*a = (struct axes){INFINITY, -INFINITY, INFINITY, -INFINITY};
	for (size_t i = 0; i < group->aggregates.n; i++) {
		const struct aggregate *c = &group->aggregates.v[i];
		double x = log10(atof(c->row)), y = log10(c->value);

		if (!isfinite(x) || !isfinite(y))
			continue;
		a->x0 = fmin(a->x0, floor(x));
		a->x1 = fmax(a->x1, ceil(x));
		a->y0 = fmin(a->y0, floor(y));
		a->y1 = fmax(a->y1, ceil(y));
	}
	if (!isfinite(a->x0) || !isfinite(a->y0))
		return false;
	if (a->x0 == a->x1)
		a->x1++;
	if (a->y0 == a->y1)
		a->y1++;
	return true;
}

static double at_x(const struct axes *a, double x)
{
	return LEFT + (x - a->x0) / (a->x1 - a->x0) * PLOT_W;
}

static double at_y(const struct axes *a, double y)
{
	return TOP + (a->y1 - y) / (a->y1 - a->y0) * PLOT_H;
}

static void put_grid(FILE *out, const struct axes *a)
{
	for (double x = a->x0; x <= a->x1; x++)
		fprintf(out,
			"<path d='M%.1f %d V%d' stroke='#ddd'/>"
			"<text x='%.1f' y='%d' "
			"text-anchor='middle'>%g</text>\n",
			at_x(a, x), TOP, TOP + PLOT_H, at_x(a, x),
			TOP + PLOT_H + 14, pow(10, x));
	for (double y = a->y0; y <= a->y1; y++)
		fprintf(out,
			"<path d='M%d %.1f H%d' stroke='#ddd'/>"
			"<text x='%d' y='%.1f' text-anchor='end'>%g</text>\n",
			LEFT, at_y(a, y), LEFT + PLOT_W, LEFT - 4,
			at_y(a, y) + 4, pow(10, y));
}

/* Column K; where there are more than colours, the others are dashed. */
static void put_line(FILE *out, const struct group *group,
	const char *const *rows, size_t nrows, const char *column,
	const struct axes *a, size_t k)
{
	const char *colour = colours[k % COLOURS];

	fprintf(out, "<g fill='%s' stroke='none'>", colour);
	for (size_t i = 0; i < nrows; i++) {
		const struct aggregate *c =
			results_cell(group, rows[i], column);
		double x = log10(atof(rows[i]));

		if (c && c->value > 0 && isfinite(x))
			fprintf(out, "<circle cx='%.1f' cy='%.1f' r='2.5'/>",
				at_x(a, x), at_y(a, log10(c->value)));
	}
	fprintf(out, "</g><polyline fill='none' stroke='%s'%s points='", colour,
		k < COLOURS ? "" : " stroke-dasharray='5 3'");
	for (size_t i = 0; i < nrows; i++) {
		const struct aggregate *c =
			results_cell(group, rows[i], column);
		double x = log10(atof(rows[i]));

		if (c && c->value > 0 && isfinite(x))
			fprintf(out, "%.1f,%.1f ", at_x(a, x),
				at_y(a, log10(c->value)));
	}
	fprintf(out, "'/>\n");
}

static void put_panel(FILE *out, const struct group *group)
{
	size_t nrows, ncolumns;
	const char **rows = results_rows(group, &nrows);
	const char **columns = results_columns(group, &ncolumns);
	struct axes a;

	if (!rows || !columns || !find_axes(group, &a))
		goto out;
	fprintf(out, "<text x='%d' y='%d' font-weight='bold'>", LEFT, TOP - 12);
	put_text(out, group->title[0] ? group->title : group->name);
	fprintf(out, "</text>\n");
	put_grid(out, &a);
	for (size_t k = 0; k < ncolumns; k++) {
		put_line(out, group, rows, nrows, columns[k], &a, k);
		fprintf(out, "<text x='%d' y='%d' fill='%s'>",
			LEFT + (int)(k % 3) * 118,
			TOP + PLOT_H + 32 + (int)(k / 3) * 14,
			colours[k % COLOURS]);
		put_text(out, columns[k]);
		fprintf(out, "%s</text>\n", k < COLOURS ? "" : " - -");
	}
out:
	free(rows);
	free(columns);
}

static int draw(const struct results *results, const char *path)
{
	FILE *out = fopen(path, "we");
	int panels = 0, rows;

	if (!out)
		return -1;
	for (size_t i = 0; i < results->groups.n; i++)
		panels += !strcmp(results->groups.v[i].section, "growth");
	rows = (panels + PER_ROW - 1) / PER_ROW;
	fprintf(out,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' "
		"height='%d' font-family='sans-serif' font-size='10'>\n"
		"<rect width='100%%' height='100%%' fill='white'/>\n",
		PANEL_W * PER_ROW, PANEL_H * rows);
	panels = 0;
	for (size_t i = 0; i < results->groups.n; i++) {
		if (strcmp(results->groups.v[i].section, "growth"))
			continue;
		fprintf(out, "<g transform='translate(%d %d)'>\n",
			panels % PER_ROW * PANEL_W, panels / PER_ROW * PANEL_H);
		put_panel(out, &results->groups.v[i]);
		fprintf(out, "</g>\n");
		panels++;
	}
	fprintf(out, "</svg>\n");
	return fclose(out);
}

int main(int argc, char **argv)
{
	struct results results;
	struct err err;
	char text[2048];

	if (argc != 3) {
		fprintf(stderr, "usage: plot RESULTS SVG\n");
		return 2;
	}
	if (results_read(&results, argv[1], &err) != 0) {
		err_format(&err, text, sizeof text);
		fprintf(stderr, "plot: %s\n", text);
		return 1;
	}
	if (draw(&results, argv[2]) != 0) {
		perror(argv[2]);
		return 1;
	}
	results_free(&results);
	return 0;
}
