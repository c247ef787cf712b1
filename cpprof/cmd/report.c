/* cpprof report: profiles without the shell. */
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "lib/vec.h"
#include "cpprof/cmd/filter_opts.h"
#include "cpprof/output.h"
#include "cpprof/session/percall.h"
#include "cpprof/message.h"
#include "cpprof/session/session.h"
#include "cpprof/subcommand.h"
#include "cpprof/session/summary.h"
#include "cpprof/session/why.h"

enum {
	REPORT_FUNCTION,
	REPORT_BODY,
	REPORT_DOWN,
	REPORT_UP,
	REPORT_TREE,
	REPORT_PROCESSES,
	REPORT_THREADS,
	REPORT_WHY,
	REPORT_PERCALL,
	REPORT_RESOURCE,
	REPORT_THRESHOLD,
	REPORT_FORMAT,
	REPORT_SITES,
	REPORT_NO_INLINES,
	REPORT_CLONES,
	REPORT_INTERVALS,
	REPORT_TOP,
	REPORT_FORM,
	REPORT_UNIT,
	REPORT_NO_FOLD,
	REPORT_NAMES,
};

const struct opt report_opts[] = {
	{"function", 'F', NULL, "functions, with all they call",
		REPORT_FUNCTION},
	{"body", 'B', NULL, "functions, by their own bodies", REPORT_BODY},
	{"down", 'd', "F", "call paths that start with function F",
		REPORT_DOWN},
	{"up", 'u', "F", "call paths that end with function F", REPORT_UP},
	{"tree", 'T', NULL, "the tree of call stacks", REPORT_TREE},
	{"processes", 0, NULL, "processes, by what they consumed",
		REPORT_PROCESSES},
	{"threads", 0, NULL, "threads, by what they consumed", REPORT_THREADS},
	{"why", 0, "[=F]", "functions, or paths from F, under every resource",
		REPORT_WHY},
	{"percall", 0, "[=F]", "what a call of F costs on each path to it",
		REPORT_PERCALL},
	{"resource", 'r', "R[,...]", "the resources; default all",
		REPORT_RESOURCE},
	{"threshold", 't', "X", "leave out entries below X; default 1%",
		REPORT_THRESHOLD},
	{"top", 'n', "N", "print the N heaviest lines of each profile",
		REPORT_TOP},
	{"format", 'f', "FORMAT", "text (default), paper, json or csv",
		REPORT_FORMAT},
	{"form", 0, "FORM", "call paths as a tree or a list", REPORT_FORM},
	{"unit", 0, NULL, "the resource's unit instead of %", REPORT_UNIT},
	{"no-fold", 0, NULL, "list start-up code and wrappers, too",
		REPORT_NO_FOLD},
	{"names", 0, "STYLE", "short (default) or full names of functions",
		REPORT_NAMES},
	{"sites", 0, NULL, "distinguish call sites", REPORT_SITES},
	{"no-inlines", 0, NULL, "fold inlined calls into their callers",
		REPORT_NO_INLINES},
	{"clones", 0, NULL, "show f.cold and f.part.0 as functions",
		REPORT_CLONES},
	{"intervals", 0, NULL, "show the 95 % interval of each fraction",
		REPORT_INTERVALS},
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

struct wanted {
	int what; /* REPORT_PROCESSES, _THREADS, _WHY, _PERCALL, or a profile:
		   */
	enum profile_kind kind;
	const char *root;
};

struct report {
	VEC(struct wanted) wanted;
	VEC(char *) resources; /* names; all lie in argv */
	struct filter_opts filters;
	double threshold;
	const struct report_format *format;
	struct report_options style;
	bool sites, no_inlines, clones;
	bool printed; /* anything */
	bool lenient; /* an empty profile is no error where there are several */
};

void report_more(FILE *out)
{
	fputs("Default: what the run took, its heaviest functions, the call "
	      "paths from main.\n",
		out);
}

static int want_what(struct report *r, struct wanted wanted, struct err *err)
{
	struct wanted *w = vec_push(&r->wanted);

	if (!w)
		return err_sys(err, "report", NULL);
	*w = wanted;
	return 0;
}

static int want(struct report *r, enum profile_kind kind, const char *root,
	struct err *err)
{
	return want_what(r, (struct wanted){.kind = kind, .root = root}, err);
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
		slot = vec_push(&r->resources);
		if (!slot)
			return err_sys(err, "report", NULL);
		*slot = name;
	}
	return 0;
}

