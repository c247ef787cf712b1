/*
 * callgraph.c - one walk of the sample tree for all arcs.
 *
 * While the walk stands at a node, each function of the stack has one arc by
 * which its innermost activation was called, and one by which it called on.  An
 * arc is charged with what the walk meets from the moment when it becomes such
 * an arc to the moment when it stops being one.  So each step of the walk costs
 * the same, however deep the stack is.
 */
#include <stdlib.h>

#include "lib/order.h"
#include "lib/set.h"
#include "lib/impl.h"
#include "analyzer/profile/profile_parts.h"
#include "analyzer/questions/callgraph.h"

#define NO_ARC UINT32_MAX

/* What was met so far: in all, and with one function innermost. */
struct mark {
	struct tree_sums all, own;
};

/* A function in the stack at hand. */
struct active {
	uint32_t in, out; /* the arcs of its innermost activation, or NO_ARC */
	struct mark in_mark, out_mark; /* when they became that */
	struct tree_sums self;         /* met with it innermost */
};

struct graph_step { /* a node of the stack */
	uint32_t end;
	uint32_t function, caller;
	uint32_t in, out; /* of the activation of its function before it */
	bool same;        /* its caller has the same: that one goes on */
};

struct callgraph_private {
	SET_OF(struct callgraph_arc) arcs;
	const struct callgraph_arc **lists; /* of all entries */
};

struct graph_walk {
	struct callgraph_private *impl;
	const struct tree *tree;
	struct active *active; /* by function */
	struct graph_step *steps;
	struct tree_sums all;
	uint32_t depth;
	bool no_memory;
};

struct tree_sums callgraph_sum(struct tree_sums a, struct tree_sums b)
{
	tree_sums_add(&a, &b);
	return a;
}

static struct tree_sums since(
	const struct tree_sums *now, const struct tree_sums *then)
{
	return (struct tree_sums){now->weight - then->weight,
		now->hits - then->hits, now->samples - then->samples};
}

static uint32_t find_arc(struct graph_walk *w, uint32_t from, uint32_t to)
{
	const struct callgraph_arc arc = {.from = from, .to = to};
	uint32_t i = set_add(
		&w->impl->arcs, &arc, offsetof(struct callgraph_arc, in_self));

	w->no_memory |= i == HASH_NONE;
	return i;
}

static struct mark mark(const struct graph_walk *w, uint32_t arc)
{
	uint32_t to = arc == NO_ARC ? 0 : w->impl->arcs.v[arc].to;

	return (struct mark){w->all, w->active[to].self};
}

/* Charges what was met since THEN to the arc's SELF and CHILDREN. */
static void charge(const struct graph_walk *w, uint32_t arc,
	const struct mark *then, struct tree_sums *self,
	struct tree_sums *children)
{
	struct mark now = mark(w, arc);
	struct tree_sums all = since(&now.all, &then->all);
	struct tree_sums own = since(&now.own, &then->own);

	all = since(&all, &own);
	tree_sums_add(self, &own);
	tree_sums_add(children, &all);
}

static void set_in(struct graph_walk *w, uint32_t function, uint32_t arc)
{
	struct active *a = &w->active[function];

	if (a->in != NO_ARC) {
		struct callgraph_arc *old = &w->impl->arcs.v[a->in];

		charge(w, a->in, &a->in_mark, &old->in_self, &old->in_children);
	}
	a->in = arc;
	a->in_mark = mark(w, arc);
}

static void set_out(struct graph_walk *w, uint32_t function, uint32_t arc)
{
	struct active *a = &w->active[function];

	if (a->out != NO_ARC) {
		struct callgraph_arc *old = &w->impl->arcs.v[a->out];

		charge(w, a->out, &a->out_mark, &old->out_self,
			&old->out_children);
	}
	a->out = arc;
	a->out_mark = mark(w, arc);
}

static void enter(struct graph_walk *w, uint32_t at)
{
	const struct tree_node *nodes = w->tree->nodes, *node = &nodes[at];
	struct active *a = &w->active[node->function];
	struct graph_step *step = &w->steps[w->depth++];
	struct tree_sums self = tree_self(w->tree, at);
	uint32_t caller = nodes[node->parent].function;

	step->end = at + node->size;
	step->function = node->function;
	step->caller = caller;
	step->in = a->in;
	step->out = a->out;
	step->same = at && caller == node->function;
	if (at && !step->same) {
		uint32_t arc = find_arc(w, caller, node->function);

		set_out(w, caller, arc);
		set_in(w, node->function, arc);
		set_out(w, node->function, NO_ARC);
	}
	tree_sums_add(&w->all, &self);
	tree_sums_add(&a->self, &self);
}

static void leave(struct graph_walk *w)
{
	const struct graph_step *step = &w->steps[--w->depth];

	if (step->same)
		return;
	set_in(w, step->function, step->in);
	set_out(w, step->function, step->out);
	set_out(w, step->caller, NO_ARC);
}

