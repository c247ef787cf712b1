/*
 * advice_list.c - the largest pieces of advice, few of a kind.
 */
#include "analyzer/questions/advice_private.h"

#include <stdlib.h>
#include <string.h>

#define OF_A_KIND 2 /* pieces of advice at most */

int advice_no_memory(struct err *err)
{
	return err_set(err, NULL, "advise", "out of memory");
}

double advice_share(const struct tree *tree, uint64_t weight)
{
	uint64_t own = tree_own(tree);

	return own ? (double)weight / (double)own : 0;
}

int advice_add(struct advices *list, struct advice advice, const uint32_t *path)
{
	size_t same = 0, least = list->n;

	for (size_t i = 0; i < list->n; i++) {
		if (list->v[i].kind != advice.kind)
			continue;
		if (++same == OF_A_KIND)
			least = i; /* the list is in order */
	}
	if (same < OF_A_KIND)
		least = list->n < ADVICE_MAX ? list->n : ADVICE_MAX - 1;
	if (least < list->n && list->v[least].share >= advice.share)
		return 0;
	advice.path = malloc((advice.length + 1) * sizeof *advice.path);
	if (!advice.path)
		return -1;
	memcpy(advice.path, path, advice.length * sizeof *path);
	if (least < list->n)
		free(list->v[least].path);
	else
		list->n++;
	while (least && list->v[least - 1].share < advice.share) {
		list->v[least] = list->v[least - 1];
		least--;
	}
	list->v[least] = advice;
	return 0;
}
