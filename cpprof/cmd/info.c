/* cpprof info: what is in a file. */
#include "cpprof/cmd/file_command.h"

const struct opt info_opts[] = {
	{"format", 'f', "FORMAT", "text (default), json or csv", OPT_SETTING},
	OPT_HELP_ROW,
	{0},
};

static int answer(
	struct session *s, struct output *out, void *arg, struct err *err)
{
	const struct report_options options = session_options(s, NULL, out);

	(void)arg;
	return report_info(out->stream, s->format, s->data, &options, err);
}

int cmd_info(const struct subcommand *self, int argc, char **argv)
{
	static const struct file_command command = {.answer = answer};

	return file_command_run(self, argc, argv, &command, NULL);
}
