/* Calls by who calls: their map, and functions that are called too often. */
#include "monitor/timer/percpu/percpu_private.h"

#include <stdlib.h>

#include "lib/clock.h"
#include "monitor/probe/probe.h"
#include "monitor/sample/arcs.h"

/* Limits are looked after so often, and for a small part of the time. */
#define WATCH_NS 20000000u
#define WATCH_PART 20

static struct percpu_counter *counter_of_arcs(struct percpu *percpu)
{
	for (uint32_t i = 0; i < percpu->config.ncounters; i++)
		if (percpu->config.arcs >> i & 1)
			return &percpu->counters[i];
	return NULL;
}

uint64_t percpu_take_arc(void *impl, const struct arc_key *key)
{
	struct percpu *percpu = impl;
	const struct percpu_arc arc = {key->back, key->point, key->thread};
	int map = percpu_map(percpu, "arcs");
	uint64_t calls = 0;

	if (bpf_map_lookup_elem(map, &arc, &calls))
		return 0;
	bpf_map_delete_elem(map, &arc);
	counter_of_arcs(percpu)->calls->points.v[key->point].calls += calls;
	return calls;
}

/* Adds the calls that living threads have in the map. */
static void add_living(const struct percpu *percpu, uint64_t *sums, size_t n)
{
	int map = percpu_map(percpu, "arcs");
	struct percpu_arc arc, *last = NULL;
	uint64_t calls;

	while (bpf_map_get_next_key(map, last, &arc) == 0) {
		if (arc.point < n && !bpf_map_lookup_elem(map, &arc, &calls))
			sums[arc.point] += calls;
		last = &arc;
	}
}

/* Takes the descriptors of the point's probe from percpu->fds. */
static void take_probe(
	struct percpu *percpu, const struct probe_point *point, int fds[2])
{
	for (size_t i = 0; i < 2; i++)
		fds[i] = -1;
	/* a perf event has a link of its own behind it */
	for (size_t i = 0; i < (percpu->uprobe_links ? 1u : 2u); i++) {
		fds[i] = percpu->fds.v[point->at + i];
		percpu->fds.v[point->at + i] = -1;
	}
}

/* Functions that have SUMS calls, if that is their limit. */
static void leave(
	struct percpu *percpu, struct calls *calls, const uint64_t *sums)
{
	VEC(int) fds = {0};

	for (size_t i = 0; i < calls->points.n; i++) {
		struct probe_point *p = &calls->points.v[i];

		if (sums[i] < calls->limit || p->left || p->refused ||
			!vec_reserve(&fds, fds.n + 2))
			continue;
		p->left = sums[i];
		take_probe(percpu, p, fds.v + fds.n);
		fds.n += 2;
	}
	percpu_close(fds.v, fds.n);
	vec_free(&fds);
}

void percpu_watch_arcs(struct percpu *percpu, uint64_t now)
{
	struct percpu_counter *counter = counter_of_arcs(percpu);
	struct calls *calls = counter ? counter->calls : NULL;
	uint64_t *sums;

	if (!calls || !calls->limit || now < percpu->watch)
		return;
	sums = calloc(calls->points.n, sizeof *sums);
	for (size_t i = 0; sums && i < calls->points.n; i++)
		sums[i] = calls->points.v[i].calls;
	if (sums) {
		add_living(percpu, sums, calls->points.n);
		leave(percpu, calls, sums);
	}
	free(sums);
	percpu->watch =
		clock_now() + WATCH_NS + WATCH_PART * (clock_now() - now);
}
