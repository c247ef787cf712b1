/*
 * tasks_text.c - processes and threads for people: a table, heaviest first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/report_private.h"
#include "lib/text.h"

#define SHARE 9   /* "  100.0 %" */
#define AMOUNT 11 /* "    4.12 s" */
#define ID 8      /* "  %12   " */
#define LIFE 26   /* "   1234  %12      4.12 s  " */
#define COMMAND 40
#define LINES 3  /* of what a process is called */
#define LIVES 70 /* columns that hold more than shares and names */

struct tasks_table {
	const struct task_list *of;
	const struct report_options *options;
	FILE *out;
	bool kept, lives, amounts;
	size_t names; /* width of their column; 0: none */
};

/* Takes the directories from the words of TEXT. */
static void drop_directories(char *text)
{
	char *to = text;

	for (char *word = text; *word;) {
		size_t n = strcspn(word, " "), blanks = strspn(word + n, " ");
		size_t skip = report_directories(word, n);

		memmove(to, word + skip, n - skip + blanks);
		to += n - skip + blanks;
		word += n + blanks;
	}
	*to = '\0';
}

/* Takes the last words of TEXT, but not the first two, until it has WIDTH. */
static void drop_words(char *text, size_t width)
{
	static const char more[] = " ...";
	const char *second = strchr(text, ' ');
	char *last;

	while (layout_width(text) + strlen(more) > width &&
		(last = strrchr(text, ' ')) && last > second)
		*last = '\0';
	last = strrchr(text, ' ');
	if (layout_width(text) + strlen(more) <= width &&
		(!last || strcmp(last, more) != 0))
		strcat(text, more);
}

/* What a thread runs, or the arguments that tell a process from others, or its
   program, or how many are one; new memory. */
static char *command_of(
	const struct tasks_table *l, const struct task *task, bool own)
{
	struct task_facts is = report_task_facts(l->of, task);
	char *text = NULL, *args;

	if (task->n > 1)
		return asprintf(&text, "%s%s%" PRIu32 " processes",
			       l->names ? "" : is.name, l->names ? "" : ", ",
			       task->n) < 0
			       ? NULL
			       : text;
	args = !l->of->of.threads
		       ? report_arguments(l->of->of.tree->data, task->id, own)
		       : strdup(is.runs ? report_shown(is.runs, l->options)
					: "");
	if (args && l->names)
		text = strdup(*args                           ? args
			      : *is.exe && !l->of->of.threads ? is.exe
							      : "-");
	else if (args &&
		 asprintf(&text, "%s%s%s", is.name, *args ? " " : "", args) < 0)
		text = NULL;
	free(args);
	return text;
}

/* The same in WIDTH columns if it can be, or without directories on LINES, then
   with what the fewest others have alone, then without the last words.  What a
   thread runs is there as a whole, or not. */
static char *fitting_command(
	const struct tasks_table *l, const struct task *task, size_t width)
{
	char *text = command_of(l, task, false);

	if (!text || l->options->whole || layout_width(text) <= width)
		return text;
	if (l->of->of.threads) {
		text[l->names ? 0
			      : strlen(report_task_facts(l->of, task).name)] =
			'\0';
		return text;
	}
	drop_directories(text);
	if (layout_width(text) <= LINES * width)
		return text;
	free(text);
	text = command_of(l, task, true);
	if (text)
		drop_directories(text);
	if (text && layout_width(text) > LINES * width)
		drop_words(text, LINES * width);
	return text;
}

/* Columns for the name and what follows it. */
static size_t room(const struct tasks_table *l)
{
	return layout_columns(l->options) - SHARE * (l->kept ? 2 : 1) -
	       (l->amounts ? AMOUNT : 0) - ID - (l->lives ? LIFE : 0);
}

/* Names have a column of their own where all commands fit beside it, or so
   many columns are left for them. */
static void split_names(struct tasks_table *l)
{
	size_t left = room(l), names = strlen("name"), most = 0;

	l->names = names;
	for (uint32_t i = 0; i < l->of->shown; i++) {
		char *text = command_of(l, &l->of->v[i], false);
		char *name = report_escape(
			report_task_facts(l->of, &l->of->v[i]).name, "");
		size_t width = text ? layout_width(text) : 0;

		most = width > most ? width : most;
		width = name ? layout_width(name) : 0;
		names = width > names ? width : names;
		free(text);
		free(name);
	}
	l->names = names;
	if (names + 2 + (most < COMMAND ? most : COMMAND) > left)
		l->names = 0;
}

static struct tasks_table lay_out(FILE *out, const struct task_list *of,
	const struct report_options *options)
{
	struct tasks_table l = {of, options, out,
		report_has_filters(of->of.tree),
		layout_columns(options) >= LIVES, false, 0};

	l.amounts = l.lives || !l.kept;
	if (l.lives)
		split_names(&l);
	return l;
}

static void put_titles(const struct tasks_table *l)
{
	fprintf(l->out, "%*s", SHARE, "total");
	if (l->kept)
		fprintf(l->out, "%*s", SHARE, "of kept");
	if (l->amounts)
		fprintf(l->out, "%*s", AMOUNT, "amount");
	fprintf(l->out, "  %-6s", "id");
	if (l->lives)
		fprintf(l->out, "%7s  %-8s%7s  ",
			l->of->of.threads ? "tid" : "pid",
			l->of->of.threads ? "process" : "parent", "lasted");
	if (l->names)
		fprintf(l->out, "%-*s  %s\n", (int)l->names, "name",
			l->of->of.threads ? "function" : "command");
	else
		fprintf(l->out, "name%s\n",
			!l->lives           ? ""
			: l->of->of.threads ? ", function"
					    : ", arguments");
}

