/*
 * tree_grow.c - adds up the stacks of a file into a sample tree.
 *
 * The file's stacks are a tree of addresses already.  What each of its nodes
 * stands for in a stack, the frames that the view shows of it, is walked to
 * once, from where its caller went.  Elided functions are left out on the way,
 * what they have being their callers', and functions are replaced by their
 * groups.
 *
 * That elided functions are charged to their callers is the trick of A. Appel,
 * B. Duba and D. MacQueen, "Profiling in the presence of optimization and
 * garbage collection" (1988), without compiling anything anew.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "analyzer/tree/tree_frames.h"
#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"
#include "lib/order.h"
#include "lib/text.h"

/*
 * Inlined calls make more frames than the file has nodes, and a hostile file
 * can have many: the mean per node is limited.
 */
#define FRAMES_PER_NODE 16
#define FRAMES_FREE 1048576

#define TAIL_SITE "[tail]" /* where a function left by a tail call */

struct grown { /* a node of the tree to be */
	uint32_t function, parent;
	uint32_t first, next; /* its first child, its next sibling; 0: none */
	uint32_t sums;        /* as in struct tree_node; 0: nothing yet */
};

/* Of the last frame of generated code, main or [truncated], or else the first
   of an interpreter, if only an interpreter's frames follow. */
struct stack_run {
	uint32_t node; /* plus 1; 0: there is none */
	uint32_t site; /* of the call of those frames */
};

struct stack_place { /* where a stack of the file goes */
	uint32_t node;
	uint32_t site; /* of the call that frames called from here have; 0:
			  their own */
	struct stack_run run;
};

struct grower {
	struct tree *tree;
	bool folded; /* elided functions and groups are to be seen to */
	bool groups; /* a frame below one of the same group is no other */
	const uint32_t *roots;   /* by thread: the group above its stacks, or
				    FN_NONE; NULL: there are none */
	uint32_t base;           /* the node that the stacks at hand begin at */
	VEC(struct grown) nodes; /* parents first */
	VEC(uint32_t) sites;     /* of these, if told apart */
	VEC(struct tree_sums) sums; /* [0]: nothing */
	struct hash known;          /* children, but the first of each node */
	uint64_t limit;             /* of nodes */
	uint32_t *places;           /* by node of the file: its place's node,
				       plus 1; 0: not known yet */
	uint32_t *place_sites; /* likewise; NULL: calls are not told apart */
	struct stack_run *place_runs; /* likewise; NULL: nothing folds away */
	uint32_t *location_sites;     /* by location: the site of the innermost
					 frame, plus 1; 0: not known yet */
	VEC(uint32_t) way;            /* nodes of the file on the way to one */
	VEC(uint32_t)
	placed; /* those with a place below BASE, if there
		   are ROOTS */
	uint64_t walked;
	struct err *err;
};

/* Call sites. */

/*
 * The number of the place in frame K AT a location where a call was made: its
 * line, or else the offset of the address in the function.  UINT32_MAX when out
 * of memory.
 */
static uint32_t call_site(
	const struct tree *tree, const struct location *at, uint32_t k)
{
	const struct function *function;
	const struct frame *frame;
	uint64_t addr = location_address(at);
	char text[320] = TAIL_SITE;

	if (k < at->nframes) {
		frame = &at->frames[k];
		function = &tree->data->functions[frame->function];
		if (frame->function < FN_FIRST_REAL)
			return 0;
		if (frame->line)
			snprintf(text, sizeof text, "%.255s:%" PRIu32,
				*frame->file ? text_base_name(frame->file)
					     : "?",
				frame->line);
		else if (addr >= function->lo && addr < function->hi)
			snprintf(text, sizeof text, "+0x%" PRIx64,
				addr - function->lo);
		else
			snprintf(text, sizeof text, "0x%" PRIx64, addr);
	}
	return strings_add(&tree->impl->sites, text, strlen(text));
}

/* The site in the innermost frame of node NUMBER of the file; 0: of the root.
 */
