/* Follows blocks to their ends; those that have none are leaks. */
#include "analyzer/questions/leaks.h"
#include "lib/order.h"

#include <stdlib.h>

#define KEY offsetof(struct live_block, sums)
#define FEW 65536 /* blocks that have ended take no room worth mentioning */

int leaks_init(struct leaks *leaks, const struct tree *tree,
	const struct lives_pair *pair, uint64_t until)
{
	*leaks = (struct leaks){.tree = tree, .pair = *pair, .until = until};
	return leaks_step(leaks, 0, FN_ALL) == HASH_NONE ? -1 : 0;
}

/* Leaves out the blocks that have ended. */
static int sort_out(struct leaks *leaks)
{
	live_block_set kept = {0};

	for (size_t i = 0; i < leaks->blocks.n; i++)
		if (leaks->blocks.v[i].sums.samples &&
			set_add(&kept, &leaks->blocks.v[i], KEY) == HASH_NONE) {
			set_free(&kept);
			return -1;
		}
	set_free(&leaks->blocks);
	leaks->blocks = kept;
	leaks->ended = 0;
	return 0;
}

static void end(struct leaks *leaks, const struct cpd_sample *sample)
{
	struct live_block key = {.time = sample->time - sample->life,
		.thread = sample->thread,
		.node = sample->node};
	uint32_t i = set_find(&leaks->blocks, &key, KEY);
	struct tree_sums *sums = &leaks->blocks.v[i].sums;

	/* else it began before what is looked at */
	if (i == HASH_NONE || !sums->samples || sums->weight < sample->weight ||
		sums->hits < sample->hits)
		return;
	sums->samples--;
	sums->weight -= sample->weight;
	sums->hits -= sample->hits;
	leaks->ended += !sums->samples;
}

int leaks_take(struct leaks *leaks, const struct cpd_sample *sample)
{
	struct live_block key = {.time = sample->time,
		.thread = sample->thread,
		.node = sample->node};
	uint32_t i;

	leaks->last = sample->time;
	if (sample->resource == leaks->pair.ends)
		end(leaks, sample);
	if (sample->resource != leaks->pair.begins ||
		sample->flags & CPD_SAMPLE_UNFOLLOWED)
		return 0;
	if (leaks->ended > leaks->blocks.n / 2 + FEW && sort_out(leaks))
		return -1;
	i = set_add(&leaks->blocks, &key, KEY);
	if (i == HASH_NONE)
		return -1;
	tree_sums_add(&leaks->blocks.v[i].sums,
		&(struct tree_sums){sample->weight, sample->hits, 1});
	return 0;
}

uint32_t leaks_step(struct leaks *leaks, uint32_t path, uint32_t function)
{
	struct leak step = {.above = path, .function = function};

	for (uint32_t at = path; at; at = leaks->all.v[at].above)
		if (leaks->all.v[at].function == function)
			return at;
	step.length = leaks->all.n ? leaks->all.v[path].length + 1 : 0;
	return set_add(&leaks->all, &step, offsetof(struct leak, length));
}

/* Gives each block its path.  Nodes have larger numbers than their parents. */
static int place(struct leaks *leaks,
	uint32_t (*extend)(const void *arg, struct leaks *leaks, uint32_t path,
		uint32_t node),
	const void *arg)
{
	const struct node *nodes = leaks->tree->data->nodes;
	uint32_t n = leaks->tree->data->nnodes;
	uint32_t *paths = calloc((size_t)n + 1, sizeof *paths);
	bool bad = !paths;

	for (size_t i = 0; i < leaks->blocks.n && !bad; i++)
		paths[leaks->blocks.v[i].node] = 1; /* it is wanted */
	for (uint32_t i = n; i > 0 && !bad; i--)
		if (paths[i])
			paths[nodes[i].parent] = 1;
	if (!bad)
		paths[0] = 0;
	for (uint32_t i = 1; i <= n && !bad; i++) {
		if (paths[i])
			paths[i] =
				extend(arg, leaks, paths[nodes[i].parent], i);
		bad = paths[i] == HASH_NONE;
	}
	for (size_t i = 0; i < leaks->blocks.n && !bad; i++) {
		uint32_t path = paths[leaks->blocks.v[i].node];

		if (!path) /* nothing of it is shown */
			path = leaks_step(leaks, 0,
				filters_rest(leaks->tree->view.elided));
		leaks->blocks.v[i].leak = path;
		bad = path == HASH_NONE;
	}
	free(paths);
	return bad ? -1 : 0;
}

