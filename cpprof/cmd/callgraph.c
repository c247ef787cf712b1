/* cpprof callgraph: who calls whom, and the cycles. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/run/command.h"
#include "cpprof/cmd/file_command.h"
#include "cpprof/session/questions.h"

struct callgraph_command {
	const char *around;
	bool cycles;
};

const struct opt callgraph_opts[] = {
	{"around", 0, "F", "callers and callees of F; default: all",
		OPT_VALUE(struct callgraph_command, around)},
	{"cycles", 0, NULL, "the cycles of calls that happened, instead",
		OPT_FLAG(struct callgraph_command, cycles)},
	OPT_SET(WORD_THRESHOLD),
	OPT_FILE_ROWS,
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

static int answer(
	struct session *s, struct output *out, void *arg, struct err *err)
{
	const struct callgraph_command *c = arg;
	const struct question *question = question_find(
		c->cycles ? WORD_NAME(WORD_CYCLES) : WORD_NAME(WORD_CALLGRAPH));
	const struct asked asked = {
		.name = c->around, .threshold = s->threshold};

	return question->ask(s, question, &asked, out, err);
}

/* [FILE]; what is none may be meant as a function. */
static const char *take_operands(
	void *arg, struct opt_scan *scan, struct err *err)
{
	const char *file = subcommand_file(scan, err);
	const char *first = scan->noperands ? scan->operands[0] : NULL;
	char name[256], around[300], how[600];

	(void)arg;
	if (!first || !strcmp(first, "-") || !access(first, F_OK))
		return file;
	err_sys(err, first, "open");
	snprintf(around, sizeof around, "callgraph --around=%s",
		command_quoted(first, name, sizeof name));
	err_hint(err, "who calls a function, and whom it calls: %s",
		command_on(around,
			scan->noperands > 1 ? scan->operands[1] : DEFAULT_FILE,
			how, sizeof how));
	return NULL;
}

int cmd_callgraph(const struct subcommand *self, int argc, char **argv)
{
	static const struct file_command command = {
		.operands = take_operands, .answer = answer};
	struct callgraph_command c = {0};

	return file_command_run(self, argc, argv, &command, &c);
}
