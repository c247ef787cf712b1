/* Adds up samples by their time. */
#include "analyzer/export/over_time.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/export/samples.h"

struct adding {
	struct over_time *time;
	const struct dataset *data;
	/* Of each pair: what each part adds to what lives, and what each
	   process has that lives; below 0 they wrap. */
	struct {
		uint64_t change[OVER_TIME_PARTS];
		uint64_t *lives;
	} pairs[LIVES_PAIRS];
};

bool over_time_is_level(const struct dataset *data, uint32_t resource)
{
	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		uint32_t first = data->lives[i].first;

		if (first && (resource == first + LIVES_LIVE ||
				     resource == first + LIVES_PEAK))
			return true;
	}
	return false;
}

static size_t part_at(const struct over_time *time, uint64_t at)
{
	double part = (double)(at - time->from) /
		      (double)(time->to - time->from) * OVER_TIME_PARTS;

	return part < OVER_TIME_PARTS ? (size_t)part : OVER_TIME_PARTS - 1;
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
	time->of[s->resource][part] += s->weight;
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
		a->pairs[i].change[part] += change;
		a->pairs[i].lives[process] += change;
	}
	return 0;
}

/* What lives when each part ends.  What a process leaves ends with it. */
static void add_up(struct adding *a, size_t i)
{
	const struct lives_pair *pair = &a->data->lives[i];
	struct over_time *time = a->time;
	uint64_t lives = 0;

	for (uint32_t p = 1; p <= a->data->nprocesses; p++) {
		uint64_t end = a->data->process_end[p];

		if (end >= time->from && end < time->to)
			a->pairs[i].change[part_at(time, end)] -=
				a->pairs[i].lives[p];
	}
	for (size_t part = 0; part < OVER_TIME_PARTS; part++) {
		lives += a->pairs[i].change[part];
		time->of[pair->first + LIVES_LIVE][part] =
			time->of[pair->first + LIVES_PEAK][part] =
				lives <= INT64_MAX ? lives : 0;
	}
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
	for (size_t i = 0; i < LIVES_PAIRS && !bad; i++)
		if (a->data->lives[i].first)
			add_up(a, i);
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
		a.pairs[i].lives = calloc(
			(size_t)data->nprocesses + 1, sizeof *a.pairs[i].lives);
		bad |= !a.pairs[i].lives;
	}
	if (bad || !time->of)
		err_memory(err, NULL, "export");
	else
		status = read_samples(&a, &all, err);
	for (size_t i = 0; i < LIVES_PAIRS; i++)
		free(a.pairs[i].lives);
	return status;
}

void over_time_fini(struct over_time *time)
{
	free(time->of);
}
