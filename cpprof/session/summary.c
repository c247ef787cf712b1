/* Asks for the heaviest functions and paths, and prints them. */
#include "cpprof/session/summary.h"

#include <stdlib.h>
#include <string.h>

/* Lines of each table where the user has set none: about two screens. */
#define FUNCTIONS 20

/* On a terminal so many functions that the tree begins on the first screen. */
static size_t functions(const struct report_options *options)
{
	size_t rows = options->rows > 24 ? (options->rows - 12) / 2 : 6;

	return options->top                        ? options->top
	       : options->rows && rows < FUNCTIONS ? rows
						   : FUNCTIONS;
}

static int print_functions(struct session *s,
	const struct report_options *options, double threshold, FILE *out,
	struct err *err)
{
	const struct profile *p =
		session_profile(s, PROFILE_FUNCTION, NULL, threshold, err);

	return p ? report_profile(out, report_formats, p, options, err) : -1;
}

/* Prints paths from the root that was chosen, or all of them. */
static int print_paths(struct session *s, const struct report_options *options,
	double threshold, FILE *out, struct err *err)
{
	const struct profile *p = session_profile(
		s, PROFILE_DOWN, s->rooted ? s->root : "[all]", threshold, err);

	if (!p && strcmp(s->root, "[all]") != 0)
		p = session_profile(s, PROFILE_DOWN, "[all]", threshold, err);
	return p ? report_profile(out, report_formats, p, options, err) : -1;
}

static int print_people(struct session *s, const struct summary_choice *choice,
	const struct report_options *options, double threshold, FILE *out,
	struct err *err)
{
	struct report_options part = *options;

	/* Finds errors before anything is written. */
	if (!session_profile(s, PROFILE_FUNCTION, NULL, threshold, err) ||
		report_summary(out, choice, options, err))
		return -1;
	part.inside = true;
	part.top = functions(options);
	fputc('\n', out);
	if (report_filter_lines(out, session_tree(s, err), options, err) ||
		print_functions(s, &part, threshold, out, err))
		return -1;
	part.top = options->top ? options->top : SUMMARY_PATHS;
	fputc('\n', out);
	return print_paths(s, &part, threshold, out, err);
}

int summary_print(struct session *s, const struct report_options *options,
	double threshold, FILE *out, struct err *err)
{
	const struct summary_choice choice = {
		s->data, &s->view.resource, 1, s->view.resource};

	return print_people(s, &choice, options, threshold, out, err);
}

int summary_print_facts(const struct session *s,
	const struct summary_choice *choice, bool last, FILE *out,
	struct err *err)
{
	return s->format->summary_last == last
		       ? report_summary_facts(out, s->format, choice, err)
		       : 0;
}

/* The same for programs. */
static int print_data(struct session *s, const struct summary_choice *choice,
	const struct report_options *options, double threshold, FILE *out,
	struct err *err)
{
	const struct profile *functions =
		session_profile(s, PROFILE_FUNCTION, NULL, threshold, err);
	struct report_options of = *options;
	const struct profile *paths;

	of.root = s->root;
	if (!functions || summary_print_facts(s, choice, false, out, err) ||
		report_profile(out, s->format, functions, options, err))
		return -1;
	paths = session_profile(s, PROFILE_DOWN, of.root, threshold, err);
	return !paths || report_profile(out, s->format, paths, &of, err) ||
			       summary_print_facts(s, choice, true, out, err)
		       ? -1
		       : 0;
}

int summary_print_all(struct session *s, const struct report_options *options,
	double threshold, FILE *out, struct err *err)
{
	uint32_t n = s->data->nresources;
	uint32_t *resources = calloc(n, sizeof *resources);
	const struct summary_choice choice = {
		s->data, resources, n, s->view.resource};
	int status;

	if (!resources)
		return err_sys(err, "summary", NULL);
	for (uint32_t r = 1; r <= n; r++)
		resources[r - 1] = r;
	status = (s->format->data ? print_data : print_people)(
		s, &choice, options, threshold, out, err);
	free(resources);
	return status;
}
