/* cpprof export: stacks for other programs. */
#include <string.h>

#include "cpprof/cmd/file_command.h"
#include "cpprof/session/exports.h"

struct export_args {
	const char *format, *output;
	const struct export_format *found;
	struct export_options options;
};

const struct opt export_opts[] = {
	{"format", 'f', "FORMAT",
		"folded (default), pprof, firefox, perf-script, html",
		OPT_VALUE(struct export_args, format)},
	{"resource", 'r', "R", "one resource; default all that FORMAT can hold",
		OPT_SETTING},
	{"output", 'o', "FILE", "file to write; - or none: standard output",
		OPT_VALUE(struct export_args, output)},
	OPT_SET(WORD_SITES),
	OPT_UNSET(WORD_INLINES, "fold inlined calls into their callers"),
	OPT_SET(WORD_CLONES),
	OPT_SET(WORD_SYSCALLS),
	OPT_SET(WORD_OBJECTS),
	{"names", 0, "STYLE", "short (default of html) or full (of all others)",
		OPT_SETTING},
	{"no-labels", 0, NULL, "pprof: leave out processes and threads",
		OPT_FLAG(struct export_args, options.no_labels)},
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

static int check(void *arg, const struct choices *choices, const char **output,
	struct err *err)
{
	struct export_args *x = arg;

	if (x->output && strcmp(x->output, "-") == 0)
		x->output = NULL;
	*output = x->output;
	x->options.one_resource =
		choices_have(choices, WORD_NAME(WORD_RESOURCE));
	x->found = export_format_find(x->format, err);
	if (!x->found)
		return -1;
	return x->output ? 0 : export_check_output(x->found, err);
}

static int answer(
	struct session *s, struct output *out, void *arg, struct err *err)
{
	const struct export_args *x = arg;

	return export_write(x->found, out->stream, s, &x->options, err);
}

int cmd_export(const struct subcommand *self, int argc, char **argv)
{
	static const struct file_command command = {
		.check = check, .answer = answer};
	struct export_args x = {.format = "folded"};

	return file_command_run(self, argc, argv, &command, &x);
}
