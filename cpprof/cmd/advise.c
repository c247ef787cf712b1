/* cpprof advise: contexts that are worth a look. */
#include "cpprof/cmd/file_command.h"
#include "cpprof/session/questions.h"

const struct opt advise_opts[] = {
	OPT_FILE_ROWS,
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

/* ARG: whether it is about one resource. */
static int check(void *arg, const struct choices *choices, const char **output,
	struct err *err)
{
	bool *one = arg;

	(void)output;
	(void)err;
	*one = choices_have(choices, WORD_NAME(WORD_RESOURCE));
	return 0;
}

static int answer(
	struct session *s, struct output *out, void *arg, struct err *err)
{
	const struct question *advise = question_find(WORD_NAME(WORD_ADVISE));
	const bool *one = arg;
	const struct asked asked = {
		.resources = &s->view.resource, .nresources = *one};

	return advise->ask(s, advise, &asked, out, err);
}

int cmd_advise(const struct subcommand *self, int argc, char **argv)
{
	static const struct file_command command = {
		.check = check, .answer = answer};
	bool one = false;

	return file_command_run(self, argc, argv, &command, &one);
}
