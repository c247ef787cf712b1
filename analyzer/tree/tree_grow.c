/*
 * tree_grow.c - adds up the stacks of a file into a sample tree.
 *
 * The file's stacks are a tree of addresses already. Here children with
 * addresses in one function become one node. So a node of the sample tree
 * stands for a group of nodes of the file, and its children are the children of
 * all of these, grouped by function and site. Each node of the file is weighed
 * with all below it first, which orders the groups. The tree is then laid out
 * in preorder, each group once, with a hash table of no more than the siblings
 * at hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/sum.h"
#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"

/*
 * Inlined calls make more frames than the file has nodes, and a hostile file
 * can have many: the mean per node is limited.
 */
#define FRAMES_PER_NODE 16
#define FRAMES_FREE 1048576

#define TAIL_SITE "[tail]" /* where a function left by a tail call */

/* The frame at which a node of the file stands, lost ones from nframes on. */
#define FRAME_MASK 0x7f
#define FRAME_USED 0x80 /* it or a node below it has samples */
_Static_assert(DATASET_FRAMES_MAX + DATASET_LOST_MAX <= FRAME_MASK,
	"frames fit into a byte");

struct item {            /* a node of the file */
	uint64_t weight; /* with all below it */
	uint32_t child;  /* the first that is used; 0: none */
	uint32_t link;   /* next sibling; then next in its group; then where it
			    is in the tree */
};

struct group { /* a node of the tree to be */
	uint64_t weight;
	uint32_t function, site;
	uint32_t items;  /* the first; 0: none, it is a loss */
	uint32_t parent; /* in the tree */
};

struct grower {
	struct tree *tree;
	struct item *items;
	uint8_t *frames;
	VEC(struct tree_node) nodes;
	VEC(struct group) pending;  /* what comes first, last */
	VEC(struct group) siblings; /* of the node at hand */
	struct hash known;          /* they by function and site */
	uint64_t limit;
	uint32_t losses[CPD_LOSS_KINDS]; /* where they are in the tree */
};

static int out_of_memory(struct err *err)
{
	return err_set(err, NULL, "sample tree", "out of memory");
}

static const uint32_t loss_functions[CPD_LOSS_KINDS] = {
	[CPD_LOST] = FN_LOST,
	[CPD_UNSAMPLED] = FN_UNSAMPLED,
	[CPD_KERNEL] = FN_KERNEL,
	[CPD_SETUID] = FN_SETUID,
	[CPD_PROBES] = FN_PROBES,
};

/* What counts. */

static bool counts_aggregate(
	const struct grower *g, const struct aggregate *aggregate)
{
	return aggregate->resource == g->tree->view.resource &&
	       tree_keeps_thread(g->tree, aggregate->thread) &&
	       tree_keeps_stack(g->tree, aggregate->node);
}

/* Weighs the nodes of the file and links those that are used. */
static void weigh(struct grower *g)
{
	const struct dataset *data = g->tree->data;
	struct item *items = g->items;

	for (size_t i = 0; i < g->tree->naggregates; i++) {
		const struct aggregate *aggregate = &g->tree->aggregates[i];

		if (!counts_aggregate(g, aggregate))
			continue;
		sum_add(&items[aggregate->node].weight, aggregate->weight);
		g->frames[aggregate->node] = FRAME_USED;
	}
	for (uint32_t i = data->nnodes; i > 0; i--) {
		struct item *parent = &items[data->nodes[i].parent];

		if (!g->frames[i])
			continue;
		g->frames[data->nodes[i].parent] = FRAME_USED;
		sum_add(&parent->weight, items[i].weight);
		items[i].link = parent->child;
		parent->child = i;
	}
}

/* Frames. */

/* The innermost frame of a node that the view shows. */
static uint32_t innermost(const struct grower *g, const struct location *at)
{
	return g->tree->view.no_inlines ? at->nframes - 1 : 0;
}

/* The outermost frame of a node, lost ones included. */
static uint32_t outermost(const struct dataset *data, const struct location *at)
{
	uint32_t lost = 0;

	while (at->lost && dataset_lost(data, at, lost))
		lost++;
	return at->nframes - 1u + lost;
}

