/* Counts what each page had; neighbours that had equally many are joined. */
#include "analyzer/questions/pages.h"

#include <stdlib.h>

#include "lib/order.h"

int pages_take(struct pages *pages, const struct cpd_sample *sample)
{
	const struct dataset *data = pages->tree->data;
	const struct location *at = dataset_location(data, sample->node);
	struct page_range page = {
		.process = data->threads[sample->thread].process,
		.number = sample->page - 1,
		.n = 1};
	uint32_t i;

	if (sample->resource != pages->tree->view.resource)
		return 0;
	if (!sample->page || !at->object) {
		pages->elsewhere += sample->weight;
		return 0;
	}
	page.memory = at->frames[0].function;
	i = set_add(&pages->ranges, &page, offsetof(struct page_range, n));
	if (i == HASH_NONE)
		return -1;
	tree_sums_add(&pages->ranges.v[i].sums,
		&(struct tree_sums){sample->weight, sample->hits, 1});
	return 0;
}

static int compare_pages(const void *a, const void *b)
{
	const struct page_range *x = a, *y = b;

	return ORDER(x->memory, y->memory) ?: ORDER(x->process, y->process)
	       ?: ORDER(x->number, y->number);
}

static int compare_weights(const void *a, const void *b)
{
	const struct page_range *x = a, *y = b;

	return ORDER(y->sums.weight, x->sums.weight) ?: compare_pages(a, b);
}

static int compare_memories(const void *a, const void *b)
{
	const struct page_memory *x = a, *y = b;

	return ORDER(y->sums.weight, x->sums.weight)
		       ?: ORDER(x->function, y->function);
}

/* Whether PAGE is the next of RANGE and had as much as each of it. */
static bool goes_on(
	const struct page_range *range, const struct page_range *page)
{
	return range->memory == page->memory &&
	       range->process == page->process &&
	       range->number + range->n == page->number &&
	       range->sums.samples == page->sums.samples * range->n &&
	       range->sums.weight == page->sums.weight * range->n;
}

int pages_finish(struct pages *pages)
{
	const struct books *books = tree_books(pages->tree);
	struct page_range *ranges = pages->ranges.v, *last = NULL;
	struct page_memory *memory = NULL;
	size_t all = pages->ranges.n, n = 0;

	pages->exact = tree_resource(pages->tree)->interval == 1 &&
		       books->has_total && books->samples == books->total;
	if (all)
		qsort(ranges, all, sizeof *ranges, compare_pages);
	for (size_t i = 0; i < all; i++) {
		const struct page_range page = ranges[i];

		if (!memory || memory->function != page.memory) {
			memory = vec_push(&pages->memories);
			if (!memory)
				return -1;
			*memory = (struct page_memory){
				.function = page.memory, .first = n};
			last = NULL;
		}
		memory->pages++;
		tree_sums_add(&memory->sums, &page.sums);
		if (last && goes_on(last, &page)) {
			last->n++;
			tree_sums_add(&last->sums, &page.sums);
		} else {
			last = &ranges[n++];
			*last = page;
			memory->n++;
		}
	}
	pages->ranges.n = n;
	for (size_t i = 0; i < pages->memories.n; i++)
		qsort(ranges + pages->memories.v[i].first,
			pages->memories.v[i].n, sizeof *ranges,
			compare_weights);
	if (pages->memories.n)
		qsort(pages->memories.v, pages->memories.n,
			sizeof *pages->memories.v, compare_memories);
	return 0;
}

void pages_fini(struct pages *pages)
{
	set_free(&pages->ranges);
	vec_free(&pages->memories);
}
