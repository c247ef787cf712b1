/*
 * profile_absent.c - see profile_absent.h.
 */
#include <stdlib.h>

#include "analyzer/profile/paths.h"
#include "analyzer/profile/profile_absent.h"
#include "analyzer/profile/profile_private.h"

int profile_absent(const struct profile *profile, const struct profile *other,
	const struct profile_entry ***absent, size_t *n, struct err *err)
{
	/* each path, then the one before its last step */
	struct path_weight *paths = calloc(2 * other->n + 1, sizeof *paths);
	size_t npaths = 0;
	int status;

	*n = 0;
	*absent = calloc(other->n + 1, sizeof **absent);
	for (size_t i = 0; paths && i < other->n; i++) {
		const struct profile_entry *entry = &other->entries[i];

		if (entry->length < 2)
			continue;
		paths[npaths++] = (struct path_weight){
			.path = entry->path, .length = entry->length};
		paths[npaths++] = (struct path_weight){
			.path = entry->path, .length = entry->length - 1};
	}
	status = paths && *absent
			 ? paths_weigh(profile->tree, paths, npaths, err)
			 : profile_no_memory(err);
	for (size_t i = 0, at = 0; !status && i < other->n; i++) {
		if (other->entries[i].length < 2)
			continue;
		if (!paths[at].sums.weight &&
			profile_wants(profile, paths[at + 1].sums.weight))
			(*absent)[(*n)++] = &other->entries[i];
		at += 2;
	}
	free(paths);
	if (status) {
		free(*absent);
		*absent = NULL;
	}
	return status;
}
