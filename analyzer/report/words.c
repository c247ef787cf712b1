/*
 * words.c - names, amounts and call sites, as all formats have them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/run/command.h"
#include "lib/text.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/report_private.h"

#define PATH_WHOLE 256 /* steps of the longest path that is printed whole */
#define PATH_ENDS 8    /* steps of each end of a longer one */

const char *report_kind(enum profile_kind kind)
{
	switch (kind) {
	case PROFILE_DOWN:
		return "down";
	case PROFILE_UP:
		return "up";
	case PROFILE_FUNCTION:
		return "function";
	case PROFILE_BODY:
		return "body";
	case PROFILE_TREE:
		return "tree";
	}
	return "";
}

const char *report_entry(const struct tree *tree)
{
	return dataset_group_names[tree->view.group];
}

bool report_has_filters(const struct tree *tree)
{
	return tree->view.filters && tree->view.filters->n;
}

static bool is_plain(const char *name)
{
	for (; *name; name++)
		if (*name < ' ' || *name > '~')
			return false;
	return true;
}

char *report_escape(const char *name, const char *special)
{
	size_t size = strlen(name) * 4 + 1;
	char *escaped = malloc(size), *whole, *to;

	if (!escaped)
		return NULL;
	text_escape(name, escaped, size);
	if (!*special)
		return escaped;
	to = whole = malloc(strlen(escaped) * 4 + 1);
	if (whole) {
		for (const char *s = escaped; *s; s++)
			if (strchr(special, *s))
				to += sprintf(to, "\\x%02x", (unsigned)*s);
			else
				*to++ = *s;
		*to = '\0';
	}
	free(escaped);
	return whole;
}

char *report_amount(const struct cpd_resource *resource, uint64_t gticks,
	char *buf, size_t size)
{
	char unit[64];

	if (resource->unit != CPD_COUNT)
		return text_gticks(
			gticks, (enum text_unit)resource->unit, buf, size);
	text_escape(resource->gtick, unit, sizeof unit);
	snprintf(buf, size, "%" PRIu64 " %s%s", gticks, unit,
		text_plural(unit, gticks));
	return buf;
}

int report_name(FILE *out, const char *name)
{
	char *escaped;

	if (is_plain(name)) {
		fputs(name, out);
		return 0;
	}
	escaped = report_escape(name, "");
	if (!escaped)
		return -1;
	fputs(escaped, out);
	free(escaped);
	return 0;
}

const char *report_shown(
	const struct function *function, const struct report_options *options)
{
	return options->full_names ? function->shown : function->brief;
}

const struct function *report_step(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i)
{
	return &profile->tree->data->functions[entry->path[i]];
}

bool report_gap_at(struct report_gap *gap, uint32_t length, uint32_t *i)
{
	uint32_t n = length - 2 * PATH_ENDS;

	if (*i != PATH_ENDS || length <= PATH_WHOLE)
		return false;
	snprintf(gap->name, sizeof gap->name, "[%" PRIu32 " functions]", n);
	gap->function = (struct function){.name = gap->name,
		.shown = gap->name,
		.module = "",
		.file = ""};
	*i += n - 1;
	return true;
}

char *report_again(const struct dataset *data, const char *resources, char *buf,
	size_t size)
{
	bool attached = dataset_noted(data, "attached") && data->nprocesses;
	int n = snprintf(buf, size, "cpprof %s -r %s",
		!attached                     ? "run"
		: dataset_processes(data) > 1 ? "attach --children"
					      : "attach",
		resources);

	if (n > 0 && (size_t)n < size && attached)
		snprintf(buf + n, size - (size_t)n, " %" PRId32,
			data->processes[1].pid);
	else if (n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, " -- PROG");
	return buf;
}

char *report_command(const struct dataset *data,
	const struct report_options *options, const char *command,
	const char *in_shell, char *buf, size_t size)
{
	if (!options->in_shell)
		return command_on(command, data->path, buf, size);
	snprintf(buf, size, "%s", in_shell);
	return buf;
}

#define BLANKS " \t\n" /* a script among arguments has lines */

size_t report_directories(const char *word, size_t n)
{
	const char *slash = *word == '/' ? memrchr(word, '/', n) : NULL;

	return slash && slash + 1 < word + n ? (size_t)(slash + 1 - word) : 0;
}

/* Whether the N bytes WORD are between two blanks of ARGS; if BARE, both
   without their directories. */
static bool has_argument(
	const char *args, const char *word, size_t n, bool bare)
{
	size_t skip = bare ? report_directories(word, n) : 0;

	while (*args) {
		size_t length = strcspn(args, BLANKS);
		size_t other = bare ? report_directories(args, length) : 0;

		if (length - other == n - skip &&
			!memcmp(args + other, word + skip, n - skip))
			return true;
		args += length + (args[length] != '\0');
	}
	return false;
}

