/* Compares how far each processor's rings have come, and moves the monitor. */
#include "monitor/run/aside.h"

#include <string.h>

/* How many bytes came into ring I since the last round. */
static uint64_t sideband(
	const struct aside *aside, const uint64_t *heads, size_t i)
{
	return heads[i] - aside->heads.v[i];
}

/* The next idle processor after number AT where the monitor may run, or -1. */
static int idle_processor(const struct aside *aside, const int *cpus,
	const uint64_t *heads, size_t n, size_t at, const cpu_set_t *allowed)
{
	for (size_t k = 1; k < n; k++) {
		size_t i = (at + k) % n;

		if (cpus[i] < CPU_SETSIZE && CPU_ISSET(cpus[i], allowed) &&
			!sideband(aside, heads, i))
			return cpus[i];
	}
	return -1;
}

int aside_where(struct aside *aside, const int *cpus, const uint64_t *heads,
	size_t n, int here, const cpu_set_t *allowed)
{
	bool first = aside->heads.n != n;
	int where = -1;
	size_t at = 0;

	if (first && !vec_reserve(&aside->heads, n))
		return -1;
	aside->heads.n = n;
	while (at < n && cpus[at] != here)
		at++;
	if (first || at == n || !sideband(aside, heads, at)) {
		aside->in_the_way = 0;
	} else if (++aside->in_the_way >= ASIDE_PATIENCE) {
		where = idle_processor(aside, cpus, heads, n, at, allowed);
		aside->in_the_way = 0;
	}
	memcpy(aside->heads.v, heads, n * sizeof *heads);
	return where;
}

void aside_go(struct aside *aside, const int *cpus, size_t n,
	struct ring *const *rings, size_t nrings)
{
	cpu_set_t allowed, there;
	int where;

	if (!vec_reserve(&aside->now, n) ||
		sched_getaffinity(0, sizeof allowed, &allowed))
		return;
	memset(aside->now.v, 0, n * sizeof *aside->now.v);
	for (size_t i = 0; i < nrings; i++)
		aside->now.v[i % n] += rings[i]->head;
	where = aside_where(
		aside, cpus, aside->now.v, n, sched_getcpu(), &allowed);
	if (where < 0)
		return;
	CPU_ZERO(&there);
	CPU_SET(where, &there);
	if (sched_setaffinity(0, sizeof there, &there) == 0)
		sched_setaffinity(0, sizeof allowed, &allowed);
}

void aside_fini(struct aside *aside)
{
	vec_free(&aside->heads);
	vec_free(&aside->now);
}
