/* Follows what is allocated to its end. */
#include "analyzer/data/lives.h"

#include <string.h>

#include "lib/sum.h"

static const struct {
	const char *begins, *ends;
	struct {
		const char *name, *title;
	} made[LIVES_KINDS];
} known[LIVES_PAIRS] = {
	{"bytes-allocated", "bytes-freed",
		{{"live", "Live Bytes"}, {"peak", "Live Bytes at the Peak"},
			{"churn", "Short-lived Bytes"}}},
	{"allocations", "frees",
		{{"live-blocks", "Live Blocks"},
			{"peak-blocks", "Live Blocks at the Peak"},
			{"churn-blocks", "Short-lived Blocks"}}},
};

bool lives_begins(const char *resource)
{
	return !strcmp(resource, known[0].begins) ||
	       !strcmp(resource, known[1].begins);
}

const char *lives_asked(const struct cpd_resource *r)
{
	for (size_t i = 0; i < LIVES_PAIRS; i++)
		for (size_t k = 0; k < LIVES_KINDS; k++)
			if (strcmp(known[i].made[k].name, r->name) == 0)
				return known[i].ends;
	return r->name;
}

void lives_resource(const struct cpd_resource *begins, size_t i, size_t k,
	struct cpd_resource *resource)
{
	*resource = *begins;
	resource->name = known[i].made[k].name;
	resource->title = known[i].made[k].title;
	resource->gtick = begins->unit == CPD_BYTES ? "byte" : "block";
	resource->timer = "a difference of two others";
	resource->flags |= CPD_RESOURCE_DIFFERENCE;
}

void lives_find(const struct cpd_resource *resources, uint32_t n,
	struct lives_pair pairs[LIVES_PAIRS])
{
	uint32_t next = n + 1;

	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		struct lives_pair *p = &pairs[i];

		p->begins = cpd_resource_named(resources, n, known[i].begins);
		p->ends = cpd_resource_named(resources, n, known[i].ends);
		if (!p->begins || !p->ends) {
			*p = (struct lives_pair){0};
			continue;
		}
		p->first = next;
		next += LIVES_KINDS;
	}
}

static void add_to(struct aggregate *a, const struct cpd_sample *s)
{
	a->samples++;
	sum_add(&a->hits, s->hits);
	sum_add(&a->weight, s->weight);
}

static struct lives_process *process_of(struct lives *lives, uint32_t process)
{
	while (lives->processes.n <= process)
		if (!vec_push(&lives->processes))
			return NULL;
	return &lives->processes.v[process];
}

static void mark(struct lives *lives, struct life *life)
{
	if (life->changed)
		return;
	life->changed = true;
	life->next = lives->changed;
	lives->changed = (uint32_t)(life - lives->all.v) + 1;
}

/* The one that S changes; NULL: no memory. */
static struct life *change(
	struct lives *lives, uint32_t process, const struct cpd_sample *s)
{
	const struct life key = {.node = s->node, .thread = s->thread};
	size_t n = lives->all.n;
	uint32_t i = set_add(&lives->all, &key,
		offsetof(struct life, thread) + sizeof key.thread);
	struct life *life = &lives->all.v[i];

	if (i == HASH_NONE)
		return NULL;
	if (i == n) {
		life->process = process;
		life->beside = lives->processes.v[process].lives;
		lives->processes.v[process].lives = i + 1;
	}
	mark(lives, life);
	return life;
}

/* More lives than ever: what has changed since the last peak is as it is. */
static void take_peak(struct lives *lives)
{
	struct life *life;

	lives->most = lives->total;
	for (; lives->changed; lives->changed = life->next) {
		life = &lives->all.v[lives->changed - 1];
		life->changed = false;
		life->of[LIVES_PEAK] = lives->processes.v[life->process].ended
					       ? (struct aggregate){0}
					       : life->of[LIVES_LIVE];
	}
}

/* Its memory is no more; what it has not freed is what lived at its end. */
static void end_process(struct lives *lives, uint32_t process)
{
	struct lives_process *p = &lives->processes.v[process];

	if (p->ended)
		return;
	p->ended = true;
	lives->total = minus(lives->total, p->total);
	for (uint32_t i = p->lives; i; i = lives->all.v[i - 1].beside)
		mark(lives, &lives->all.v[i - 1]);
}

static int end_thread(struct lives *lives, const struct cpd_exit *ended)
{
	struct lives_process *of = process_of(lives, ended->process);

	if (!of)
		return -1;
	if (!ended->thread || (of->threads && --of->threads == 0))
		end_process(lives, ended->process);
	return 0;
}

int lives_record(struct lives *lives, int kind, const union cpd_record *r)
{
	struct lives_process *of;

	switch (kind) {
	case CPD_KIND_thread:
		of = process_of(lives, r->thread.process);
		if (!of)
			return -1;
		of->threads++;
		return 0;
	case CPD_KIND_exit:
		return end_thread(lives, &r->exit);
	default:
		return 0;
	}
}

static int begin(
	struct lives *lives, uint32_t process, const struct cpd_sample *s)
{
	struct lives_process *p = process_of(lives, process);
	struct life *life = p ? change(lives, process, s) : NULL;

	if (!life)
		return -1;
	add_to(&life->of[LIVES_LIVE], s);
	if (p->ended)
		return 0;
	sum_add(&p->total, s->weight);
	sum_add(&lives->total, s->weight);
	if (lives->total > lives->most)
		take_peak(lives);
	return 0;
}

static int end(
	struct lives *lives, uint32_t process, const struct cpd_sample *s)
{
	struct lives_process *p = process_of(lives, process);
	struct life *life = p ? change(lives, process, s) : NULL;
	struct aggregate *a;

	if (!life)
		return -1;
	a = &life->of[LIVES_LIVE];
	if (a->weight < s->weight || a->hits < s->hits || !a->samples)
		return 0; /* a broken file */
	a->samples--;
	a->hits -= s->hits;
	a->weight -= s->weight;
	if (!p->ended) {
		p->total = minus(p->total, s->weight);
		lives->total = minus(lives->total, s->weight);
	}
	if (s->life < LIVES_BRIEF)
		add_to(&life->of[LIVES_CHURN], s);
	return 0;
}

int lives_add(struct lives *lives, const struct cpd_sample *s, uint32_t process)
{
	bool begins = s->resource == lives->pair.begins &&
		      !(s->flags & CPD_SAMPLE_UNFOLLOWED);
	bool ends = s->resource == lives->pair.ends && s->life <= s->time &&
		    s->time - s->life >= lives->from;

	if (!lives->pair.first || !(begins || ends))
		return 0;
	return begins ? begin(lives, process, s) : end(lives, process, s);
}

int lives_put(const struct lives *lives, aggregate_set *set)
{
	for (size_t i = 0; i < lives->all.n; i++) {
		const struct life *life = &lives->all.v[i];

		for (uint32_t k = 0; k < LIVES_KINDS; k++) {
			struct aggregate a = life->of[k];

			a.resource = lives->pair.first + k;
			a.node = life->node;
			a.leaf = 0;
			a.thread = life->thread;
			if (a.weight && aggregates_sum(set, &a))
				return -1;
		}
	}
	return 0;
}

void lives_free(struct lives *lives)
{
	set_free(&lives->all);
	vec_free(&lives->processes);
}
