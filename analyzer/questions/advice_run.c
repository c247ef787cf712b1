/*
 * advice_run.c - what took the time of the run as a whole: its own probes, the
 * kernel, one thread while others had nothing to do, a lack of processors.
 */
#include "analyzer/questions/advice_private.h"

#include <stdlib.h>
#include <string.h>

#include "lib/sum.h"

#define PROBES 0.1      /* share of the time that is worth a word */
#define ONE_THREAD 0.8  /* share that one thread of several has */
#define THREADS 4       /* so many are several, */
#define WORKERS 3       /* and so many of these work: each has */
#define WORKS 0.01      /* so much of the time */
#define OF_WALL 0.25    /* of which the one takes so much */
#define IN_LINE 0.2     /* share of the time that threads were ready */
#define LINE_LEAST 0.05 /* and of that with waits for events */

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

	return share < PROBES || books->probe_samples < ADVICE_SAMPLES
		       ? 0
		       : add(list, ADVICE_PROBES, tree, share, 0, 0);
}

/* The resource that tells most of what the kernel did is named, too. */
static int find_kernel(
	struct advices *list, const struct tree *const *trees, size_t n)
{
	static const char *const tells[] = {[KERNEL_CALLS] = "cpu",
		[KERNEL_COUNTED] = "syscalls",
		[KERNEL_FAULTS] = "pagefaults"};
	enum kernel_work work = dataset_kernel_work(trees[0]->data);
	const struct tree *what = NULL;
	uint64_t kernel, cpu;

	if (!dataset_kernel_time(trees[0]->data, &kernel, &cpu) ||
		kernel <= cpu / 2)
		return 0;
	for (size_t i = 0; i < n && tells[work]; i++)
		if (!strcmp(tree_resource(trees[i])->name, tells[work]))
			what = trees[i];
	return add(list, ADVICE_KERNEL, what ? what : trees[0],
		(double)kernel / (double)cpu, 0, what ? work : KERNEL_UNKNOWN);
}

static bool is_enough(const struct tree *tree)
{
	return tree_total(tree, 0)->samples >= ADVICE_SAMPLES;
}

int advice_heaviest(const struct tree *tree, uint32_t *most, uint64_t *weight)
{
	uint64_t *weights =
		calloc((size_t)tree->data->nthreads + 1, sizeof *weights);

	*most = 0;
	if (!weights)
		return -1;
	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];

		if (!a->thread || !tree_keeps(tree, a))
			continue;
		weights[a->thread] += a->weight;
		if (!*most || weights[a->thread] > weights[*most])
			*most = a->thread;
	}
	*weight = weights[*most];
	free(weights);
	return 0;
}

/* Whether the stack of NODE has a function of the program's own. */
static bool has_own(const struct dataset *data, uint32_t node)
{
	for (; node; node = data->nodes[node].parent) {
		const struct location *at = dataset_location(data, node);

		for (uint32_t i = 0; i < at->nframes; i++)
			if (advice_is_own(data, at->frames[i].function))
				return true;
	}
	return false;
}

/* Counts the threads of MOST's process, it among them, that do the program's
   work; those of a runtime and those that wait for what seldom comes do not. */
static int count_workers(const struct tree *tree, uint32_t most, size_t *n)
{
	const struct dataset *data = tree->data;
	uint64_t *weights = calloc((size_t)data->nthreads + 1, sizeof *weights);

	*n = 0;
	for (size_t i = 0; weights && i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];

		if (tree_keeps(tree, a) && has_own(data, a->node))
			weights[a->thread] += a->weight;
	}
	for (uint32_t i = 1; weights && i <= data->nthreads; i++)
		*n += data->threads[i].process == data->threads[most].process &&
		      advice_share(tree, weights[i]) >= WORKS;
	free(weights);
	return weights ? 0 : -1;
}

/* One that has most while others that work, too, had little to do, and the run
   took the time that it did. */
