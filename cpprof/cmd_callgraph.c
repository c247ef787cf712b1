/* cpprof callgraph: who calls whom, and the cycles. */
#include "cpprof/file_opts.h"
#include "cpprof/message.h"
#include "cpprof/questions.h"
#include "cpprof/subcommand.h"

enum { CALLGRAPH_FUNCTION, CALLGRAPH_CYCLES, CALLGRAPH_THRESHOLD };

const struct opt callgraph_opts[] = {
	{"function", 'F', "F", "callers and callees of F; default: all",
		CALLGRAPH_FUNCTION},
	{"cycles", 0, NULL, "the cycles of calls that happened, instead",
		CALLGRAPH_CYCLES},
	{"threshold", 't', "X", "leave out what is below X; default 1%",
		CALLGRAPH_THRESHOLD},
	OPT_FILE_ROWS,
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

struct callgraph_command {
	struct file_opts file;
	const char *function;
	double threshold;
	bool cycles;
};

static int take_option(struct callgraph_command *c, const struct opt *opt,
	const char *value, struct err *err)
{
	int took = file_opts_take(&c->file, opt, value, err);

	if (took)
		return took < 0 ? -1 : 0;
	switch (opt->id) {
	case CALLGRAPH_FUNCTION:
		c->function = value;
		return 0;
	case CALLGRAPH_CYCLES:
		c->cycles = true;
		return 0;
	default:
		return session_parse_threshold(value, &c->threshold, err);
	}
}

static int ask(
	struct session *s, const struct output *out, void *arg, struct err *err)
{
	const struct callgraph_command *c = arg;

	return c->cycles ? question_cycles(s, c->threshold, out, err)
			 : question_callgraph(
				   s, c->function, c->threshold, out, err);
}

int cmd_callgraph(const struct subcommand *self, int argc, char **argv)
{
	struct callgraph_command c = {.threshold = DEFAULT_THRESHOLD};
	const struct opt *opt;
	struct opt_scan scan;
	struct err err;
	const char *file, *value;
	int got, bad = 0, status = EXIT_WRONG;

	opt_begin(&scan, self->opts, false, argc, argv);
	while (!bad && (got = subcommand_option(
				self, &scan, &opt, &value, &status)) > 0)
		bad = take_option(&c, opt, value, &err);
	if (!bad && got < 0)
		goto out;
	file = bad ? NULL : subcommand_file(&scan, &err);
	status = file && file_opts_ask(&c.file, file, ask, &c, &err) == 0
			 ? 0
			 : subcommand_fail(self, &err);
out:
	file_opts_fini(&c.file);
	return status;
}
