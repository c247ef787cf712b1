/* cpprof report: profiles without the shell. */
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "cpprof/cmd/file_command.h"
#include "cpprof/message.h"
#include "cpprof/session/questions.h"
#include "cpprof/session/summary.h"

enum { REPORT_RESOURCE = 1, REPORT_QUESTION };

/* clang-format off */
#define OPT_ASK(word) OPT_WORD(REPORT_QUESTION, word)

const struct opt report_opts[] = {
	OPT_ASK(WORD_FUNCTION), OPT_ASK(WORD_BODY), OPT_ASK(WORD_DOWN),
	OPT_ASK(WORD_UP), OPT_ASK(WORD_TREE), OPT_ASK(WORD_PROCESSES),
	OPT_ASK(WORD_THREADS), OPT_ASK(WORD_WHY), OPT_ASK(WORD_PERCALL),
	OPT_ASK(WORD_LEAKS), OPT_ASK(WORD_PAGES),
	{"resource", 'r', "R[,...]", "the resources; default all",
		REPORT_RESOURCE},
	OPT_SET(WORD_THRESHOLD), OPT_SET(WORD_TOP), OPT_SET(WORD_FORMAT),
	OPT_SET(WORD_FORM), OPT_SET(WORD_WIDTH), OPT_SET(WORD_UNIT),
	OPT_UNSET(WORD_FOLD, "list start-up code and wrappers, too"),
	OPT_SET(WORD_NAMES), OPT_SET(WORD_SITES),
	OPT_UNSET(WORD_INLINES, "fold inlined calls into their callers"),
	OPT_SET(WORD_CLONES), OPT_SET(WORD_SYSCALLS), OPT_SET(WORD_OBJECTS),
	OPT_UNSET(WORD_OBJECTS, "system calls only as functions of libraries"),
	OPT_SET(WORD_INTERVALS),
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};
/* clang-format on */

struct wanted {
	const struct question *question;
	const char *name; /* of its function; NULL: none */
};

struct report {
	VEC(struct wanted) wanted;
	VEC(char *) names;   /* of the resources wanted; all lie in argv */
	uint32_t *resources; /* those, or all of the file */
	size_t nresources;
	bool printed; /* anything */
	bool cut;     /* at a threshold that was chosen */
	bool lenient; /* an empty profile is no error where there are several */
};

void report_more(FILE *out)
{
	fputs("\nDefault: what the run took, its heaviest functions, its "
	      "call paths.\n",
		out);
}

static int want(struct report *r, const char *question, const char *name,
	struct err *err)
{
	struct wanted *w = vec_push(&r->wanted);

	if (!w)
		return err_sys(err, "report", NULL);
	*w = (struct wanted){question_find(question), name};
	return 0;
}

/* Cuts off the first name of *REST, at a comma that is not among the terms of a
 * PMU (cpu/event=1,umask=2/). */
static char *next_name(char **rest)
{
	char *name = *rest, *p = name;
	bool terms = false;

	for (; *p && (*p != ',' || terms); p++)
		terms ^= *p == '/';
	*rest = *p ? p + 1 : p;
	*p = '\0';
	return name;
}

/* Cuts VALUE, a word of argv, into the names of resources. */
static int want_resources(struct report *r, char *value, struct err *err)
{
	while (*value) {
		char *name = next_name(&value), **slot;

		if (!*name)
			continue;
		slot = vec_push(&r->names);
		if (!slot)
			return err_sys(err, "report", NULL);
		*slot = name;
	}
	return 0;
}

static int take_option(
	void *arg, const struct opt *opt, const char *value, struct err *err)
{
	return opt->id == REPORT_RESOURCE
		       ? want_resources(arg, (char *)value, err)
		       : want(arg, opt->name, value, err);
}

static int check(void *arg, const struct choices *choices, const char **output,
	struct err *err)
{
	struct report *r = arg;

	(void)output;
	(void)err;
	r->cut = choices_have(choices, WORD_NAME(WORD_THRESHOLD));
	return 0;
}

/* Prints what is no error here, on a line of its own. */
static void said(struct session *s, const struct err *err)
{
	patience_end(&s->patience);
	message_error(err);
	patience_begin(&s->patience);
}

static void look_at(struct session *s, uint32_t resource)
{
	struct tree_view view = s->view;

	view.resource = resource;
	session_view(s, &view);
}

/* Asks one question; paths from a default root that is in no sample begin at
   [all]. */
static int print_one(struct report *r, struct session *s,
	const struct wanted *w, struct output *out, struct err *err)
{
	const struct question *q = w->question;
	struct asked asked = {.name = w->name,
		.threshold = s->threshold,
		.few = !r->cut,
		.apart = r->printed,
		.resources = r->names.n ? r->resources : NULL,
		.nresources = r->names.n};
	int bad = q->ask(s, q, &asked, out, err);

	if (bad && q->rooted && !w->name && strcmp(s->root, "[all]") != 0) {
		said(s, err);
		asked.name = "[all]";
		bad = q->ask(s, q, &asked, out, err);
	}
	if (!bad)
		r->printed = true;
	if (!bad || !r->lenient || q->between)
		return bad;
	said(s, err);
	return 0;
}

