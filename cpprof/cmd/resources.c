/* cpprof resources: what can be profiled on this machine, by this user. */
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "analyzer/report/layout.h"
#include "monitor/run/monitor.h"
#include "cpprof/output.h"
#include "cpprof/subcommand.h"

struct resources_args {
	enum timer_choice timer;
	bool each;
	const char *word; /* to search for; NULL: none */
};

enum { RESOURCES_TIMER };

const struct opt resources_opts[] = {
	{"all", 'a', NULL, "all events of caches, too",
		OPT_FLAG(struct resources_args, each)},
	{"search", 0, "WORD", "what there is about WORD, events and probes too",
		OPT_VALUE(struct resources_args, word)},
	{"timer", 0, "FAMILY", "auto, kernel, stop, per-cpu or per-task",
		RESOURCES_TIMER},
	OPT_HELP_ROW,
	{0},
};

struct listed_resource {
	struct resource_request request;
	struct monitor_choice choice;
	bool told; /* what a better timer needs has been printed */
};

typedef VEC(struct listed_resource) list_t;

static int add(
	list_t *list, const struct resource_request *request, struct err *err)
{
	struct listed_resource *slot = vec_push(list);

	if (!slot)
		return err_sys(err, "resources", NULL);
	slot->request = *request;
	return 0;
}

static int choose(list_t *list, enum timer_choice timer, struct err *err)
{
	struct resource_request *requests = calloc(list->n, sizeof *requests);
	struct timer_machine machine = {0};

	if (!requests)
		return err_sys(err, "resources", NULL);
	for (size_t i = 0; i < list->n; i++)
		requests[i] = list->v[i].request;
	monitor_try(requests, list->n, timer, &machine);
	for (size_t i = 0; i < list->n; i++) {
		monitor_choose(
			&requests[i], timer, &machine, &list->v[i].choice);
		list->v[i].request.interval = list->v[i].choice.interval;
	}
	free(requests);
	return 0;
}

/* Lists the named resources, or all: of several alike only the first, unless
   EACH. */
static int make_list(list_t *list, char *const *names, int nnames, bool each,
	enum timer_choice timer, struct err *err)
{
	struct resource_request requests[RESOURCES_MAX];
	size_t n = 0;

	for (int i = 0; i < nnames; i++) {
		const struct resource *r = resource_find(names[i]);

		/* one at a time, even where a request needs more */
		if (r && n < RESOURCES_MAX)
			resource_default(r, &requests[n++]);
		else if (resource_parse(names[i], requests, &n, err))
			return -1;
	}
	for (size_t i = 0; i < n; i++)
		if (add(list, &requests[i], err))
			return -1;
	for (const struct resource *r = resources; !nnames && r->name; r++) {
		resource_default(r, &requests[0]);
		if ((each || !r->grouped) && add(list, &requests[0], err))
			return -1;
	}
	return choose(list, timer, err);
}

#define ROW "%-23s %-11s %-8s %-10s %s\n"
#define TABLE_COLUMNS 80 /* of its longest line */

static void print_row(
	FILE *out, const struct listed_resource *row, size_t columns)
{
	const struct resource *r = row->request.resource;
	const char *timer = row->choice.timer ? row->choice.timer : "-";
	const char *costs = row->choice.slows ? row->choice.slows : "-";
	char every[32], *text;

	text_gticks(row->request.interval, r->unit, every, sizeof every);
	if (columns >= TABLE_COLUMNS) {
		fprintf(out, ROW, row->request.name, r->gtick, every, costs,
			timer);
	} else if (asprintf(&text, "%s   %s, every %s, costs %s   %s",
			   row->request.name, r->gtick, every, costs,
			   timer) >= 0) {
		layout_flow(out, text, columns);
		fputc('\n', out);
		free(text);
	}
}

static bool has_word(const list_t *list, const char *word)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *slows = list->v[i].choice.slows;
		const char *of = slows ? strchr(slows, ' ') : NULL;

		if (of && !strcmp(of + 1, word))
			return true;
	}
	return false;
}

/* What the programs are that the rows of LIST name. */
static void put_words(FILE *out, const list_t *list)
{
	static const struct {
		const char *word, *does;
	} words[] = {{"dd", "dd copies a byte at a time"},
		{"touch", "touch has page faults"},
		{"perl", "perl counts words"},
		{"pipe", "in pipe two programs hand a byte to and fro"},
		{"kill", "kill signals itself"},
		{"inf", "inf has infinite products"},
		{"queens", "queens calls functions"}};
	const char *between = " ";

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (has_word(list, words[i].word)) {
			fprintf(out, "%s%s", between, words[i].does);
			between = ", ";
		}
	fputs(*between == ',' ? "." : "", out);
}

/* What the words of the column mean, and what an event costs by each timer of
   LIST, said once. */
static void put_costs(FILE *out, const list_t *list)
{
	fputs("costs: what it makes of a program that does little else, 1.3x: "
	      "it takes 1.3 times as long.",
		out);
	put_words(out, list);
	fputs(" Most programs get 1 % slower or not at all. An event in no "
	      "sample takes",
		out);
	for (size_t i = 0, n = 0, k; i < list->n; i++) {
		const struct monitor_choice *c = &list->v[i].choice;
		const char *of = c->timer; /* or a resource with a cost apart */

		for (k = 0; k < i && c->timer; k++) {
			if (list->v[k].choice.costs == c->costs)
				break;
			if (list->v[k].choice.timer &&
				!strcmp(list->v[k].choice.timer, c->timer))
				of = list->v[i].request.name;
		}
		if (c->timer && k == i)
			fprintf(out, "%s %s (%s)", n++ ? "," : "", c->costs,
				of);
	}
}

