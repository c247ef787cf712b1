/* Sample trees of several resources, for what compares them. */
#include <stdlib.h>

#include "cpprof/session/session.h"

struct tree **session_trees(
	struct session *s, const uint32_t *resources, size_t n, struct err *err)
{
	struct tree_view view = s->view;
	struct tree **trees = calloc(n + 1, sizeof *trees);

	if (!trees) {
		err_sys(err, s->data->path, NULL);
		return NULL;
	}
	view.sites = false;
	for (size_t i = 0; i < n; i++) {
		view.resource = resources[i];
		trees[i] = tree_new(s->data, &view, err);
		if (!trees[i]) {
			session_trees_free(trees);
			return NULL;
		}
	}
	return trees;
}

void session_trees_free(struct tree **trees)
{
	for (size_t i = 0; trees && trees[i]; i++)
		tree_free(trees[i]);
	free(trees);
}