static uint32_t innermost_site(const struct grower *g, uint32_t number)
{
	const struct dataset *data = g->tree->data;
	uint32_t location = data->nodes[number].location;
	const struct location *at = &data->locations[location];
	uint32_t *known;

	if (!number || !g->location_sites)
		return 0;
	known = &g->location_sites[location];
	if (!*known)
		*known = call_site(g->tree, at,
				 tree_innermost(&g->tree->view, at)) +
			 1;
	return *known - 1;
}

/* Nodes of the tree. */

static bool is_child(const struct grower *g, uint32_t i, uint32_t parent,
	uint32_t function, uint32_t site)
{
	const struct grown *node = &g->nodes.v[i];

	return node->parent == parent && node->function == function &&
	       (!g->location_sites || g->sites.v[i] == site);
}

static uint32_t new_node(
	struct grower *g, uint32_t parent, uint32_t function, uint32_t site)
{
	uint32_t i = (uint32_t)g->nodes.n;
	const struct grown node = {.function = function, .parent = parent};

	if (i >= g->limit) {
		err_set(g->err, g->tree->data->path, "sample tree",
			"too many inlined frames in the file's stacks");
		return 0;
	}
	if (vec_add(&g->nodes, node) &&
		(!g->location_sites || vec_add(&g->sites, site)))
		return i;
	err_memory(g->err, NULL, "sample tree");
	return 0;
}

/*
 * Node FUNCTION below PARENT; 0 and the error.  Most nodes of a large tree have
 * one child, so the first is looked at before the table and is not in it.
 */
static uint32_t child(
	struct grower *g, uint32_t parent, uint32_t function, uint32_t site)
{
	uint32_t first = g->nodes.v[parent].first, i;
	size_t probe = 0;
	uint64_t hash;

	if (!first) {
		i = new_node(g, parent, function, site);
		g->nodes.v[parent].first = i;
		return i;
	}
	if (is_child(g, first, parent, function, site))
		return first;
	hash = hash_with(hash_mix((uint64_t)parent << 32 | function), site);
	while ((i = hash_next(&g->known, hash, &probe)) != HASH_NONE)
		if (is_child(g, i, parent, function, site))
			return i;
	i = new_node(g, parent, function, site);
	if (!i)
		return 0;
	g->nodes.v[i].next = g->nodes.v[first].next;
	g->nodes.v[first].next = i;
	if (hash_add(&g->known, hash, i))
		return i;
	err_memory(g->err, NULL, "sample tree");
	return 0;
}

/* Stacks of the file. */

/* What is shown for FUNCTION, or FN_NONE; OUTERMOST: nothing is above it. */
static uint32_t shown_as(
	const struct tree *tree, uint32_t function, bool outermost)
{
	const bool *attached = tree->impl->attached;

	return outermost && attached && attached[function]
		       ? FN_NONE
		       : tree->impl->shown[function];
}

/* Goes from AT one frame on: to FUNCTION, called at SITE. */
static int step(struct grower *g, struct stack_place *at, uint32_t function,
	uint32_t site)
{
	const struct tree *tree = g->tree;
	const struct function *f =
		g->place_runs ? &tree->data->functions[function] : NULL;
	bool cut = function == FN_TRUNCATED;

	if (at->site)
		site = at->site;
	if (at->run.node == at->node + 1)
		at->run.site = site;
	if (f && function_is_runtime(f) && at->run.node) {
		at->node = at->run.node - 1; /* the interpreter's fold away */
		site = at->run.site;
	}
	function = tree_base(tree->data, &tree->view, function);
	if (g->folded)
		function = shown_as(tree, function, at->node == g->base);
	at->site = function == FN_NONE ? site : 0;
	if (function != FN_NONE &&
		!(g->groups && g->nodes.v[at->node].function == function))
		at->node = child(g, at->node, function, site);
	if (f && (function_is_runtime(f) || f->is_main || cut ||
			 (f->interpreter && !at->run.node)))
		at->run.node = at->node + 1;
	else if (f && !f->interpreter)
		at->run.node = 0;
	return at->node || function == FN_NONE ? 0 : -1;
}