/* Prints which resources a list of all leaves out, and which row stands for
   them. */
static void print_omitted(FILE *out, size_t columns)
{
	char text[128];
	const char *first = "";
	size_t n = 0;

	for (const struct resource *r = resources; r->name; r++) {
		if (!r->grouped && r[1].name && r[1].grouped)
			first = r->name;
		n += r->grouped;
	}
	fputc('\n', out);
	snprintf(text, sizeof text,
		"%zu more cache events like %s: cpprof resources --all", n,
		first);
	layout_flow(out, text, columns);
	fputc('\n', out);
}

static bool same_reason(const struct err *a, const struct err *b)
{
	return strcmp(a->reason, b->reason) == 0 && strcmp(a->op, b->op) == 0 &&
	       strcmp(a->hint, b->hint) == 0;
}

/* Writes the resources that lack the same as LIST's row I, then what that
   is. */
static void put_reason(FILE *out, list_t *list, size_t i)
{
	struct err err = list->v[i].choice.why;
	const char *between = "";
	char text[2048];

	for (size_t k = i; k < list->n; k++) {
		struct listed_resource *row = &list->v[k];

		if (row->told || !same_reason(&row->choice.why, &err) ||
			!row->choice.timer != !list->v[i].choice.timer)
			continue;
		row->told = true;
		fprintf(out, "%s%s", between, row->request.name);
		between = ", ";
	}
	err.object[0] = '\0';
	err_format(&err, text, sizeof text);
	fprintf(out, ":\n%s: %s\n",
		list->v[i].choice.timer ? "no better timer" : "no timer", text);
}

static int print_reasons(
	FILE *out, list_t *list, size_t columns, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		struct listed_resource *row = &list->v[i];
		struct layout_lines lines;

		if (row->told || !*row->choice.why.reason)
			continue;
		fputc('\n', out);
		if (!layout_lines_begin(&lines))
			return err_sys(err, "resources", NULL);
		put_reason(lines.stream, list, i);
		if (layout_lines_end(&lines, 0, out, columns))
			return err_sys(err, "resources", NULL);
	}
	return 0;
}

static int print_list(
	FILE *out, list_t *list, bool omitted, size_t columns, struct err *err)
{
	struct layout_lines lines;

	if (columns >= TABLE_COLUMNS)
		fprintf(out, ROW, "resource", "unit", "every", "costs",
			"timer");
	for (size_t i = 0; i < list->n; i++)
		print_row(out, &list->v[i], columns);
	fputc('\n', out);
	if (!layout_lines_begin(&lines))
		return err_sys(err, "resources", NULL);
	put_costs(lines.stream, list);
	if (layout_lines_end(&lines, 0, out, columns))
		return err_sys(err, "resources", NULL);
	if (omitted)
		print_omitted(out, columns);
	return print_reasons(out, list, columns, err);
}

static int take_timer(
	void *arg, const struct opt *opt, const char *value, struct err *err)
{
	struct resources_args *x = arg;

	(void)opt;
	return monitor_parse_timer(value, &x->timer, err);
}

static void print_found(void *arg, const char *name, const char *about)
{
	struct output *out = arg;
	char *text, shown[256], escaped[640];

	if (asprintf(&text, "%s%s%s", text_escape(name, shown, sizeof shown),
		    *about ? "   " : "",
		    text_escape(about, escaped, sizeof escaped)) < 0)
		return;
	layout_flow(out->stream, text, out->columns);
	fputc('\n', out->stream);
	free(text);
}

static int search(const struct subcommand *self, const char *word,
	char *const *files, int nfiles)
{
	struct err err, why;
	struct output out;
	int bad;

	if (output_begin(&out, NULL, &err))
		return subcommand_fail(self, &err);
	bad = monitor_search(word, files, nfiles, print_found, &out, &why);
	if (output_end(&out, &err))
		return subcommand_fail(self, &err);
	return bad ? subcommand_fail(self, &why) : 0;
}

int cmd_resources(const struct subcommand *self, int argc, char **argv)
{
	struct resources_args x = {.timer = TIMER_AUTO};
	struct opt_scan scan;
	struct output out;
	struct err err;
	list_t list = {0};
	int bad, status;

	opt_begin(&scan, self->opts, false, argc, argv);
	if (subcommand_options(self, &scan, &x, take_timer, &x, &status))
		return status;
	output_init();
	if (x.word)
		return search(self, x.word, scan.operands, scan.noperands);
	bad = make_list(&list, scan.operands, scan.noperands, x.each, x.timer,
		      &err) ||
	      output_begin(&out, NULL, &err);
	if (!bad)
		bad = print_list(out.stream, &list, !x.each && !scan.noperands,
			      out.columns, &err) ||
		      output_end(&out, &err);
	vec_free(&list);
	return bad ? subcommand_fail(self, &err) : 0;
}
