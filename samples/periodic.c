/*
 * periodic - a program in lockstep with its profiler's clock.
 *
 * Half of every millisecond of its own CPU time it is in first_half, the other
 * half in second_half.  What a cpu profile at an interval of 1 ms shows: one of
 * them, nearly always the same; with varying intervals it must show one half
 * each, as --truth tells (us of CPU time).
 */
#include <stdio.h>

#include "samples/sample.h"

#define PERIOD_US 1000
#define PERIODS 800

static double turns_per_us;

/* A few us at a time, until the thread's CPU clock reaches UNTIL. */
static FRAME void first_half(uint64_t until)
{
	while (sample_cpu_us() < until)
		SPIN((uint64_t)(turns_per_us * 4));
}

static FRAME void second_half(uint64_t until)
{
	while (sample_cpu_us() < until)
		SPIN((uint64_t)(turns_per_us * 4));
}

int main(int argc, char **argv)
{
	uint64_t period;

	sample_start(argc, argv, NULL);
	turns_per_us = sample_turns_per_us();
	period = sample_cpu_us() / PERIOD_US + 1;
	while (sample_cpu_us() < period * PERIOD_US)
		continue;
	for (unsigned i = 0; i < PERIODS; i++, period++) {
		MEASURED_CPU(first_half, period * PERIOD_US + PERIOD_US / 2);
		MEASURED_CPU(second_half, (period + 1) * PERIOD_US);
	}
	printf("%d periods\n", PERIODS);
	return sample_end();
}
