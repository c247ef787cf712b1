/*
 * How sure a change is: quantiles of t against tables, and trials with figures
 * whose truth is known.  The random numbers are the same in every run.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/diff/diff_private.h"
#include "analyzer/diff/student.h"
#include "t/lib/draw.h"
#include "t/lib/tap.h"

static double uniform(void)
{
	return ((double)(draw64() >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller. */
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static bool near(double x, double wanted)
{
	return fabs(x - wanted) < 5e-4 * wanted;
}

/* From the tables in every book on statistics. */
static void test_student(void)
{
	ok(near(student_t(0.025, 1), 12.706), "t: 1 degree of freedom");
	ok(near(student_t(0.025, 2), 4.3027), "t: 2");
	ok(near(student_t(0.05, 5), 2.0150), "t: 5, 90 %%");
	ok(near(student_t(0.005, 10), 3.1693), "t: 10, 99 %%");
	ok(near(student_t(0.025, 30), 2.0423), "t: 30");
	ok(near(student_t(0.025, 1e7), 1.95996), "t: many, the normal's");
	ok(fabs(student_t(0.5, 3)) < 1e-6, "t: the middle");
}

static struct diff diff = {.varies = -1};

static struct diff_figure figure(
	size_t na, size_t nb, const double *runs, double sampling, double alpha)
{
	struct diff_value values[64];

	diff.a.n = na;
	diff.b.n = nb;
	for (size_t i = 0; i < na + nb; i++)
		values[i] = (struct diff_value){runs[i], runs[i] * sampling};
	return diff_figure(&diff, values, alpha);
}

static void make_runs(double *runs, size_t n, double mean, double noise)
{
	for (size_t i = 0; i < n; i++)
		runs[i] = mean * (1 + noise * normal());
}

/* 200 comparisons of equal sides, of 40 paths each. */
static void test_false_alarms(void)
{
	unsigned alarms = 0;

	for (unsigned trial = 0; trial < 200; trial++) {
		bool alarm = false;

		for (unsigned path = 0; path < 40; path++) {
			double runs[10];

			make_runs(runs, 10, 1000, 0.05);
			alarm |= figure(5, 5, runs, 0, 0.025 / 40).verdict ==
				 DIFF_REAL;
		}
		alarms += alarm;
	}
	printf("# %u of 200\n", alarms);
	ok(alarms <= 10, "equal runs: at most 5 %% false alarms");
}

/* +3 % at ten runs a side with 1.5 % noise, as the total is tested. */
static void test_power(void)
{
	unsigned found = 0;

	for (unsigned trial = 0; trial < 1000; trial++) {
		double runs[20];

		make_runs(runs, 10, 1000, 0.015);
		make_runs(runs + 10, 10, 1030, 0.015);
		found += figure(10, 10, runs, 0, 0.025).verdict == DIFF_REAL;
	}
	printf("# %u of 1000\n", found);
	ok(found >= 950, "+3 %% with 1.5 %% noise is found in 95 of 100");
}

/*
 * The true change is in the interval.  With so few runs a side, and so unequal
 * ones, Welch's test holds at 93.8 %, as 100000 trials by other random numbers
 * show.
 */
static void test_coverage(void)
{
	unsigned inside = 0;

	for (unsigned trial = 0; trial < 20000; trial++) {
		double runs[7];
		struct diff_figure f;

		make_runs(runs, 3, 1000, 0.1);
		make_runs(runs + 3, 4, 1300, 0.02);
		f = figure(3, 4, runs, 0, 0.05);
		inside += f.lo <= 300 && f.hi >= 300;
	}
	printf("# %u of 20000\n", inside);
	ok(inside >= 18600 && inside <= 19100, "the interval holds at 95 %%");
}

static void test_verdicts(void)
{
	struct diff_figure f;

	diff.counts = true;
	ok(figure(1, 1, (double[]){7, 7}, 0, 0.05).verdict == DIFF_SAME,
		"one run a side, the same");
	ok(figure(1, 1, (double[]){7, 8}, 0, 0.05).verdict == DIFF_UNSURE,
		"one run a side, not the same");
	f = figure(2, 1, (double[]){7, 7, 8}, 0, 0.05);
	ok(f.verdict == DIFF_EXACT && f.lo == 1 && f.hi == 1,
		"side A repeats: one more event is one more");
	ok(figure(2, 2, (double[]){7, 9, 8, 9}, 0, 0.05).verdict == DIFF_NOISE,
		"side A does not: an interval");
	diff.counts = false;
	ok(figure(2, 2, (double[]){0, 0, 1000, 1000}, 1000, 0.05).verdict ==
			DIFF_NOISE,
		"samples: one sample in each run is no proof");
	ok(figure(3, 3, (double[]){100, 101, 102, 200, 201, 202}, 0, 0.05)
				.verdict == DIFF_REAL,
		"twice as much");
	f = figure(1, 3, (double[]){100, 200, 201, 202}, 0, 0.05);
	ok(f.verdict == DIFF_REAL, "one run before: it varies as those after");
	/* the error of 101 is 1 * sqrt(1 + 1/3), and t(2) = 4.3027 */
	ok(near(f.hi - 101, 4.3027 * sqrt(4.0 / 3)), "by so much");
}

/* What is known of all figures counts as 4 degrees of freedom. */
static void test_prior(void)
{
	struct diff_figure f;
	double error;

	diff.varies = 0.01;
	f = figure(3, 3, (double[]){100, 100, 100, 200, 200, 200}, 0, 0.05);
	/* 4 / 6 of (100 * 0.1)^2 and of (200 * 0.1)^2; Welch's degrees of
	   freedom of 1 and 4 parts with 6 each are 25 / 17 * 6 */
	error = sqrt((100.0 + 400) * 4 / 6 / 3);
	ok(near(f.hi - 100, error * student_t(0.025, 25.0 / 17 * 6)),
		"runs that are alike vary as others do, in part");
	f = figure(3, 3, (double[]){0, 0, 0, 200, 200, 200}, 0, 0.05);
	ok(near(f.hi - 200, sqrt(400.0 * 4 / 6 / 3) * student_t(0.025, 6)),
		"a side of zeros does not vary");
	f = figure(3, 3, (double[]){0, 100, 200, 300, 400, 500}, 0, 0.05);
	ok(f.verdict == DIFF_REAL && f.hi - 300 > 100,
		"runs that vary more do so");
	f = figure(1, 1, (double[]){0, 200}, 0, 0.05);
	ok(f.verdict == DIFF_UNSURE, "one run a side: not known");
	diff.varies = -1;
}

int main(void)
{
	test_student();
	test_false_alarms();
	test_power();
	test_coverage();
	test_verdicts();
	test_prior();
	return done_testing();
}
