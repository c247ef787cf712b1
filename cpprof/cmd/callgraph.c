/* cpprof callgraph: who calls whom, and the cycles. */
#include "cpprof/cmd/file_opts.h"
#include "cpprof/session/questions.h"

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
	const char *function;
	double threshold;
	bool cycles;
};

static int take_option(
	void *arg, const struct opt *opt, const char *value, struct err *err)
{
	struct callgraph_command *c = arg;

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
	static const struct file_question question = {
		.take = take_option, .ask = ask};
	struct callgraph_command c = {.threshold = DEFAULT_THRESHOLD};

	return file_opts_run(self, argc, argv, &question, &c);
}
