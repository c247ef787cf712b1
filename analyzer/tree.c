/*
 * tree.c - adds up stacks into a sample tree.
 *
 * Two steps.  Stacks first grow a draft, a trie found through a hash table of
 * (parent, function, site), in which parents come before children.  Then the
 * draft is laid out: siblings sorted, heaviest first, and nodes put in preorder
 * so that every subtree is one run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/vec.h"
#include "filter_private.h"
#include "hash.h"
#include "tree_draft.h"
#include "tree_private.h"

/*
 * Inlined calls make more frames than the file has nodes, many in a file that
 * means harm: no more than these per node on average.
 */
#define FRAMES_PER_NODE 16
#define FRAMES_FREE 1048576

#define TAIL_SITE "[tail]" /* where a function left by a tail call */

static int out_of_memory(struct err *err)
{
	return err_set(err, NULL, "sample tree", "out of memory");
}

static int draft_init(struct draft *draft)
{
	struct draft_node *root;

	memset(draft, 0, sizeof *draft);
	draft->limit = UINT32_MAX / 2;
	draft->mask = 1023;
	draft->table = calloc(draft->mask + 1, sizeof *draft->table);
	root = vec_push(&draft->nodes);
	if (!draft->table || !root)
		return -1;
	root->function = FN_ALL;
	return 0;
}

static void draft_fini(struct draft *draft)
{
	vec_free(&draft->nodes);
	free(draft->table);
}

static uint32_t draft_hash(uint32_t parent, uint32_t function, uint32_t site)
{
	uint64_t pair = (uint64_t)parent << 32 | function;

	return (uint32_t)hash_add(hash_mix(pair), site);
}

static int draft_grow(struct draft *draft)
{
	uint32_t mask = draft->mask * 2 + 1;
	uint32_t *table = calloc((size_t)mask + 1, sizeof *table);

	if (!table)
		return -1;
	for (uint32_t i = 1; i < draft->nodes.n; i++) {
		const struct draft_node *node = &draft->nodes.v[i];
		uint32_t h =
			draft_hash(node->parent, node->function, node->site);

		while (table[h & mask])
			h++;
		table[h & mask] = i;
	}
	free(draft->table);
	draft->table = table;
	draft->mask = mask;
	return 0;
}

/* The child of PARENT; 0 when out of memory or beyond the limit. */
static uint32_t draft_child(
	struct draft *draft, uint32_t parent, uint32_t function, uint32_t site)
{
	struct draft_node *node;
	uint32_t h;

	if (draft->nodes.n * 4 > (size_t)draft->mask * 3 && draft_grow(draft))
		return 0;
	h = draft_hash(parent, function, site);
	for (;; h++) {
		uint32_t i = draft->table[h & draft->mask];

		if (!i)
			break;
		node = &draft->nodes.v[i];
		if (node->parent == parent && node->function == function &&
			node->site == site)
			return i;
	}
	if (draft->nodes.n >= draft->limit || !(node = vec_push(&draft->nodes)))
		return 0;
	node->parent = parent;
	node->function = function;
	node->site = site;
	draft->table[h & draft->mask] = (uint32_t)draft->nodes.n - 1;
	return (uint32_t)draft->nodes.n - 1;
}

static void draft_add(struct draft *draft, uint32_t at, uint64_t weight,
	uint64_t hits, uint64_t samples)
{
	struct draft_node *node = &draft->nodes.v[at];

	sum_add(&node->self_weight, weight);
	sum_add(&node->self_hits, hits);
	sum_add(&node->self_samples, samples);
}

static void draft_total(struct draft *draft)
{
	struct draft_node *nodes = draft->nodes.v;

	for (size_t i = draft->nodes.n; i-- > 0;) {
		struct draft_node *node = &nodes[i];
		struct draft_node *parent = &nodes[node->parent];

		sum_add(&node->weight, node->self_weight);
		sum_add(&node->hits, node->self_hits);
		sum_add(&node->samples, node->self_samples);
		node->size++;
		if (i == 0)
			break;
		sum_add(&parent->weight, node->weight);
		sum_add(&parent->hits, node->hits);
		sum_add(&parent->samples, node->samples);
		parent->size += node->size;
	}
}

