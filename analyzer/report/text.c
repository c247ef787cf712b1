/*
 * text.c - profiles for people: a head line, then a table or paths.
 */
#include "analyzer/report/layout.h"
#include "analyzer/report/report_private.h"

int report_filter_lines(FILE *out, const struct tree *tree,
	const struct report_options *options, struct err *err)
{
	struct layout_lines lines;

	if (!layout_lines_begin(&lines) ||
		layout_lines_end(&lines,
			report_filters(lines.stream, tree, true), out,
			layout_columns(options)))
		return err_memory(err, NULL, "report");
	if (report_has_filters(tree) || report_has_view(tree))
		fputc('\n', out);
	return 0;
}

static int below_line(FILE *out, const struct profile *profile,
	const struct report_options *options)
{
	struct layout_lines lines;

	if (!layout_lines_begin(&lines))
		return -1;
	report_below_line(lines.stream, profile);
	return layout_lines_end(&lines, 0, out, layout_columns(options));
}

int report_text(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err)
{
	const struct tree *tree = profile->tree;

	if (!options->inside) {
		report_resource_line(
			out, tree->data, tree->view.resource, options);
		fputc('\n', out);
		if (report_filter_lines(out, tree, options, err))
			return -1;
	}
	if (below_line(out, profile, options))
		return err_memory(err, NULL, "report");
	if (profile->kind == PROFILE_FUNCTION || profile->kind == PROFILE_BODY)
		return report_function_table(out, profile, options, err);
	return report_path_tree(out, profile, options, err);
}