static int find_thread(struct advices *list, const struct tree *tree,
	const struct advice_run *run)
{
	const struct dataset *data = tree->data;
	uint64_t of_process = 0, weight;
	uint32_t most;
	size_t workers;

	if (advice_heaviest(tree, &most, &weight) ||
		count_workers(tree, most, &workers))
		return -1;
	for (uint32_t i = 1; most && i <= data->nthreads; i++)
		of_process +=
			data->threads[i].process == data->threads[most].process;
	return of_process < THREADS || workers < WORKERS || !is_enough(tree) ||
			       advice_share(tree, weight) < ONE_THREAD ||
			       (double)weight < OF_WALL * (double)run->wall
		       ? 0
		       : add(list, ADVICE_THREAD, tree,
				 advice_share(tree, weight), most, of_process);
}

/* Of several processes the one that has most, as with threads, unless it is
   that of the run. */
static int find_process(struct advices *list, const struct tree *tree,
	const struct advice_run *run)
{
	const struct dataset *data = tree->data;
	uint64_t *weights =
		calloc((size_t)data->nprocesses + 1, sizeof *weights);
	uint32_t most = 0, first, workers = 0;
	uint64_t weight;
	double share;

	if (!weights)
		return -1;
	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];
		uint32_t process = data->threads[a->thread].process;

		if (!a->thread || !tree_keeps(tree, a) ||
			process > data->nprocesses)
			continue;
		weights[process] += a->weight;
		if (weights[process] > weights[most])
			most = process;
	}
	for (uint32_t i = 1; i <= data->nprocesses; i++)
		workers += advice_share(tree, weights[i]) >= WORKS;
	weight = weights[most];
	share = advice_share(tree, weight);
	free(weights);
	for (first = 1; first < data->nthreads; first++)
		if (data->threads[first].process == most)
			break;
	return dataset_processes(data) < THREADS || workers < WORKERS ||
			       !is_enough(tree) || share < ONE_THREAD ||
			       (double)weight < OF_WALL * (double)run->wall ||
			       data->processes[most].pid ==
				       data->processes[1].pid
		       ? 0
		       : add(list, ADVICE_PROCESS, tree, share, first,
				 dataset_processes(data));
}

bool advice_computed(const struct dataset *data, uint64_t *us)
{
	uint32_t cpu = dataset_named(data, "cpu"), blocked, line;
	uint64_t lives = 0, waits;

	*us = data->has_usage ? data->usage.user + data->usage.system
			      : data->books[cpu].weight;
	if (data->has_usage || cpu)
		return true;
	blocked = dataset_named(data, "blocked");
	line = dataset_named(data, "runqueue");
	for (uint32_t t = 1; t <= data->nthreads; t++)
		lives += minus(data->thread_end[t], data->threads[t].time) /
			 1000;
	waits = data->books[blocked].weight + data->books[line].weight;
	*us = minus(lives, waits);
	return blocked && line && lives > waits;
}

static int find_line(
	struct advices *list, const struct tree *const *trees, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t line = tree_total(trees[i], 0)->weight, ran;
		bool known = advice_computed(trees[i]->data, &ran);
		double ready = (double)line + (double)ran;
		uint32_t waits = dataset_named(trees[i]->data, "blocked");
		double blocked =
			waits ? (double)trees[i]->data->books[waits].weight : 0;

		if (advice_is_line(trees[i]) && known &&
			(double)line >= IN_LINE * ready &&
			(double)line >= LINE_LEAST * (ready + blocked))
			return add(list, ADVICE_LINE, trees[i],
				(double)line / ready, 0, 0);
	}
	return 0;
}

int advice_find_run(struct advices *list, const struct tree *const *trees,
	size_t n, const struct advice_run *run, struct err *err)
{
	const struct filters *filters = trees[0]->view.filters;

	if (filters && filters->n)
		return 0;
	return find_probes(list, trees[0]) || find_kernel(list, trees, n) ||
			       find_process(list, trees[0], run) ||
			       find_thread(list, trees[0], run) ||
			       find_line(list, trees, n)
		       ? err_memory(err, NULL, "advise")
		       : 0;
}
