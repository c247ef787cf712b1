/* What lives at the end. */
#include "cpprof/session/questions.h"

#include "analyzer/export/find_leaks.h"

/* The pair that the view's resource is of, or else the first of the file; NULL
   and an error where there is none. */
static const struct lives_pair *find_pair(
	const struct session *s, struct err *err)
{
	const struct lives_pair *found = NULL;
	uint32_t r = s->view.resource;

	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		const struct lives_pair *p = &s->data->lives[i];

		if (p->first &&
			(!found || r == p->begins || r == p->ends ||
				(r >= p->first && r - p->first < LIVES_KINDS)))
			found = p;
	}
	if (found)
		return found;
	err_set(err, s->data->path, "leaks", "what is freed was not counted");
	err_hint(err, "cpprof run -r bytes-freed -- PROG");
	return NULL;
}

int question_leaks(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	const struct lives_pair *pair = find_pair(s, err);
	struct tree_view view = s->view, before = s->view;
	const struct tree *tree;
	struct report_options options;
	struct leaks leaks;
	int status = -1;

	(void)self;
	if (!pair)
		return -1;
	view.resource = pair->first + LIVES_LIVE;
	session_view(s, &view);
	tree = session_sampled_tree(s, err);
	if (tree && !find_leaks(&leaks, tree, pair, asked->threshold, err)) {
		options = asked_begin(asked, s, NULL, out);
		status = report_leaks(out->stream, s->format, &leaks,
			asked->threshold, &options, err);
		leaks_fini(&leaks);
	}
	session_view(s, &before);
	return status;
}
