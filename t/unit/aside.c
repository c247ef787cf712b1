/*
 * Where the monitor moves when it is on the target's processor, by what the
 * rings received; without a target.
 */
#include "monitor/run/aside.h"

#include "t/lib/tap.h"

#define N 4

static const int cpus[N] = {0, 1, 4, 5}; /* two are off line */
static struct aside aside;
static uint64_t heads[N];
static cpu_set_t allowed;

/* A round at processor HERE in which ACTIVE, a bit for each, had samples. */
static int round_at(int here, unsigned active)
{
	for (unsigned i = 0; i < N; i++)
		if (active >> i & 1)
			heads[i] += 4096;
	return aside_where(&aside, cpus, heads, N, here, &allowed);
}

/* The last of ROUNDS such rounds, none of which came before. */
static int rounds_at(unsigned rounds, int here, unsigned active)
{
	int where = round_at(here, 0);

	while (rounds--)
		where = round_at(here, active);
	return where;
}

static void goes(int where, int expected, const char *what)
{
	ok(where == expected, "%s (to %d)", what, where);
}

int main(void)
{
	for (unsigned i = 0; i < N; i++)
		CPU_SET(cpus[i], &allowed);
	heads[2] = 1 << 20; /* before it was first asked */
	goes(round_at(4, 0), -1, "at first nothing is known");
	goes(rounds_at(ASIDE_PATIENCE - 1, 4, 4), -1, "not at once");
	goes(round_at(4, 4), 5, "then to the next one");
	goes(rounds_at(100, 5, 4), -1, "it stays beside the target");
	goes(rounds_at(100 * ASIDE_PATIENCE, 4, 15), -1,
		"nowhere to go where all are busy");
	goes(rounds_at(ASIDE_PATIENCE, 4, 14), 0, "past one that is busy");
	CPU_CLR(0, &allowed);
	goes(rounds_at(ASIDE_PATIENCE, 4, 14), -1, "not where it may not run");
	goes(rounds_at(ASIDE_PATIENCE, 5, 8), 1, "round the end");
	goes(rounds_at(100, 3, 15), -1, "a processor without a ring");
	aside_fini(&aside);
	return done_testing();
}
