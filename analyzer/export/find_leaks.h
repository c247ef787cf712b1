/* find_leaks.h - what lives at the end, from the samples one by one. */
#ifndef CPPROF_EXPORT_FIND_LEAKS_H
#define CPPROF_EXPORT_FIND_LEAKS_H

#include "analyzer/questions/leaks.h"

/*
 * TREE is of what lives of PAIR.  Reads the file again, which standard input
 * cannot be.  -1: nothing is left to free; else leaks_fini() is due.
 */
int find_leaks(struct leaks *leaks, const struct tree *tree,
	const struct lives_pair *pair, double threshold, struct err *err);

#endif
