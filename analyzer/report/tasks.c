/*
 * tasks.c - processes and threads by what they consumed.
 *
 * One line each, heaviest first, of what the tree's filters keep.  Losses that
 * name a thread count for that thread.  For people, processes of one name that
 * are below the threshold have one line together.
 */
#include <stdlib.h>
#include <string.h>

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

static int compare_names(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return strcmp(x->name, y->name) ?: compare_tasks(x, y);
}

/* Makes those below CUTOFF one where they have one name.  Sorted before, not
   after. */
static void join_tasks(struct task_list *list, double cutoff)
{
	uint32_t kept = 0;
	struct task *to;

	while (kept < list->rows && (double)list->v[kept].weight >= cutoff)
		kept++;
	to = list->v + kept;
	for (uint32_t i = kept; i < list->rows; i++)
		list->v[i].name = report_task_facts(list, &list->v[i]).name;
	qsort(to, list->rows - kept, sizeof *to, compare_names);
	for (uint32_t i = kept; i < list->rows; i++) {
		const struct task *task = &list->v[i];

		if (to > list->v + kept && !strcmp(to[-1].name, task->name)) {
			sum_add(&to[-1].weight, task->weight);
			sum_add(&to[-1].hits, task->hits);
			to[-1].n++;
		} else {
			*to++ = *task;
		}
	}
	list->rows = (uint32_t)(to - list->v);
}

#define FEW 10 /* that are shown whatever they have */

/* V has one more element, the first, for consumption of no one task.  JOIN:
   those that are alike, of those below the threshold.  TOP: at most so many;
   0: all. */
static void sort_tasks(struct task_list *list, bool join, size_t top)
{
	size_t few = !list->of.few ? 0 : top ? top : FEW;
	double cutoff = tree_cutoff(list->of.tree, list->of.threshold);

	list->none = *list->v++;
	qsort(list->v, list->rows, sizeof *list->v, compare_tasks);
	if (join) {
		join_tasks(list, cutoff);
		qsort(list->v, list->rows, sizeof *list->v, compare_tasks);
	}
	while (list->shown < list->rows && (!top || list->shown < top) &&
		((double)list->v[list->shown].weight >= cutoff ||
			(list->shown < few && list->v[list->shown].weight)))
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
	list.rows = list.n;
	for (uint32_t i = 0; i <= list.n; i++)
		all[i] = (struct task){.id = i, .n = 1};
	sum_tasks(&list);
	sort_tasks(&list, !format->write_rows && !choice->threads,
		format->write_rows ? 0 : options->top);
	status = format->write_rows ? report_tasks_data(out, format, &list)
				    : report_tasks_text(out, &list, options);
	free(all);
	free(list.runs);
	return status ? err_memory(err, NULL, "report") : 0;
}
