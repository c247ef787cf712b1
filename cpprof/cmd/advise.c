/* cpprof advise: contexts that are worth a look. */
#include "cpprof/cmd/file_opts.h"
#include "cpprof/session/questions.h"

const struct opt advise_opts[] = {
	OPT_FILE_ROWS,
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

static int ask(
	struct session *s, const struct output *out, void *arg, struct err *err)
{
	(void)arg;
	return question_advise(s, out, err);
}

int cmd_advise(const struct subcommand *self, int argc, char **argv)
{
	static const struct file_question question = {.ask = ask};

	return file_opts_run(self, argc, argv, &question, NULL);
}
