/* path_table.c - the paths of a table, told apart. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "lib/order.h"

struct table_row { /* of a table */
	char *text;
	size_t i, tells, told;
	uint32_t group;
	bool unfolded;
};

static int fill(const struct path_table *t, const struct table_row *row,
	struct path_text *path)
{
	*path = (struct path_text){.options = t->options};
	if (t->fill(t->arg, row->i, path)) {
		path_text_drop(path);
		return -1;
	}
	path->tells = row->tells;
	path->told = row->told;
	path->unfolded = row->unfolded || t->options->line;
	return 0;
}

/* Writes the text of ROW anew, with the number of its path if NUMBERED. */
static int write_row(
	const struct path_table *t, struct table_row *row, bool numbered)
{
	struct path_text path;

	free(row->text);
	row->text = NULL;
	if (fill(t, row, &path))
		return -1;
	if (t->options->in_shell)
		path.number = numbered ? row->i + 1 : t->n; /* the widest */
	row->text = path_text_end(&path);
	return row->text ? 0 : -1;
}

/* The next character of *TEXT, digits in brackets left out: who reads a path
   does not count what is folded in it. */
static int next_read(const char **text, bool *folded)
{
	while (*folded && **text >= '0' && **text <= '9')
		++*text;
	*folded = **text == '[' || (*folded && **text != ']');
	return **text ? (unsigned char)*(*text)++ : 0;
}

/* 0: they read alike. */
static int compare_texts(const char *a, const char *b)
{
	bool in_a = false, in_b = false;
	int x, y;

	do {
		x = next_read(&a, &in_a);
		y = next_read(&b, &in_b);
	} while (x && x == y);
	return x - y;
}

static int compare_rows(const void *a, const void *b)
{
	const struct table_row *x = a, *y = b;

	return compare_texts(x->text, y->text) ?: ORDER(x->group, y->group)
	       ?: ORDER(x->i, y->i);
}

/* Where A is no longer the same as B. */
static size_t differ_at(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* Finds the step of ROW nearest to the subject that OTHER has not. */
static int tell_apart(const struct path_table *t, struct table_row *row,
	const struct table_row *other)
{
	struct path_text a, b = {0};
	size_t n = 0;

	if (fill(t, row, &a))
		return -1;
	if (fill(t, other, &b)) {
		path_text_drop(&a);
		return -1;
	}
	while (n < a.steps.n && n < b.steps.n &&
		!strcmp(a.steps.v[a.steps.n - 1 - n].name,
			b.steps.v[b.steps.n - 1 - n].name))
		n++;
	if (a.steps.n - n > row->tells) { /* 0: all are OTHER's */
		row->tells = a.steps.n - n;
		row->told = differ_at(a.steps.v[row->tells - 1].name,
			n < b.steps.n ? b.steps.v[b.steps.n - 1 - n].name : "");
	}
	path_text_drop(&a);
	path_text_drop(&b);
	return 0;
}

/* Tells apart what reads alike; what does so AGAIN has all its steps. */
static int tell_rows(struct path_table *t, struct table_row *rows, bool again)
{
	int bad = 0;

	qsort(rows, t->n, sizeof *rows, compare_rows);
	for (size_t i = 0, end; i < t->n && !bad; i = end) {
		for (end = i + 1; end < t->n &&
				  rows[i].group == rows[end].group &&
				  !compare_texts(rows[i].text, rows[end].text);)
			end++;
		for (size_t k = i; end > i + 1 && k < end && !bad; k++) {
			rows[k].unfolded = again;
			bad = tell_apart(
				t, &rows[k], &rows[k > i ? k - 1 : k + 1]);
		}
		for (size_t k = i; end > i + 1 && k < end && !bad; k++)
			bad = write_row(t, &rows[k], false);
	}
	return bad;
}

int path_table_init(struct path_table *t)
{
	struct table_row *rows = calloc(t->n + 1, sizeof *rows);
	int bad = rows ? 0 : -1;

	t->texts = calloc(t->n + 1, sizeof *t->texts);
	for (size_t i = 0; i < t->n && !bad; i++) {
		rows[i].i = i;
		rows[i].group = t->group ? t->group(t->arg, i) : 0;
		bad = write_row(t, &rows[i], false);
	}
	if (!bad)
		bad = !t->texts || tell_rows(t, rows, false) ||
		      tell_rows(t, rows, true);
	for (size_t i = 0; i < t->n && !bad; i++) {
		if (strstr(rows[i].text, "more:"))
			bad = write_row(t, &rows[i], true);
		t->cut |= strstr(rows[i].text, " more]") != NULL;
		t->texts[rows[i].i] = rows[i].text;
		rows[i].text = NULL;
	}
	for (size_t i = 0; rows && i < t->n; i++)
		free(rows[i].text);
	free(rows);
	return bad ? -1 : 0;
}

void path_table_note(FILE *out, const struct path_table *t)
{
	struct report_told *told = t->options->told;

	if (!t->cut || (told && told->whole))
		return;
	layout_note(out, t->options,
		"[N more]: functions that have no room; in a pipe all have it, "
		"unless COLUMNS is set");
	if (told)
		told->whole = true;
}

void path_table_fini(struct path_table *t)
{
	for (size_t i = 0; t->texts && i < t->n; i++)
		free(t->texts[i]);
	free(t->texts);
}
