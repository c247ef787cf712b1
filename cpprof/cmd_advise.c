/* cpprof advise: contexts that are worth a look. */
#include "cpprof/file_opts.h"
#include "cpprof/message.h"
#include "cpprof/questions.h"
#include "cpprof/subcommand.h"

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
	struct file_opts file_opts = {0};
	const struct opt *opt;
	struct opt_scan scan;
	struct err err;
	const char *file, *value;
	int got, bad = 0, status = EXIT_WRONG;

	opt_begin(&scan, self->opts, false, argc, argv);
	while (!bad && (got = subcommand_option(
				self, &scan, &opt, &value, &status)) > 0)
		bad = file_opts_take(&file_opts, opt, value, &err) < 0;
	if (!bad && got < 0)
		goto out;
	file = bad ? NULL : subcommand_file(&scan, &err);
	status = file && file_opts_ask(&file_opts, file, ask, NULL, &err) == 0
			 ? 0
			 : subcommand_fail(self, &err);
out:
	file_opts_fini(&file_opts);
	return status;
}
