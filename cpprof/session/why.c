/* A session's functions or call paths under every resource. */
#include "cpprof/session/questions.h"

#include <stdlib.h>

static int answer(struct session *s, const struct tree *const *trees, size_t n,
	const struct asked *asked, const struct output *out, struct err *err)
{
	struct why_choice choice = {
		.kind = PROFILE_FUNCTION, .threshold = asked->threshold};
	struct report_options options;
	uint32_t *roots = NULL;
	struct why *why;
	int status = -1;

	if (asked->name && session_roots(s, trees[0], asked->name, &roots,
				   &choice.nroots, err))
		return -1;
	choice.roots = roots;
	if (choice.nroots)
		choice.kind = PROFILE_DOWN;
	why = why_new(trees, n, &choice, err);
	free(roots);
	if (why && !why->n && !s->format->data) {
		err_set(err, asked->name, "why",
			"nothing reaches the threshold of %g %%",
			100 * asked->threshold);
		err_hint(err, "a lower threshold may: 'threshold 0', "
			      "--threshold=0");
	} else if (why) {
		options = asked_begin(asked, s, asked->name, out);
		status = report_why(out->stream, s->format, why,
			asked->threshold, &options, err);
	}
	why_free(why);
	return status;
}

/* All resources of the file, the view's first; NULL and the error. */
static uint32_t *all_resources(const struct session *s, struct err *err)
{
	uint32_t all = s->data->nresources, used = 0;
	uint32_t *list = calloc(all + 1, sizeof *list);

	if (!list) {
		err_sys(err, "why", NULL);
		return NULL;
	}
	list[used++] = s->view.resource;
	for (uint32_t r = 1; r <= all; r++)
		if (r != s->view.resource)
			list[used++] = r;
	return list;
}

int question_why(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	size_t n = asked->nresources ? asked->nresources : s->data->nresources;
	uint32_t *all = asked->nresources ? NULL : all_resources(s, err);
	struct tree_view view = s->view;
	const struct tree **trees;
	int status = -1;

	(void)self;
	view.sites = false;
	view.idle = IDLE_SHOWN; /* other resources have the stacks, too */
	if (!asked->nresources && !all)
		return -1;
	trees = session_trees(s, &view, all ? all : asked->resources, n, err);
	if (trees)
		status = answer(s, trees, n, asked, out, err);
	free(trees);
	free(all);
	return status;
}
