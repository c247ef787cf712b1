/*
 * diff_figure.c - what changed of one figure, and how sure that is; see diff.h.
 */
#include <math.h>

#include "analyzer/diff/diff_private.h"
#include "analyzer/diff/student.h"
#include "analyzer/profile/profile.h"

struct moments {
	double mean, variance; /* of a run; variance < 0: one run, not known */
	bool same;             /* in every run */
};

static struct moments moments_of(const double *x, size_t n, double sampling)
{
	struct moments m = {.same = true, .variance = -1};
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += x[i];
		m.same = m.same && x[i] == x[0];
	}
	m.mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - m.mean) * (x[i] - m.mean);
	if (n > 1)
		m.variance = fmax(squares / (double)(n - 1), m.mean * sampling);
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

struct diff_figure diff_figure(const struct diff *diff, const double *runs,
	double sampling, double alpha)
{
	size_t na = diff->a.n, nb = diff->b.n;
	struct moments a = moments_of(runs, na, sampling);
	struct moments b = moments_of(runs + na, nb, sampling);
	struct diff_figure figure = {.a = a.mean, .b = b.mean};
	double change = b.mean - a.mean, half, df;

	figure.lo = figure.hi = change;
	if (a.same && b.same && change == 0) {
		figure.verdict = DIFF_SAME;
	} else if (diff->impl->counts && na > 1 && a.same && b.same) {
		figure.verdict = DIFF_EXACT;
	} else if (na < 2 && nb < 2) {
		/* what samples alone make of it */
		half = 1.96 * sqrt((a.mean + b.mean) * sampling);
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

double diff_sampling(const struct diff *diff)
{
	double most = 0;

	for (size_t run = 0; run < diff->impl->nruns; run++) {
		const struct tree *tree = diff->impl->runs[run];
		const struct books *books =
			&tree->data->books[tree->view.resource];

		if (!profile_of_all(tree) && books->weight)
			most = fmax(
				most, books->squares / (double)books->weight);
	}
	return most;
}

double diff_smallest(const struct diff *diff, const double *runs, double alpha)
{
	size_t na = diff->a.n, nb = diff->b.n;
	struct moments a = moments_of(runs, na, 0);
	struct moments b = moments_of(runs + na, nb, 0);
	double error, df;

	if (na < 2 && nb < 2)
		return 0;
	error = welch(a, na, b, nb, &df);
	return error > 0
		       ? error * (student_t(alpha / 2, df) + student_t(0.2, df))
		       : 0;
}