/* Goes from AT, where its caller went, to where node NUMBER goes. */
static int enter(struct grower *g, struct stack_place *at, uint32_t number)
{
	const struct dataset *data = g->tree->data;
	const struct tree_view *view = &g->tree->view;
	const struct location *to = dataset_location(data, number);
	uint32_t caller = data->nodes[number].parent, before = FN_NONE;
	uint32_t inner = tree_innermost(view, to);
	uint32_t k = tree_outermost(data, to) + 1;
	uint32_t site = innermost_site(g, caller);

	if (caller) {
		const struct location *from = dataset_location(data, caller);

		before = tree_frame(data, from, tree_innermost(view, from));
	}
	while (k-- > inner) {
		uint32_t function = tree_frame(data, to, k);

		if (site == UINT32_MAX)
			return err_memory(g->err, NULL, "sample tree");
		if (!tree_is_same_frame(data, view, before, function) &&
			step(g, at, function, site))
			return -1;
		before = function;
		if (g->location_sites && k > inner)
			site = call_site(g->tree, to, k);
	}
	return work_step(view->work, "adding up stacks", ++g->walked,
		data->nnodes, g->err);
}

/* Where node NUMBER of the file goes. */
static int walk_to(struct grower *g, uint32_t number, struct stack_place *place)
{
	const struct node *nodes = g->tree->data->nodes;

	g->way.n = 0;
	for (; number && !g->places[number]; number = nodes[number].parent)
		if (!vec_add(&g->way, number))
			return err_memory(g->err, NULL, "sample tree");
	place->node = number ? g->places[number] - 1 : g->base;
	place->site = number && g->place_sites ? g->place_sites[number] : 0;
	place->run = number && g->place_runs ? g->place_runs[number]
					     : (struct stack_run){0};
	while (g->way.n) {
		number = g->way.v[--g->way.n];
		if (enter(g, place, number))
			return -1;
		g->places[number] = place->node + 1;
		if (g->place_sites)
			g->place_sites[number] = place->site;
		if (g->place_runs)
			g->place_runs[number] = place->run;
		if (g->roots && !vec_add(&g->placed, number))
			return err_memory(g->err, NULL, "sample tree");
	}
	return 0;
}

/* Node AT of the tree has SUMS of its own. */
static int add_own(struct grower *g, uint32_t at, const struct tree_sums *sums)
{
	struct grown *node = &g->nodes.v[at];

	if (!node->sums) {
		if (!vec_push(&g->sums))
			return err_memory(g->err, NULL, "sample tree");
		node->sums = (uint32_t)g->sums.n - 1;
	}
	tree_sums_add(&g->sums.v[node->sums], sums);
	return 0;
}

/* What follows is of a thread (0: of no one). */
static int begin(struct grower *g, uint32_t thread)
{
	uint32_t root = g->roots ? g->roots[thread] : FN_NONE;
	uint32_t base = root == FN_NONE ? 0 : child(g, 0, root, 0);

	if (root != FN_NONE && !base)
		return -1;
	if (base == g->base)
		return 0;
	for (size_t i = 0; i < g->placed.n; i++)
		g->places[g->placed.v[i]] = 0;
	g->placed.n = 0;
	g->base = base;
	return 0;
}

static int add_aggregate(struct grower *g, const struct aggregate *a)
{
	struct tree_sums sums = {a->weight, a->hits, a->samples};
	struct stack_place place = {0};
	const bool *idle = tree_is_below(g->tree) ? NULL : g->tree->impl->idle;

	if (idle && idle[a->leaf ? a->leaf : a->node])
		place.node = child(g, g->base, FN_IDLE, 0);
	else if (walk_to(g, tree_place(g->tree->data, &g->tree->view, a),
			 &place))
		return -1;
	if (a->node && place.node == g->base) /* no frame is left */
		place.node = child(
			g, g->base, filters_rest(g->tree->view.elided), 0);
	if (a->node && !place.node)
		return -1;
	return add_own(g, place.node, &sums);
}

