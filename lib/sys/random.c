#include "lib/sys/random.h"

#include <stdbool.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/clock.h"

/* Blackman and Vigna's splitmix64: each state once in 2^64 calls. */
static uint64_t next(void)
{
	static uint64_t state;
	static bool seeded;
	uint64_t z;

	if (!seeded && getrandom(&state, sizeof state, GRND_NONBLOCK) !=
			       (ssize_t)sizeof state)
		state = clock_now() ^ (uint64_t)getpid() << 32;
	seeded = true;
	z = state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
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