static uint32_t function_of(const struct grower *g, uint32_t item)
{
	const struct location *at = dataset_location(g->tree->data, item);
	uint32_t k = g->frames[item] & FRAME_MASK;

	return k < at->nframes
		       ? at->frames[k].function
		       : dataset_lost(g->tree->data, at, k - at->nframes);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/*
 * The number of the place in frame K AT a location where a call was made: its
 * line, or else the offset of the address in the function. UINT32_MAX when out
 * of memory.
 */
static uint32_t call_site(
	const struct tree *tree, const struct location *at, uint32_t k)
{
	const struct frame *frame = &at->frames[k];
	const struct function *function =
		&tree->data->functions[frame->function];
	char text[320];
	uint64_t addr;

	if (!at->nframes || frame->function < FN_FIRST_REAL)
		return 0;
	addr = location_address(at);
	if (frame->line)
		snprintf(text, sizeof text, "%.255s:%u",
			*frame->file ? base_name(frame->file) : "?",
			frame->line);
	else if (addr >= function->lo && addr < function->hi)
		snprintf(text, sizeof text, "+0x%llx",
			(unsigned long long)(addr - function->lo));
	else
		snprintf(text, sizeof text, "0x%llx", (unsigned long long)addr);
	return strings_add(tree->impl->sites, text, strlen(text));
}

/* The site in ITEM's current frame that called its next one. */
static uint32_t site_in(const struct grower *g, uint32_t item)
{
	const struct location *at = dataset_location(g->tree->data, item);
	uint32_t k = g->frames[item] & FRAME_MASK;

	if (!g->tree->view.sites || !at->nframes)
		return 0;
	if (k >= at->nframes)
		return strings_add(
			g->tree->impl->sites, TAIL_SITE, strlen(TAIL_SITE));
	return call_site(g->tree, at, k);
}

/* Siblings. */

static struct group *sibling(struct grower *g, uint32_t function, uint32_t site)
{
	uint64_t hash = hash_mix((uint64_t)site << 32 | function);
	struct group *group;
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&g->known, hash, &probe)) != HASH_NONE) {
		group = &g->siblings.v[i];
		if (group->function == function && group->site == site)
			return group;
	}
	if (!hash_add(&g->known, hash, (uint32_t)g->siblings.n))
		return NULL;
	group = vec_push(&g->siblings);
	if (!group)
		return NULL;
	group->function = function;
	group->site = site;
	return group;
}

/*
 * Puts ITEM, called at SITE by the function BEFORE, with its siblings. Unless
 * the view separates clones, f and the f.part.0 that it calls are one, and ITEM
 * joins the group *SAME that is being grown.
 */
static int put(struct grower *g, uint32_t item, uint32_t before, uint32_t site,
	uint32_t *same)
{
	const struct function *functions = g->tree->data->functions;
	uint32_t function = function_of(g, item);
	struct group *group;

	if (!g->tree->view.clones) {
		uint32_t base = functions[function].base;

		if (base != function && before != function &&
			functions[before].base == base) {
			g->items[item].link = *same;
			*same = item;
			return 0;
		}
		function = base;
	}
	group = sibling(g, function, site);
	if (!group)
		return -1;
	sum_add(&group->weight, g->items[item].weight);
	g->items[item].link = group->items;
	group->items = item;
	return 0;
}

/* Puts all callees of the frame of ITEM, which is node AT of the tree. */
static int put_called(
	struct grower *g, uint32_t item, uint32_t at, uint32_t *same)
{
	const struct dataset *data = g->tree->data;
	const struct location *node = dataset_location(data, item);
	uint32_t k = g->frames[item] & FRAME_MASK, before = FN_NONE, site, next;