static int walk_tree(struct graph_walk *w, struct err *err)
{
	const struct tree *tree = w->tree;

	for (uint32_t i = 0; i < tree->n; i++) {
		if (work_step(tree->view.work, "walking the call graph", i,
			    tree->n, err))
			return -1;
		while (w->depth && w->steps[w->depth - 1].end <= i)
			leave(w);
		enter(w, i);
		if (w->no_memory)
			return err_memory(err, NULL, "profile");
	}
	while (w->depth > 1)
		leave(w);
	return 0;
}

/* Order. */

static uint64_t in_weight(const struct callgraph_arc *arc)
{
	return arc->in_self.weight + arc->in_children.weight;
}

static uint64_t out_weight(const struct callgraph_arc *arc)
{
	return arc->out_self.weight + arc->out_children.weight;
}

static int compare_entries(const void *a, const void *b, void *tree)
{
	const struct callgraph_entry *x = a, *y = b;
	uint64_t of_x = x->self.weight + x->children.weight;
	uint64_t of_y = y->self.weight + y->children.weight;

	return ORDER(of_y, of_x) ?: ORDER(y->self.weight, x->self.weight)
	       ?: profile_compare_functions(tree, x->function, y->function);
}

/* An arc in the list of one of its ends.  A large graph has a million arcs,
   each compared twenty times: what that takes lies side by side. */
struct listed_arc {
	uint64_t weight;
	uint32_t rank; /* of the function at the other end */
	const struct callgraph_arc *arc;
};

static int compare_listed(const void *a, const void *b)
{
	const struct listed_arc *x = a, *y = b;

	return ORDER(y->weight, x->weight) ?: ORDER(x->rank, y->rank);
}

