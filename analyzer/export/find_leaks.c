/* Reads blocks and their ends, and gives each the path that is shown. */
#include "analyzer/export/find_leaks.h"

#include "analyzer/export/samples.h"

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

static int read_blocks(struct leaks *leaks, const struct export *x,
	double threshold, struct err *err)
{
	struct stacks stacks;
	struct kept *kept = kept_new(x, &stacks, err);
	int bad;

	if (!kept)
		return -1;
	bad = samples_each(x, kept, "reading blocks", take, leaks, err);
	if (!bad && leaks_finish(leaks, extend, &stacks, threshold))
		bad = err_memory(err, NULL, "leaks");
	kept_free(kept, x->data);
	return bad;
}

int find_leaks(struct leaks *leaks, const struct tree *tree,
	const struct lives_pair *pair, double threshold, struct err *err)
{
	struct export x = {.data = tree->data, .view = tree->view, .all = true};
	uint64_t from = 0, until = UINT64_MAX;
	int bad;

	x.view.group = GROUP_FUNCTION;
	filters_span(x.view.filters, x.data, &from, &until);
	if (leaks_init(leaks, tree, pair, until))
		bad = err_memory(err, NULL, "leaks");
	else
		bad = read_blocks(leaks, &x, threshold, err);
	if (bad)
		leaks_fini(leaks);
	return bad;
}