static int compare_roots(const void *a, const void *b, void *arg)
{
	const struct grower *g = arg;
	const struct aggregate *v = g->tree->aggregates;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint32_t x = g->roots[v[i].thread], y = g->roots[v[k].thread];

	return ORDER(x, y) ?: ORDER(i, k);
}

static int add_aggregates(struct grower *g)
{
	const struct tree *tree = g->tree;
	const struct aggregate *v = tree->aggregates;
	uint32_t *order = calloc(tree->naggregates + 1, sizeof *order);
	uint32_t n = 0;
	int status = order ? 0 : err_memory(g->err, NULL, "sample tree");

	for (size_t i = 0; !status && i < tree->naggregates; i++)
		if (tree_keeps(tree, &v[i]))
			order[n++] = (uint32_t)i;
	if (!status && g->roots)
		qsort_r(order, n, sizeof *order, compare_roots, g);
	for (uint32_t i = 0; !status && i < n; i++)
		status = begin(g, v[order[i]].thread) ||
					 add_aggregate(g, &v[order[i]])
				 ? -1
				 : 0;
	free(order);
	return status;
}

/* Losses stand beside the first functions. */
static int add_losses(struct grower *g)
{
	const struct dataset *data = g->tree->data;
	struct tree_private *impl = g->tree->impl;

	for (size_t i = 0; i < data->nlosses; i++) {
		const struct cpd_loss *loss = &data->losses[i];
		struct tree_sums sums = {.weight = loss->gticks};
		uint32_t at;

		if (!tree_keeps_loss(g->tree, loss))
			continue;
		if (begin(g, loss->thread))
			return -1;
		at = child(g, g->base, dataset_loss(loss->kind), 0);
		if (!at || add_own(g, at, &sums))
			return -1;
		sum_add(&impl->loss_kept, loss->gticks);
	}
	return 0;
}

/* The tree. */

/* Adds the sums of all nodes to those above; one without any of its own has
   those of its only child. */
static int add_up(struct grower *g)
{
	struct grown *nodes = g->nodes.v;

	for (uint32_t i = (uint32_t)g->nodes.n; i-- > 1;) {
		struct grown *parent = &nodes[nodes[i].parent];

		if (!nodes[i].sums)
			continue;
		if (!parent->sums && !nodes[parent->first].next)
			parent->sums = nodes[i].sums;
		else if (add_own(g, nodes[i].parent, &(struct tree_sums){0}) ==
			 0)
			tree_sums_add(&g->sums.v[parent->sums],
				&g->sums.v[nodes[i].sums]);
		else
			return -1;
	}
	return 0;
}

/* What comes first is heavier, and goes behind: it is taken from there. */
static int compare_siblings(const void *a, const void *b, void *arg)
{
	const struct grower *g = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct grown *x = &g->nodes.v[i], *y = &g->nodes.v[k];
	uint64_t left = g->sums.v[x->sums].weight;
	uint64_t right = g->sums.v[y->sums].weight;

	if (left != right || x->function != y->function || !g->location_sites)
		return ORDER(left, right) ?: ORDER(y->function, x->function);
	return strcmp(tree_site(g->tree, g->sites.v[k]),
		tree_site(g->tree, g->sites.v[i]));
}

/* Puts the children of NODE, which is number AT of the tree, on the way; those
   without a sample were only passed. */
static int put_children(struct grower *g, const struct grown *node, uint32_t at)
{
	size_t before = g->way.n;

	for (uint32_t c = node->first; c; c = g->nodes.v[c].next) {
		if (!g->nodes.v[c].sums)
			continue;
		if (!vec_add(&g->way, c))
			return err_memory(g->err, NULL, "sample tree");
		g->nodes.v[c].parent = at; /* where that is from now on */
	}
	if (g->way.n > before + 1)
		qsort_r(g->way.v + before, g->way.n - before, sizeof *g->way.v,
			compare_siblings, g);
	return 0;
}

