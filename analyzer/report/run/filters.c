/*
 * filters.c - the filters of a tree and what they keep, as header lines.
 */
#include <inttypes.h>

#include "analyzer/report/report_private.h"

static double share(const struct tree *tree, uint64_t part)
{
	return tree->whole.weight ? (double)part / (double)tree->whole.weight
				  : 0;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static int put_list(FILE *out, const struct filters *filters)
{
	fputs("filters: ", out);
	for (size_t i = 0; i < filters->n; i++) {
		fprintf(out, "%s%s ", i ? "; " : "",
			filter_names[filters->v[i].kind]);
		if (report_name(out, filters->v[i].name))
			return -1;
	}
	fputc('\n', out);
	return 0;
}

static void put_sums(FILE *out, const struct tree *tree,
	const struct tree_sums *sums, const char *what, bool percent)
{
	const struct cpd_resource *r = tree_resource(tree);
	double part = share(tree, sums->weight);
	char amount[128];

	fprintf(out, percent ? "%s: %.1f %% of the run" : "%s: %.5f of the run",
		what, percent ? 100 * part : part);
	fprintf(out, ", %s, %" PRIu64 " hit%s in %" PRIu64 " sample%s",
		report_amount(r, sums->weight, amount, sizeof amount),
		sums->hits, plural(sums->hits), sums->samples,
		plural(sums->samples));
}

/* Writes which functions the view elides and how it groups. */
static int put_view(FILE *out, const struct tree *tree)
{
	const struct filters *elided = tree->view.elided;
	size_t n = elided ? elided->n : 0;

	for (size_t i = 0; i < n; i++) {
		bool same = i && elided->v[i].kind == elided->v[i - 1].kind;

		fprintf(out, "%s%s", i ? "; " : "",
			same                               ? ""
			: elided->v[i].kind == FILTER_ONLY ? "only: "
							   : "elided: ");
		if (report_name(out, elided->v[i].name))
			return -1;
	}
	if (n)
		fputc('\n', out);
	if (tree->view.group != GROUP_FUNCTION)
		fprintf(out, "grouped by: %s\n",
			dataset_group_names[tree->view.group]);
	return 0;
}

bool report_has_view(const struct tree *tree)
{
	return tree->view.group != GROUP_FUNCTION ||
	       (tree->view.elided && tree->view.elided->n);
}

void report_below_line(FILE *out, const struct profile *profile)
{
	if (profile->kind == PROFILE_FUNCTION && tree_is_below(profile->tree))
		fputs("functions below that of the last filter, by their share "
		      "of what it keeps\n",
			out);
}

int report_filters(FILE *out, const struct tree *tree, bool percent)
{
	const struct filters *filters = tree->view.filters;
	const struct cpd_resource *r = tree_resource(tree);
	uint64_t loss = tree_loss_left_out(tree);
	char amount[128];

	if (put_view(out, tree))
		return -1;
	if (!report_has_filters(tree))
		return 0;
	if (put_list(out, filters))
		return -1;
	put_sums(out, tree, tree_total(tree, 0), "kept", percent);
	fputc('\n', out);
	if (tree->undecided.weight) {
		put_sums(out, tree, &tree->undecided, "undecided", percent);
		fputs(", truncated, which may hide a function\n", out);
	}
	if (filters_on_time(filters))
		fputs("consumed in the window: not known; the figures are of "
		      "its "
		      "samples\n",
			out);
	if (loss)
		fprintf(out,
			"in the whole run only: %s of losses in no %s that "
			"the filters keep\n",
			report_amount(r, loss, amount, sizeof amount),
			filters_on_time(filters) ? "window, thread or stack"
						 : "thread or stack");
	return 0;
}