static int compare_siblings(const void *a, const void *b, void *arg)
{
	const struct draft_node *nodes = arg;
	const struct draft_node *x = &nodes[*(const uint32_t *)a];
	const struct draft_node *y = &nodes[*(const uint32_t *)b];

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

/*
 * The children of node i of the draft, sorted, as
 * children[first[i]] .. children[first[i + 1] - 1].
 */
static int draft_children(
	struct draft *draft, uint32_t **first_out, uint32_t **children_out)
{
	struct draft_node *nodes = draft->nodes.v;
	size_t n = draft->nodes.n;
	uint32_t *first = calloc(n + 2, sizeof *first);
	uint32_t *children = calloc(n, sizeof *children);

	*first_out = first;
	*children_out = children;
	if (!first || !children)
		return -1;
	for (size_t i = 1; i < n; i++)
		first[nodes[i].parent + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 1; i < n; i++)
		children[first[nodes[i].parent + 1]++] = i;
	for (size_t i = 0; i < n; i++)
		if (first[i + 1] - first[i] > 1)
			qsort_r(children + first[i], first[i + 1] - first[i],
				sizeof *children, compare_siblings, nodes);
	return 0;
}

static void lay_node(struct tree_node *to, const struct draft_node *from)
{
	to->function = from->function;
	to->site = from->site;
	to->size = from->size;
	to->self_weight = from->self_weight;
	to->self_hits = from->self_hits;
	to->self_samples = from->self_samples;
	to->weight = from->weight;
	to->hits = from->hits;
	to->samples = from->samples;
}

/*
 * Preorder without recursion: where a node goes is known when its parent is
 * placed, from the sizes of the siblings before it.
 */
static int lay_out(struct tree *tree, struct draft *draft)
{
	uint32_t *first = NULL, *children = NULL, *place;
	uint32_t n = (uint32_t)draft->nodes.n;
	int status = -1;

	draft_total(draft);
	place = calloc(n, sizeof *place);
	tree->nodes = calloc(n, sizeof *tree->nodes);
	if (draft_children(draft, &first, &children) || !place || !tree->nodes)
		goto out;
	tree->n = n;
	lay_node(&tree->nodes[0], &draft->nodes.v[0]);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = place[i] + 1;

		for (uint32_t c = first[i]; c < first[i + 1]; c++) {
			uint32_t child = children[c];
			struct tree_node *node = &tree->nodes[at];

			lay_node(node, &draft->nodes.v[child]);
			node->parent = place[i];
			node->depth = tree->nodes[place[i]].depth + 1;
			place[child] = at;
			at += node->size;
		}
	}
	status = 0;
out:
	free(first);
	free(children);
	free(place);
	return status;
}

static int index_functions(struct tree *tree)
{
	struct tree_private *private = tree->private;
	uint32_t *first;

	for (uint32_t i = 0; i < tree->n; i++) {
		if (tree->nodes[i].function >= private->nfunctions)
		private->nfunctions = tree->nodes[i].function + 1;
		if (tree->nodes[i].depth > private->max_depth)
		private->max_depth = tree->nodes[i].depth;
	}
	first = calloc((size_t) private->nfunctions + 2, sizeof *first);
	private->first = first;
	private->by_function = calloc(tree->n, sizeof *private->by_function);
	if (!first || !private->by_function)
		return -1;
	for (uint32_t i = 0; i < tree->n; i++)
		first[tree->nodes[i].function + 2]++;
	for (size_t f = 2; f < (size_t) private->nfunctions + 2; f++)
		first[f] += first[f - 1];
	for (uint32_t i = 0; i < tree->n; i++)
	private->by_function[first[tree->nodes[i].function + 1]++] = i;
	return 0;
}

static struct tree *tree_alloc(struct draft *draft)
{
	struct tree *tree = calloc(1, sizeof *tree);

	if (tree && !(tree->private = calloc(1, sizeof *tree->private))) {
		free(tree);
		tree = NULL;
	}
	if (draft_init(draft) && tree) {
		tree_free(tree);
		tree = NULL;
	}
	return tree;
}

/* Makes TREE of the finished draft. */
static int tree_finish(struct tree *tree, struct draft *draft, struct err *err)
{
	if (lay_out(tree, draft) || index_functions(tree))
		return out_of_memory(err);
	return 0;
}

struct tree *tree_from_stacks(
	const struct stack *stacks, size_t n, struct err *err)
{
	struct draft draft;
	struct tree *tree = tree_alloc(&draft);
	int status = tree ? 0 : out_of_memory(err);

	for (size_t i = 0; i < n && !status; i++) {
		uint32_t at = 0;

		for (uint32_t d = 0; d < stacks[i].depth && !status; d++) {
			at = draft_child(&draft, at, stacks[i].functions[d], 0);
			if (!at)
				status = out_of_memory(err);
		}
		if (!status)
			draft_add(&draft, at, stacks[i].weight, stacks[i].hits,
				1);
	}
	if (!status)
		status = tree_finish(tree, &draft, err);
	if (!status)
		tree->whole = (struct tree_sums){tree->nodes[0].weight,
			tree->nodes[0].hits, tree->nodes[0].samples};
	draft_fini(&draft);
	if (status) {
		tree_free(tree);
		return NULL;
	}
	return tree;
}

