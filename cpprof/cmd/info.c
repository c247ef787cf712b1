/* cpprof info: what is in a file. */
#include "cpprof/output.h"
#include "cpprof/message.h"
#include "cpprof/session/session.h"
#include "cpprof/subcommand.h"

enum { INFO_FORMAT };

const struct opt info_opts[] = {
	{"format", 'f', "FORMAT", "text (default), json or csv", INFO_FORMAT},
	OPT_HELP_ROW,
	{0},
};

int cmd_info(const struct subcommand *self, int argc, char **argv)
{
	const struct report_format *format = report_formats;
	const struct opt *opt;
	struct opt_scan scan;
	struct session *s;
	struct output out;
	struct err err;
	const char *file, *value;
	char text[256];
	int got, bad, status;

	opt_begin(&scan, self->opts, false, argc, argv);
	while (format && (got = subcommand_option(
				  self, &scan, &opt, &value, &status)) > 0)
		format = report_format_find(value, &err);
	if (!format)
		return subcommand_fail(self, &err);
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
		bad = report_info(out.stream, format, s->data, &err);
		if (bad)
			output_drop(&out);
		else
			bad = output_end(&out, &err);
	}
	session_close(s);
	return bad ? subcommand_fail(self, &err) : 0;
}
