/* Computes intervals from samples, losses and what was consumed. */
#include "lib/run/rerun.h"

#include <stdio.h>
#include <stdlib.h>

#define FEW 20
#define ENOUGH 1000
#define LOSSY 20 /* one in so many was lost */
/* us.  A sample by a clock takes the program up to 20 us, so at 10 us the
   sampling takes four times what the program does. */
#define FINEST_CLOCK 100

/* us of the program's that a sample of kernel timers takes; make bench */
#define SAMPLE_COST 1.0
#define MUCH 0.03
#define LITTLE 0.01
/* A run with fewer samples is over before that matters. */
#define SOON 20000

double rerun_cost(const struct rerun_resource *r)
{
	double part =
		r->cpu > 0 ? SAMPLE_COST * (double)r->samples / r->cpu : 0;

	return r->samples >= SOON && part > MUCH ? part : 0;
}

bool rerun_is_lossy(const struct rerun_resource *r)
{
	return r->lost > (r->samples + r->lost) / LOSSY;
}

/* WANTED, or less: 1, 2 or 5 times a power of ten. */
static uint64_t round_down(uint64_t wanted)
{
	uint64_t power = 1;

	while (wanted >= 10) {
		wanted /= 10;
		power *= 10;
	}
	return power * (wanted >= 5 ? 5 : wanted >= 2 ? 2 : 1);
}

/* At which RATIO times fewer samples come. */
static uint64_t coarser(const struct rerun_resource *r, double ratio)
{
	/* rounded down to two fifths of it at the most */
	double wanted = 2.5 * ratio * (double)r->interval;

	return wanted < 1e18 ? round_down((uint64_t)wanted) : r->interval;
}

uint64_t rerun_interval(const struct rerun_resource *r)
{
	uint64_t finer, least = r->least;

	if (!r->interval)
		return 0;
	if (rerun_is_lossy(r))
		return coarser(
			r, (double)(r->samples + r->lost) /
				   (double)(r->samples ? r->samples : 1));
	if (rerun_cost(r) > 0)
		return coarser(r, rerun_cost(r) / LITTLE);
	if (r->samples >= FEW || r->consumed / FEW >= r->interval)
		return 0;
	finer = round_down(r->consumed / ENOUGH);
	if (r->unit == TEXT_USEC && least < FINEST_CLOCK)
		least = FINEST_CLOCK;
	if (finer < least)
		finer = least;
	/* twice the samples, or it is not worth another run */
	return finer <= r->interval / 2 && r->consumed / 2 >= finer ? finer : 0;
}

char *rerun_option(const struct rerun_resource *resources, size_t n)
{
	char *list = NULL, every[64];
	size_t size, changed = 0;
	FILE *out = open_memstream(&list, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const struct rerun_resource *r = &resources[i];
		uint64_t other = rerun_interval(r);

		if (!other)
			continue;
		text_interval(other, r->unit, every, sizeof every);
		fprintf(out, "%s%s:%s", changed++ ? "," : "-r ", r->name,
			every);
	}
	if (fclose(out) == 0 && changed)
		return list;
	free(list);
	return NULL;
}
