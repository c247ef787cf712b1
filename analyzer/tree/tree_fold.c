/*
 * tree_fold.c - a sample tree without elided functions, or of groups.
 *
 * The tree of all frames is there; what its nodes have of their own goes, node
 * by node, to where that is to be seen: the path from the root is walked with
 * the frames of elided functions left out and functions replaced by their
 * groups.  A node remembers where it went, so each is walked to once.
 *
 * That elided functions are charged to their callers is the trick of A. Appel,
 * B. Duba and D. MacQueen, "Profiling in the presence of optimization and
 * garbage collection" (1988), without compiling anything anew.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/vec.h"
#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"

struct place { /* where a node of the old tree went, in stacks of a root */
	uint32_t root, old;
	uint32_t node;
	uint32_t site; /* of the call that frames called from here have; 0:
			  their own */
};

struct fold {
	struct tree *tree;
	bool groups; /* a frame below one of the same group is no other */
	VEC(struct tree_node) nodes; /* parents first */
	VEC(uint32_t) sites;         /* of these */
	VEC(struct tree_sums) sums;  /* likewise, of their own */
	struct hash children;
	VEC(struct place) places;
	struct hash known;     /* they */
	VEC(uint32_t) pending; /* old nodes on the way to one */
};

static int out_of_memory(struct err *err)
{
	return err_set(err, NULL, "sample tree", "out of memory");
}

static int new_node(
	struct fold *f, uint32_t parent, uint32_t function, uint32_t site)
{
	struct tree_node *node = vec_push(&f->nodes);
	uint32_t *to = vec_push(&f->sites);

	if (!node || !to || !vec_push(&f->sums))
		return -1;
	node->function = function;
	node->parent = parent;
	node->sums = (uint32_t)f->nodes.n - 1;
	*to = site;
	return 0;
}

/* Node FUNCTION below PARENT; 0 when out of memory. */
static uint32_t child(
	struct fold *f, uint32_t parent, uint32_t function, uint32_t site)
{
	uint64_t hash =
		hash_with(hash_mix((uint64_t)parent << 32 | function), site);
	struct tree_node *node;
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&f->children, hash, &probe)) != HASH_NONE) {
		node = &f->nodes.v[i];
		if (node->parent == parent && node->function == function &&
			f->sites.v[i] == site)
			return i;
	}
	i = (uint32_t)f->nodes.n;
	if (i >= UINT32_MAX / 2 || !hash_add(&f->children, hash, i))
		return 0;
	return new_node(f, parent, function, site) ? 0 : i;
}

static uint64_t place_hash(uint32_t root, uint32_t old)
{
	return hash_mix((uint64_t)root << 32 | old);
}

static const struct place *find_place(
	const struct fold *f, uint32_t root, uint32_t old)
{
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&f->known, place_hash(root, old), &probe)) !=
		HASH_NONE)
		if (f->places.v[i].root == root && f->places.v[i].old == old)
			return &f->places.v[i];
	return NULL;
}

static const struct place *add_place(struct fold *f, struct place place)
{
	struct place *to;

	if (!hash_add(&f->known, place_hash(place.root, place.old),
		    (uint32_t)f->places.n) ||
		!(to = vec_push(&f->places)))
		return NULL;
	*to = place;
	return to;
}

/* Where the stacks of a root begin. */
static const struct place *begin(struct fold *f, uint32_t root)
{
	uint32_t node = root ? child(f, 0, root, 0) : 0;

	return root && !node ? NULL
			     : add_place(f, (struct place){root, 0, node, 0});
}

/* From a place one frame on. */
static const struct place *step(
	struct fold *f, const struct place *from, uint32_t old)
{
	const struct tree_node *node = &f->tree->nodes[old];
	uint32_t function = f->tree->impl->shown[node->function];
	uint32_t own = f->tree->sites ? f->tree->sites[old] : 0;
	uint32_t site = from->site ? from->site : own;
	struct place to = {from->root, old, from->node, 0};

	if (function == FN_NONE) {
		to.site = site;
	} else if (!f->groups || f->nodes.v[from->node].function != function) {
		to.node = child(f, from->node, function, site);
		if (!to.node)
			return NULL;
	}
	return add_place(f, to);
}

