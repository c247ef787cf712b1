/*
 * tree_filter.c - takes from a sample tree the stacks that filters leave out.
 *
 * Whether a stack matches is settled on the tree's own nodes, from the root
 * outwards, so inlined calls, clones and recursion are as the view shows them
 * and each node is looked at once per run of filters.
 */
#include <stdlib.h>
#include <string.h>

#include "filter_private.h"
#include "tree_draft.h"

/* Takes from KEPT, by node, what RUN does not match.  FOUND is room. */
static void match_run(const struct draft *draft, const struct filter_run *run,
	size_t *found, bool *kept)
{
	for (size_t i = 0; i < draft->nodes.n; i++) {
		const struct draft_node *node = &draft->nodes.v[i];

		found[i] = filter_run_next(
			run, i ? found[node->parent] : 0, node->function);
		if (found[i] < run->n)
			kept[i] = false;
	}
}

/* By node of the draft, whether its stack matches; NULL: out of memory. */
static bool *match(const struct draft *draft, const struct dataset *data,
	const struct tree_view *view)
{
	bool *kept = malloc(draft->nodes.n);
	size_t *found = calloc(draft->nodes.n, sizeof *found);
	struct filter_run *runs = NULL;
	size_t n;

	if (!kept || !found ||
		filter_runs_new(view->filters, data, view->clones, &runs, &n)) {
		free(kept);
		free(found);
		return NULL;
	}
	memset(kept, true, draft->nodes.n);
	for (size_t i = 0; i < n; i++)
		match_run(draft, &runs[i], found, kept);
	filter_runs_free(runs, n);
	free(found);
	return kept;
}

/*
 * Leaves the nodes with something of their own or below; they stay in order.
 * PLACE is room for their new numbers, LIVE is zeroed.
 */
static void prune(struct draft *draft, uint32_t *place, bool *live)
{
	struct draft_node *nodes = draft->nodes.v;
	uint32_t n = 1;

	for (size_t i = draft->nodes.n; i-- > 1;) {
		live[i] |= nodes[i].self_weight || nodes[i].self_samples;
		if (live[i])
			live[nodes[i].parent] = true;
	}
	place[0] = 0;
	for (size_t i = 1; i < draft->nodes.n; i++) {
		if (!live[i])
			continue;
		place[i] = n;
		nodes[n] = nodes[i];
		nodes[n].parent = place[nodes[i].parent];
		n++;
	}
	draft->nodes.n = n;
}

int draft_filter(struct draft *draft, const struct dataset *data,
	const struct tree_view *view, const uint32_t *at, bool **kept)
{
	bool *match_of = match(draft, data, view);
	bool *live = calloc(draft->nodes.n, sizeof *live);
	uint32_t *place = calloc(draft->nodes.n, sizeof *place);
	size_t n = (size_t)data->nnodes + 1;
	int status = -1;

	*kept = malloc(n);
	if (!match_of || !live || !place || !*kept)
		goto out;
	for (size_t i = 0; i < n; i++)
		(*kept)[i] = match_of[at[i]];
	for (size_t i = 0; i < draft->nodes.n; i++) {
		struct draft_node *node = &draft->nodes.v[i];

		if (!match_of[i])
			node->self_weight = node->self_hits =
				node->self_samples = 0;
	}
	prune(draft, place, live);
	status = 0;
out:
	free(match_of);
	free(live);
	free(place);
	return status;
}
