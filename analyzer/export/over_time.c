/* Adds up samples by their time. */
#include "analyzer/export/over_time.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/export/samples.h"
#include "lib/order.h"

struct adding {
	struct over_time *time;
	const struct dataset *data;
	uint32_t *ends; /* processes by their ends; the first ENDED have */
	size_t nends, ended;
	uint64_t now; /* the latest sample's time */
	struct {
		uint64_t total; /* what lives; below 0 it wraps */
		uint64_t *of;   /* likewise, by process */
		size_t part;    /* that the level was last told of */
	} pairs[LIVES_PAIRS];
};

uint32_t over_time_most(const struct dataset *data, uint32_t resource)
{
	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		uint32_t first = data->lives[i].first;

		if (first && (resource == first + LIVES_LIVE ||
				     resource == first + LIVES_PEAK))
			return first + LIVES_PEAK;
	}
	return 0;
}

static size_t part_at(const struct over_time *time, uint64_t at)
{
	double part = (double)(at - time->from) /
		      (double)(time->to - time->from) * OVER_TIME_PARTS;

	return part < OVER_TIME_PARTS ? (size_t)part : OVER_TIME_PARTS - 1;
}

/* Adds a time that ended in part LAST. */
static void spread(
	struct over_time *time, const struct cpd_sample *s, size_t last)
{
	uint64_t *of = time->of[s->resource], done = 0;
	double begin = (double)s->time - 1000 * (double)s->weight;

	if (begin < (double)time->from)
		begin = (double)time->from;
	for (size_t i = part_at(time, (uint64_t)begin); i < last; i++) {
		double end = (double)time->from +
			     (double)(time->to - time->from) * (double)(i + 1) /
				     OVER_TIME_PARTS;
		uint64_t before = (uint64_t)((double)s->weight * (end - begin) /
					     ((double)s->time - begin));

		of[i] += before - done;
		done = before;
	}
	of[last] += s->weight - done;
}

/* Tells of what lives of pair I in the parts up to PART, at whose time it
   changes by CHANGE in PROCESS. */
static void level(struct adding *a, size_t i, size_t part, uint32_t process,
	uint64_t change)
{
	uint32_t first = a->data->lives[i].first;
	uint64_t *live = a->time->of[first + LIVES_LIVE];
	uint64_t *peak = a->time->of[first + LIVES_PEAK], total;

	while (a->pairs[i].part < part) {
		size_t next = ++a->pairs[i].part;

		live[next] = peak[next] = live[next - 1];
	}
	a->pairs[i].of[process] += change;
	total = a->pairs[i].total += change;
	live[a->pairs[i].part] = total <= INT64_MAX ? total : 0;
	if (live[a->pairs[i].part] > peak[a->pairs[i].part])
		peak[a->pairs[i].part] = live[a->pairs[i].part];
}

/* What a process leaves ends with it: those that end before NOW. */
static void go_on(struct adding *a, uint64_t now)
{
	if (a->now < now)
		a->now = now;
	for (; a->ended < a->nends; a->ended++) {
		uint32_t process = a->ends[a->ended];
		uint64_t end = a->data->process_end[process];

		if (end >= now)
			return;
		for (size_t i = 0; i < LIVES_PAIRS; i++)
			if (a->data->lives[i].first)
				level(a, i, part_at(a->time, end), process,
					-a->pairs[i].of[process]);
	}
}

static bool has_ended(const struct adding *a, uint32_t process)
{
	uint64_t end = a->data->process_end[process];

	return end && end < a->now;
}

static int take(void *arg, const struct cpd_sample *s, struct err *err)
{
	struct adding *a = arg;
	struct over_time *time = a->time;
	uint32_t process = a->data->threads[s->thread].process;
	size_t part;

	(void)err;
	if (s->time < time->from || s->time > time->to)
		return 0;
	part = part_at(time, s->time);
	if (a->data->resources[s->resource].unit == CPD_USEC)
		spread(time, s, part);
	else
		time->of[s->resource][part] += s->weight;
	go_on(a, s->time);
	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		const struct lives_pair *pair = &a->data->lives[i];
		uint64_t change = 0;

		if (!pair->first)
			continue;
		if (s->resource == pair->begins &&
			!(s->flags & CPD_SAMPLE_UNFOLLOWED))
			change = s->weight;
		/* else it began before what is looked at */
		if (s->resource == pair->ends && s->life <= s->time &&
			s->time - s->life >= time->from) {
			change = -s->weight;
			if (s->life < LIVES_BRIEF)
				time->of[pair->first + LIVES_CHURN][part] +=
					s->weight;
		}
		if (!has_ended(a, process))
			level(a, i, part, process, change);
	}
	return 0;
}

static int by_end(const void *x, const void *y, void *arg)
{
	const uint64_t *ends = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return ORDER(ends[a], ends[b]) ?: ORDER(a, b);
}

/* The processes that end in the time that is looked at. */
static bool find_ends(struct adding *a)
{
	const struct dataset *data = a->data;

	a->ends = calloc((size_t)data->nprocesses + 1, sizeof *a->ends);
	for (uint32_t p = 1; a->ends && p <= data->nprocesses; p++)
		if (data->process_end[p] >= a->time->from &&
			data->process_end[p] < a->time->to)
			a->ends[a->nends++] = p;
	if (a->nends)
		qsort_r(a->ends, a->nends, sizeof *a->ends, by_end,
			data->process_end);
	return a->ends;
}

static int read_samples(
	struct adding *a, const struct export *x, struct err *err)
{
	struct stacks stacks;
	struct kept *kept = kept_new(x, &stacks, err);
	int bad;

	if (!kept)
		return -1;
	bad = samples_each(x, kept, "reading samples", take, a, err);
	go_on(a, a->time->to);
	for (size_t i = 0; i < LIVES_PAIRS; i++)
		if (a->data->lives[i].first)
			level(a, i, OVER_TIME_PARTS - 1, 0, 0);
	kept_free(kept, x->data);
	return bad;
}

int over_time_init(
	struct over_time *time, const struct export *x, struct err *err)
{
	const struct dataset *data = x->data;
	struct adding a = {.time = time, .data = data};
	struct export all = *x;
	bool bad = false;
	int status = -1;

	*time = (struct over_time){
		.from = data->head.start, .to = data->end.time};
	filters_span(x->view.filters, data, &time->from, &time->to);
	if (time->to <= time->from || strcmp(data->path, "-") == 0) {
		time->to = time->from;
		return 0;
	}
	all.all = true;
	time->of = calloc((size_t)data->nresources + 1, sizeof *time->of);
	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		a.pairs[i].of = calloc(
			(size_t)data->nprocesses + 1, sizeof *a.pairs[i].of);
		bad |= !a.pairs[i].of;
	}
	if (bad || !time->of || !find_ends(&a))
		err_memory(err, NULL, "export");
	else
		status = read_samples(&a, &all, err);
	for (size_t i = 0; i < LIVES_PAIRS; i++)
		free(a.pairs[i].of);
	free(a.ends);
	return status;
}

void over_time_fini(struct over_time *time)
{
	free(time->of);
}
