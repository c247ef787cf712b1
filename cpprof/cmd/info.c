/* cpprof info: what is in a file. */
#include "cpprof/output.h"
#include "cpprof/message.h"
#include "cpprof/session/session.h"
#include "cpprof/subcommand.h"

const struct opt info_opts[] = {
	OPT_HELP_ROW,
	{0},
};

int cmd_info(const struct subcommand *self, int argc, char **argv)
{
	const struct opt *opt;
	struct opt_scan scan;
	struct session *s;
	struct output out;
	struct err err;
	const char *file, *value;
	char text[256];
	int got, bad, status;

	opt_begin(&scan, self->opts, false, argc, argv);
	while ((got = subcommand_option(self, &scan, &opt, &value, &status)) >
		0)
		;
	if (got < 0)
		return status;
	output_init();
	file = subcommand_file(&scan, &err);
	s = file ? session_open(file, &err) : NULL;
	if (!s)
		return subcommand_fail(self, &err);
	if (*session_warning(s, text, sizeof text))
		message("%s: %s", file, text);
	bad = output_begin(&out, NULL, &err);
	if (!bad) {
		bad = report_info(out.stream, s->data, &err);
		if (bad)
			output_drop(&out);
		else
			bad = output_end(&out, &err);
	}
	session_close(s);
	return bad ? subcommand_fail(self, &err) : 0;
}
