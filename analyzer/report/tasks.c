/*
 * tasks.c - processes and threads by what they consumed.
 *
 * One line each, heaviest first, of what the tree's filters keep.  Losses that
 * name a thread count for that thread.
 */
#include <stdlib.h>

#include "lib/order.h"
#include "lib/sum.h"
#include "analyzer/report/report_private.h"

/* V[0] is for consumption of no one task. */
static struct task *task_of(const struct task_list *list, uint32_t thread)
{
	const struct dataset *data = list->of.tree->data;
	uint32_t id = list->of.threads ? thread : data->threads[thread].process;

	return &list->v[id <= list->n ? id : 0];
}

static void sum_tasks(const struct task_list *list)
{
	const struct tree *tree = list->of.tree;
	const struct dataset *data = tree->data;
	const struct filters *filters = tree->view.filters;
	bool losses = !filters_on_time(filters);

	for (size_t i = 0; filters && i < filters->n; i++)
		losses &= filters->v[i].kind < FILTER_CONTAINS;
	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *aggregate = &tree->aggregates[i];
		struct task *task = task_of(list, aggregate->thread);

		if (!tree_keeps(tree, aggregate))
			continue;
		sum_add(&task->weight, aggregate->weight);
		sum_add(&task->hits, aggregate->hits);
	}
	for (size_t i = 0; i < data->nlosses && losses; i++) {
		const struct cpd_loss *loss = &data->losses[i];

		if (loss->resource == tree->view.resource &&
			tree_keeps_thread(tree, loss->thread))
			sum_add(&task_of(list, loss->thread)->weight,
				loss->gticks);
	}
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return ORDER(y->weight, x->weight) ?: ORDER(x->id, y->id);
}

#define FEW 10 /* that are shown whatever they have */

/* V has one more element, the first, for consumption of no one task. */
static void sort_tasks(struct task_list *list)
{
	double cutoff = tree_cutoff(list->of.tree, list->of.threshold);

	list->none = *list->v++;
	qsort(list->v, list->n, sizeof *list->v, compare_tasks);
	while (list->shown < list->n &&
		((double)list->v[list->shown].weight >= cutoff ||
			(list->of.few && list->shown < FEW &&
				list->v[list->shown].weight)))
		list->shown++;
}

int report_tasks(FILE *out, const struct report_format *format,
	const struct task_choice *choice, const struct report_options *options,
	struct err *err)
{
	const struct dataset *data = choice->tree->data;
	struct task_list list = {.of = *choice,
		.n = choice->threads ? data->nthreads : data->nprocesses};
	struct task *all = calloc((size_t)list.n + 1, sizeof *all);
	int status;

	if (choice->threads)
		list.runs =
			report_thread_runs(data, choice->tree->view.resource);
	if (!all || (choice->threads && !list.runs)) {
		free(all);
		return err_memory(err, NULL, "report");
	}
	list.v = all;
	for (uint32_t i = 0; i <= list.n; i++)
		all[i].id = i;
	sum_tasks(&list);
	sort_tasks(&list);
	status = format->write_rows ? report_tasks_data(out, format, &list)
				    : report_tasks_text(out, &list, options);
	free(all);
	free(list.runs);
	return status ? err_memory(err, NULL, "report") : 0;
}
