/*
 * tree_grow.h - a sample tree while it grows.
 */
#ifndef CPPROF_TREE_GROW_H
#define CPPROF_TREE_GROW_H

#include "analyzer/tree/tree.h"

/*
 * Adds up the aggregates and losses of TREE's dataset that its view's resource
 * and what it keeps (tree_private.h) leave into TREE's nodes, those with
 * nothing left out.  FOLDED: without the functions that the view elides, and
 * with its groups, as impl->shown says.  -1 and the error.
 */
int tree_grow(struct tree *tree, bool folded, struct err *err);

/*
 * Fills in what TREE's view's filters on stacks keep, impl->stacks and
 * ->losses, and what is undecided; impl->threads is known.  -1 and the error.
 */
int tree_match(struct tree *tree, struct err *err);

/* Fills in impl->below of a tree that is not folded yet.  -1: no memory. */
int tree_sum_below(struct tree *tree);

#endif
