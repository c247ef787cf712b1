/*
 * fig1 - one function called from two places at different prices.
 *
 * Source: after Figure 1 of N. Froyd, J. Mellor-Crummey and R. Fowler,
 * "Low-Overhead Call Path Profiling of Unmodified, Optimized Code", ICS 2005:
 * four functions a, b, c, d, where a profiler that splits the time of c among
 * its callers by their number of calls (gprof) tells the wrong story.
 *
 * main calls a and b; a calls c ten times, b calls it a hundred times for a
 * tenth of the work each; c hands half of its work on to d.  What its cpu
 * profile must show: c costs the same from a and from b; so do a and b.  By
 * the number of calls b would be charged 10/11 of it.
 *
 * --truth tells the cpu of c and d, us, their work, in turns, and the calls.
 */
#include <stdio.h>

#include "samples/sample.h"

#define ROUNDS 40
#define DEAR_CALLS 10
#define CHEAP_CALLS 100
#define TURNS 12000000u /* of a, or b, in a round: the mean */

static uint64_t done;

static FRAME void d(uint64_t turns)
{
	SHADOW();
	uint64_t from = sample_cpu_ns();

	SPIN(turns);
	sample_truth_cpu(NULL, sample_cpu_ns() - from);
	sample_truth("work", NULL, turns);
	done += turns;
}

static FRAME void c(uint64_t turns)
{
	SHADOW();
	uint64_t from = sample_cpu_ns();

	SPIN(turns / 2);
	sample_truth_cpu(NULL, sample_cpu_ns() - from);
	sample_truth("work", NULL, turns / 2);
	sample_truth("calls", NULL, 1);
	done += turns / 2;
	d(turns / 2);
}

static FRAME void a(uint64_t turns)
{
	SHADOW();
	for (unsigned i = 0; i < DEAR_CALLS; i++)
		c(turns / DEAR_CALLS);
}

static FRAME void b(uint64_t turns)
{
	SHADOW();
	for (unsigned i = 0; i < CHEAP_CALLS; i++)
		c(turns / CHEAP_CALLS);
}

/*
 * Half to three halves of TURNS: no round is in step with a profiler's clock.
 */
static uint64_t turns_of_round(uint64_t *seed)
{
	uint64_t steps = TURNS / 2 / CHEAP_CALLS / 2;

	return (steps + sample_random(seed) % (2 * steps)) * CHEAP_CALLS * 2;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, asked = 0;

	sample_start(argc, argv, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t turns = turns_of_round(&seed);

		a(turns);
		b(turns);
		asked += 2 * turns;
	}
	if (done != asked)
		sample_fail("%llu turns", (unsigned long long)done);
	printf("%llu turns\n", (unsigned long long)done);
	return sample_end();
}