static int take_option(struct report *r, const struct opt *opt,
	const char *value, struct err *err)
{
	int took = filter_opts_take(&r->filters, opt, value, err);

	if (took)
		return took < 0 ? -1 : 0;
	switch (opt->id) {
	case REPORT_FUNCTION:
		return want(r, PROFILE_FUNCTION, NULL, err);
	case REPORT_BODY:
		return want(r, PROFILE_BODY, NULL, err);
	case REPORT_DOWN:
		return want(r, PROFILE_DOWN, value, err);
	case REPORT_UP:
		return want(r, PROFILE_UP, value, err);
	case REPORT_TREE:
		return want(r, PROFILE_TREE, NULL, err);
	case REPORT_PROCESSES:
	case REPORT_THREADS:
		return want_what(r, (struct wanted){.what = opt->id}, err);
	case REPORT_WHY:
	case REPORT_PERCALL:
		return want_what(r,
			(struct wanted){.what = opt->id, .root = value}, err);
	case REPORT_RESOURCE:
		return want_resources(r, (char *)value, err);
	case REPORT_THRESHOLD:
		return session_parse_threshold(value, &r->threshold, err);
	case REPORT_FORMAT:
		r->format = report_format_find(value, err);
		return r->format ? 0 : -1;
	case REPORT_TOP:
		return session_parse_top(value, &r->style.top, err);
	case REPORT_FORM:
		return session_parse_form(value, &r->style.form, err);
	case REPORT_UNIT:
		r->style.unit = true;
		return 0;
	case REPORT_NO_FOLD:
		r->style.no_fold = true;
		return 0;
	case REPORT_NAMES:
		return session_parse_names(value, &r->style.full_names, err);
	case REPORT_SITES:
		r->sites = true;
		return 0;
	case REPORT_NO_INLINES:
		r->no_inlines = true;
		return 0;
	case REPORT_CLONES:
		r->clones = true;
		return 0;
	default:
		r->style.intervals = true;
		return 0;
	}
}

static void separate(struct report *r, struct output *out)
{
	if (r->printed && !r->format->data)
		fputc('\n', out->stream);
	r->printed = true;
}

static int print_tasks(struct report *r, struct session *s,
	const struct wanted *w, struct output *out, struct err *err)
{
	struct report_options options = session_options(s, NULL, out);
	const struct tree *tree = session_tree(s, err);

	if (!tree)
		return -1;
	separate(r, out);
	return report_tasks(out->stream, r->format, tree,
		w->what == REPORT_THREADS, r->threshold, &options, err);
}

/* Prints what is no error here, on a line of its own. */
static void said(struct session *s, const struct err *err)
{
	patience_end(&s->patience);
	message_error(err);
	patience_begin(&s->patience);
}

static int print_one(struct report *r, struct session *s,
	const struct wanted *w, struct output *out, struct err *err)
{
	bool rooted = w->kind == PROFILE_DOWN || w->kind == PROFILE_UP;
	const char *root = !rooted ? NULL : w->root ? w->root : s->root;
	struct report_options options = session_options(s, root, out);
	const struct profile *p =
		session_profile(s, w->kind, options.root, r->threshold, err);

	if (!p && rooted && !w->root && strcmp(s->root, "[all]") != 0) {
		said(s, err);
		options.root = "[all]";
		p = session_profile(
			s, w->kind, options.root, r->threshold, err);
	}
	if (!p) {
		if (!r->lenient)
			return -1;
		said(s, err);
		return 0;
	}
	separate(r, out);
	return session_write(s, p, &options, out->stream, err);
}

static void set_view(
	const struct report *r, struct session *s, uint32_t resource)
{
	struct tree_view view = {.resource = resource,
		.no_inlines = r->no_inlines,
		.sites = r->sites,
		.clones = r->clones};

	session_view(s, &view);
}

/* Prints all that is wanted of one resource. */
static int print_resource(struct report *r, struct session *s,
	uint32_t resource, struct output *out, struct err *err)
{
	set_view(r, s, resource);
	if (r->lenient && !r->format->data &&
		s->data->books[resource].samples == 0) {
		session_profile(s, PROFILE_BODY, NULL, 0, err);
		said(s, err);
		return 0;
	}
	for (size_t i = 0; i < r->wanted.n; i++) {
		const struct wanted *w = &r->wanted.v[i];

		if (w->what == REPORT_WHY || w->what == REPORT_PERCALL)
			continue;
		if ((w->what ? print_tasks : print_one)(r, s, w, out, err) < 0)
			return -1;
	}
	return 0;
}

/* Prints the summary of a resource, for people. */
static int print_summary(struct report *r, struct session *s, uint32_t resource,
	struct output *out, struct err *err)
{
	struct report_options options = session_options(s, NULL, out);

	set_view(r, s, resource);
	separate(r, out);
	if (!r->resources.n)
		return summary_print_all(
			s, &options, r->threshold, out->stream, err);
	return summary_print(
		s, &resource, 1, &options, r->threshold, out->stream, err);
}

/* Prints what compares resources: how many of these were wanted, or -1. */
static int print_across(struct report *r, struct session *s, struct output *out,
	struct err *err)
{
	uint32_t *resources = calloc(r->resources.n + 1, sizeof *resources);
	int done = 0;
	bool bad = false;

