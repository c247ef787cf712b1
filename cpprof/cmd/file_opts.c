/* One question to one file, from the command line. */
#include "cpprof/cmd/file_opts.h"

#include "cpprof/message.h"
#include "cpprof/output.h"

struct file_opts {
	const char *resource;
	const struct report_format *format;
	bool full_names;
	struct filter_opts filters;
};

/* Keeps OPT if it is one of these or a filter: 1, or 0 if it is not, or -1. */
static int take(struct file_opts *opts, const struct opt *opt,
	const char *value, struct err *err)
{
	switch (opt->id) {
	case OPT_FILE_RESOURCE:
		opts->resource = value;
		return 1;
	case OPT_FILE_FORMAT:
		opts->format = report_format_find(value, err);
		return opts->format ? 1 : -1;
	case OPT_FILE_NAMES:
		return session_parse_names(value, &opts->full_names, err) < 0
			       ? -1
			       : 1;
	default:
		return filter_opts_take(&opts->filters, opt, value, err);
	}
}

static int set_up(
	const struct file_opts *opts, struct session *s, struct err *err)
{
	struct tree_view view = s->view;

	s->style.full_names = opts->full_names;
	if (opts->format)
		s->format = opts->format;
	if (opts->resource) {
		view.resource = dataset_resource(s->data, opts->resource, err);
		if (!view.resource)
			return -1;
		session_view(s, &view);
	}
	return filter_opts_apply(&opts->filters, s, err);
}

static int ask(const struct file_opts *opts, const char *file,
	const struct file_question *question, void *arg, struct err *err)
{
	struct session *s;
	struct output out;
	char text[256];
	int bad;

	output_init();
	s = session_open(file, err);
	if (!s)
		return -1;
	if (*session_warning(s, text, sizeof text))
		message("%s: %s", file, text);
	bad = set_up(opts, s, err) < 0 || output_begin(&out, NULL, err) < 0;
	if (!bad) {
		patience_begin(&s->patience);
		bad = question->ask(s, &out, arg, err) < 0;
		patience_end(&s->patience);
		if (bad)
			output_drop(&out);
		else
			bad = output_end(&out, err) < 0;
	}
	session_close(s);
	return bad ? -1 : 0;
}

int file_opts_run(const struct subcommand *self, int argc, char **argv,
	const struct file_question *question, void *arg)
{
	struct file_opts opts = {0};
	const struct opt *opt;
	struct opt_scan scan;
	struct err err;
	const char *file = NULL, *value;
	int got, took = 0, status = self->failure;

	opt_begin(&scan, self->opts, false, argc, argv);
	while (took >= 0 && (got = subcommand_option(
				     self, &scan, &opt, &value, &status)) > 0) {
		took = take(&opts, opt, value, &err);
		if (!took && question->take)
			took = question->take(arg, opt, value, &err);
	}
	if (took >= 0 && got < 0)
		goto out;
	if (took >= 0)
		file = question->operands ? question->operands(arg, &scan, &err)
					  : subcommand_file(&scan, &err);
	status = file && ask(&opts, file, question, arg, &err) == 0
			 ? 0
			 : subcommand_fail(self, &err);
out:
	filter_opts_fini(&opts.filters);
	return status;
}
