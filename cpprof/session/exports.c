/* Checks that there is something to export, and writes it. */
#include "cpprof/session/exports.h"

#include <stdlib.h>
#include <unistd.h>

/* Fails with the reason unless samples of an exported resource are kept. */
static int check_samples(struct session *s, bool all, struct err *err)
{
	struct tree_view view = s->view;
	const uint32_t own = view.resource;
	struct err other;
	int bad = -1;

	if (session_sampled_tree(s, err))
		return 0;
	for (uint32_t r = 1; all && bad && r <= s->data->nresources; r++) {
		view.resource = r;
		session_view(s, &view);
		if (session_sampled_tree(s, &other))
			bad = 0;
	}
	view.resource = own;
	session_view(s, &view);
	return bad;
}

/* In the session's view. */
static int write_viewed(const struct export_format *format, FILE *out,
	struct session *s, const struct export_options *options,
	bool own_objects, struct err *err)
{
	struct export x = {
		.data = s->data,
		.view = s->view,
		.all = format->several && !options->one_resource,
		.no_labels = options->no_labels,
		.short_names = s->names_set ? !s->style.full_names
					    : format->short_names,
		.own_objects = own_objects,
		.threshold = s->threshold,
	};
	const struct tree *tree;
	uint32_t *roots;
	size_t n;
	int bad;

	if (check_samples(s, x.all, err) < 0 ||
		session_find(s, s->root, &roots, &n, err))
		return -1;
	tree = session_tree(s, err);
	x.root = tree && tree_shown(tree, roots, n) ? roots[0] : FN_ALL;
	x.tree = x.all ? NULL : tree; /* check_samples() made it */
	free(roots);
	s->patience.out = out;
	bad = format->write(out, &x, err);
	s->patience.out = NULL;
	/* Why OUT takes no more, its owner finds out. */
	return ferror(out) ? 0 : bad;
}

/* Stacks for other programs have all their frames of code, and others where the
   user wants them; the page has those of a report. */
int export_write(const struct export_format *format, FILE *out,
	struct session *s, const struct export_options *options,
	struct err *err)
{
	struct tree_view before = s->view, whole = before;
	const int objects = s->objects;
	int bad;

	whole.no_fold = true;
	s->objects = objects < 0 ? OBJECTS_NONE : objects;
	session_view(s, &whole);
	bad = write_viewed(format, out, s, options, objects < 0, err);
	s->objects = objects;
	session_view(s, &before);
	return bad;
}

int export_check_output(const struct export_format *format, struct err *err)
{
	if (!format->binary || !isatty(STDOUT_FILENO))
		return 0;
	err_set(err, format->name, NULL, "is not for a terminal");
	return err_hint(err, "name a file: -o FILE, or > FILE");
}
