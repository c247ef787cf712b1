/* Profiles in writing, with what other resources of the file know. */
#include <stdlib.h>

#include "analyzer/profile/profile_absent.h"
#include "cpprof/session/session.h"

/* The absent paths of one resource, and what owns them. */
struct absent {
	struct report_absent shown; /* first */
	struct tree *tree;
	struct profile *profile;
};

static void absent_free(struct report_absent *absent)
{
	while (absent) {
		struct absent *a = (struct absent *)absent;

		absent = (struct report_absent *)a->shown.next;
		free((void *)a->shown.entries);
		profile_free(a->profile);
		tree_free(a->tree);
		free(a);
	}
}

static struct absent *absent_from(struct session *s, uint32_t resource,
	const struct profile *profile, const uint32_t *roots, size_t nroots)
{
	struct absent *a = calloc(1, sizeof *a);
	struct tree_view view = s->view;
	const struct profile_entry **entries = NULL;
	struct err err;

	if (!a)
		return NULL;
	view.resource = resource;
	a->shown.resource = s->data->resources[resource].name;
	a->tree = tree_new(s->data, &view, &err);
	if (a->tree)
		a->profile = profile_new(a->tree, PROFILE_DOWN, roots, nroots,
			profile->threshold, &err);
	if (a->profile && profile_absent(profile, a->profile, &entries,
				  &a->shown.n, &err) == 0) {
		a->shown.entries = entries;
		return a;
	}
	absent_free(&a->shown);
	return NULL;
}

static struct report_absent *find_absent(
	struct session *s, const struct profile *profile, const char *root)
{
	struct report_absent *all = NULL;
	uint32_t *roots = NULL;
	size_t nroots = 0;
	struct err err;

	if (profile->kind != PROFILE_DOWN || s->format != report_formats ||
		s->view.sites || !root ||
		session_find(s, root, &roots, &nroots, &err) < 0)
		return NULL;
	if (!s->view.clones)
		nroots = dataset_bases(s->data, roots, nroots);
	nroots = tree_shown(profile->tree, roots, nroots);
	for (uint32_t r = s->data->nresources; r > 0 && nroots; r--) {
		struct absent *a;

		if (r == s->view.resource || !s->data->books[r].samples)
			continue;
		a = absent_from(s, r, profile, roots, nroots);
		if (!a)
			continue;
		a->shown.next = all;
		all = &a->shown;
	}
	free(roots);
	return all;
}

int session_write(struct session *s, const struct profile *profile,
	const struct report_options *options, FILE *out, struct err *err)
{
	struct report_absent *absent = find_absent(s, profile, options->root);
	struct report_options with = *options;
	int status;

	with.absent = absent;
	status = s->format->write(out, profile, &with, err);
	absent_free(absent);
	return status;
}
