/*
 * profiles FILE THRESHOLD...: every call path profile of a file, an entry a
 * line: resource, kind, root, threshold, weight, samples and the path's
 * functions, tabs between them.  Down and up, from each function of at least
 * 2 %; function and body.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/profile/profile.h"

static void die(const struct err *err)
{
	char text[1024];

	err_format(err, text, sizeof text);
	fprintf(stderr, "profiles: %s\n", text);
	exit(1);
}

static void print_entry(const struct profile *profile, const char *kind,
	const char *root, const char *threshold, size_t i)
{
	const struct tree *tree = profile->tree;
	const struct profile_entry *entry = &profile->entries[i];

	printf("%s\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64,
		tree->data->resources[tree->view.resource].name, kind, root,
		threshold, entry->weight, entry->samples);
	for (uint32_t step = 0; step < entry->length; step++)
		printf("\t%s", tree->data->functions[entry->path[step]].brief);
	putchar('\n');
}

static void print_profile(const struct tree *tree, enum profile_kind kind,
	const char *name, const uint32_t *root, const char *threshold)
{
	struct err err;
	struct profile *profile = profile_new(
		tree, kind, root, root ? 1 : 0, strtod(threshold, NULL), &err);

	if (!profile)
		die(&err);
	for (size_t i = 0; i < profile->n; i++)
		print_entry(profile, name,
			root ? tree->data->functions[*root].brief : "",
			threshold, i);
	profile_free(profile);
}

static void print_tree(const struct tree *tree, const char *threshold)
{
	struct err err;
	struct profile *roots =
		profile_new(tree, PROFILE_FUNCTION, NULL, 0, 0.02, &err);

	if (!roots)
		die(&err);
	print_profile(tree, PROFILE_FUNCTION, "function", NULL, threshold);
	print_profile(tree, PROFILE_BODY, "body", NULL, threshold);
	for (size_t i = 0; i < roots->n; i++) {
		const uint32_t *root = roots->entries[i].path;

		print_profile(tree, PROFILE_DOWN, "down", root, threshold);
		print_profile(tree, PROFILE_UP, "up", root, threshold);
	}
	profile_free(roots);
}

int main(int argc, char **argv)
{
	struct err err;
	struct dataset *data =
		argc > 2 ? dataset_open(argv[1], NULL, &err) : NULL;

	if (argc < 3)
		return 2;
	if (!data)
		die(&err);
	for (uint32_t r = 1; r <= data->nresources; r++) {
		struct tree_view view = {.resource = r};
		struct tree *tree = tree_new(data, &view, &err);

		if (!tree)
			die(&err);
		for (int i = 2; i < argc && tree_total(tree, 0)->weight; i++)
			print_tree(tree, argv[i]);
		tree_free(tree);
	}
	dataset_free(data);
	return 0;
}