/* Writes the nodes to TO as a tree lies, and their sites to SITES. */
static int lay_out(struct grower *g, struct tree_node *to, uint32_t *sites)
{
	struct tree_private *impl = g->tree->impl;
	uint32_t at = 0, i = 0;

	g->way.n = 0;
	do {
		const struct grown *from = &g->nodes.v[i];

		to[at] = (struct tree_node){.function = from->function,
			.parent = from->parent,
			.size = 1,
			.depth = at ? to[from->parent].depth + 1 : 0,
			.sums = from->sums};
		if (sites)
			sites[at] = g->sites.v[i];
		if (to[at].depth > impl->max_depth)
			impl->max_depth = to[at].depth;
		if (from->function >= impl->nfunctions)
			impl->nfunctions = from->function + 1;
		if (put_children(g, from, at++))
			return -1;
		i = g->way.n ? g->way.v[--g->way.n] : 0;
	} while (i);
	g->tree->n = at;
	while (--at > 0)
		to[to[at].parent].size += to[at].size;
	return 0;
}

/* What is grown becomes the tree's. */
static int hand_over(struct grower *g)
{
	struct tree *tree = g->tree;
	size_t n = g->nodes.n;
	struct tree_node *nodes = malloc(n * sizeof *nodes);
	uint32_t *sites = g->location_sites ? malloc(n * sizeof *sites) : NULL;
	int status = add_up(g);

	if (!status && (!nodes || (g->location_sites && !sites)))
		status = err_memory(g->err, NULL, "sample tree");
	if (status || lay_out(g, nodes, sites)) {
		free(nodes);
		free(sites);
		return -1;
	}
	free(tree->nodes);
	free(tree->sites);
	free(tree->sums);
	tree->nodes = nodes;
	tree->sites = sites;
	tree->sums = g->sums.v;
	g->sums.v = NULL;
	return 0;
}

static bool has_interpreter(const struct dataset *data)
{
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
		if (data->functions[i].interpreter)
			return true;
	return false;
}

static int grow(struct grower *g)
{
	const struct tree *tree = g->tree;
	size_t n = (size_t)tree->data->nnodes + 1;

	g->limit = (uint64_t)n * FRAMES_PER_NODE + FRAMES_FREE;
	if (g->limit > UINT32_MAX / 2 || g->roots)
		g->limit = UINT32_MAX / 2;
	g->places = calloc(n, sizeof *g->places);
	if (tree->view.sites) {
		g->place_sites = calloc(n, sizeof *g->place_sites);
		g->location_sites = calloc((size_t)tree->data->nlocations + 1,
			sizeof *g->location_sites);
	}
	if (!tree->view.no_fold && !g->groups && has_interpreter(tree->data) &&
		!(g->place_runs = calloc(n, sizeof *g->place_runs)))
		return err_memory(g->err, NULL, "sample tree");
	if (!g->places || !vec_push(&g->sums) ||
		(tree->view.sites && (!g->place_sites || !g->location_sites)))
		return err_memory(g->err, NULL, "sample tree");
	new_node(g, 0, FN_ALL, 0);
	if (!g->nodes.n || work_ask(tree->view.work, "adding up stacks", 0,
				   tree->data->nnodes, g->err))
		return -1;
	if (add_aggregates(g) || add_losses(g))
		return -1;
	free(g->places);
	g->places = NULL;
	hash_free(&g->known);
	return hand_over(g);
}

int tree_grow(struct tree *tree, bool folded, struct err *err)
{
	enum dataset_group group = tree->view.group;
	struct grower g = {.tree = tree, .folded = folded, .err = err};
	int status;

	if (folded && (group == GROUP_THREAD || group == GROUP_PROCESS))
		g.roots = tree->data->groups[group];
	g.groups = folded && (group == GROUP_MODULE || group == GROUP_FILE);
	tree->impl->nfunctions = tree->impl->max_depth = 0;
	tree->impl->loss_kept = 0;
	status = grow(&g);
	hash_free(&g.known);
	free(g.places);
	free(g.place_sites);
	free(g.place_runs);
	free(g.location_sites);
	vec_free(&g.nodes);
	vec_free(&g.sites);
	vec_free(&g.sums);
	vec_free(&g.way);
	vec_free(&g.placed);
	return status;
}
