/* cpprof diff: what changed between runs, and a gate on it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/report/diff.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/run/summary_facts.h"
#include "lib/run/command.h"
#include "lib/text.h"
#include "lib/vec.h"
#include "cpprof/cmd/gate.h"
#include "cpprof/message.h"
#include "cpprof/output.h"
#include "cpprof/session/settings.h"
#include "cpprof/subcommand.h"

struct diff_args {
	VEC(struct gate) gates;
	VEC(struct session *) sessions; /* of both sides, those of A first */
	VEC(struct stat) files;         /* likewise */
	size_t na;
	const struct tree **trees;
	const char *resource, *root, *path;
	struct choices choices;
};

enum { DIFF_FAIL_IF };

const struct opt diff_opts[] = {
	{"resource", 'r', "R", "one resource; default all",
		OPT_VALUE(struct diff_args, resource)},
	{"threshold", 't', "X",
		"leave out less than X of the total; default 1%", OPT_SETTING},
	{"top", 'n', "N", "list the N largest changes; default 10; all",
		OPT_SETTING},
	{"root", 0, "F", "compare the call paths from F; default main",
		OPT_VALUE(struct diff_args, root)},
	{"format", 'f', "FORMAT", "text (default), json, csv", OPT_SETTING},
	{"fail-if", 0, "COND", "exit with 1 if it holds: 'cpu > 5%'",
		DIFF_FAIL_IF},
	{"path", 0, "F", "--fail-if tests F, or a path 'f > g'",
		OPT_VALUE(struct diff_args, path)},
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

#define FILES_MAX 1000 /* a side */
#define CHANGES 10     /* that are listed where the user says nothing */

static int take(
	void *arg, const struct opt *opt, const char *value, struct err *err)
{
	struct diff_args *x = arg;
	struct gate gate;

	if (opt->id == OPT_SETTING)
		return choices_take(&x->choices, opt, value, err);
	if (gate_parse(value, &gate, err))
		return -1;
	return vec_add(&x->gates, gate) ? 0 : err_memory(err, opt->name, NULL);
}

/* A format without a writer of diffs is an error. */
static int check_format(const struct report_format *format, struct err *err)
{
	if (format->write_diff)
		return 0;
	err_set(err, format->name, NULL, "no format of diff");
	return err_hint(err, "there are: text, json, csv");
}

/* One run taken for two would have no noise. */
static int check_twice(struct diff_args *x, const char *file, struct err *err)
{
	struct stat st;

	if (!strcmp(file, "-") ? fstat(STDIN_FILENO, &st) : stat(file, &st))
		return 0; /* opening it tells why */
	for (size_t i = 0; i < x->files.n; i++) {
		const struct stat *other = &x->files.v[i];

		if (st.st_dev != other->st_dev || st.st_ino != other->st_ino)
			continue;
		err_set(err, file, "diff", "given twice, and it is one run");
		return err_hint(err, "give each run once; the run before that "
				     "in cpprofdata is in cpprofdata.old");
	}
	return vec_add(&x->files, st) ? 0 : err_memory(err, file, NULL);
}

/* Opens a run and sets its view: stacks of functions, as in any build. */
static int open_run(struct diff_args *x, const char *file, struct err *err)
{
	struct session **to = vec_push(&x->sessions), *s;
	struct tree_view view;

	if (!to)
		return err_sys(err, file, NULL);
	*to = s = session_open(file, err);
	if (!s) {
		x->sessions.n--;
		return -1;
	}
	session_warn(s);
	view = s->view;
	view.no_inlines = true;
	session_view(s, &view);
	s->style.top = CHANGES;
	return choices_apply(&x->choices, s, err)
		       ? -1
		       : check_format(s->format, err);
}

static int open_runs(struct diff_args *x, char **files, int n, struct err *err)
{
	if (n > FILES_MAX)
		return err_set(err, "diff", NULL, "more than 1000 runs a side");
	for (int i = 0; i < n; i++)
		if (check_twice(x, files[i], err) || open_run(x, files[i], err))
			return -1;
	return 0;
}

/* Work on all runs is heard: the one that is under way tells how far it is. */
static void be_patient(
	const struct diff_args *x, void (*what)(struct patience *))
{
	for (size_t i = 0; i < x->sessions.n; i++)
		what(&x->sessions.v[i]->patience);
}

/* Sets all runs to the resource of that name. */
static int set_resource(struct diff_args *x, const char *name, struct err *err)
{
	for (size_t i = 0; i < x->sessions.n; i++) {
		struct session *s = x->sessions.v[i];
		struct tree_view view = s->view;

		view.resource = dataset_resource(s->data, name, err);
		if (!view.resource)
			return -1;
		session_view(s, &view);
		x->trees[i] = session_tree(s, err);
		if (!x->trees[i])
			return -1;
	}
	return 0;
}

/* The root that every run has; NULL: all. */
static const char *common_root(const struct diff_args *x)
{
	const char *root = NULL;

	for (size_t i = 0; i < x->sessions.n; i++) {
		const char *own = dataset_default_root(x->sessions.v[i]->data);

		if (strcmp(own, "[all]") == 0 ||
			(root && strcmp(own, root) != 0))
			return NULL;
		root = own;
	}
	return root;
}

static struct diff *diff_of(
	struct diff_args *x, const char *resource, struct err *err)
{
	struct diff_side a = {x->trees, x->na};
	struct diff_side b = {x->trees + x->na, x->sessions.n - x->na};

	struct diff *diff = NULL;

	be_patient(x, patience_begin);
	if (!set_resource(x, resource, err))
		diff = diff_new(a, b, x->root ? x->root : common_root(x),
			x->sessions.v[0]->threshold, err);
	be_patient(x, patience_end);
	return diff;
}

/* Programs of other names count as one. */
static void put_programs(const struct diff_args *x, FILE *out,
	const struct report_options *options)
{
	const char *before = diff_program(x->trees[0]);
	const char *after = diff_program(x->trees[x->na]);
	char a[256], b[256];

	if (*before && *after && strcmp(before, after) != 0)
		layout_note(out, options,
			"%s before and %s after are compared as one program",
			text_escape(before, a, sizeof a),
			text_escape(after, b, sizeof b));
}

static const struct cpd_resource wall = {
	.name = GATE_WALL, .gtick = "us", .unit = CPD_USEC};

/* Compares the runs' own time. */
static int figure_wall(
	struct diff_args *x, struct gate_answer *to, struct err *err)
{
	double *values = calloc(x->sessions.n, sizeof *values);
	int bad = values ? 0 : err_sys(err, "diff", NULL);

	to->resource = &wall;
	if (!bad && x->path) {
		bad = err_set(err, x->path, "path", "wall is of a whole run");
		err_hint(err, "leave --path out, or name a resource");
	}
	for (size_t i = 0; !bad && i < x->sessions.n; i++) {
		const struct dataset *data = x->sessions.v[i]->data;
		struct run_facts facts = summary_facts(data);

		values[i] = (double)facts.wall;
		if (!facts.wall_known)
			bad = err_set(err, data->path, GATE_WALL, "not known");
	}
	if (!bad &&
		diff_values(values, x->na, x->sessions.n - x->na, &to->figure))
		bad = err_sys(err, "diff", NULL);
	free(values);
	return bad;
}

/* The runs' own time, where it is known of each. */
static void put_wall(
	struct diff_args *x, FILE *out, const struct report_options *options)
{
	struct gate_answer answer;
	struct err unknown;

	if (!figure_wall(x, &answer, &unknown))
		report_diff_wall(out, answer.resource, &answer.figure, x->na,
			x->sessions.n - x->na, options);
}

static int print(struct diff_args *x, const char *resource, bool first,
	struct output *out, struct err *err)
{
	const struct session *s = x->sessions.v[0];
	struct report_options options = session_options(s, NULL, out);
	struct diff *diff = diff_of(x, resource, err);
	int bad;

	if (!diff)
		return -1;
	if (!s->format->data && first) {
		put_programs(x, out->stream, &options);
		put_wall(x, out->stream, &options);
	} else if (!s->format->data)
		fputc('\n', out->stream);
	bad = s->format->write_diff(out->stream, diff, &options, err);
	diff_free(diff);
	return bad;
}

/* Prints each resource that a run has used, or the one asked for. */
static int print_all(struct diff_args *x, struct err *err)
{
	const struct dataset *data = x->sessions.v[0]->data;
	struct output out;
	bool first = true;
	int bad = 0;

	if (output_begin(&out, NULL, err) < 0)
		return -1;
	for (uint32_t r = 1; r <= data->nresources && !bad; r++) {
		const char *name = data->resources[r].name;

		if (x->resource && strcmp(x->resource, name))
			continue;
		bad = print(x, name, first, &out, err);
		first = false;
	}
	if (!bad && first) /* the error that lists them */
		bad = set_resource(x, x->resource, err);
	if (bad) {
		output_drop(&out);
		return -1;
	}
	return output_end(&out, err);
}

/* Fills resource and figure of what a condition is about. */
static int figure_of(struct diff_args *x, const char *resource, bool *counted,
	struct gate_answer *to, struct err *err)
{
	struct diff *diff = diff_of(x, resource, err);
	const struct tree *tree = x->trees[0];
	int bad = diff ? 0 : -1;
	char how[FILENAME_MAX];

	if (bad)
		return bad;
	to->resource = tree_resource(tree);
	to->figure = diff->total;
	*counted = diff->counts;
	if (x->path && diff_find(diff, x->path, &to->figure)) {
		bad = err_set(err, x->path, "path",
			"no run has such a function or path");
		err_hint(err, "'%s' lists the functions of a run",
			command_on("report", x->sessions.v[0]->data->path, how,
				sizeof how));
	}
	diff_free(diff);
	return bad;
}

static int decide(struct diff_args *x, const struct gate *gate,
	struct gate_answer *answer, struct err *err)
{
	bool counted = false;

	answer->path = x->path;
	if (!strcmp(gate->resource, GATE_WALL)
			? figure_wall(x, answer, err)
			: figure_of(x, gate->resource, &counted, answer, err))
		return -1;
	return gate_decide(gate, counted, answer, err);
}

/* Decides all conditions.  One that holds has precedence over one that is not
   decided. */
static int decide_all(struct diff_args *x, struct err *err)
{
	const struct report_format *format = x->sessions.v[0]->format;
	struct gate_answer *answers = calloc(x->gates.n, sizeof *answers);
	int status = answers ? GATE_NO : GATE_ERROR;

	if (!answers)
		err_sys(err, "diff", NULL);
	for (size_t i = 0; status != GATE_ERROR && i < x->gates.n; i++) {
		if (decide(x, &x->gates.v[i], &answers[i], err))
			status = GATE_ERROR;
		else if (answers[i].status == GATE_YES || status == GATE_NO)
			status = answers[i].status;
	}
	for (size_t i = 0;
		status != GATE_ERROR && !format->write_facts && i < x->gates.n;
		i++)
		gate_print(&answers[i], stdout);
	if (status != GATE_ERROR && format->write_facts &&
		format->write_facts(stdout, gate_object(answers, x->gates.n))) {
		err_sys(err, "diff", NULL);
		status = GATE_ERROR;
	}
	free(answers);
	return status;
}

static int usage(struct err *err)
{
	err_set(err, "diff", NULL,
		"two files, or two lists of files, are compared");
	return err_hint(err,
		"it is used as: cpprof diff BEFORE AFTER, or cpprof "
		"diff BEFORE... -- AFTER...");
}

/* Opens the files of both sides: A B, or A... -- B... (behind the "--"). */
static int open_sides(struct diff_args *x, const struct opt_scan *scan,
	char **behind, int nbehind, struct err *err)
{
	char **files = scan->operands;
	int n = scan->noperands;
	bool two = !behind && n == 2;

	if (!two && (n < 1 || nbehind < 1))
		return usage(err);
	x->na = two ? 1 : (size_t)n;
	return open_runs(x, files, n, err) ||
			       (!two && open_runs(x, behind, nbehind, err))
		       ? -1
		       : 0;
}

static int compare(struct diff_args *x, const struct opt_scan *scan,
	char **behind, int nbehind, struct err *err)
{
	if (open_sides(x, scan, behind, nbehind, err))
		return GATE_ERROR;
	x->trees = calloc(x->sessions.n, sizeof *x->trees);
	if (!x->trees) {
		err_sys(err, "diff", NULL);
		return GATE_ERROR;
	}
	if (x->gates.n)
		return decide_all(x, err);
	if (x->path) {
		err_set(err, "--path", NULL, "needs a condition");
		err_hint(err, "give --fail-if, or --root=F to compare the "
			      "paths from a function");
		return GATE_ERROR;
	}
	return print_all(x, err) ? GATE_ERROR : 0;
}

static void finish(struct diff_args *x)
{
	for (size_t i = 0; i < x->sessions.n; i++)
		session_close(x->sessions.v[i]);
	vec_free(&x->sessions);
	vec_free(&x->files);
	vec_free(&x->gates);
	free(x->trees);
	choices_fini(&x->choices);
}

int cmd_diff(const struct subcommand *self, int argc, char **argv)
{
	struct diff_args x = {0};
	char **behind = NULL;
	struct opt_scan scan;
	struct err err;
	int status, nbehind = 0;

	/* "--" stands between the sides */
	for (int i = 0; i < argc && !behind; i++)
		if (!strcmp(argv[i], "--")) {
			behind = argv + i + 1;
			nbehind = argc - i - 1;
			argc = i;
		}
	opt_begin(&scan, self->opts, false, argc, argv);
	if (subcommand_options(self, &scan, &x, take, &x, &status) == 0) {
		output_init();
		status = compare(&x, &scan, behind, nbehind, &err);
		if (status == GATE_ERROR)
			status = subcommand_fail(self, &err);
	}
	finish(&x);
	return status;
}
