/*
 * Samples sorted in bounded memory: each comes back, by track and time, as
 * often as it is asked for; what the disk refuses is an error.
 */
#include "analyzer/export/points.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "t/lib/draw.h"
#include "t/lib/tap.h"

#define TRACKS 7u

struct sums { /* of a track */
	uint64_t n, weights, nodes, ordered;
};

static void take(struct sums *s, const struct point *point, uint64_t last)
{
	s->n++;
	s->weights += point->weight;
	s->nodes += point->node * (point->time + 1);
	s->ordered += point->time >= last;
}

static struct point random_point(uint64_t number, uint32_t back)
{
	return (struct point){.time = number * 10 + draw(back),
		.weight = draw(100),
		.track = draw(TRACKS) * draw(2),
		.node = draw32()};
}

static bool same(struct points *p, uint32_t track, const struct sums *put)
{
	struct sums got = {0};
	uint64_t last = 0;
	struct err err;

	for (uint64_t i = 0; i < put->n; i++) {
		const struct point *point = points_next(p, &err);

		if (!point || point->track != track)
			return false;
		take(&got, point, last);
		last = point->time;
	}
	return got.weights == put->weights && got.nodes == put->nodes &&
	       got.ordered == put->n;
}

/* Times are out of order by less than BACK. */
static void sort(uint64_t n, uint32_t back)
{
	struct sums put[TRACKS] = {0};
	struct err err = {0};
	struct points *p = points_new(&err);
	bool bad = !p, good = true;

	for (uint64_t i = 0; i < n && !bad; i++) {
		struct point point = random_point(i, back);

		take(&put[point.track], &point, 0);
		bad = points_add(p, &point, &err);
	}
	bad = bad || points_sort(p, &err);
	for (uint32_t track = 0; track < TRACKS && !bad; track++) {
		points_mark(p);
		for (int column = 0; column < 3; column++) {
			points_back(p);
			good &= same(p, track, &put[track]);
		}
	}
	ok(!bad && good, "%llu, out of order by %u", (unsigned long long)n,
		back / 10);
	points_free(p);
}

static void fill_disk(void)
{
	const struct rlimit little = {POINTS_RUN, POINTS_RUN};
	struct err err = {0};
	struct points *p = points_new(&err);
	bool bad = !p;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &little);
	for (uint64_t i = 0; i <= POINTS_RUN && !bad; i++) {
		struct point point = random_point(i, 1);

		bad = points_add(p, &point, &err);
	}
	ok(bad && !strcmp(err.object, "temporary file") &&
			!strcmp(err.op, "write"),
		"a full disk is told");
	points_free(p);
}

int main(void)
{
	sort(0, 1);
	sort(1000, 1);
	sort(1000, 5000);
	sort(POINTS_RUN, 1);
	sort(POINTS_RUN + 1, 1);
	sort(POINTS_RUN * 3 + 17, 1);
	sort(POINTS_RUN * 3 + 17, POINTS_RUN * 20);
	fill_disk();
	return done_testing();
}
