/*
 * path_walk.h - the paper's downward walk, the heart of the path profiles.
 *
 * A path_walk collects call path records in a trie: step i is the path that
 * ends in it, found from its parent by (function, site).  path_walk_from()
 * walks one subtree from an outermost occurrence of the root function by the
 * rule of Hall and Goldberg's appendix:
 *
 *   - a node N under the current path P belongs to the record P + N, which gets
 *     the node's weight unless it is locked, and is locked while the node's
 *     subtree is walked;
 *   - the path handed to the children is P + N, or, if N's function occurs in
 * P, P cut back to end at that occurrence.
 *
 * Functions may be given as light: no path with one of them is asked for. Below
 * one, only a function of the path before it matters, to which that path is
 * then cut back.
 *
 * Each node costs one hash lookup and a constant number of writes, whatever the
 * length of the path: the current path is an array that is written forward and
 * undone on the way back.
 */
#ifndef CPPROF_PROFILE_PATH_WALK_H
#define CPPROF_PROFILE_PATH_WALK_H

#include <stdbool.h>

#include "lib/progress.h"
#include "lib/set.h"
#include "analyzer/tree/tree.h"

#define PATH_ANY UINT32_MAX

struct path_step {
	uint32_t parent; /* step; UINT32_MAX for the first */
	uint32_t function, site;
	uint32_t length; /* of the path */
	bool locked;
	uint64_t weight, hits, samples;
};

struct path_undo;

struct path_walk {
	SET_OF(struct path_step) steps;
	uint32_t *path;     /* the current path: steps */
	uint32_t *position; /* by function: where in the path it may stand, from
			       1; 0: nowhere */
	struct path_undo *undo;
	const struct work *work; /* borrowed; NULL: none */
	uint64_t walked, all;    /* nodes; of all there are, 0: not known */
};

/*
 * Room for walks of trees with functions below NFUNCTIONS and MAX_DEPTH levels
 * below the root.  -1 when out of memory; path_walk_fini() is due either way.
 */
int path_walk_init(
	struct path_walk *walk, uint32_t nfunctions, uint32_t max_depth);
void path_walk_fini(struct path_walk *walk);

/*
 * The step that PARENT (PATH_ANY: none) leads to by FUNCTION in a tree without
 * sites; PATH_ANY if no walk came there.
 */
uint32_t path_walk_find(
	const struct path_walk *walk, uint32_t parent, uint32_t function);

/* Forgets all steps, at no cost. */
void path_walk_clear(struct path_walk *walk);

/*
 * Walks the subtree of node AT of TREE with the path begun at its function.
 *  With ONLY other than PATH_ANY, just the records of paths that
 * end in that function are kept up.  LIGHT tells by function; NULL: none is;
 * the first one must not be.  -1 when out of memory, or when the walk's work is
 * to stop.
 */
int path_walk_from(struct path_walk *walk, const struct tree *tree, uint32_t at,
	uint32_t only, const bool *light, struct err *err);

#endif
