/*
 * dl_lib - the two libraries of dl: the same code with names that end in
 * DL_LETTER, so their functions have the same offsets.
 */
#include "samples/dl_lib.h"
#include "samples/sample.h"

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)
#define burn_in NAMED(burn_in_, DL_LETTER)
#define work_in NAMED(work_in_, DL_LETTER)

burn burn_in;

static FRAME void work_in(uint64_t turns)
{
	SPIN(turns);
}

FRAME void burn_in(uint64_t turns, dl_clock *now, struct dl_took *took)
{
	uint64_t start = now(), own;

	SPIN(turns / 4);
	own = now();
	work_in(turns - turns / 4);
	took->burn_ns += own - start;
	took->work_ns += now() - own;
}
