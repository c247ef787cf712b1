/*
 * csv.c - profiles as comma-separated values (RFC 4180 quoting, lines
 * that end in a newline alone).
 *
 * The path is one field, joined with ";", and so are the modules of its
 * functions, the files that declare them and the places in their callers from
 * which they were called.  "depth" is the place below the
 * root for entries of the tree and empty for all others; "fraction" is of the
 * whole run, "kept_fraction" of what the filters keep.  Lists of processes and
 * threads have columns of their own.
 */
#include <inttypes.h>

#include "analyzer/report/csv_values.h"
#include "analyzer/report/report_private.h"

enum column { NAMES, MODULES, FILES, SITES };

/* Writes one column: the name, module, file or call site of each step of the
   path. */
static int put_steps(FILE *out, const struct profile *profile,
	const struct profile_entry *entry, enum column column)
{
	fputc('"', out);
	for (uint32_t i = 0; i < entry->length; i++) {
		const struct function *f = report_step(profile, entry, i);
		const char *text =
			column == NAMES     ? f->name
			: column == MODULES ? f->module
			: column == FILES
				? f->file
				: report_called_from(profile, entry, i);

		if (csv_text(out, i, text))
			return -1;
	}
	fputc('"', out);
	return 0;
}

static int put_entry(FILE *out, const struct profile *profile,
	const struct profile_entry *entry)
{
	static const enum column behind[] = {MODULES, FILES, SITES};

	if (put_steps(out, profile, entry, NAMES))
		return -1;
	fprintf(out, ",%.5f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
		profile_fraction(profile, entry), entry->hits, entry->weight,
		entry->samples);
	if (profile->kind == PROFILE_TREE)
		fprintf(out, "%" PRIu32, entry->depth);
	fprintf(out, ",%.5f", profile_kept_fraction(profile, entry));
	for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
		fputc(',', out);
		if (put_steps(out, profile, entry, behind[i]))
			return -1;
	}
	fputc('\n', out);
	return 0;
}

int report_csv(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err)
{
	const struct tree *tree = profile->tree;
	const char *resource = tree->data->resources[tree->view.resource].name;

	(void)options;
	fputs("profile,resource,path,fraction,hits,weight,samples,depth,"
	      "kept_fraction,modules,files,sites\n",
		out);
	for (size_t i = 0; i < profile->n; i++) {
		fprintf(out, "%s,", report_kind(profile->kind));
		if (csv_field(out, resource) ||
			put_entry(out, profile, &profile->entries[i]))
			return report_no_memory(err);
	}
	return 0;
}

int report_tasks_csv(FILE *out, const struct task_list *list,
	const struct report_options *options)
{
	(void)options;
	const struct tree *tree = list->tree;
	const char *resource = tree->data->resources[tree->view.resource].name;

	fprintf(out,
		"profile,resource,name,program,id,%s,%s,fraction,hits,"
		"weight,duration,kept_fraction\n",
		list->threads ? "process" : "parent",
		list->threads ? "tid" : "pid");
	for (uint32_t i = 0; i < list->shown; i++) {
		const struct task *task = &list->v[i];
		struct task_facts is = report_task_facts(list, task);

		fputs(list->threads ? "threads," : "processes,", out);
		if (csv_field(out, resource) || csv_field(out, is.name) ||
			csv_field(out, is.exe))
			return -1;
		fprintf(out, "%" PRIu32 ",", task->id);
		if (is.above)
			fprintf(out, "%" PRIu32, is.above);
		fprintf(out, ",%" PRId32 ",%.5f,%" PRIu64 ",%" PRIu64 ",",
			is.number, report_task_fraction(list, task->weight),
			task->hits, task->weight);
		if (is.end >= is.start && is.end)
			fprintf(out, "%.6f", (double)(is.end - is.start) / 1e9);
		fprintf(out, ",%.5f\n", report_task_kept(list, task->weight));
	}
	return 0;
}
