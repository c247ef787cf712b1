/*
 * tree.h - the sample tree: the call stacks of one resource, added up.
 *
 * Built from a dataset for one resource and one view (inlined calls as frames
 * of their own or folded into their caller; call sites told apart or not;
 * functions that left by a tail call where it is known that they did;
 * clones such as f.part.0 by their own names or as f, and then as one frame
 * with the f that called them).
 * Filters leave out samples before that.  Then elided functions vanish, what
 * they have being their callers', and functions are replaced by their groups:
 * modules or files, calls within one not being shown, or threads or processes,
 * which stand above the first functions.  Between two frames of generated code
 * (Python's, JavaScript's, Java's functions), and main and the first, those of
 * the one program that runs it fold away: they would be one recursion that
 * merges all that it runs. Where a thread or a library calls that program, its
 * first frame stays for them.
 * Children of a node have different functions (with sites: different (function,
 * site)), so the tree is as small as it can be.  The losses stand below the
 * root as functions of their own ([lost], [unsampled], ...), so without filters
 * the root's weight is all weight of the run; with them it is what they keep.
 *
 * Nodes lie in one array, parents before children, and every subtree is one
 * run of it: node i's descendants are i+1 .. i+size-1.  Walks need no stack,
 * and a stack of 100 000 frames no recursion.
 */
#ifndef CPPROF_TREE_H
#define CPPROF_TREE_H

#include "lib/sum.h"
#include "analyzer/data/dataset.h"
#include "analyzer/filter/filter.h"

struct tree_node {         /* there may be tens of millions: 20 bytes */
	uint32_t function; /* FN_ALL at the root */
	uint32_t parent;   /* index; the root is its own parent */
	uint32_t size;     /* nodes in the subtree, itself included */
	uint32_t depth;    /* root 0 */
	uint32_t sums;     /* what it has with all below: see tree_total();
			      of one child, which has all of it, the same */
};

struct tree_sums {
	uint64_t weight, hits, samples;
};

static inline void tree_sums_add(
	struct tree_sums *to, const struct tree_sums *what)
{
	sum_add(&to->weight, what->weight);
	sum_add(&to->hits, what->hits);
	sum_add(&to->samples, what->samples);
}

/* None of them becomes less than 0. */
static inline void tree_sums_take(
	struct tree_sums *from, const struct tree_sums *what)
{
	from->weight = minus(from->weight, what->weight);
	from->hits = minus(from->hits, what->hits);
	from->samples = minus(from->samples, what->samples);
}

/* Where [idle] folds. */
enum tree_idle {
	IDLE_OF_MORE, /* not where it is nearly all there is */
	IDLE_FOLDS,
	IDLE_SHOWN
};

struct tree_view {
	uint32_t resource;
	bool no_inlines; /* fold inlined calls into the function around them */
	bool sites;      /* tell call sites apart */
	bool clones;     /* tell f.part.0 and the like from f */
	enum object_kind objects; /* the innermost frames */
	enum dataset_group group;
	const struct filters *filters; /* borrowed; NULL: none */
	const struct filters *elided;  /* likewise; all FILTER_ELIDE or _ONLY */
	bool no_fold; /* frames of what runs generated code stay */
	enum tree_idle idle;
	const struct work *work; /* likewise; asked while the tree, and what is
				    made of it, is made */
};

/* The objects of a RESOURCE where nobody asked for any: of what is counted or
   timed in system calls, these. */
static inline enum object_kind tree_own_objects(
	const struct dataset *data, uint32_t resource)
{
	return data->resources[resource].flags & CPD_RESOURCE_OF_CALLS
		       ? OBJECTS_CALLS
		       : OBJECTS_NONE;
}

