/*
 * pqr - mutual recursion.
 *
 * Source: after the example of J. M. Spivey, "Fast, accurate call graph
 * profiling", Software: Practice and Experience 34(3), 2004: P, Q and R call
 * each other and share a worker, S; a profiler that has only the call graph
 * must melt P, Q and R into one cycle.
 *
 * Every run of the recursion is P Q P Q ... with R entered from P only, at the
 * bottom; R could call Q but never does, Q could call R but never does.  What
 * its cpu profile must show: the cycle that happened (P and Q, each about 1.0
 * once, never more, however deep), R its own share, S the whole work; no call
 * path with R before Q, nor with Q right before R.
 *
 * --truth tells the cpu of S on each path, us, and its work, in turns.
 */
#include <stdio.h>

#include "samples/sample.h"

#define ROUNDS 100
#define DEPTH 4
#define UNIT                                                                   \
	200000u /* turns; in a round half to three halves of it, so that       \
		   none is in step with a profiler's clock */

static uint64_t unit, done;

static void P(unsigned depth);
static void Q(unsigned depth);

/* To the compiler and to gprof these calls may happen. */
static volatile bool never;

static FRAME void S(unsigned units)
{
	SHADOW();
	uint64_t from = sample_cpu_ns();

	SPIN(units * unit);
	sample_truth_cpu(NULL, sample_cpu_ns() - from);
	sample_truth("work", NULL, units * unit);
	done += units;
}

static FRAME void R(unsigned depth)
{
	SHADOW();
	S(4);
	if (never)
		Q(depth);
}

static FRAME void Q(unsigned depth)
{
	SHADOW();
	S(2);
	P(depth - 1);
	if (never)
		R(depth);
}

static FRAME void P(unsigned depth)
{
	SHADOW();
	S(1);
	if (depth > 0)
		Q(depth);
	else
		R(depth);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1;

	sample_start(argc, argv, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		unit = UNIT / 2 + sample_random(&seed) % UNIT;
		for (unsigned depth = 1; depth <= DEPTH; depth++)
			P(depth);
	}
	/* a run of depth n: n + 1 times P, n times Q, once R */
	if (done != ROUNDS * (4 * 5 + 3 * (1 + 2 + 3 + 4)))
		sample_fail("%llu units", (unsigned long long)done);
	printf("%llu units\n", (unsigned long long)done);
	return sample_end();
}
