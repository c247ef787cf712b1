/* cpprof list: source lines and instructions of a function. */
#include <unistd.h>

#include "cpprof/cmd/file_command.h"
#include "cpprof/session/questions.h"
#include "cpprof/subcommand.h"

struct list_command {
	struct list_question question;
	struct source_paths sources;
};

enum { LIST_SOURCE_PATH };

const struct opt list_opts[] = {
	{"asm", 'S', NULL, "instructions, below the lines they are from",
		OPT_FLAG(struct list_command, question.code)},
	{"all", 'a', NULL, "leave nothing out between the first and the last",
		OPT_FLAG(struct list_command, question.all)},
	{"source-path", 's', "DIR", "look for sources below DIR first",
		LIST_SOURCE_PATH},
	OPT_SET(WORD_SYSROOT),
	OPT_FILE_ROWS,
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

static int take_option(
	void *arg, const struct opt *opt, const char *value, struct err *err)
{
	struct list_command *c = arg;

	return source_paths_add(&c->sources, value) == 0
		       ? 0
		       : err_sys(err, value, opt->name);
}

static int answer(
	struct session *s, struct output *out, void *arg, struct err *err)
{
	struct list_command *c = arg;

	for (size_t i = 0; i < c->sources.n; i++)
		if (source_paths_add(&s->sources, c->sources.v[i]))
			return err_sys(err, c->sources.v[i], "source-path");
	return question_list(s, &c->question, out, err);
}

/* F [FILE]; report and diff have the file first: it is taken there, too. */
static const char *take_operands(
	void *arg, struct opt_scan *scan, struct err *err)
{
	struct list_command *c = arg;

	if (scan->noperands == 0) {
		err_set(err, "list", NULL, "no function is named");
		err_hint(err, "it is used as: cpprof list F [FILE]");
		return NULL;
	}
	if (scan->noperands == 2 && access(scan->operands[1], F_OK) != 0 &&
		access(scan->operands[0], F_OK) == 0) {
		c->question.name = scan->operands[1];
		return scan->operands[0];
	}
	c->question.name = *scan->operands++;
	scan->noperands--;
	return subcommand_file(scan, err);
}

int cmd_list(const struct subcommand *self, int argc, char **argv)
{
	static const struct file_command command = {.take = take_option,
		.operands = take_operands,
		.answer = answer};
	struct list_command c = {0};
	int status = file_command_run(self, argc, argv, &command, &c);

	source_paths_fini(&c.sources);
	return status;
}
