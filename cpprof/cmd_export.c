/* cpprof export: stacks for other programs. */
#include "exports.h"
#include "output.h"
#include "say.h"
#include "subcommand.h"

enum { EXPORT_FORMAT, EXPORT_RESOURCE, EXPORT_OUTPUT };

const struct opt export_opts[] = {
	{"format", 'f', "FORMAT", "folded (default): root;...;leaf hits",
		EXPORT_FORMAT},
	{"resource", 'r', "R", "the resource; default the first with samples",
		EXPORT_RESOURCE},
	{"output", 'o', "FILE", "file to write; default standard output",
		EXPORT_OUTPUT},
	OPT_HELP_ROW,
	{0},
};

static int export_session(struct session *s, const char *resource,
	const struct export_format *format, const char *output, struct err *err)
{
	struct output_target file = {OUTPUT_FILE, output};
	struct tree_view view = s->view;
	struct output out;

	if (resource) {
		view.resource = dataset_resource(s->data, resource, err);
		if (!view.resource)
			return -1;
		session_view(s, &view);
	}
	if (output_begin(&out, output ? &file : NULL, err) < 0)
		return -1;
	if (export_write(format, out.stream, s, err) < 0) {
		output_drop(&out);
		return -1;
	}
	return output_end(&out, err);
}

int cmd_export(const struct subcommand *self, int argc, char **argv)
{
	const char *format = "folded", *resource = NULL, *output = NULL;
	const char *file, *value;
	const struct export_format *row;
	const struct opt *opt;
	struct opt_scan scan;
	struct session *s;
	struct err err;
	char text[256];
	int got, status;

	opt_begin(&scan, self->opts, false, argc, argv);
	while ((got = subcommand_option(self, &scan, &opt, &value, &status)) >
		0)
		*(opt->id == EXPORT_FORMAT           ? &format
			: opt->id == EXPORT_RESOURCE ? &resource
						     : &output) = value;
	if (got < 0)
		return status;
	output_init();
	row = export_find(format, &err);
	file = row ? subcommand_file(&scan, &err) : NULL;
	s = file ? session_open(file, &err) : NULL;
	if (!s)
		return subcommand_fail(self, &err);
	if (*session_warning(s, text, sizeof text))
		say("%s: %s", file, text);
	status = export_session(s, resource, row, output, &err) < 0
			 ? subcommand_fail(self, &err)
			 : 0;
	session_close(s);
	return status;
}