static uint64_t age(const struct leaks *leaks, const struct live_block *block)
{
	const struct dataset *data = leaks->tree->data;
	uint64_t end = data->process_end[data->threads[block->thread].process];

	if (!end)
		end = leaks->last;
	if (end > leaks->until)
		end = leaks->until;
	return end > block->time ? end - block->time : 0;
}

/* By path, and then the oldest first. */
static int compare_blocks(const void *a, const void *b)
{
	const struct live_block *x = a, *y = b;

	return ORDER(x->leak, y->leak) ?: ORDER(y->age, x->age);
}

static void add_up(struct leaks *leaks)
{
	const struct live_block *blocks = leaks->blocks.v;
	size_t n = leaks->blocks.n, at = 0;

	for (size_t i = 0; i < n; i++) {
		struct leak *leak = &leaks->all.v[blocks[i].leak];

		if (!leak->sums.samples)
			leak->oldest = blocks[i].age;
		tree_sums_add(&leak->sums, &blocks[i].sums);
	}
	for (uint64_t older = 0; at < n; at++) {
		struct leak *leak = &leaks->all.v[blocks[at].leak];

		if (at && blocks[at - 1].leak != blocks[at].leak)
			older = 0;
		if (older <= leak->sums.weight / 2)
			leak->median = blocks[at].age;
		older += blocks[at].sums.weight;
	}
}

static int compare_leaks(const void *a, const void *b, void *arg)
{
	const struct leaks *leaks = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint64_t x = leaks->all.v[i].sums.weight;
	uint64_t y = leaks->all.v[k].sums.weight;

	return ORDER(y, x) ?: ORDER(i, k);
}

/* Chooses those to be shown. */
static int choose(struct leaks *leaks, double threshold)
{
	double cutoff = tree_cutoff(leaks->tree, threshold);
	uint32_t longest = 0;

	for (uint32_t i = 0; i < leaks->all.n; i++) {
		const struct leak *leak = &leaks->all.v[i];

		if (!leak->sums.weight)
			continue;
		if ((double)leak->sums.weight < cutoff)
			leaks->nrest++;
		else if (!vec_add(&leaks->shown, i))
			return -1;
		if (leak->length > longest)
			longest = leak->length;
	}
	if (leaks->shown.n)
		qsort_r(leaks->shown.v, leaks->shown.n, sizeof *leaks->shown.v,
			compare_leaks, leaks);
	leaks->path = calloc((size_t)longest + 1, sizeof *leaks->path);
	return leaks->path ? 0 : -1;
}

int leaks_finish(struct leaks *leaks,
	uint32_t (*extend)(const void *arg, struct leaks *leaks, uint32_t path,
		uint32_t node),
	const void *arg, double threshold)
{
	if (sort_out(leaks) || place(leaks, extend, arg))
		return -1;
	for (size_t i = 0; i < leaks->blocks.n; i++)
		leaks->blocks.v[i].age = age(leaks, &leaks->blocks.v[i]);
	if (leaks->blocks.n)
		qsort(leaks->blocks.v, leaks->blocks.n, sizeof *leaks->blocks.v,
			compare_blocks);
	add_up(leaks);
	return choose(leaks, threshold);
}

const uint32_t *leaks_path(const struct leaks *leaks, const struct leak *leak)
{
	for (uint32_t i = leak->length; i > 0;
		leak = &leaks->all.v[leak->above])
		leaks->path[--i] = leak->function;
	return leaks->path;
}

void leaks_fini(struct leaks *leaks)
{
	set_free(&leaks->blocks);
	set_free(&leaks->all);
	vec_free(&leaks->shown);
	free(leaks->path);
	*leaks = (struct leaks){0};
}
