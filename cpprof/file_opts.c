/* One question to one file, from the command line. */
#include "cpprof/file_opts.h"

#include "cpprof/message.h"
#include "cpprof/output.h"

int file_opts_take(struct file_opts *opts, const struct opt *opt,
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

int file_opts_ask(const struct file_opts *opts, const char *file,
	int (*ask)(struct session *s, const struct output *out, void *arg,
		struct err *err),
	void *arg, struct err *err)
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
		bad = ask(s, &out, arg, err) < 0;
		patience_end(&s->patience);
		if (bad)
			output_drop(&out);
		else
			bad = output_end(&out, err) < 0;
	}
	session_close(s);
	return bad ? -1 : 0;
}

void file_opts_fini(struct file_opts *opts)
{
	filter_opts_fini(&opts->filters);
}
