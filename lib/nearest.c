/* Distances between names, and the names nearest to a wrong one. */
#include <string.h>

#include "lib/text.h"

enum { LIMIT_MAX = 32, NEAREST_MAX = 32 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* In half steps: 0 equal, 1 equal but for case, 2 different. */
static unsigned letter_cost(char a, char b)
{
	return a == b ? 0 : lower(a) == lower(b) ? 1 : 2;
}

/*
 * Three rows of the table.  A row keeps only the entries within `limit` of the
 * diagonal: row i has column j at [j - i + limit + 1], with an entry of `far`
 * at either end.
 */
struct band {
	const char *a, *b;
	size_t nb;
	unsigned limit, far;
	unsigned rows[3][2 * LIMIT_MAX + 3];
};

static unsigned band_cell(const struct band *t, size_t i, size_t j, unsigned k)
{
	const unsigned *row = t->rows[i % 3], *up = t->rows[(i + 2) % 3],
		       *up2 = t->rows[(i + 1) % 3];
	const char *a = t->a + i, *b = t->b + j;
	unsigned d = i || j ? t->far : 0;

	if (i)
		d = least(d, up[k + 1] + 2);
	if (j)
		d = least(d, row[k - 1] + 2);
	if (i && j)
		d = least(d, up[k] + letter_cost(a[-1], b[-1]));
	if (i > 1 && j > 1 && lower(a[-1]) == lower(b[-2]) &&
		lower(a[-2]) == lower(b[-1]))
		d = least(d, up2[k] + 2 + letter_cost(a[-1], b[-2]) +
				     letter_cost(a[-2], b[-1]));
	return least(d, t->far);
}

/* Fills row I and returns its least entry. */
static unsigned band_row(struct band *t, size_t i)
{
	unsigned *row = t->rows[i % 3], best = t->far;

	for (unsigned k = 1; k <= 2 * t->limit + 1; k++) {
		row[k] = t->far;
		if (i + k < t->limit + 1 || i + k - t->limit - 1 > t->nb)
			continue;
		row[k] = band_cell(t, i, i + k - t->limit - 1, k);
		best = least(best, row[k]);
	}
	return best;
}

unsigned text_distance(const char *a, const char *b, unsigned limit)
{
	size_t na = strlen(a), nb = strlen(b);
	struct band t = {.a = a, .b = b, .nb = nb};

	t.limit = least(limit, LIMIT_MAX);
	t.far = 2 * (t.limit + 1);
	if (na > nb + t.limit || nb > na + t.limit)
		return t.limit + 1;
	for (int r = 0; r < 3; r++)
		for (unsigned k = 0; k < 2 * LIMIT_MAX + 3; k++)
			t.rows[r][k] = t.far;
	for (size_t i = 0; i <= na; i++)
		if (band_row(&t, i) >= t.far)
			return t.limit + 1;
	return (t.rows[na % 3][nb + t.limit + 1 - na] + 1) / 2;
}

static bool starts(const char *s, const char *prefix)
{
	while (*prefix && lower(*s) == lower(*prefix))
		s++, prefix++;
	return !*prefix;
}

static bool contains(const char *s, const char *part)
{
	for (; *s; s++)
		if (starts(s, part))
			return true;
	return false;
}

/* How far NAME is from WRONG, 0 for the same; UINT32_MAX for too far. */
static unsigned remoteness(const char *wrong, const char *name)
{
	size_t n = strlen(wrong);
	unsigned limit = n < 28 ? 1 + (unsigned)n / 4 : 8;
	unsigned d = text_distance(wrong, name, limit), best = UINT32_MAX;

	if (d <= limit && d < n)
		best = 4 * d;
	if (n && starts(name, wrong))
		best = least(best, 5);
	if (n > 2 && contains(name, wrong))
		best = least(best, 9);
	return best;
}

struct proposal {
	const char *name;
	unsigned far;
};

/* The order of proposals: by distance, then by length, then by letters. */
static int compare(const struct proposal *a, const struct proposal *b)
{
	size_t na = strlen(a->name), nb = strlen(b->name);

	if (a->far != b->far)
		return a->far < b->far ? -1 : 1;
	if (na != nb)
		return na < nb ? -1 : 1;
	return strcmp(a->name, b->name);
}

size_t text_nearest(const char *wrong, const char *const *names, size_t n,
	const char **nearest, size_t max)
{
	struct proposal best[NEAREST_MAX + 1];
	size_t count = 0, i;

	max = max < NEAREST_MAX ? max : NEAREST_MAX;
	for (size_t k = 0; k < n; k++) {
		struct proposal new = {names[k], remoteness(wrong, names[k])};
		int order = 1;

		if (new.far == UINT32_MAX)
			continue;
		for (i = 0; i < count; i++)
			if ((order = compare(&new, &best[i])) <= 0)
				break;
		if (i < count && !order) /* the same name again */
			continue;
		memmove(best + i + 1, best + i, (count - i) * sizeof *best);
		best[i] = new;
		count = count < max ? count + 1 : max;
	}
	for (i = 0; i < count; i++)
		nearest[i] = best[i].name;
	return count;
}