	if (!resources)
		return err_sys(err, "report", NULL);
	for (size_t i = 0; i < r->resources.n && !bad; i++) {
		resources[i] =
			dataset_resource(s->data, r->resources.v[i], err);
		bad = !resources[i];
	}
	for (size_t i = 0; i < r->wanted.n && !bad; i++) {
		struct report_options options =
			session_options(s, r->wanted.v[i].root, out);

		if (r->wanted.v[i].what != REPORT_WHY &&
			r->wanted.v[i].what != REPORT_PERCALL)
			continue;
		set_view(r, s, *resources ? *resources : s->view.resource);
		separate(r, out);
		if (r->wanted.v[i].what == REPORT_WHY)
			bad = why_print(s, resources, r->resources.n, r->format,
				      &options, r->threshold, out->stream,
				      err) < 0;
		else
			bad = percall_print(s, r->wanted.v[i].root, r->format,
				      &options, r->threshold, out->stream,
				      err) < 0;
		done++;
	}
	free(resources);
	return bad ? -1 : done;
}

/* Prints the facts of the resources where they stand, see
   summary_print_facts(). */
static int print_facts(struct report *r, struct session *s, bool last,
	struct output *out, struct err *err)
{
	size_t n = r->resources.n ? r->resources.n : s->data->nresources;
	uint32_t *resources = calloc(n + 1, sizeof *resources);
	int bad = 0;

	if (!resources)
		return err_sys(err, "report", NULL);
	for (size_t i = 0; i < n && !bad; i++) {
		resources[i] = r->resources.n ? dataset_resource(s->data,
							r->resources.v[i], err)
					      : (uint32_t)i + 1;
		bad = !resources[i];
	}
	bad = bad ||
	      summary_print_facts(s, resources, n, last, out->stream, err) < 0;
	free(resources);
	return bad ? -1 : 0;
}

static int print_all(struct report *r, struct session *s, struct output *out,
	struct err *err)
{
	bool summary = !r->wanted.n && r->format == report_formats;
	bool facts = !r->wanted.n && r->format->write_facts;
	int across = print_across(r, s, out, err);

	if (across < 0)
		return -1;
	if (across && (size_t)across == r->wanted.n)
		return 0;
	if (summary && !r->resources.n)
		return print_summary(r, s, s->view.resource, out, err);
	if (!r->wanted.n && !summary &&
		(want(r, PROFILE_FUNCTION, NULL, err) ||
			want(r, PROFILE_DOWN, NULL, err)))
		return -1;
	if (facts && print_facts(r, s, false, out, err))
		return -1;
	for (uint32_t i = 1; !r->resources.n && i <= s->data->nresources; i++)
		if (print_resource(r, s, i, out, err) < 0)
			return -1;
	for (size_t i = 0; i < r->resources.n; i++) {
		uint32_t id = dataset_resource(s->data, r->resources.v[i], err);

		if (!id || (summary ? print_summary : print_resource)(
				   r, s, id, out, err) < 0)
			return -1;
	}
	return facts ? print_facts(r, s, true, out, err) : 0;
}

/* A name that no resource has is one error, however many resources there
   are. */
static int check_roots(
	const struct report *r, const struct session *s, struct err *err)
{
	for (size_t i = 0; i < r->wanted.n; i++) {
		uint32_t *found;
		size_t n;

		/* percall asks for the calls first */
		if (!r->wanted.v[i].root ||
			r->wanted.v[i].what == REPORT_PERCALL)
			continue;
		if (session_find(s, r->wanted.v[i].root, &found, &n, err) < 0)
			return -1;
		free(found);
	}
	return 0;
}

static int report_file(struct report *r, const char *file, struct err *err)
{
	struct session *s = session_open(file, err);
	struct output out;
	char text[256];
	int bad;

	if (!s)
		return -1;
	if (*session_warning(s, text, sizeof text))
		message("%s: %s", file, text);
	s->format = r->format;
	s->style = r->style;
	r->lenient = !r->resources.n && s->data->nresources > 1;
	bad = filter_opts_apply(&r->filters, s, err) < 0 ||
	      check_roots(r, s, err) < 0 || output_begin(&out, NULL, err) < 0;
	if (!bad) {
		patience_begin(&s->patience);
		bad = print_all(r, s, &out, err);
		patience_end(&s->patience);
		if (bad)
			output_drop(&out);
		else
			bad = output_end(&out, err);
	}
	session_close(s);
	return bad;
}

int cmd_report(const struct subcommand *self, int argc, char **argv)
{
	struct report r = {
		.threshold = DEFAULT_THRESHOLD, .format = report_formats};
	const struct opt *opt;
	struct opt_scan scan;
	struct err err;
	const char *file, *value;
	int got, bad = 0, status = EXIT_WRONG;

	opt_begin(&scan, self->opts, false, argc, argv);
	while ((got = subcommand_option(self, &scan, &opt, &value, &status)) >
		0) {
		bad = take_option(&r, opt, value, &err);
		if (bad)
			break;
	}
	if (got < 0)
		goto out;
	output_init();
	file = bad ? NULL : subcommand_file(&scan, &err);
	bad = !file;
	if (!bad)
		bad = report_file(&r, file, &err);
	/* If nothing was printed, each cause was. */
	status = bad ? subcommand_fail(self, &err) : r.printed ? 0 : EXIT_WRONG;
out:
	vec_free(&r.wanted);
	vec_free(&r.resources);
	filter_opts_fini(&r.filters);
	return status;
}
