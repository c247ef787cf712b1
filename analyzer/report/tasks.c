/*
 * tasks.c - processes and threads by what they consumed.
 *
 * One line each, heaviest first, of what the tree's filters keep.  Losses that
 * name a thread count for that thread.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sum.h"
#include "lib/text.h"
#include "analyzer/report/report_private.h"

#define RULE "-----------------------------------------------------"

/* V[0] is for consumption of no one task. */
static struct task *task_of(const struct task_list *list, uint32_t thread)
{
	const struct dataset *data = list->tree->data;
	uint32_t id = list->threads ? thread : data->threads[thread].process;

	return &list->v[id <= list->n ? id : 0];
}

static void sum_tasks(const struct task_list *list)
{
	const struct tree *tree = list->tree;
	const struct dataset *data = tree->data;
	const struct filters *filters = tree->view.filters;
	bool losses = !filters_on_time(filters);

	for (size_t i = 0; filters && i < filters->n; i++)
		losses &= filters->v[i].kind < FILTER_CONTAINS;
	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *aggregate = &tree->aggregates[i];
		struct task *task = task_of(list, aggregate->thread);

		if (aggregate->resource != tree->view.resource ||
			!tree_keeps_thread(tree, aggregate->thread) ||
			!tree_keeps_stack(tree, aggregate->node))
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

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static double share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

double report_task_fraction(const struct task_list *list, uint64_t weight)
{
	return share(weight, list->tree->whole.weight);
}

double report_task_kept(const struct task_list *list, uint64_t weight)
{
	return share(weight, tree_total(list->tree, 0)->weight);
}

struct task_facts report_task_facts(
	const struct task_list *list, const struct task *task)
{
	const struct dataset *data = list->tree->data;
	const struct cpd_thread *t =
		&data->threads[list->threads ? task->id : 0];
	uint32_t of = list->threads ? t->process : task->id;
	const struct cpd_process *p =
		&data->processes[of <= data->nprocesses ? of : 0];

	if (list->threads)
		return (struct task_facts){t->process, t->tid, t->time,
			data->thread_end[task->id],
			dataset_thread_name(data, task->id), p->exe};
	return (struct task_facts){p->parent, p->pid, p->time,
		data->process_end[task->id], p->name, p->exe};
}

static void put_duration(FILE *out, uint64_t start, uint64_t end)
{
	if (end >= start && end)
		fprintf(out, " %9.3fs", (double)(end - start) / 1e9);
	else
		fprintf(out, " %10s", "-");
}

static int put_task(
	FILE *out, const struct task_list *list, const struct task *task)
{
	struct task_facts is = report_task_facts(list, task);
	char id[16], above[16] = "-";

	snprintf(id, sizeof id, "%%%" PRIu32, task->id);
	if (is.above)
		snprintf(above, sizeof above, "%%%" PRIu32, is.above);
	fprintf(out, "%.5f ", report_task_fraction(list, task->weight));
	if (report_has_filters(list->tree))
		fprintf(out, "%13.5f ", report_task_kept(list, task->weight));
	fprintf(out, "%12" PRIu64 " [%" PRIu64 "] %-6s %-6s %7" PRId32,
		task->weight, task->hits, id, above, is.number);
	put_duration(out, is.start, is.end);
	fputc(' ', out);
	if (report_name(out, is.name, ""))
		return -1;
	fputs("  ", out);
	if (report_name(out, *is.exe ? is.exe : "-", ""))
		return -1;
	fputc('\n', out);
	return 0;
}

static int put_head(FILE *out, const struct task_list *list)
{
	const struct tree *tree = list->tree;
	const struct cpd_resource *r = tree_resource(tree);
	bool filters = report_has_filters(tree);
	char unit[64];

	text_escape(r->gtick, unit, sizeof unit);
	fprintf(out,
		"%s by resource: ", list->threads ? "Threads" : "Processes");
	if (report_name(out, r->title, ""))
		return -1;
	fprintf(out, "\n%" PRIu32 " %s\n", list->n,
		list->threads ? list->n == 1 ? "thread" : "threads"
			      : (list->n == 1 ? "process" : "processes"));
	if (report_filters(out, tree, false))
		return -1;
	fprintf(out,
		"threshold: %g%s\nformat: usage_fraction%s %s%s [#hits] "
		"id %s %s duration name  program\n" RULE "\n",
		list->threshold, filters ? " of what is kept" : "",
		filters ? " kept_fraction" : "", unit,
		r->unit == CPD_USEC ? "" : text_plural(unit, 2),
		list->threads ? "process" : "parent",
		list->threads ? "tid" : "pid");
	return 0;
}

int report_tasks_paper(FILE *out, const struct task_list *list,
	const struct report_options *options)
{
	(void)options;
	const struct tree *tree = list->tree;
	const struct cpd_resource *r = tree_resource(tree);
	char amount[128];

	if (put_head(out, list))
		return -1;
	for (uint32_t i = 0; i < list->shown; i++)
		if (put_task(out, list, &list->v[i]))
			return -1;
	if (list->shown < list->n)
		fprintf(out, "note: %" PRIu32 " below the threshold\n",
			list->n - list->shown);
	if (list->none.weight)
		fprintf(out, "note: %.5f, %s, belongs to no thread\n",
			report_task_fraction(list, list->none.weight),
			report_amount(
				r, list->none.weight, amount, sizeof amount));
	return 0;
}

/* V has one more element, the first, for consumption of no one task. */
static void sort_tasks(struct task_list *list)
{
	double cutoff = tree_cutoff(list->tree, list->threshold);

	list->none = *list->v++;
	qsort(list->v, list->n, sizeof *list->v, compare_tasks);
	while (list->shown < list->n &&
		(double)list->v[list->shown].weight >= cutoff)
		list->shown++;
}

int report_tasks(FILE *out, const struct report_format *format,
	const struct tree *tree, bool threads, double threshold,
	const struct report_options *options, struct err *err)
{
	const struct dataset *data = tree->data;
	struct task_list list = {.tree = tree,
		.threads = threads,
		.threshold = threshold,
		.n = threads ? data->nthreads : data->nprocesses};
	struct task *all = calloc((size_t)list.n + 1, sizeof *all);
	int status;

	if (!all)
		return err_memory(err, NULL, "report");
	list.v = all;
	for (uint32_t i = 0; i <= list.n; i++)
		all[i].id = i;
	sum_tasks(&list);
	sort_tasks(&list);
	status = format->write_tasks(out, &list, options);
	free(all);
	return status ? err_memory(err, NULL, "report") : 0;
}