/* What started process PROCESS: what ran in it before is no other. */
static uint32_t starter(const struct dataset *data, uint32_t process)
{
	const struct cpd_process *all = data->processes;
	uint32_t by = all[process].parent;

	while (by && all[by].pid == all[process].pid)
		by = all[by].parent;
	return by;
}

/* Its number, the id of what it belongs to, and how long it ran. */
static void put_life(const struct tasks_table *l, const struct task *task,
	const struct task_facts *facts)
{
	const struct cpd_resource us = {.unit = CPD_USEC};
	uint32_t by = l->of->of.threads
			      ? facts->above
			      : starter(l->of->of.tree->data, task->id);
	char above[16] = "-", duration[64] = "-";

	if (by)
		snprintf(above, sizeof above, "%%%" PRIu32, by);
	if (facts->end && facts->end >= facts->start)
		layout_amount(&us, (facts->end - facts->start) / 1000, duration,
			sizeof duration);
	fprintf(l->out, "%7" PRId32 "  %-8s%7s  ", facts->number, above,
		duration);
}

/* In a column so wide, filled up. */
static int put_name(FILE *out, const char *name, size_t width)
{
	char *escaped = report_escape(name, "");

	if (!escaped)
		return -1;
	fputs(escaped, out);
	layout_pad(out, layout_width(escaped), width + 2);
	free(escaped);
	return 0;
}

/* In WIDTH columns, on as many lines as it needs. */
static int put_command(
	const struct tasks_table *l, const char *command, size_t width)
{
	char *escaped = report_escape(command, "");
	char *fit = escaped ? path_wrap(escaped, width, l->options) : NULL;

	if (fit)
		path_put(l->out, fit, layout_columns(l->options) - width);
	free(escaped);
	free(fit);
	return fit ? 0 : -1;
}

static void put_figures(const struct tasks_table *l, const struct task *task)
{
	const struct tree *tree = l->of->of.tree;
	struct report_options percent = *l->options;
	char buf[128];

	percent.unit = false;
	fprintf(l->out, "%*s", SHARE,
		layout_figure(tree, task->weight, &percent, buf, sizeof buf));
	if (l->kept)
		fprintf(l->out, "%*s", SHARE,
			layout_kept(tree, task->weight, buf, sizeof buf));
	if (l->amounts)
		fprintf(l->out, "%*s", AMOUNT,
			layout_amount(tree_resource(tree), task->weight, buf,
				sizeof buf));
}

static int put_task(const struct tasks_table *l, const struct task *task)
{
	struct task_facts is = report_task_facts(l->of, task);
	size_t left = room(l) - (l->names ? l->names + 2 : 0);
	char *command = fitting_command(l, task, left);
	char id[16] = "";
	int bad = command ? 0 : -1;

	put_figures(l, task);
	if (task->n == 1)
		snprintf(id, sizeof id, "%%%" PRIu32, task->id);
	fprintf(l->out, "  %-6s", id);
	if (l->lives && task->n == 1)
		put_life(l, task, &is);
	else if (l->lives)
		layout_pad(l->out, 0, LIFE);
	if (l->names)
		bad = bad ?: put_name(l->out, is.name, l->names);
	bad = bad ?: put_command(l, command, left);
	fputc('\n', l->out);
	free(command);
	return bad;
}

/* What the others are, so that the list has all that there are.  An exec has a
   line of its own, but begins no process, and no thread. */
static void put_rest(FILE *out, const struct task_list *list,
	const struct report_options *options)
{
	const struct dataset *data = list->of.tree->data;
	bool threads = list->of.threads;
	uint32_t rest = 0;
	uint32_t all =
		threads ? dataset_threads_run(data) : dataset_processes(data);
	const char *what = all < list->n ? "program"
			   : threads     ? "thread"
					 : "process";
	const char *more = threads ? "s" : "es";
	uint64_t weight = 0;
	char of[80] = "", has[80] = "", below[32] = "";

	for (uint32_t i = list->shown; i < list->rows; i++) {
		rest += list->v[i].n;
		weight += list->v[i].weight;
	}
	if (!rest)
		return;
	if (weight && (double)list->v[list->shown].weight <
			      tree_cutoff(list->of.tree, list->of.threshold))
		snprintf(below, sizeof below, " below %.4g %%",
			100 * list->of.threshold);
	if (weight)
		snprintf(has, sizeof has, "%s, %.1f %% in all", below,
			100 * report_task_fraction(list, weight));
	if (all < list->n)
		snprintf(of, sizeof of, ", of %" PRIu32 " in %" PRIu32 " %s%s",
			list->n, all, threads ? "thread" : "process",
			all == 1 ? "" : more);
	layout_note(out, options, "%" PRIu32 " more %s%s%s%s", rest, what,
		rest == 1       ? ""
		: all < list->n ? "s"
				: more,
		weight ? has
		: report_has_filters(list->of.tree)
			? " in no sample that is kept"
			: " in no sample",
		of);
}

int report_tasks_text(FILE *out, const struct task_list *list,
	const struct report_options *options)
{
	const struct tree *tree = list->of.tree;
	const struct cpd_resource *r = tree_resource(tree);
	struct tasks_table l = lay_out(out, list, options);
	char amount[128];
	struct err err;

	report_resource_line(out, tree->data, tree->view.resource, options);
	fputc('\n', out);
	if (report_filter_lines(out, tree, options, &err))
		return -1;
	put_titles(&l);
	for (uint32_t i = 0; i < list->shown; i++)
		if (put_task(&l, &list->v[i]))
			return -1;
	put_rest(out, list, options);
	if (list->none.weight)
		layout_note(out, options,
			"%.1f %%, %s, could not be charged to a thread",
			100 * report_task_fraction(list, list->none.weight),
			layout_amount(
				r, list->none.weight, amount, sizeof amount));
	return 0;
}