/* Where node OLD goes in stacks of ROOT; NULL when out of memory. */
static const struct place *walk_to(struct fold *f, uint32_t root, uint32_t old)
{
	const struct place *place;

	f->pending.n = 0;
	while (!(place = find_place(f, root, old))) {
		uint32_t *pending;

		if (!old) {
			place = begin(f, root);
			break;
		}
		pending = vec_push(&f->pending);
		if (!pending)
			return NULL;
		*pending = old;
		old = f->tree->nodes[old].parent;
	}
	while (place && f->pending.n) {
		struct place from = *place; /* the vector may move */

		place = step(f, &from, f->pending.v[--f->pending.n]);
	}
	return place;
}

static int add(struct fold *f, uint32_t root, uint32_t old,
	const struct tree_sums *sums, struct err *err)
{
	const struct place *place;
	uint32_t node, base;

	if (!sums->weight && !sums->hits && !sums->samples)
		return 0;
	place = walk_to(f, root, old);
	if (!place)
		return out_of_memory(err);
	node = place->node;
	base = find_place(f, root, 0)->node;
	if (old && node == base) /* no frame is left */
		node = child(f, base, FN_ELIDED, 0);
	if (old && !node)
		return out_of_memory(err);
	tree_sums_add(&f->sums.v[node], sums);
	return 0;
}

static int add_nodes(struct fold *f, struct err *err)
{
	const struct tree *tree = f->tree;

	for (uint32_t i = 0; i < tree->n; i++) {
		struct tree_sums self = tree_self(tree, i);

		if (work_step(tree->view.work, "folding stacks", i, tree->n,
			    err) ||
			add(f, 0, i, &self, err))
			return -1;
	}
	return 0;
}

/* The same by thread, each below the root that ROOTS has for it. */
static int add_threads(struct fold *f, const uint32_t *places,
	const uint32_t *roots, struct err *err)
{
	const struct tree *tree = f->tree;
	const struct dataset *data = tree->data;

	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];
		struct tree_sums sums = {a->weight, a->hits, a->samples};

		if (work_step(tree->view.work, "folding stacks", i,
			    tree->naggregates, err))
			return -1;
		if (a->resource == tree->view.resource &&
			tree_keeps_thread(tree, a->thread) &&
			tree_keeps_stack(tree, a->node) &&
			add(f, roots[a->thread], places[a->node], &sums, err))
			return -1;
	}
	for (size_t i = 0; i < data->nlosses; i++) {
		const struct cpd_loss *loss = &data->losses[i];
		struct tree_sums sums = {.weight = loss->gticks};

		if (tree_keeps_loss(tree, loss) &&
			add(f, roots[loss->thread],
				places[tree_loss_place(data, (int)loss->kind)],
				&sums, err))
			return -1;
	}
	return 0;
}

static int compare_children(const void *a, const void *b, void *arg)
{
	const struct fold *f = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct tree_node *x = &f->nodes.v[i], *y = &f->nodes.v[k];
	uint64_t left = f->sums.v[i].weight, right = f->sums.v[k].weight;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (left != right)
		return left < right ? 1 : -1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return f->sites.v[i] < f->sites.v[k] ? -1
					     : f->sites.v[i] > f->sites.v[k];
}

/*
 * Copies the nodes to TO as a tree lies.  ORDER: all but the root, siblings
 * side by side as they are to come; FIRST, by node: where its children begin
 * there.  SITES: of TO.
 */
static void lay_out(const struct fold *f, const uint32_t *order,
	const uint32_t *first, uint32_t *stack, struct tree_node *to,
	uint32_t *sites)
{
	uint32_t n = (uint32_t)f->nodes.n, at = 0, open = 0;
	uint32_t *places = stack + n; /* by node: where it lies */

	stack[open++] = 0;
	while (open) {
		uint32_t node = stack[--open];
		const struct tree_node *from = &f->nodes.v[node];

		to[at] = *from;
		to[at].parent = node ? places[from->parent] : 0;
		to[at].depth = at ? to[to[at].parent].depth + 1 : 0;
		to[at].size = 1;
		sites[at] = f->sites.v[node];
		places[node] = at++;
		for (uint32_t i = first[node + 1]; i-- > first[node];)
			stack[open++] = order[i];
	}
	for (uint32_t i = n; i-- > 1;)
		to[to[i].parent].size += to[i].size;
}

