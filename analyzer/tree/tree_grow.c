/*
 * tree_grow.c - adds up the stacks of a file into a sample tree.
 *
 * The file's stacks are a tree of addresses already. Here children with
 * addresses in one function become one node. So a node of the sample tree
 * stands for a group of nodes of the file, and its children are the children of
 * all of these, grouped by function and site. The nodes of the file come in
 * runs (tree_runs.h), which are grouped where they begin and else copied: of
 * ten groupings one remains. The weights of the runs order the groups. The tree
 * is laid out in preorder, each group once, with a hash table of no more than
 * the siblings at hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/sum.h"
#include "analyzer/tree/tree_frames.h"
#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"
#include "analyzer/tree/tree_runs.h"

/*
 * Inlined calls make more frames than the file has nodes, and a hostile file
 * can have many: the mean per node is limited.
 */
#define FRAMES_PER_NODE 16
#define FRAMES_FREE 1048576

#define TAIL_SITE "[tail]" /* where a function left by a tail call */

_Static_assert(
	DATASET_FRAMES_MAX + DATASET_LOST_MAX <= UINT8_MAX, "frames fit");

/* A run's link is the next sibling; then the next in its group; then where its
   last node is in the tree. */
struct group { /* a node of the tree to be */
	uint64_t weight;
	uint32_t function, site;
	uint32_t runs;   /* the first; 0: none, it is a loss */
	uint32_t parent; /* in the tree */
};

