#include "cpprof/session/why.h"

#include <stdlib.h>

static int print(struct session *s, struct tree *const *trees, size_t n,
	const struct report_format *format,
	const struct report_options *options, double threshold, FILE *out,
	struct err *err)
{
	uint32_t *roots = NULL;
	size_t nroots = 0;
	struct why *why = NULL;
	int status = -1;

	if (options->root &&
		session_roots(s, trees[0], options->root, &roots, &nroots, err))
		return -1;
	why = why_new((const struct tree *const *)trees, n,
		nroots ? PROFILE_DOWN : PROFILE_FUNCTION, roots, nroots,
		threshold, 0, err);
	free(roots);
	if (why && !why->n && !format->data) {
		err_set(err, options->root, "why",
			"nothing reaches the "
			"threshold of %g",
			threshold);
		err_hint(err, "a lower threshold may: 'threshold 0', "
			      "--threshold=0");
	} else if (why) {
		status = report_why(out, format, why, threshold, options, err);
	}
	why_free(why);
	return status;
}

int why_print(struct session *s, const uint32_t *resources, size_t n,
	const struct report_format *format,
	const struct report_options *options, double threshold, FILE *out,
	struct err *err)
{
	uint32_t all = s->data->nresources, *list = NULL, used = 0;
	struct tree **trees;
	int status = -1;

	if (!n) {
		list = calloc(all + 1, sizeof *list);
		if (!list)
			return err_sys(err, "why", NULL);
		list[used++] = s->view.resource;
		for (uint32_t r = 1; r <= all; r++)
			if (r != s->view.resource)
				list[used++] = r;
		resources = list;
		n = used;
	}
	trees = session_trees(s, resources, n, err);
	if (trees)
		status = print(
			s, trees, n, format, options, threshold, out, err);
	session_trees_free(trees);
	free(list);
	return status;
}
