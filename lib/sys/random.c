/* Numbers of getrandom(2), cut to a range without a bias. */
#include "lib/sys/random.h"

#include <sys/random.h>

#include "lib/clock.h"

static uint64_t next(void)
{
	uint64_t r;

	/* at the start of a machine there is no randomness yet */
	if (getrandom(&r, sizeof r, GRND_NONBLOCK) != (ssize_t)sizeof r)
		r = clock_now() * 0x9e3779b97f4a7c15u;
	return r;
}

uint64_t random_below(uint64_t n)
{
	/* 2^64 % n numbers at the start would make some results likelier */
	uint64_t least = n ? -n % n : 0, r;

	do
		r = next();
	while (r < least);
	return n ? r % n : r;
}

uint64_t random_around(uint64_t mean, uint64_t spread)
{
	/* 2 * spread + 1 is 0 for all of 2^64: any number, as wanted */
	return mean - spread + random_below(2 * spread + 1);
}
