/*
 * solver - a field that dies away, which denormal numbers make slow.
 *
 * Both halves take the same number of steps in the same function.  The first
 * lets the field die away to nothing: soon its numbers are so small that the
 * processor needs help with each, and rounding keeps them there.  The second
 * adds what nobody would notice (1e-30) in each step, the usual remedy.  What
 * its fpe profile must show is what --truth says: each operation that raises
 * one of the exceptions of fpe, as the program sees by its own flags, by path.
 *
 *     --cells=N  of the field, default 10000
 *     --steps=N  in each half, default 1000
 */
#include <stdio.h>
#include <stdlib.h>

#include "samples/sample.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#define CLEAR() _mm_setcsr(_mm_getcsr() & ~0x3fu)
#define RAISED() ((_mm_getcsr() & 0x1f) != 0) /* all but the inexact ones */
#else
#define CLEAR() (void)0
#define RAISED() 0
#endif

static bool told;
static uint64_t raised;
static size_t cells, steps;
static double *field;

/* One operation, in one instruction. */
#define OPERATION(x, operator, with)                                           \
	do {                                                                   \
		if (told)                                                      \
			CLEAR();                                               \
		__asm__ volatile("" : "+x"(x));                                \
		x = x operator(with);                                          \
		__asm__ volatile("" : "+x"(x));                                \
		if (told)                                                      \
			raised += RAISED();                                    \
	} while (0)

static FRAME void step(double floor)
{
	for (size_t i = 0; i < cells; i++) {
		double x = field[i];

		OPERATION(x, *, 0.75);
		OPERATION(x, +, floor);
		field[i] = x;
	}
}

static FRAME void relax(double floor)
{
	SHADOW();
	raised = 0;
	for (size_t i = 0; i < cells; i++)
		field[i] = 1e-290;
	for (size_t i = 0; i < steps; i++)
		step(floor);
	sample_truth("fpe", NULL, raised);
}

static FRAME void die_away(void)
{
	SHADOW();
	relax(0);
}

static FRAME void stay_above(void)
{
	SHADOW();
	relax(1e-30);
}

int main(int argc, char **argv)
{
	static const char *const options[] = {"--cells=", "--steps=", NULL};

	sample_start(argc, argv, options);
	told = sample_flag("--truth");
	cells = sample_number("--cells=", 10000);
	steps = sample_number("--steps=", 1000);
	field = calloc(cells, sizeof *field);
	if (!field)
		sample_fail("no field of %zu cells", cells);
	die_away();
	stay_above();
	return sample_end();
}
