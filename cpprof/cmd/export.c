/* cpprof export: stacks for other programs. */
#include "cpprof/session/exports.h"
#include "cpprof/cmd/filter_opts.h"
#include "cpprof/output.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"

enum {
	EXPORT_FORMAT,
	EXPORT_RESOURCE,
	EXPORT_OUTPUT,
	EXPORT_SITES,
	EXPORT_NO_INLINES,
	EXPORT_CLONES,
	EXPORT_NAMES,
	EXPORT_NO_LABELS,
};

const struct opt export_opts[] = {
	{"format", 'f', "FORMAT",
		"folded (default), pprof, firefox, perf-script, html",
		EXPORT_FORMAT},
	{"resource", 'r', "R", "one resource; default all that FORMAT can hold",
		EXPORT_RESOURCE},
	{"output", 'o', "FILE", "file to write; default standard output",
		EXPORT_OUTPUT},
	{"sites", 0, NULL, "folded, html: distinguish call sites",
		EXPORT_SITES},
	{"no-inlines", 0, NULL, "fold inlined calls into their callers",
		EXPORT_NO_INLINES},
	{"clones", 0, NULL, "show f.cold and f.part.0 as functions",
		EXPORT_CLONES},
	{"names", 0, "STYLE", "short (default of html) or full (of all others)",
		EXPORT_NAMES},
	{"no-labels", 0, NULL, "pprof: leave out processes and threads",
		EXPORT_NO_LABELS},
	OPT_FILTER_ROWS,
	OPT_HELP_ROW,
	{0},
};

struct export_args {
	const char *format, *resource, *output, *file;
	bool names_set, full_names;
	bool sites, no_inlines, clones, no_labels;
	struct filter_opts filters;
};

static int take_option(struct export_args *x, const struct opt *opt,
	const char *value, struct err *err)
{
	int took = filter_opts_take(&x->filters, opt, value, err);

	if (took)
		return took < 0 ? -1 : 0;
	switch (opt->id) {
	case EXPORT_FORMAT:
		x->format = value;
		break;
	case EXPORT_RESOURCE:
		x->resource = value;
		break;
	case EXPORT_OUTPUT:
		x->output = value;
		break;
	case EXPORT_SITES:
		x->sites = true;
		break;
	case EXPORT_NO_INLINES:
		x->no_inlines = true;
		break;
	case EXPORT_CLONES:
		x->clones = true;
		break;
	case EXPORT_NAMES:
		x->names_set = true;
		return session_parse_names(value, &x->full_names, err);
	case EXPORT_NO_LABELS:
		x->no_labels = true;
		break;
	}
	return 0;
}

static int export_session(const struct export_args *x, struct session *s,
	const struct export_format *format, struct err *err)
{
	const struct export_options options = {!!x->resource, x->no_labels};
	struct output_target file = {OUTPUT_FILE, x->output};
	struct tree_view view = s->view;
	struct output out;
	int bad;

	if (x->resource) {
		view.resource = dataset_resource(s->data, x->resource, err);
		if (!view.resource)
			return -1;
	}
	view.sites = x->sites;
	view.no_inlines = x->no_inlines;
	view.clones = x->clones;
	session_view(s, &view);
	s->names_set = x->names_set;
	s->style.full_names = x->full_names;
	if (!x->output && export_check_output(format, err) < 0)
		return -1;
	if (filter_opts_apply(&x->filters, s, err) < 0 ||
		output_begin(&out, x->output ? &file : NULL, err) < 0)
		return -1;
	patience_begin(&s->patience);
	bad = export_write(format, out.stream, s, &options, err);
	patience_end(&s->patience);
	if (bad < 0) {
		output_drop(&out);
		return -1;
	}
	return output_end(&out, err);
}

static int export_file(const struct export_args *x, struct err *err)
{
	const struct export_format *format = export_format_find(x->format, err);
	struct session *s = format ? session_open(x->file, err) : NULL;
	char text[256];
	int bad;

	if (!s)
		return -1;
	if (*session_warning(s, text, sizeof text))
		message("%s: %s", x->file, text);
	bad = export_session(x, s, format, err);
	session_close(s);
	return bad;
}

int cmd_export(const struct subcommand *self, int argc, char **argv)
{
	struct export_args x = {.format = "folded"};
	const struct opt *opt;
	struct opt_scan scan;
	struct err err;
	const char *value;
	int got, bad = 0, status;

	opt_begin(&scan, self->opts, false, argc, argv);
	while (!bad && (got = subcommand_option(
				self, &scan, &opt, &value, &status)) > 0)
		bad = take_option(&x, opt, value, &err);
	if (!bad && got < 0)
		goto out;
	output_init();
	x.file = bad ? NULL : subcommand_file(&scan, &err);
	status = x.file && export_file(&x, &err) == 0
			 ? 0
			 : subcommand_fail(self, &err);
out:
	filter_opts_fini(&x.filters);
	return status;
}