/* From a dataset. */

struct grower {
	struct tree *tree;
	struct draft draft;
	struct tree_sums *sums; /* by node of the file: its own */
	bool *used;        /* it or a node below it has samples */
	uint32_t *at;      /* its innermost frame in the draft */
};

static void grower_sum(struct grower *grower)
{
	const struct dataset *data = grower->tree->data;

	for (size_t i = 0; i < data->ncells; i++) {
		const struct cell *cell = &data->cells[i];
		struct tree_sums *sums = &grower->sums[cell->node];

		if (cell->resource != grower->tree->view.resource ||
			!tree_keeps_thread(grower->tree, cell->thread))
			continue;
		sum_add(&sums->weight, cell->weight);
		sum_add(&sums->hits, cell->hits);
		sum_add(&sums->samples, cell->samples);
		grower->used[cell->node] = true;
	}
	for (uint32_t i = data->nnodes; i > 0; i--)
		if (grower->used[i])
			grower->used[data->nodes[i].parent] = true;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/*
 * The number of the place in frame K of NODE where a call was made: its line,
 * or where that is not known the offset of the address in the function.
 * UINT32_MAX when out of memory.
 */
static uint32_t call_site(
	const struct tree *tree, const struct node *node, uint32_t k)
{
	const struct frame *frame = &node->frames[k];
	const struct function *function =
		&tree->data->functions[frame->function];
	char text[320];
	uint64_t addr;

	if (!node->nframes || frame->function < FN_FIRST_REAL)
		return 0;
	addr = node->addr - !(node->flags & CPD_NODE_EXACT);
	if (frame->line)
		snprintf(text, sizeof text, "%.255s:%u",
			*frame->file ? base_name(frame->file) : "?",
			frame->line);
	else if (addr >= function->lo && addr < function->hi)
		snprintf(text, sizeof text, "+0x%llx",
			(unsigned long long)(addr - function->lo));
	else
		snprintf(text, sizeof text, "0x%llx", (unsigned long long)addr);
	return strings_add(tree->private->sites, text, strlen(text));
}

/*
 * Grows a frame of FUNCTION, which BEFORE called, below *AT.  Clones are folded
 * unless the view has them apart: f and the f.part.0 it calls are then one.
 */
static int grow_frame(struct grower *grower, uint32_t *at, uint32_t before,
	uint32_t function, uint32_t site, struct err *err)
{
	const struct tree *tree = grower->tree;
	const struct function *functions = tree->data->functions;
	uint32_t base = functions[function].base;

	if (site == UINT32_MAX)
		return out_of_memory(err);
	if (!tree->view.clones && base != function && before != function &&
		functions[before].base == base)
		return 0;
	*at = draft_child(
		&grower->draft, *at, tree->view.clones ? function : base, site);
	if (!*at && grower->draft.nodes.n >= grower->draft.limit)
		return err_set(err, tree->data->path, "sample tree",
			"too many inlined frames in the file's stacks");
	return *at ? 0 : out_of_memory(err);
}

/* The innermost frame of a node that the view shows. */
static uint32_t innermost(const struct tree *tree, const struct node *node)
{
	return tree->view.no_inlines ? node->nframes - 1 : 0;
}

/* Grows the frames of one node of the file, outermost first. */
static int grow_node(struct grower *grower, uint32_t id, struct err *err)
{
	const struct tree *tree = grower->tree;
	const struct node *node = &tree->data->nodes[id];
	const struct node *caller = &tree->data->nodes[node->parent];
	uint32_t at = grower->at[node->parent], site = 0, before = FN_NONE;
	uint32_t stop = innermost(tree, node), last;

	if (caller->nframes) {
		last = innermost(tree, caller);
		before = caller->frames[last].function;
		if (tree->view.sites)
			site = call_site(tree, caller, last);
	}
	if (node->lost) {
		if (grow_frame(grower, &at, before, node->lost, site, err))
			return -1;
		before = node->lost;
		if (tree->view.sites)
			site = strings_add(tree->private->sites, TAIL_SITE,
				strlen(TAIL_SITE));
	}
	for (uint32_t k = node->nframes; k-- > stop;) {
		uint32_t function = node->frames[k].function;

		if (grow_frame(grower, &at, before, function, site, err))
			return -1;
		before = function;
		if (tree->view.sites && k > stop)
			site = call_site(tree, node, k);
	}
	grower->at[id] = at;
	return 0;
}

static int grow_losses(struct grower *grower, struct err *err)
{
	static const uint32_t functions[CPD_LOSS_KINDS] = {
		[CPD_LOST] = FN_LOST,
		[CPD_UNSAMPLED] = FN_UNSAMPLED,
		[CPD_KERNEL] = FN_KERNEL,
		[CPD_SETUID] = FN_SETUID,
	};
	const struct tree *tree = grower->tree;
	const struct dataset *data = tree->data;

	for (size_t i = 0; i < data->nlosses; i++) {
		const struct cpd_loss *loss = &data->losses[i];
		uint32_t at;

		if (loss->resource != tree->view.resource || !loss->gticks ||
			!tree_keeps_thread(tree, loss->thread))
			continue;
		at = draft_child(&grower->draft, 0, functions[loss->kind], 0);
		if (!at)
			return out_of_memory(err);
		draft_add(&grower->draft, at, loss->gticks, 0, 0);
	}
	return 0;
}

/* What there is before filters. */
static void sum_whole(struct tree *tree)
{
	const struct books *books = &tree->data->books[tree->view.resource];

	tree->whole = (struct tree_sums){
		books->weight, books->hits, books->samples};
	for (int kind = 0; kind < CPD_LOSS_KINDS; kind++)
		sum_add(&tree->private->loss, books->loss[kind]);
	sum_add(&tree->whole.weight, tree->private->loss);
}

static int grow_samples(struct grower *grower, struct err *err)
{
	uint32_t n = grower->tree->data->nnodes + 1;

	grower_sum(grower);
	for (uint32_t i = 0; i < n; i++) {
		const struct tree_sums *sums = &grower->sums[i];

		if (!grower->used[i])
			continue;
		if (i > 0 && grow_node(grower, i, err))
			return -1;
		draft_add(&grower->draft, grower->at[i], sums->weight,
			sums->hits, sums->samples);
	}
	return 0;
}

static int grow(struct grower *grower, struct err *err)
{
	struct tree *tree = grower->tree;
	struct tree_private *private = tree->private;
	const struct filters *filters = tree->view.filters;
	size_t n = (size_t)tree->data->nnodes + 1;

	grower->sums = calloc(n, sizeof *grower->sums);
	grower->used = calloc(n, sizeof *grower->used);
	grower->at = calloc(n, sizeof *grower->at);
	private->sites = strings_new();
	if (!grower->sums || !grower->used || !grower->at || !private->sites)
		return out_of_memory(err);
	if (filters_on_threads(filters)) {
		private->threads = filters_threads(filters, tree->data);
		if (!private->threads)
			return out_of_memory(err);
	}
	grower->draft.limit = (uint64_t)n * FRAMES_PER_NODE + FRAMES_FREE;
	if (grower->draft.limit > UINT32_MAX / 2)
		grower->draft.limit = UINT32_MAX / 2;
	sum_whole(tree);
	if (grow_samples(grower, err) || grow_losses(grower, err))
		return -1;
	if (filters_on_stacks(filters) &&
		draft_filter(&grower->draft, tree->data, &tree->view,
			grower->at, &private->stacks))
		return out_of_memory(err);
	return 0;
}

struct tree *tree_new(const struct dataset *data, const struct tree_view *view,
	struct err *err)
{
	struct grower grower = {0};
	struct tree *tree = tree_alloc(&grower.draft);
	int status = tree ? 0 : out_of_memory(err);

	if (!status) {
		tree->data = data;
		tree->view = *view;
		grower.tree = tree;
		status = grow(&grower, err);
	}
	if (!status)
		status = tree_finish(tree, &grower.draft, err);
	draft_fini(&grower.draft);
	free(grower.sums);
	free(grower.used);
	free(grower.at);
	if (status) {
		tree_free(tree);
		return NULL;
	}
	return tree;
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	free(tree->private->first);
	free(tree->private->by_function);
	free(tree->private->threads);
	free(tree->private->stacks);
	if (tree->private->sites)
		strings_free(tree->private->sites);
	free(tree->private);
	free(tree->nodes);
	free(tree);
}

const char *tree_site(const struct tree *tree, uint32_t site)
{
	return tree->private->sites ? strings_get(tree->private->sites, site)
				    : "";
}

bool tree_keeps_thread(const struct tree *tree, uint32_t thread)
{
	return !tree->private->threads || tree->private->threads[thread];
}

bool tree_keeps_stack(const struct tree *tree, uint32_t node)
{
	return !tree->private->stacks || tree->private->stacks[node];
}