	if (node->nframes)
		before = function_of(g, item);
	if (node->nframes && k > innermost(g, node)) {
		site = site_in(g, item);
		g->frames[item]--;
		return site == UINT32_MAX ? -1
					  : put(g, item, before, site, same);
	}
	g->items[item].link = at;
	if (!g->items[item].child)
		return 0;
	site = site_in(g, item);
	if (site == UINT32_MAX)
		return -1;
	for (uint32_t c = g->items[item].child; c; c = next) {
		const struct location *called = dataset_location(data, c);

		next = g->items[c].link;
		g->frames[c] = (uint8_t)(FRAME_USED | outermost(data, called));
		if (put(g, c, before, site, same))
			return -1;
	}
	return 0;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

/* Makes the siblings pending children of node AT; the heaviest comes first. */
static int push_siblings(struct grower *g, uint32_t at)
{
	size_t n = g->siblings.n;

	if (n > 1)
		qsort(g->siblings.v, n, sizeof *g->siblings.v, compare_groups);
	if (!vec_reserve(&g->pending, g->pending.n + n))
		return -1;
	while (n-- > 0) {
		struct group *group = &g->pending.v[g->pending.n++];

		*group = g->siblings.v[n];
		group->parent = at;
	}
	return 0;
}

/* Losses stand beside the first functions. */
static int put_losses(struct grower *g)
{
	const struct dataset *data = g->tree->data;

	for (size_t i = 0; i < data->nlosses; i++) {
		const struct cpd_loss *loss = &data->losses[i];
		struct group *group;

		if (!tree_keeps_loss(g->tree, loss))
			continue;
		group = sibling(g, loss_functions[loss->kind], 0);
		if (!group)
			return -1;
		sum_add(&group->weight, loss->gticks);
	}
	return 0;
}

/* Makes GROUP a node of the tree and its children pending. */
static int place(struct grower *g, const struct group *group, struct err *err)
{
	struct tree_private *impl = g->tree->impl;
	uint32_t at = (uint32_t)g->nodes.n, items = group->items;
	struct tree_node *node;

	if (at >= g->limit)
		return err_set(err, g->tree->data->path, "sample tree",
			"too many inlined frames in the file's stacks");
	if (work_step(g->tree->view.work, "adding up stacks", at,
		    g->tree->data->nnodes, err))
		return -1;
	node = vec_push(&g->nodes);
	if (!node)
		return out_of_memory(err);
	node->function = group->function;
	node->site = group->site;
	node->parent = group->parent;
	node->depth = at ? g->nodes.v[group->parent].depth + 1 : 0;
	if (node->depth > impl->max_depth)
		impl->max_depth = node->depth;
	if (node->function >= impl->nfunctions)
		impl->nfunctions = node->function + 1;
	if (at && !items) {
		for (int k = 0; k < CPD_LOSS_KINDS; k++)
			if (loss_functions[k] == node->function)
				g->losses[k] = at;
		return 0;
	}
	g->siblings.n = 0;
	hash_clear(&g->known);
	do {
		uint32_t item = items;

		items = g->items[item].link;
		if (put_called(g, item, at, &items))
			return out_of_memory(err);
	} while (items);
	if ((!at && put_losses(g)) || push_siblings(g, at))
		return out_of_memory(err);
	return 0;
}

/* Adds consumption to its node and to all above it. */
static void add_up(struct grower *g)
{
	const struct dataset *data = g->tree->data;
	struct tree_node *nodes = g->nodes.v;

	for (size_t i = 0; i < g->tree->naggregates; i++) {
		const struct aggregate *aggregate = &g->tree->aggregates[i];
		struct tree_node *node;

		if (!counts_aggregate(g, aggregate))
			continue;
		node = &nodes[g->items[aggregate->node].link];
		sum_add(&node->weight, aggregate->weight);
		sum_add(&node->hits, aggregate->hits);
		sum_add(&node->samples, aggregate->samples);
	}
	for (size_t i = 0; i < data->nlosses; i++) {
		const struct cpd_loss *loss = &data->losses[i];

		if (!tree_keeps_loss(g->tree, loss))
			continue;
		sum_add(&nodes[g->losses[loss->kind]].weight, loss->gticks);
		sum_add(&g->tree->impl->loss_kept, loss->gticks);
	}
	for (size_t i = g->nodes.n; i-- > 1;) {
		struct tree_node *parent = &nodes[nodes[i].parent];

		sum_add(&parent->weight, nodes[i].weight);
		sum_add(&parent->hits, nodes[i].hits);
		sum_add(&parent->samples, nodes[i].samples);
		parent->size += ++nodes[i].size;
	}
	nodes[0].size++;
}

static int list_places(const struct grower *g, uint32_t **places)
{
	const struct dataset *data = g->tree->data;
	uint32_t *list =
		calloc(tree_loss_place(data, CPD_LOSS_KINDS), sizeof *list);

	if (!list)
		return -1;
	for (uint32_t i = 0; i <= data->nnodes; i++)
		if (g->frames[i])
			list[i] = g->items[i].link;
	for (int k = 0; k < CPD_LOSS_KINDS; k++)
		list[tree_loss_place(data, k)] = g->losses[k];
	*places = list;
	return 0;
}

static int grow(struct grower *g, uint32_t **places, struct err *err)
{
	struct group next = {.function = FN_ALL};
	struct tree_node *trimmed;
	int rc;

	weigh(g);
	rc = place(g, &next, err);
	while (rc == 0 && g->pending.n) {
		next = g->pending.v[--g->pending.n];
		rc = place(g, &next, err);
	}
	if (rc)
		return rc;
	if (places && list_places(g, places))
		return out_of_memory(err);
	add_up(g);
	trimmed = realloc(g->nodes.v, g->nodes.n * sizeof *trimmed);
	free(g->tree->nodes);
	g->tree->nodes = trimmed ? trimmed : g->nodes.v;
	g->tree->n = (uint32_t)g->nodes.n;
	g->nodes.v = NULL;
	return 0;
}

int tree_grow(struct tree *tree, uint32_t **places, struct err *err)
{
	struct grower g = {.tree = tree};
	size_t n = (size_t)tree->data->nnodes + 1;
	int rc;

	g.limit = (uint64_t)n * FRAMES_PER_NODE + FRAMES_FREE;
	if (g.limit > UINT32_MAX / 2)
		g.limit = UINT32_MAX / 2;
	tree->impl->nfunctions = tree->impl->max_depth = 0;
	tree->impl->loss_kept = 0;
	g.items = calloc(n, sizeof *g.items);
	g.frames = calloc(n, sizeof *g.frames);
	rc = g.items && g.frames ? grow(&g, places, err) : out_of_memory(err);
	hash_free(&g.known);
	free(g.items);
	free(g.frames);
	vec_free(&g.nodes);
	vec_free(&g.pending);
	vec_free(&g.siblings);
	return rc;
}
