/*
 * tree_grow.h - a sample tree while it grows.
 */
#ifndef CPPROF_TREE_GROW_H
#define CPPROF_TREE_GROW_H

#include "lib/vec.h"
#include "analyzer/tree/tree.h"

/*
 * Adds up the aggregates and losses of TREE's dataset that its view's resource
 * and what it keeps (tree_private.h) leave into TREE's nodes, those with
 * nothing left out.  PLACES, if not NULL, gets by node of the file that has
 * samples there its innermost frame in the tree (0 for others), then by kind of
 * loss where that is; the caller's to free.  -1 and the error.
 */
int tree_grow(struct tree *tree, uint32_t **places, struct err *err);

/* Where a kind of loss is in the places that tree_grow() gives. */
static inline size_t tree_loss_place(const struct dataset *data, int kind)
{
	return (size_t)data->nnodes + 1 + (size_t)kind;
}

/*
 * Fills in what TREE's view's filters on stacks keep, impl->stacks and
 * ->losses, and what is undecided; impl->threads is known.  -1 and the error.
 */
int tree_match(struct tree *tree, struct err *err);

/* Fills in impl->below of a tree that is not folded yet.  -1: no memory. */
int tree_sum_below(struct tree *tree);

/* Whether a view elides or groups; fills in impl->shown then.  -1: no memory.
 */
bool tree_is_folded(const struct tree_view *view);
int tree_show_functions(struct tree *tree);

/* Folds TREE, whose PLACES are as tree_grow() gives them.  -1 and the error. */
int tree_fold(struct tree *tree, const uint32_t *places, struct err *err);

#endif
