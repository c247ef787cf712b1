/*
 * report_tasks.c - processes and threads by what they consumed.
 *
 * One line each, heaviest first, of what the tree's filters keep; the losses
 * that name a thread are its.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "report_private.h"

#define RULE "-----------------------------------------------------"

struct task {
	uint32_t id;
	uint64_t weight, hits;
};

struct tasks {
	FILE *out;
	const struct tree *tree;
	bool threads;   /* threads, not processes */
	struct task *v; /* [0]: of none */
	uint32_t n;     /* ids 1 .. n */
};

static struct task *task_of(struct tasks *tasks, uint32_t thread)
{
	const struct dataset *data = tasks->tree->data;
	uint32_t id = tasks->threads ? thread : data->threads[thread].process;

	return &tasks->v[id <= tasks->n ? id : 0];
}

static void sum_tasks(struct tasks *tasks)
{
	const struct tree *tree = tasks->tree;
	const struct dataset *data = tree->data;
	const struct filters *filters = tree->view.filters;
	bool stacks = false;

	for (size_t i = 0; filters && i < filters->n; i++)
		stacks |= filters->v[i].kind >= FILTER_CONTAINS;
	for (size_t i = 0; i < data->ncells; i++) {
		const struct cell *cell = &data->cells[i];
		struct task *task = task_of(tasks, cell->thread);

		if (cell->resource != tree->view.resource ||
			!tree_keeps_thread(tree, cell->thread) ||
			!tree_keeps_stack(tree, cell->node))
			continue;
		sum_add(&task->weight, cell->weight);
		sum_add(&task->hits, cell->hits);
	}
	for (size_t i = 0; i < data->nlosses && !stacks; i++) {
		const struct cpd_loss *loss = &data->losses[i];

		if (loss->resource == tree->view.resource &&
			tree_keeps_thread(tree, loss->thread))
			sum_add(&task_of(tasks, loss->thread)->weight,
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

static void put_duration(FILE *out, uint64_t start, uint64_t end)
{
	if (end >= start && end)
		fprintf(out, " %9.3fs", (double)(end - start) / 1e9);
	else
		fprintf(out, " %10s", "-");
}

static int put_task(struct tasks *tasks, const struct task *task)
{
	const struct tree *tree = tasks->tree;
	const struct dataset *data = tree->data;
	const struct cpd_thread *t =
		&data->threads[tasks->threads ? task->id : 0];
	uint32_t of = tasks->threads ? t->process : task->id;
	const struct cpd_process *p =
		&data->processes[of <= data->nprocesses ? of : 0];
	uint32_t above = tasks->threads ? t->process : p->parent;
	char id[16], parent[16] = "-";
	FILE *out = tasks->out;

	snprintf(id, sizeof id, "%%%" PRIu32, task->id);
	if (above)
		snprintf(parent, sizeof parent, "%%%" PRIu32, above);
	fprintf(out, "%.5f ", share(task->weight, tree->whole.weight));
	if (report_has_filters(tree))
		fprintf(out, "%13.5f ",
			share(task->weight, tree->nodes[0].weight));
	fprintf(out, "%12" PRIu64 " [%" PRIu64 "] %-6s %-6s %7" PRId32,
		task->weight, task->hits, id, parent,
		tasks->threads ? t->tid : p->pid);
	if (tasks->threads)
		put_duration(out, t->time, data->thread_end[task->id]);
	else
		put_duration(out, p->time, data->process_end[task->id]);
	fputc(' ', out);
	if (report_name(out,
		    tasks->threads ? filter_thread_name(data, task->id)
				   : p->name,
		    ""))
		return -1;
	fputs("  ", out);
	if (report_name(out, *p->exe ? p->exe : "-", ""))
		return -1;
	fputc('\n', out);
	return 0;
}

static int put_head(struct tasks *tasks, double threshold)
{
	const struct tree *tree = tasks->tree;
	const struct cpd_resource *r =
		&tree->data->resources[tree->view.resource];
	bool filters = report_has_filters(tree);

	fprintf(tasks->out,
		"%s by resource: ", tasks->threads ? "Threads" : "Processes");
	if (report_name(tasks->out, r->title, ""))
		return -1;
	fprintf(tasks->out, "\n%" PRIu32 " %s, 1 gtick = 1 ", tasks->n,
		tasks->threads ? tasks->n == 1 ? "thread" : "threads"
			       : (tasks->n == 1 ? "process" : "processes"));
	if (report_name(tasks->out, r->gtick, ""))
		return -1;
	fputc('\n', tasks->out);
	if (report_filters(tasks->out, tree))
		return -1;
	fprintf(tasks->out,
		"threshold: %g%s\nformat: usage_fraction%s gticks [#hits] "
		"id %s %s duration name  program\n" RULE "\n",
		threshold, filters ? " of what is kept" : "",
		filters ? " kept_fraction" : "",
		tasks->threads ? "process" : "parent",
		tasks->threads ? "tid" : "pid");
	return 0;
}

static int put_all(struct tasks *tasks, double threshold)
{
	uint64_t kept = tasks->tree->nodes[0].weight;
	double cutoff = threshold * (double)kept * (1 - 1e-12);
	const struct task none = tasks->v[0];
	uint32_t left = 0;

	if (put_head(tasks, threshold))
		return -1;
	qsort(tasks->v + 1, tasks->n, sizeof *tasks->v, compare_tasks);
	for (uint32_t i = 1; i <= tasks->n; i++) {
		if ((double)tasks->v[i].weight < cutoff)
			left++;
		else if (put_task(tasks, &tasks->v[i]))
			return -1;
	}
	if (left)
		fprintf(tasks->out, "note: %" PRIu32 " below the threshold\n",
			left);
	if (none.weight)
		fprintf(tasks->out,
			"note: %.5f, %" PRIu64 " gticks, is of no one thread\n",
			share(none.weight, tasks->tree->whole.weight),
			none.weight);
	return 0;
}

int report_tasks(FILE *out, const struct tree *tree, bool threads,
	double threshold, struct err *err)
{
	const struct dataset *data = tree->data;
	struct tasks tasks = {.out = out,
		.tree = tree,
		.threads = threads,
		.n = threads ? data->nthreads : data->nprocesses};
	int status = -1;

	tasks.v = calloc((size_t)tasks.n + 1, sizeof *tasks.v);
	if (tasks.v) {
		for (uint32_t i = 0; i <= tasks.n; i++)
			tasks.v[i].id = i;
		sum_tasks(&tasks);
		status = put_all(&tasks, threshold);
	}
	free(tasks.v);
	return status ? report_no_memory(err) : 0;
}