struct tree {
	const struct dataset *data;
	struct tree_view view;
	struct tree_node *nodes;
	uint32_t n;
	uint32_t *sites; /* sites on: by node, the number of the call site in
			    the caller this frame was called from, see
			    tree_site(); else NULL */
	struct tree_sums *sums;
	struct tree_sums whole;     /* of the run: samples and losses, before
				       filters; what usage fractions are of */
	struct tree_sums undecided; /* samples in truncated stacks that may be
				       what the filters keep or not: in the
				       whole, and in no node */
	const struct aggregate *aggregates; /* that lie in the filters' window:
					       what the tree is made of.
					       Borrowed */
	size_t naggregates;
	struct tree_private *impl;
};

/* Whether threads or processes stand above their stacks. */
static inline bool tree_is_by_task(const struct tree *tree)
{
	return tree->view.group == GROUP_THREAD ||
	       tree->view.group == GROUP_PROCESS;
}

/* The resource that TREE is of, and its books. */
static inline const struct cpd_resource *tree_resource(const struct tree *tree)
{
	return &tree->data->resources[tree->view.resource];
}

static inline const struct books *tree_books(const struct tree *tree)
{
	return &tree->data->books[tree->view.resource];
}

/* NULL when out of memory, or when the view's work is to stop. */
struct tree *tree_new(const struct dataset *data, const struct tree_view *view,
	struct err *err);

/*
 * TREE, without sites, up to the outermost frames of the N functions ENDS; what
 * has none is left out.  An end has what it had with all below it; OWN: less
 * what further ends below it have.  NULL when out of memory; tree_free().
 */
struct tree *tree_prune(const struct tree *tree, const uint32_t *ends, size_t n,
	bool own, struct err *err);

void tree_free(struct tree *tree);

/* What TREE's nodes take, which is most of its memory. */
size_t tree_bytes(const struct tree *tree);

/* The node of the file whose stack A has in a VIEW. */
static inline uint32_t tree_place(const struct dataset *data,
	const struct tree_view *view, const struct aggregate *a)
{
	return a->leaf ? dataset_shown(data, a->leaf, view->objects) : a->node;
}

/*
 * Whether the tree's filters keep the samples of a thread (0: losses of no one
 * thread), of a node of the file that has samples of the tree's resource.
 */
bool tree_keeps_thread(const struct tree *tree, uint32_t thread);
bool tree_keeps_stack(const struct tree *tree, uint32_t node);

/* Both, and whether A is of the tree's resource. */
bool tree_keeps(const struct tree *tree, const struct aggregate *a);

/* Likewise a loss, if it is of the tree's resource. */
bool tree_keeps_loss(const struct tree *tree, const struct cpd_loss *loss);

/*
 * Makes N FUNCTIONS those that the tree shows in their place, each once and in
 * ascending order; returns how many are left (elided ones are not).
 */
size_t tree_shown(const struct tree *tree, uint32_t *functions, size_t n);

/*
 * Whether the function profile is of what lies below the function of the last
 * `then`, by the share that passes it: what to refine by next.  Not where it
 * is of threads or processes.
 */
bool tree_is_below(const struct tree *tree);

/* Gticks of named losses that the tree's filters do not keep. */
uint64_t tree_loss_left_out(const struct tree *tree);

/* What NODE has of its own, without what is below it. */
struct tree_sums tree_self(const struct tree *tree, uint32_t node);

/* What NODE has with all that is below it. */
static inline const struct tree_sums *tree_total(
	const struct tree *tree, uint32_t node)
{
	return &tree->sums[tree->nodes[node].sums];
}

/*
 * The least weight that reaches THRESHOLD, a fraction of what the filters keep.
 * All tables and profiles are cut by it.  Rounding leaves out no entry of
 * exactly that fraction.
 */
double tree_cutoff(const struct tree *tree, double threshold);

/* Whether NODE has nothing of its own and one child: then all is the child's.
 */
static inline bool tree_passes_on(const struct tree *tree, uint32_t node)
{
	const struct tree_node *n = &tree->nodes[node];

	return n->size > 1 && n[1].sums == n->sums;
}

/* "db.c:41" for a site number; lent until tree_free(). */
const char *tree_site(const struct tree *tree, uint32_t site);

#endif
