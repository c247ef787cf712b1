/* Distances between names, and the names nearest to a wrong one. */
#include <limits.h>
#include <string.h>

#include "lib/order.h"
#include "lib/text.h"

enum { LETTERS_MAX = 1000, NEAREST_MAX = 32 };

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
 * The table's entry for the first I letters of A and the first J of B; the rows
 * before it are UP and UP2.
 */
static unsigned cell(const char *a, size_t i, const char *b, size_t j,
	const unsigned *const rows[3])
{
	const unsigned *row = rows[0], *up = rows[1], *up2 = rows[2];
	unsigned d = i || j ? UINT_MAX : 0;

	a += i, b += j;
	if (i)
		d = least(d, up[j] + 2);
	if (j)
		d = least(d, row[j - 1] + 2);
	if (i && j)
		d = least(d, up[j - 1] + letter_cost(a[-1], b[-1]));
	if (i > 1 && j > 1 && lower(a[-1]) == lower(b[-2]) &&
		lower(a[-2]) == lower(b[-1]))
		d = least(d, up2[j - 2] + 2 + letter_cost(a[-1], b[-2]) +
				     letter_cost(a[-2], b[-1]));
	return d;
}

unsigned text_distance(const char *a, const char *b, unsigned limit)
{
	unsigned rows[3][LETTERS_MAX + 1]; /* the last ones of the table */
	size_t na = strlen(a), nb = strlen(b);

	if (na > nb + limit || nb > na + limit || nb > LETTERS_MAX)
		return limit + 1;
	for (size_t i = 0; i <= na; i++) {
		unsigned *row = rows[i % 3], best = UINT_MAX;
		const unsigned *const last[] = {
			row, rows[(i + 2) % 3], rows[(i + 1) % 3]};

		for (size_t j = 0; j <= nb; j++)
			best = least(best, row[j] = cell(a, i, b, j, last));
		if (best > 2 * limit)
			return limit + 1;
	}
	return least((rows[na % 3][nb] + 1) / 2, limit + 1);
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

	return ORDER(a->far, b->far) ?: ORDER(na, nb)
	       ?: strcmp(a->name, b->name);
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
