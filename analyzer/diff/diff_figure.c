/*
 * diff_figure.c - what changed of one figure, and how sure that is; see diff.h.
 */
#include <math.h>
#include <stdlib.h>

#include "analyzer/diff/diff_private.h"
#include "analyzer/diff/student.h"
#include "analyzer/profile/profile.h"

struct moments {
	double mean, variance; /* of a run; variance < 0: one run, not known */
	double noise;          /* the part of it that sampling makes */
	bool same;             /* in every run */
};

static struct moments moments_of(const struct diff_value *runs, size_t n)
{
	struct moments m = {.same = true, .variance = -1};
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += runs[i].weight;
		m.noise += runs[i].noise / (double)n;
		m.same = m.same && runs[i].weight == runs[0].weight;
	}
	m.mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares +=
			(runs[i].weight - m.mean) * (runs[i].weight - m.mean);
	if (n > 1)
		m.variance = fmax(squares / (double)(n - 1), m.noise);
	return m;
}

/* The error of the difference of means, and its degrees of freedom. */
static double welch(
	struct moments a, size_t na, struct moments b, size_t nb, double *df)
{
	double u, v;

	/* one run: it varies as those of the other side do */
	if (na < 2 || nb < 2) {
		double variance = na < 2 ? b.variance : a.variance;

		*df = (double)(na < 2 ? nb : na) - 1;
		return sqrt(variance * (1 / (double)na + 1 / (double)nb));
	}
	u = a.variance / (double)na;
	v = b.variance / (double)nb;
	*df = u + v > 0 ? (u + v) * (u + v) /
				  (u * u / (double)(na - 1) +
					  v * v / (double)(nb - 1))
			: 1;
	return sqrt(u + v);
}

struct diff_figure diff_figure(
	const struct diff *diff, const struct diff_value *runs, double alpha)
{
	size_t na = diff->a.n, nb = diff->b.n;
	struct moments a = moments_of(runs, na);
	struct moments b = moments_of(runs + na, nb);
	struct diff_figure figure = {.a = a.mean, .b = b.mean};
	double change = b.mean - a.mean, half, df;

	figure.lo = figure.hi = change;
	if (a.same && b.same && change == 0) {
		figure.verdict = DIFF_SAME;
	} else if (diff->counts && na > 1 && a.same && b.same) {
		figure.verdict = DIFF_EXACT;
	} else if (na < 2 && nb < 2) {
		/* what samples alone make of it */
		half = 1.96 * sqrt(a.noise + b.noise);
		figure.lo = change - half;
		figure.hi = change + half;
		figure.verdict = DIFF_UNSURE;
	} else {
		half = welch(a, na, b, nb, &df);
		half = half > 0 ? half * student_t(alpha / 2, df) : 0;
		figure.lo = change - half;
		figure.hi = change + half;
		figure.verdict = figure.lo <= 0 && figure.hi >= 0 ? DIFF_NOISE
								  : DIFF_REAL;
	}
	return figure;
}

int diff_values(
	const double *values, size_t na, size_t nb, struct diff_figure *figure)
{
	struct diff_value *runs = calloc(na + nb, sizeof *runs);
	const struct diff diff = {.a.n = na, .b.n = nb};

	for (size_t i = 0; runs && i < na + nb; i++)
		runs[i].weight = values[i];
	if (runs)
		*figure = diff_figure(&diff, runs, 0.05);
	free(runs);
	return runs ? 0 : -1;
}

void diff_add(const struct diff_private *impl, size_t run,
	const struct tree_sums *sums, struct diff_value *to)
{
	to->weight += (double)sums->weight;
	to->noise += profile_variance(impl->runs[run], sums);
}

double diff_smallest(
	const struct diff *diff, const struct diff_value *runs, double alpha)
{
	size_t na = diff->a.n, nb = diff->b.n;
	struct moments a = moments_of(runs, na);
	struct moments b = moments_of(runs + na, nb);
	double error, df;

	if (na < 2 && nb < 2)
		return 0;
	error = welch(a, na, b, nb, &df);
	return error > 0
		       ? error * (student_t(alpha / 2, df) + student_t(0.2, df))
		       : 0;
}
