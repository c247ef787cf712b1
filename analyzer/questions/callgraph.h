/*
 * callgraph.h - who calls a function, and whom it calls, with what that costs.
 *
 * The two tables of gprof, made from whole stacks.  After J. M. Spivey, "Fast,
 * accurate call graph profiling", Software: Practice and Experience 34(3),
 * 2004: of each stack, an activation counts if it is the innermost of its
 * function, where frames of one function that follow each other are one.  The
 * weight of the stack goes, once for each function in it,
 *
 *   - to the arc by which that activation was called: `in', which is how the
 *     cost of a function is shared among its callers;
 *   - to the arc by which that activation called on: `out', which is how the
 *     children's part of its cost is shared among those it calls,
 *
 * under self where the stack's innermost frame is of the function that the arc
 * leads to, else under children.  (In his words self2 and child2, self1 and
 * child1.)  So, recursion or not, what the callers are charged adds up to the
 * function's self and children, and what the callees are charged to its
 * children.  A function that calls itself has no arc for that.
 *
 * The root above the first functions is FN_ALL: who has no other caller is
 * called by it, and it calls the losses.  All belongs to the call graph, which
 * borrows the tree.
 */
#ifndef CPPROF_QUESTIONS_CALLGRAPH_H
#define CPPROF_QUESTIONS_CALLGRAPH_H

#include "analyzer/tree/tree.h"

struct callgraph_arc {
	uint32_t from, to; /* functions */
	struct tree_sums in_self, in_children;
	struct tree_sums out_self, out_children;
};

struct callgraph_entry {
	uint32_t function;
	struct tree_sums self, children;
	/* The arcs by falling weight, `in' of the callers and `out' of the
	   callees; those with a weight of 0 are not among them. */
	const struct callgraph_arc *const *callers, *const *callees;
	size_t ncallers, ncallees;
};

struct callgraph {
	const struct tree *tree;
	struct callgraph_entry *entries; /* by falling self + children */
	size_t n;
	struct callgraph_private *impl;
};

/*
 * In the graph of the resource arcs: how often FROM called TO; or how often
 * FUNCTION was called, by itself, too.  0: not, or it was not counted.
 */
#define CALLGRAPH_IN_PART UINT64_MAX /* there were more calls than counted */
uint64_t callgraph_arc_calls(
	const struct callgraph *arcs, uint32_t from, uint32_t to);
uint64_t callgraph_calls(const struct callgraph *arcs, uint32_t function);

/* NULL when out of memory, or when the work of the tree's view is to stop. */
struct callgraph *callgraph_new(const struct tree *tree, struct err *err);
void callgraph_free(struct callgraph *graph);

/* The sum of two that do not overlap. */
struct tree_sums callgraph_sum(struct tree_sums a, struct tree_sums b);

#endif
