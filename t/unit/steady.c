/*
 * When outer frames that were read after a sample count as the sample's: nearly
 * all reads find the same.
 */
#include "monitor/stack/steady.h"

#include "t/lib/tap.h"

static struct steady steady;
static uint64_t now = STEADY_GAP;

/* How many reads in a row find OUTER before it counts; 10 000: never. */
static unsigned reads_until(uint64_t frame, uint64_t outer, uint64_t gap)
{
	for (unsigned n = 1; n < 10000; n++) {
		now += gap;
		if (steady_is(&steady, frame, outer, now))
			return n;
	}
	return 10000;
}

/* Of N reads in which OUTER is found. */
static unsigned accepted(uint64_t outer, unsigned n)
{
	unsigned k = 0;

	for (; n; n--, now += STEADY_GAP)
		k += steady_is(&steady, 7, outer, now);
	return k;
}

/* Of 400 turns of N reads that find 300 and one that finds OTHER. */
static unsigned accepted_with(uint64_t other, unsigned n)
{
	unsigned k = 0;

	for (unsigned turn = 0; turn < 400; turn++) {
		k += accepted(300, n);
		k += accepted(other ? other : 1000 + turn, 1);
	}
	return k;
}

int main(void)
{
	unsigned n;

	ok(reads_until(1, 100, STEADY_GAP) == STEADY_LEAST,
		"accepted when it was the same in many reads");
	ok(reads_until(1, 100, STEADY_GAP) == 1, "and from then on");
	n = reads_until(1, 200, STEADY_GAP);
	ok(n == STEADY_LEAST, "another caller after a long time: anew");
	ok(reads_until(2, 100, STEADY_GAP / 10) == 10 * (STEADY_LEAST - 1) + 1,
		"reads that follow closely count as one");
	ok(reads_until(2 + STEADY_FRAMES, 1, STEADY_GAP) == STEADY_LEAST,
		"a frame with the same place in the table");
	ok(reads_until(2, 100, STEADY_GAP) == STEADY_LEAST,
		"begins anew itself");

	/* Samples of the second caller's between two reads of the first. */
	n = accepted_with(400, 24);
	ok(n < 400, "a caller that one read in 25 finds: %u of 10000", n);
	n = accepted_with(400, 1);
	ok(n == 0, "two callers in turns: %u of 800", n);
	accepted(300, 2 * STEADY_MOST);
	n = accepted_with(0, 199);
	ok(n > 75000, "other calls in one read of 200: %u of 80000", n);
	return done_testing();
}
