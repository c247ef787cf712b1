/*
 * diff_figure.c - what changed of one figure, and how sure that is; see diff.h.
 */
#include <math.h>
#include <stdlib.h>

#include "analyzer/diff/diff_private.h"
#include "analyzer/diff/student.h"
#include "analyzer/profile/profile.h"
#include "lib/order.h"

/* What the other figures tell of one's variance counts as so many degrees of
   freedom. */
#define PRIOR 4
/* Fewer figures tell nothing of others. */
#define FEW 4
#define MANY 1e6 /* degrees of freedom of a normal distribution */

struct moments {
	double mean, variance; /* of a run; of one run what it is at least */
	double df;             /* of the variance; one run: not known */
	double noise;          /* the part of it that sampling makes */
	bool same;             /* in every run */
};

static struct moments moments_of(
	const struct diff *diff, const struct diff_value *runs, size_t n)
{
	double prior = diff->varies < 0 ? 0 : PRIOR, sum = 0, squares = 0,
	       known;
	struct moments m = {.same = true};

	for (size_t i = 0; i < n; i++) {
		sum += runs[i].weight;
		m.noise += runs[i].noise / (double)n;
		m.same = m.same && runs[i].weight == runs[0].weight;
	}
	m.mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares +=
			(runs[i].weight - m.mean) * (runs[i].weight - m.mean);
	known = m.noise + fmax(diff->varies, 0) * m.mean * m.mean;
	m.df = prior + (double)n - 1;
	m.variance =
		n > 1 ? fmax(m.noise, (squares + prior * known) / m.df) : known;
	return m;
}

/* The error of the difference of means, and its degrees of freedom. */
static double welch(
	struct moments a, size_t na, struct moments b, size_t nb, double *df)
{
	double u, v;

	/* one run: it varies as those of the other side do */
	if (na < 2 || nb < 2) {
		double variance = fmax(a.variance, b.variance);

		*df = na < 2 ? b.df : a.df;
		return sqrt(variance * (1 / (double)na + 1 / (double)nb));
	}
	u = a.variance / (double)na;
	v = b.variance / (double)nb;
	*df = u + v > 0 ? (u + v) * (u + v) / (u * u / a.df + v * v / b.df) : 1;
	return sqrt(u + v);
}

struct diff_figure diff_figure(
	const struct diff *diff, const struct diff_value *runs, double alpha)
{
	size_t na = diff->a.n, nb = diff->b.n;
	struct moments a = moments_of(diff, runs, na);
	struct moments b = moments_of(diff, runs + na, nb);
	struct diff_figure figure = {.a = a.mean, .b = b.mean};
	double change = b.mean - a.mean, half, df;

	figure.lo = figure.hi = change;
	if (a.same && b.same && change == 0) {
		figure.verdict = DIFF_SAME;
	} else if (diff->counts && na > 1 && a.same && b.same) {
		figure.verdict = DIFF_EXACT;
	} else if (na < 2 && nb < 2) {
		/* what samples alone make of it */
		half = sqrt(a.noise + b.noise);
		half = half > 0 ? half * student_t(alpha / 2, MANY) : 0;
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
	const struct diff diff = {.a.n = na, .b.n = nb, .varies = -1};

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

bool diff_is_large(const struct diff *diff, const struct diff_value *runs)
{
	double a = 0, b = 0;

	for (size_t i = 0; i < diff->a.n; i++)
		a += runs[i].weight;
	for (size_t i = 0; i < diff->b.n; i++)
		b += runs[diff->a.n + i].weight;
	return fmax(a / (double)diff->a.n, b / (double)diff->b.n) >=
	       diff->impl->share;
}

/* How much runs of a figure vary beyond noise, in parts of its square. */
static double varies(const struct diff *diff, const struct diff_value *runs)
{
	const struct diff_value *of[] = {runs, runs + diff->a.n};
	size_t n[] = {diff->a.n, diff->b.n};
	double sum = 0;

	for (size_t side = 0; side < 2; side++) {
		struct moments m = moments_of(diff, of[side], n[side]);

		if (n[side] > 1 && m.mean > 0)
			sum += (double)(n[side] - 1) * (m.variance - m.noise) /
			       (m.mean * m.mean);
	}
	return sum / (double)(n[0] + n[1] - 2);
}

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return ORDER(*x, *y);
}

int diff_learn(struct diff *diff)
{
	const struct diff_private *impl = diff->impl;
	size_t n = 0, runs = impl->nruns, df = runs - 2;
	double *v = calloc(impl->functions.n + 1, sizeof *v);

	for (size_t f = 0; v && df && f < impl->functions.n; f++)
		if (diff_is_large(diff, &impl->self[f * runs]))
			v[n++] = varies(diff, &impl->self[f * runs]);
	if (n >= FEW) {
		/* the median of such a variance is less than its mean (Wilson
		   and Hilferty) */
		qsort(v, n, sizeof *v, compare_doubles);
		diff->varies = v[n / 2] / pow(1 - 2 / (9.0 * (double)df), 3);
	}
	free(v);
	return v ? 0 : -1;
}

double diff_smallest(
	const struct diff *diff, const struct diff_value *runs, double alpha)
{
	size_t na = diff->a.n, nb = diff->b.n;
	struct moments a = moments_of(diff, runs, na);
	struct moments b = moments_of(diff, runs + na, nb);
	double error, df;

	if (na < 2 && nb < 2)
		return 0;
	error = welch(a, na, b, nb, &df);
	return error > 0
		       ? error * (student_t(alpha / 2, df) + student_t(0.2, df))
		       : 0;
}
