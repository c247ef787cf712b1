/* What lives at the end, from the samples one by one. */
#include "cpprof/session/questions.h"

#include <stdlib.h>

#include "analyzer/export/samples.h"

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

static int take(void *arg, const struct cpd_sample *sample, struct err *err)
{
	return leaks_take(arg, sample) ? err_memory(err, NULL, "leaks") : 0;
}

static uint32_t extend(
	const void *arg, struct leaks *leaks, uint32_t path, uint32_t node)
{
	struct stack_frame frames[STACK_FRAMES_MAX];
	size_t n = stack_frames(arg, node, frames);

	while (n-- && path != HASH_NONE)
		path = leaks_step(leaks, path, frames[n].function);
	return path;
}

/* Reads the samples again. */
static int read_leaks(struct leaks *leaks, const struct tree_view *view,
	double threshold, struct err *err)
{
	const struct export x = {
		.data = leaks->tree->data, .view = *view, .all = true};
	struct stacks stacks;
	struct kept *kept = kept_new(&x, &stacks, err);
	int bad;

	if (!kept)
		return -1;
	bad = samples_each(&x, kept, "reading blocks", take, leaks, err);
	if (!bad && leaks_finish(leaks, extend, &stacks, threshold))
		bad = err_memory(err, NULL, "leaks");
	kept_free(kept, x.data);
	return bad;
}

int question_leaks(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	const struct lives_pair *pair = find_pair(s, err);
	struct tree_view view = s->view, before = s->view;
	const struct tree *tree;
	struct report_options options;
	struct leaks leaks;
	uint64_t from = 0, until = UINT64_MAX;
	int status = -1;

	(void)self;
	if (!pair)
		return -1;
	view.resource = pair->first + LIVES_LIVE;
	session_view(s, &view);
	tree = session_sampled_tree(s, err);
	if (!tree)
		goto out;
	view = tree->view;
	view.group = GROUP_FUNCTION;
	filters_span(view.filters, s->data, &from, &until);
	if (leaks_init(&leaks, tree, pair, until)) {
		err_memory(err, NULL, "leaks");
	} else if (!read_leaks(&leaks, &view, asked->threshold, err)) {
		options = asked_begin(asked, s, NULL, out);
		status = report_leaks(out->stream, s->format, &leaks,
			asked->threshold, &options, err);
	}
	leaks_fini(&leaks);
out:
	session_view(s, &before);
	return status;
}