#define PEERS 64 /* that are compared */

/* How many of *PEERS others with the program of PROCESS have an argument. */
static uint32_t sharers(const struct dataset *data, uint32_t process,
	const char *word, size_t n, bool bare, uint32_t *peers)
{
	const struct cpd_process *p = &data->processes[process];
	uint32_t have = 0;

	*peers = 0;
	for (uint32_t i = 1; i <= data->nprocesses && *peers < PEERS; i++) {
		const struct cpd_process *q = &data->processes[i];

		if (q == p || !*q->args || strcmp(p->exe, q->exe))
			continue;
		have += has_argument(q->args, word, n, bare);
		++*peers;
	}
	return have;
}

/* How few others have an argument of PROCESS. */
static uint32_t fewest_sharers(const struct dataset *data, uint32_t process)
{
	const char *word = data->processes[process].args;
	uint32_t fewest = PEERS, peers;

	for (size_t n; *word; word += n + (word[n] != '\0')) {
		uint32_t have;

		n = strcspn(word, BLANKS);
		have = n ? sharers(data, process, word, n, true, &peers)
			 : PEERS;
		fewest = have < fewest ? have : fewest;
	}
	return fewest;
}

char *report_arguments(const struct dataset *data, uint32_t process, bool own)
{
	const char *args = data->processes[process].args, *word = args;
	char *text = calloc(2 * strlen(word) + 1, 1), *end = text;
	uint32_t most = own ? fewest_sharers(data, process) : PEERS, peers;
	const char *gap = "";
	size_t n;

	for (; text && *word; word += n + (word[n] != '\0')) {
		uint32_t have;

		n = strcspn(word, BLANKS);
		if (!n || has_argument(text, word, n, false))
			continue;
		have = sharers(data, process, word, n, own, &peers);
		if ((have > most && (word > args || *word == '-')) ||
			(peers && have == peers)) {
			gap = own ? "... " : "";
			continue;
		}
		end += sprintf(end, "%s%s%.*s", end > text ? " " : "", gap,
			(int)n, word);
		gap = "";
	}
	return text;
}

const char *report_called_from(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i)
{
	if (!entry->sites || !entry->sites[i])
		return "";
	return tree_site(profile->tree, entry->sites[i]);
}

const char *report_site(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i)
{
	if (!entry->sites)
		return "";
	if (profile->kind == PROFILE_TREE)
		return tree_site(profile->tree, entry->sites[i]);
	if (i + 1 >= entry->length)
		return "";
	return tree_site(profile->tree, entry->sites[i + 1]);
}

static double share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

double report_task_fraction(const struct task_list *list, uint64_t weight)
{
	return share(weight, list->of.tree->whole.weight);
}

double report_task_kept(const struct task_list *list, uint64_t weight)
{
	return share(weight, tree_total(list->of.tree, 0)->weight);
}

/* Cuts a life to what was collected of a process that ran already. */
static struct task_facts collected(
	const struct dataset *data, struct task_facts is)
{
	uint64_t from, end;

	if (!data->file.complete || !dataset_noted(data, "attached"))
		return is;
	end = 1000 * dataset_collected(data, &from) + from;
	is.start = is.start < from ? from : is.start;
	is.end = is.end > end ? end : is.end;
	return is;
}

struct task_facts report_task_facts(
	const struct task_list *list, const struct task *task)
{
	const struct dataset *data = list->of.tree->data;
	const struct cpd_thread *t =
		&data->threads[list->of.threads ? task->id : 0];
	uint32_t of = list->of.threads ? t->process : task->id;
	const struct cpd_process *p =
		&data->processes[of <= data->nprocesses ? of : 0];

	if (list->of.threads)
		return collected(data,
			(struct task_facts){t->process, t->tid, t->time,
				data->thread_end[task->id],
				dataset_thread_name(data, task->id), p->exe,
				list->runs[task->id]
					? &data->functions[list->runs[task->id]]
					: NULL});
	return collected(data,
		(struct task_facts){p->parent, p->pid, p->time,
			data->process_end[task->id], p->name, p->exe, NULL});
}

void report_unfollowed(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options)
{
	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		const struct lives_pair *pair = &data->lives[i];
		const struct books *books = &data->books[pair->begins];

		if (pair->first && resource - pair->first < LIVES_KINDS &&
			books->unfollowed)
			layout_note(out, options,
				"%.1f %% of %s is not in it: requests that "
				"failed or were not followed",
				100 * (double)books->unfollowed /
					(double)books->weight,
				data->resources[pair->begins].name);
	}
}