static void measure(struct tree *tree)
{
	tree->impl->nfunctions = tree->impl->max_depth = 0;
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (node->function >= tree->impl->nfunctions)
			tree->impl->nfunctions = node->function + 1;
		if (node->depth > tree->impl->max_depth)
			tree->impl->max_depth = node->depth;
	}
}

/* The new tree in place of the old one. */
static int settle(struct fold *f)
{
	size_t n = f->nodes.n;
	uint32_t *order = calloc(n, sizeof *order);
	uint32_t *first = calloc(n + 2, sizeof *first);
	uint32_t *stack = calloc(2 * n + 1, sizeof *stack);
	uint32_t *sites = calloc(n, sizeof *sites);
	struct tree_node *to = calloc(n, sizeof *to);
	bool good = order && first && stack && sites && to;

	for (size_t i = n; i-- > 1 && good;) {
		const struct tree_node *node = &f->nodes.v[i];

		tree_sums_add(&f->sums.v[node->parent], &f->sums.v[i]);
		order[i - 1] = (uint32_t)i;
		first[node->parent + 1]++;
	}
	if (good) {
		qsort_r(order, n - 1, sizeof *order, compare_children, f);
		for (size_t i = 1; i <= n; i++)
			first[i] += first[i - 1];
		lay_out(f, order, first, stack, to, sites);
		free(f->tree->nodes);
		free(f->tree->sites);
		free(f->tree->sums);
		f->tree->nodes = to;
		f->tree->sites = f->tree->view.sites ? sites : NULL;
		f->tree->sums = f->sums.v;
		f->sums.v = NULL;
		f->tree->n = (uint32_t)n;
		measure(f->tree);
	} else {
		free(to);
	}
	if (f->tree->sites != sites)
		free(sites);
	free(order);
	free(first);
	free(stack);
	return good ? 0 : -1;
}

int tree_fold(struct tree *tree, const uint32_t *places, struct err *err)
{
	enum dataset_group group = tree->view.group;
	const uint32_t *roots = NULL;
	struct fold f = {.tree = tree,
		.groups = group == GROUP_MODULE || group == GROUP_FILE};
	int status;

	if (group == GROUP_THREAD || group == GROUP_PROCESS)
		roots = tree->data->groups[group];
	if (new_node(&f, 0, FN_ALL, 0))
		status = out_of_memory(err);
	else
		status = roots ? add_threads(&f, places, roots, err)
			       : add_nodes(&f, err);
	if (!status && settle(&f))
		status = out_of_memory(err);
	vec_free(&f.nodes);
	vec_free(&f.sites);
	vec_free(&f.sums);
	vec_free(&f.places);
	vec_free(&f.pending);
	hash_free(&f.children);
	hash_free(&f.known);
	return status;
}

/* How functions are shown. */

bool tree_is_folded(const struct tree_view *view)
{
	return view->group != GROUP_FUNCTION ||
	       (view->elided && view->elided->n);
}

static int elide(
	const struct tree *tree, const struct filter *filter, uint32_t *shown)
{
	size_t n = filter->nfound;
	uint32_t *functions = malloc((n + 1) * sizeof *functions);

	if (!functions)
		return -1;
	memcpy(functions, filter->found, n * sizeof *functions);
	if (!tree->view.clones)
		n = dataset_bases(tree->data, functions, n);
	for (size_t i = 0; i < n; i++)
		shown[functions[i]] = FN_NONE;
	free(functions);
	return 0;
}

int tree_show_functions(struct tree *tree)
{
	const struct dataset *data = tree->data;
	const struct filters *elided = tree->view.elided;
	enum dataset_group group = tree->view.group;
	bool places = group == GROUP_MODULE || group == GROUP_FILE;
	uint32_t *shown =
		malloc(((size_t)data->nfunctions + 1) * sizeof *shown);

	tree->impl->shown = shown;
	if (!shown)
		return -1;
	for (uint32_t i = 0; i <= data->nfunctions; i++)
		shown[i] = places ? data->groups[group][i] : i;
	for (size_t i = 0; elided && i < elided->n; i++)
		if (elide(tree, &elided->v[i], shown))
			return -1;
	return 0;
}