static int compare_functions(const void *a, const void *b, void *tree)
{
	return profile_compare_functions(
		tree, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* The entries, in the order of their functions' numbers. */
static int list_entries(
	struct callgraph *graph, const struct graph_walk *w, uint32_t *place)
{
	uint32_t nfunctions = w->tree->impl->nfunctions;

	graph->entries = calloc((size_t)nfunctions + 1, sizeof *graph->entries);
	if (!graph->entries)
		return -1;
	for (uint32_t i = 0; i < w->tree->n; i++)
		place[w->tree->nodes[i].function] = 1;
	for (uint32_t f = 0; f < nfunctions; f++) {
		struct callgraph_entry *entry = &graph->entries[graph->n];

		if (!place[f])
			continue;
		entry->function = f;
		entry->self = w->active[f].self;
		place[f] = (uint32_t)graph->n++;
	}
	return 0;
}

/* Counts the arcs of each entry and adds up its callees. */
static void count_arcs(struct callgraph *graph, const uint32_t *place)
{
	const struct callgraph_private *impl = graph->impl;

	for (size_t i = 0; i < impl->arcs.n; i++) {
		const struct callgraph_arc *arc = &impl->arcs.v[i];
		struct callgraph_entry *from =
			&graph->entries[place[arc->from]];
		struct callgraph_entry *to = &graph->entries[place[arc->to]];

		from->ncallees += out_weight(arc) > 0;
		to->ncallers += in_weight(arc) > 0;
		tree_sums_add(&from->children, &arc->out_self);
		tree_sums_add(&from->children, &arc->out_children);
	}
}

/* By function of an entry: how many entries' functions come before it where
   weights are equal.  NULL: no memory. */
static uint32_t *rank_functions(const struct callgraph *graph)
{
	const struct tree *tree = graph->tree;
	uint32_t *ranks =
		calloc((size_t)tree->impl->nfunctions + 1, sizeof *ranks);
	uint32_t *order = calloc(graph->n + 1, sizeof *order);

	if (!ranks || !order) {
		free(ranks);
		free(order);
		return NULL;
	}
	for (size_t i = 0; i < graph->n; i++)
		order[i] = graph->entries[i].function;
	qsort_r(order, graph->n, sizeof *order, compare_functions,
		(void *)tree);
	for (size_t i = 0; i < graph->n; i++)
		ranks[order[i]] = (uint32_t)i;
	free(order);
	return ranks;
}

/* Sorts the N arcs at FROM to TO. */
static void put_list(
	struct listed_arc *from, size_t n, const struct callgraph_arc **to)
{
	qsort(from, n, sizeof *from, compare_listed);
	for (size_t i = 0; i < n; i++)
		to[i] = from[i].arc;
}

/* LISTED, RANKS: room for all lists; by function. */
static void fill_lists(struct callgraph *graph, const uint32_t *place,
	struct listed_arc *listed, const uint32_t *ranks)
{
	struct callgraph_private *impl = graph->impl;
	const struct callgraph_arc **lists = impl->lists;

	for (size_t i = 0; i < impl->arcs.n; i++) {
		const struct callgraph_arc *arc = &impl->arcs.v[i];
		struct callgraph_entry *from =
			&graph->entries[place[arc->from]];
		struct callgraph_entry *to = &graph->entries[place[arc->to]];
		uint64_t out = out_weight(arc), in = in_weight(arc);

		if (out)
			listed[from->callees - lists +
				(ptrdiff_t)from->ncallees++] =
				(struct listed_arc){out, ranks[arc->to], arc};
		if (in)
			listed[to->callers - lists +
				(ptrdiff_t)to->ncallers++] =
				(struct listed_arc){in, ranks[arc->from], arc};
	}
	for (size_t i = 0; i < graph->n; i++) {
		const struct callgraph_entry *entry = &graph->entries[i];
		ptrdiff_t callers = entry->callers - lists;
		ptrdiff_t callees = entry->callees - lists;

		put_list(listed + callers, entry->ncallers, lists + callers);
		put_list(listed + callees, entry->ncallees, lists + callees);
	}
}

static int list_arcs(struct callgraph *graph, const uint32_t *place)
{
	struct callgraph_private *impl = graph->impl;
	size_t n = 2 * impl->arcs.n + 1;
	const struct callgraph_arc **next = calloc(n, sizeof *next);
	struct listed_arc *listed = calloc(n, sizeof *listed);
	uint32_t *ranks = rank_functions(graph);
	bool good = next && listed && ranks;

	impl->lists = next;
	for (size_t i = 0; good && i < graph->n; i++) {
		struct callgraph_entry *entry = &graph->entries[i];

		entry->callers = next;
		entry->callees = next + entry->ncallers;
		next += entry->ncallers + entry->ncallees;
		entry->ncallers = entry->ncallees = 0;
	}
	if (good) {
		fill_lists(graph, place, listed, ranks);
		qsort_r(graph->entries, graph->n, sizeof *graph->entries,
			compare_entries, (void *)graph->tree);
	}
	free(listed);
	free(ranks);
	return good ? 0 : -1;
}

static int make(struct callgraph *graph, struct graph_walk *w, struct err *err)
{
	const struct tree *tree = graph->tree;
	size_t nfunctions = (size_t)tree->impl->nfunctions + 1;
	uint32_t *place = calloc(nfunctions, sizeof *place);
	int status = -1;

	w->active = calloc(nfunctions, sizeof *w->active);
	w->steps = calloc((size_t)tree->impl->max_depth + 1, sizeof *w->steps);
	if (!place || !w->active || !w->steps) {
		err_memory(err, NULL, "profile");
		goto out;
	}
	for (size_t f = 0; f < nfunctions; f++)
		w->active[f].in = w->active[f].out = NO_ARC;
	if (walk_tree(w, err))
		goto out;
	status = list_entries(graph, w, place);
	if (!status) {
		count_arcs(graph, place);
		status = list_arcs(graph, place);
	}
	if (status)
		err_memory(err, NULL, "profile");
out:
	free(place);
	free(w->active);
	free(w->steps);
	return status;
}

struct callgraph *callgraph_new(const struct tree *tree, struct err *err)
{
	struct callgraph *graph = new_with_impl(struct callgraph);
	struct graph_walk w = {.tree = tree};

	if (!graph) {
		err_memory(err, NULL, "profile");
		return NULL;
	}
	graph->tree = tree;
	w.impl = graph->impl;
	if (make(graph, &w, err) == 0)
		return graph;
	callgraph_free(graph);
	return NULL;
}

static bool is_in_part(const struct callgraph *arcs, uint32_t function)
{
	const struct dataset *data = arcs->tree->data;

	return function <= data->nfunctions &&
	       data->functions[function].more_calls;
}

uint64_t callgraph_arc_calls(
	const struct callgraph *arcs, uint32_t from, uint32_t to)
{
	const struct callgraph_arc arc = {.from = from, .to = to};
	uint32_t i = set_find(&arcs->impl->arcs, &arc,
		offsetof(struct callgraph_arc, in_self));

	if (is_in_part(arcs, to))
		return CALLGRAPH_IN_PART;
	return i == HASH_NONE ? 0 : arcs->impl->arcs.v[i].in_self.weight;
}

uint64_t callgraph_calls(const struct callgraph *arcs, uint32_t function)
{
	for (size_t i = 0; i < arcs->n && !is_in_part(arcs, function); i++)
		if (arcs->entries[i].function == function)
			return arcs->entries[i].self.weight;
	return is_in_part(arcs, function) ? CALLGRAPH_IN_PART : 0;
}

void callgraph_free(struct callgraph *graph)
{
	if (!graph)
		return;
	free(graph->impl->lists);
	set_free(&graph->impl->arcs);
	free(graph->entries);
	free(graph);
}
