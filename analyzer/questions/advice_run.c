/*
 * advice_run.c - what took the time of the run as a whole: its own probes, the
 * kernel, one thread while others had nothing to do.
 */
#include "analyzer/questions/advice_private.h"

#include <stdlib.h>
#include <string.h>

#define PROBES 0.1     /* share of the time that is worth a word */
#define ONE_THREAD 0.8 /* share that one thread of several has */
#define THREADS 4      /* so many are several */

static int add(struct advices *list, enum advice_kind kind,
	const struct tree *tree, double share, uint32_t thread, uint64_t count)
{
	return advice_add(list,
		(struct advice){.kind = kind,
			.tree = tree,
			.share = share,
			.thread = thread,
			.count = count},
		NULL);
}

static int find_probes(struct advices *list, const struct tree *tree)
{
	const struct books *books = tree_books(tree);
	double share = tree->whole.weight ? (double)books->loss[CPD_PROBES] /
						    (double)tree->whole.weight
					  : 0;

	return share < PROBES ? 0 : add(list, ADVICE_PROBES, tree, share, 0, 0);
}

/* The resource that tells most of what the kernel did is named, too. */
static int find_kernel(
	struct advices *list, const struct tree *const *trees, size_t n)
{
	const struct tree *what = trees[0];
	uint64_t kernel, cpu;

	if (!dataset_kernel_time(trees[0]->data, &kernel, &cpu) ||
		kernel <= cpu / 2)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (!strcmp(tree_resource(trees[i])->name, "syscalls"))
			what = trees[i];
	return add(list, ADVICE_KERNEL, what, (double)kernel / (double)cpu, 0,
		what != trees[0]);
}

static int find_thread(struct advices *list, const struct tree *tree)
{
	const struct dataset *data = tree->data;
	uint64_t *weights = calloc((size_t)data->nthreads + 1, sizeof *weights);
	uint64_t of_process = 0;
	uint32_t most = 0;
	int status = weights ? 0 : -1;

	for (size_t i = 0; weights && i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];

		if (!a->thread || !tree_keeps(tree, a))
			continue;
		weights[a->thread] += a->weight;
		if (!most || weights[a->thread] > weights[most])
			most = a->thread;
	}
	for (uint32_t i = 1; most && i <= data->nthreads; i++)
		of_process +=
			data->threads[i].process == data->threads[most].process;
	if (most && of_process >= THREADS &&
		advice_share(tree, weights[most]) >= ONE_THREAD)
		status = add(list, ADVICE_THREAD, tree,
			advice_share(tree, weights[most]), most, of_process);
	free(weights);
	return status;
}

int advice_find_run(struct advices *list, const struct tree *const *trees,
	size_t n, struct err *err)
{
	const struct filters *filters = trees[0]->view.filters;

	if (filters && filters->n)
		return 0;
	return find_probes(list, trees[0]) || find_kernel(list, trees, n) ||
			       find_thread(list, trees[0])
		       ? err_memory(err, NULL, "advise")
		       : 0;
}
