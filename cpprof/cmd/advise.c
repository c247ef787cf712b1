/* cpprof advise: contexts that are worth a look. */
#include "cpprof/cmd/file_command.h"
#include "cpprof/session/questions.h"

const struct opt advise_opts[] = {
	OPT_FILE_ROWS,
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

int cmd_advise(const struct subcommand *self, int argc, char **argv)
{
	static const struct file_command command = {.answer = file_command_ask};

	return file_command_run(self, argc, argv, &command,
		(void *)question_find(WORD_NAME(WORD_ADVISE)));
}