/* Prints all that is wanted of one resource. */
static int print_resource(struct report *r, struct session *s,
	uint32_t resource, struct output *out, struct err *err)
{
	look_at(s, resource);
	if (r->lenient && !s->format->data &&
		s->data->books[resource].samples == 0) {
		session_sampled_tree(s, err);
		said(s, err);
		return 0;
	}
	for (size_t i = 0; i < r->wanted.n; i++)
		if (!r->wanted.v[i].question->between &&
			print_one(r, s, &r->wanted.v[i], out, err) < 0)
			return -1;
	return 0;
}

/* Prints the summary of a resource, for people. */
static int print_summary(struct report *r, struct session *s, uint32_t resource,
	struct output *out, struct err *err)
{
	struct report_options options = session_options(s, NULL, out);

	look_at(s, resource);
	if (r->printed)
		fputc('\n', out->stream);
	r->printed = true;
	if (!r->names.n)
		return summary_print_all(
			s, &options, s->threshold, out->stream, err);
	return summary_print(s, &options, s->threshold, out->stream, err);
}

/* Prints what compares resources: how many of these were wanted, or -1. */
static int print_across(struct report *r, struct session *s, struct output *out,
	struct err *err)
{
	int done = 0;

	for (size_t i = 0; i < r->wanted.n; i++) {
		if (!r->wanted.v[i].question->between)
			continue;
		if (r->names.n)
			look_at(s, r->resources[0]);
		if (print_one(r, s, &r->wanted.v[i], out, err) < 0)
			return -1;
		done++;
	}
	return done;
}

/* The resources that are wanted, by their names, or all of the file. */
static int find_resources(
	struct report *r, const struct session *s, struct err *err)
{
	r->nresources = r->names.n ? r->names.n : s->data->nresources;
	r->resources = calloc(r->nresources + 1, sizeof *r->resources);
	if (!r->resources)
		return err_sys(err, "report", NULL);
	for (uint32_t i = 0; i < r->nresources; i++) {
		r->resources[i] = r->names.n ? dataset_resource(s->data,
						       r->names.v[i], err)
					     : i + 1;
		if (!r->resources[i])
			return -1;
	}
	r->lenient = !r->names.n && r->nresources > 1;
	return 0;
}

/* A name that no resource has is one error, however many resources there
   are. */
static int check_roots(
	const struct report *r, const struct session *s, struct err *err)
{
	for (size_t i = 0; i < r->wanted.n; i++) {
		const struct wanted *w = &r->wanted.v[i];
		uint32_t *found;
		size_t n;

		/* what compares resources looks itself */
		if (!w->name || !w->question->rooted)
			continue;
		if (session_find(s, w->name, &found, &n, err) < 0)
			return -1;
		free(found);
	}
	return 0;
}

static int print_all(struct report *r, struct session *s, struct output *out,
	struct err *err)
{
	bool summary = !r->wanted.n && s->format == report_formats;
	bool facts = !r->wanted.n && s->format->write_facts;
	const struct summary_choice all = {
		s->data, r->resources, r->nresources, s->view.resource};
	int across = print_across(r, s, out, err);

	if (across < 0)
		return -1;
	if (across && (size_t)across == r->wanted.n)
		return 0;
	if (summary && !r->names.n)
		return print_summary(r, s, s->view.resource, out, err);
	if (!r->wanted.n && !summary &&
		(want(r, WORD_NAME(WORD_FUNCTION), NULL, err) ||
			want(r, WORD_NAME(WORD_DOWN), NULL, err)))
		return -1;
	if (facts && summary_print_facts(s, &all, false, out->stream, err) < 0)
		return -1;
	for (size_t i = 0; i < r->nresources; i++)
		if ((summary ? print_summary : print_resource)(
			    r, s, r->resources[i], out, err) < 0)
			return -1;
	return facts ? summary_print_facts(s, &all, true, out->stream, err) : 0;
}

static int answer(
	struct session *s, struct output *out, void *arg, struct err *err)
{
	struct report *r = arg;

	if (find_resources(r, s, err) || check_roots(r, s, err))
		return -1;
	return print_all(r, s, out, err);
}

int cmd_report(const struct subcommand *self, int argc, char **argv)
{
	static const struct file_command command = {
		.take = take_option, .check = check, .answer = answer};
	struct report r = {0};
	int status = file_command_run(self, argc, argv, &command, &r);

	/* If nothing was printed, each cause was. */
	if (!status && r.resources && !r.printed)
		status = EXIT_WRONG;
	vec_free(&r.wanted);
	vec_free(&r.names);
	free(r.resources);
	return status;
}
