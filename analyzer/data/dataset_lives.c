/* The resources that are differences of two, of what the file has. */
#include <math.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"
#include "lib/sum.h"

void dataset_find_lives(struct dataset *data)
{
	struct dataset_private *impl = data->impl;

	lives_find(impl->resources.v, (uint32_t)impl->resources.n - 1,
		data->lives);
	for (size_t i = 0; i < LIVES_PAIRS; i++)
		impl->lives[i].pair = data->lives[i];
}

int dataset_follow_record(
	struct dataset_private *impl, int kind, const union cpd_record *record)
{
	for (size_t i = 0; i < LIVES_PAIRS; i++)
		if (lives_record(&impl->lives[i], kind, record))
			return -1;
	return 0;
}

int dataset_follow(
	struct dataset_private *impl, const struct cpd_sample *sample)
{
	uint32_t process = impl->threads.v[sample->thread].process;

	for (size_t i = 0; i < LIVES_PAIRS; i++)
		if (lives_add(&impl->lives[i], sample, process))
			return -1;
	return 0;
}

static int add_difference(struct dataset_private *impl, size_t i, size_t kind)
{
	const struct lives *lives = &impl->lives[i];
	struct cpd_resource *r = vec_push(&impl->resources);
	struct books *books = vec_push(&impl->books);

	if (!r || !books)
		return -1;
	lives_resource(&impl->resources.v[lives->pair.begins], i, kind, r);
	r->id = (uint32_t)impl->resources.n - 1;
	for (size_t k = 0; k < lives->all.n; k++) {
		const struct aggregate *a = &lives->all.v[k].of[kind];

		sum_add(&books->weight, a->weight);
		sum_add(&books->hits, a->hits);
		books->samples += a->samples;
		if (a->samples) /* as if they were alike */
			books->squares += (double)a->weight *
					  (double)a->weight /
					  (double)a->samples;
	}
	books->total = books->weight;
	books->has_total = true;
	/* each stands for its block, give or take an interval; what is lost
	   lives, or does not, and nobody knows */
	if (r->interval > 1)
		books->doubt = (uint64_t)(1.96 * (double)r->interval *
					  sqrt((double)books->samples));
	sum_add(&books->doubt,
		impl->books.v[lives->pair.begins].loss[CPD_LOST]);
	sum_add(&books->doubt, impl->books.v[lives->pair.ends].loss[CPD_LOST]);
	if (books->doubt)
		r->flags |= CPD_RESOURCE_ESTIMATE;
	return 0;
}

int dataset_add_differences(struct dataset *data)
{
	struct dataset_private *impl = data->impl;

	data->nrecorded = (uint32_t)impl->resources.n - 1;
	if (impl->imported) { /* its samples do not tell which block ends */
		memset(data->lives, 0, sizeof data->lives);
		return 0;
	}
	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		const struct lives *lives = &impl->lives[i];

		for (size_t k = 0; lives->pair.first && k < LIVES_KINDS; k++)
			if (add_difference(impl, i, k))
				return -1;
		if (lives_put(lives, &impl->aggregates))
			return -1;
	}
	return 0;
}