struct grower {
	struct tree *tree;
	struct runs runs;
	uint32_t *bases; /* by function: what it is shown as; NULL: itself */
	uint32_t *sites; /* by location: the site of the innermost frame, less
			    one; 0: not known yet */
	VEC(struct tree_node) nodes;
	VEC(uint32_t) node_sites;   /* of these, if told apart */
	VEC(struct tree_sums) sums; /* [0]: nothing */
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

/* Frames. */

/* Where RUN is. */
static const struct location *location_of(
	const struct grower *g, const struct run *run)
{
	return dataset_location(g->tree->data, run->at);
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

static uint32_t *list_bases(const struct dataset *data)
{
	size_t n = (size_t)data->nfunctions + 1;
	uint32_t *bases = malloc(n * sizeof *bases);

	for (size_t i = 0; bases && i < n; i++)
		bases[i] = data->functions[i].base;
	return bases;
}

/* The site in the innermost frame of location NUMBER. */
static uint32_t innermost_site(const struct grower *g, uint32_t number)
{
	const struct location *at = &g->tree->data->locations[number];
	uint32_t *known = &g->sites[number];

	if (!*known)
		*known = call_site(g->tree, at,
				 tree_innermost(&g->tree->view, at)) +
			 1;
	return *known - 1;
}

/* The site in RUN's current frame that called its next one. */
static uint32_t site_in(const struct grower *g, const struct run *run)
{
	const struct location *at;

	if (!g->sites || run->function == FN_NONE)
		return 0;
	at = location_of(g, run);
	if (run->frame >= at->nframes)
		return strings_add(
			g->tree->impl->sites, TAIL_SITE, strlen(TAIL_SITE));
	if (run->frame != run->inner)
		return call_site(g->tree, at, run->frame);
	return innermost_site(g, (uint32_t)(at - g->tree->data->locations));
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

/* Has memory fetched what comes after the frame at hand of RUN, whose turn is
   soon: in a large tree the waits for it would take half of the time. */
static void fetch_next(const struct grower *g, const struct run *run)
{
	__builtin_prefetch(&g->runs.own[run - g->runs.v]);
	if (run->at != run->last)
		__builtin_prefetch(&g->tree->data->nodes[run->at + 1]);
	else if (run->child)
		__builtin_prefetch(&g->runs.v[run->child]);
}

/*
 * Puts run NUMBER, called at SITE by the function BEFORE, with its siblings.
 * Unless the view separates clones, f and the f.part.0 that it calls are one,
 * and the run joins the group *SAME that is being grown.
 */
static int put(struct grower *g, uint32_t number, uint32_t before,
	uint32_t site, uint32_t *same)
{
	const struct dataset *data = g->tree->data;
	struct run *run = &g->runs.v[number];
	uint32_t function = run->function;
	uint32_t base = g->bases ? g->bases[function] : function;
	struct group *group;

	if (base != function &&
		tree_is_same_frame(data, &g->tree->view, before, function)) {
		run->link = *same;
		*same = number;
		return 0;
	}
	group = sibling(g, base, site);
	if (!group)
		return -1;
	fetch_next(g, run);
	sum_add(&group->weight, run->weight);
	run->link = group->runs;
	group->runs = number;
	return 0;
}

/* Node AT of the tree gets what run NUMBER, which ends there, has of its own.
   Sums lie as the nodes do: walks of a large tree do not wait for each. */
static int add_own(struct grower *g, uint32_t number, uint32_t at)
{
	struct tree_node *node = &g->nodes.v[at];
	const struct tree_sums *own = &g->runs.own[number];

	g->runs.v[number].link = at;
	if (!own->weight && !own->hits && !own->samples)
		return 0;
	if (!node->sums) {
		if (!vec_push(&g->sums))
			return -1;
		node->sums = (uint32_t)g->sums.n - 1;
	}
	tree_sums_add(&g->sums.v[node->sums], own);
	return 0;
}

/* Puts all callees of the frame of run NUMBER, which is node AT of the tree. */
static int put_called(
	struct grower *g, uint32_t number, uint32_t at, uint32_t *same)
{
	struct run *run = &g->runs.v[number];
	uint32_t before = run->function, site = site_in(g, run), next;

	if (site == UINT32_MAX)
		return -1;
	if (run->frame > run->inner) {
		run->frame--;
		run->function = tree_frame(
			g->tree->data, location_of(g, run), run->frame);
		return put(g, number, before, site, same);
	}
	if (run->at != run->last) {
		run_enter(run, &g->runs, g->tree->data->nodes, run->at + 1);
		return put(g, number, before, site, same);
	}
	if (add_own(g, number, at))
		return -1;
	for (uint32_t c = run->child; c; c = next) {
		next = g->runs.v[c].link;
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
		group = sibling(g, dataset_loss(loss->kind), 0);
		if (!group)
			return -1;
		sum_add(&group->weight, loss->gticks);
	}
	return 0;
}

/* Writes the next node of the tree. */
static int write_node(struct grower *g, uint32_t function, uint32_t site,
	uint32_t parent, struct err *err)
{
	struct tree_private *impl = g->tree->impl;
	uint32_t at = (uint32_t)g->nodes.n;
	uint32_t depth = at ? g->nodes.v[parent].depth + 1 : 0;
	uint32_t *number;

	if (at >= g->limit)
		return err_set(err, g->tree->data->path, "sample tree",
			"too many inlined frames in the file's stacks");
	if (work_step(g->tree->view.work, "adding up stacks", at,
		    g->tree->data->nnodes, err))
		return -1;
	if (at == g->nodes.cap && !vec_reserve(&g->nodes, (size_t)at + 1))
		return out_of_memory(err);
	number = g->sites ? vec_push(&g->node_sites) : NULL;
	if (g->sites && !number)
		return out_of_memory(err);
	if (number)
		*number = site;
	g->nodes.v[g->nodes.n++] = (struct tree_node){
		.function = function, .parent = parent, .depth = depth};
	if (depth > impl->max_depth)
		impl->max_depth = depth;
	if (function >= impl->nfunctions)
		impl->nfunctions = function + 1;
	return 0;
}

/* Writes what comes next of a RUN that is in no group with others, up to the
   node that takes a closer look. */
static int write_run(struct grower *g, struct run *run, struct err *err)
{
	const struct node *nodes = g->tree->data->nodes;
	const struct entrance *entrances = g->runs.entrances, *next;
	uint32_t at = run->at;

	if (run->frame != run->inner)
		return 0;
	while (at != run->last &&
		(next = &entrances[nodes[at + 1].location])->plain) {
		uint32_t site =
			g->sites ? innermost_site(g, nodes[at].location) : 0;

		if (site == UINT32_MAX)
			return out_of_memory(err);
		if (write_node(g, next->function, site,
			    (uint32_t)g->nodes.n - 1, err))
			return -1;
		at++;
	}
	if (at != run->at)
		run_enter(run, &g->runs, nodes, at);
	return 0;
}

/* Makes GROUP a node of the tree and its children pending. */
static int place(struct grower *g, const struct group *group, struct err *err)
{
	uint32_t at = (uint32_t)g->nodes.n, runs = group->runs;

	if (write_node(g, group->function, group->site, group->parent, err))
		return -1;
	if (at && !runs) {
		if (dataset_is_loss(group->function))
			g->losses[group->function - FN_LOST] = at;
		return 0;
	}
	if (at && !g->runs.v[runs].link) {
		if (write_run(g, &g->runs.v[runs], err))
			return -1;
		at = (uint32_t)g->nodes.n - 1;
	}
	g->siblings.n = 0;
	hash_clear(&g->known);
	do {
		uint32_t number = runs;

		runs = g->runs.v[number].link;
		__builtin_prefetch(&g->runs.v[runs]);
		if (put_called(g, number, at, &runs))
			return out_of_memory(err);
	} while (runs);
	if ((!at && put_losses(g)) || push_siblings(g, at))
		return out_of_memory(err);
	return 0;
}

/* The sums of node AT, its own from now on; NULL: no memory. */
static struct tree_sums *own_sums(struct grower *g, uint32_t at)
{
	struct tree_node *node = &g->nodes.v[at];
	uint32_t before = node->sums;
	struct tree_sums *sums = vec_push(&g->sums);

	if (!sums)
		return NULL;
	*sums = g->sums.v[before];
	node->sums = (uint32_t)g->sums.n - 1;
	return sums;
}

/* Gives losses to where they are. */
static int add_losses(struct grower *g)
{
	const struct dataset *data = g->tree->data;

	for (size_t i = 0; i < data->nlosses; i++) {
		const struct cpd_loss *loss = &data->losses[i];
		uint32_t at = g->losses[loss->kind];

		if (!tree_keeps_loss(g->tree, loss))
			continue;
		if (!g->nodes.v[at].sums && !own_sums(g, at))
			return -1;
		sum_add(&g->sums.v[g->nodes.v[at].sums].weight, loss->gticks);
		sum_add(&g->tree->impl->loss_kept, loss->gticks);
		if (loss->kind == CPD_PROBES)
			sum_add(&g->tree->impl->probes, loss->gticks);
	}
	return 0;
}

/* Adds the sums of all nodes to those above.  A node takes the sums of its last
   child for its own until another comes. */
static int add_up(struct grower *g)
{
	struct tree_node *nodes = g->nodes.v;

	if (add_losses(g))
		return -1;
	for (uint32_t i = (uint32_t)g->nodes.n; i-- > 1;) {
		uint32_t above = nodes[i].parent, next = i + ++nodes[i].size;
		struct tree_node *parent = &nodes[above];

		if (!parent->sums) {
			parent->sums = nodes[i].sums;
		} else {
			if (parent->size && nodes[next].sums == parent->sums &&
				!own_sums(g, above))
				return -1;
			tree_sums_add(&g->sums.v[parent->sums],
				&g->sums.v[nodes[i].sums]);
		}
		parent->size += nodes[i].size;
	}
	nodes[0].size++;
	return 0;
}

static int list_places(const struct grower *g, uint32_t **places)
{
	const struct dataset *data = g->tree->data;
	uint32_t *list =
		calloc(tree_loss_place(data, CPD_LOSS_KINDS), sizeof *list);

	if (!list)
		return -1;
	for (size_t i = 1; i < g->runs.n; i++)
		list[g->runs.v[i].last] = g->runs.v[i].link;
	for (int k = 0; k < CPD_LOSS_KINDS; k++)
		list[tree_loss_place(data, k)] = g->losses[k];
	*places = list;
	return 0;
}

/* Hands what is grown to the tree. */
static void hand_over(struct grower *g)
{
	struct tree *tree = g->tree;
	struct tree_node *nodes =
		realloc(g->nodes.v, g->nodes.n * sizeof *nodes);

	free(tree->nodes);
	free(tree->sites);
	free(tree->sums);
	tree->nodes = nodes ? nodes : g->nodes.v;
	tree->n = (uint32_t)g->nodes.n;
	tree->sites = g->node_sites.v;
	tree->sums = g->sums.v;
	g->nodes.v = NULL;
	g->node_sites.v = NULL;
	g->sums.v = NULL;
}

static int grow(struct grower *g, uint32_t **places, struct err *err)
{
	struct group next = {.function = FN_ALL};
	int rc;

	if (runs_init(&g->runs, g->tree) || !vec_push(&g->sums))
		return out_of_memory(err);
	rc = place(g, &next, err);
	while (rc == 0 && g->pending.n) {
		next = g->pending.v[--g->pending.n];
		rc = place(g, &next, err);
	}
	if (rc)
		return rc;
	if (places && list_places(g, places))
		return out_of_memory(err);
	runs_fini(&g->runs);
	if (add_up(g))
		return out_of_memory(err);
	hand_over(g);
	return 0;
}

int tree_grow(struct tree *tree, uint32_t **places, struct err *err)
{
	struct grower g = {.tree = tree};
	size_t n = (size_t)tree->data->nnodes + 1;
	size_t nlocations = (size_t)tree->data->nlocations + 1;
	int rc;

	g.limit = (uint64_t)n * FRAMES_PER_NODE + FRAMES_FREE;
	if (g.limit > UINT32_MAX / 2)
		g.limit = UINT32_MAX / 2;
	tree->impl->nfunctions = tree->impl->max_depth = 0;
	tree->impl->loss_kept = tree->impl->probes = 0;
	if (tree->view.sites)
		g.sites = calloc(nlocations, sizeof *g.sites);
	if (!tree->view.clones)
		g.bases = list_bases(tree->data);
	rc = (g.sites || !tree->view.sites) && (g.bases || tree->view.clones)
		     ? grow(&g, places, err)
		     : out_of_memory(err);
	hash_free(&g.known);
	free(g.bases);
	free(g.sites);
	runs_fini(&g.runs);
	vec_free(&g.nodes);
	vec_free(&g.sums);
	vec_free(&g.node_sites);
	vec_free(&g.pending);
	vec_free(&g.siblings);
	return rc;
}
