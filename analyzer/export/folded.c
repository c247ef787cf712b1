/*
 * folded.c - stacks as "root;...;leaf hits" lines, which flame graph
 * tools read.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/export.h"
#include "analyzer/report/report_private.h"
#include "analyzer/tree/tree_private.h"
#include "lib/arena.h"
#include "lib/order.h"
#include "lib/set.h"
#include "lib/sum.h"

struct folded_text { /* of a tree's nodes, as it is printed */
	const struct tree *tree;
	bool short_names;
	struct strings strings; /* the names and sites */
	uint32_t *names;        /* by function; 0: not asked for yet */
	uint32_t *sites;        /* by node: that of the call to it; 0: none */
	uint32_t *same;   /* by node: the first whose stack has its text */
	uint64_t *counts; /* by node: of the stacks that end there */
};

static int no_text(uint32_t id)
{
	return id == UINT32_MAX ? -1 : 0;
}

static uint32_t escaped(struct folded_text *t, const char *name)
{
	char *text = report_escape(name, ";");
	uint32_t id = text ? strings_add(&t->strings, text, strlen(text))
			   : UINT32_MAX;

	free(text);
	return id;
}

static uint32_t name_of(struct folded_text *t, uint32_t node)
{
	uint32_t function = t->tree->nodes[node].function;
	const struct function *f = &t->tree->data->functions[function];

	if (!t->names[function])
		t->names[function] =
			escaped(t, t->short_names ? f->short_name : f->name);
	return t->names[function];
}

struct folded_node {
	uint32_t above, name, site; /* no other line has the same */
	uint32_t node;
};

/*
 * Functions of several files, and calls from several lines, may have the same
 * text; their stacks are one line.
 */
static int find_same(struct folded_text *t)
{
	const struct tree_node *nodes = t->tree->nodes;
	SET_OF(struct folded_node) known = {0};
	int bad = no_text(name_of(t, 0));

	for (uint32_t i = 1; i < t->tree->n && !bad; i++) {
		struct folded_node node = {.above = t->same[nodes[i].parent],
			.name = name_of(t, i),
			.node = i};
		uint32_t k;

		if (t->tree->view.sites)
			t->sites[i] = escaped(
				t, tree_site(t->tree, t->tree->sites[i]));
		node.site = t->sites[i];
		k = set_add(&known, &node, offsetof(struct folded_node, node));
		bad = no_text(node.name) || no_text(node.site) || no_text(k);
		if (!bad)
			t->same[i] = known.v[k].node;
	}
	set_free(&known);
	return bad;
}

/*
 * What a line says of NODE: its hits, and of losses, which come as gticks, how
 * many that would be.  Where the interval varied, hits are no measure.
 */
static uint64_t count(const struct tree *tree, uint32_t node)
{
	const struct cpd_resource *r = tree_resource(tree);
	struct tree_sums self = tree_self(tree, node);
	uint64_t hits;

	if (r->flags & CPD_RESOURCE_RANDOM)
		return self.weight;
	if (self.hits || !self.weight)
		return self.hits;
	hits = self.weight / r->interval;
	hits += self.weight % r->interval >= r->interval - r->interval / 2;
	return hits ? hits : 1;
}

static struct folded_text *text_free(struct folded_text *t)
{
	if (t) {
		strings_free(&t->strings);
		free(t->names);
		free(t->sites);
		free(t->same);
		free(t->counts);
	}
	free(t);
	return NULL;
}

static struct folded_text *text_new(const struct tree *tree, bool short_names)
{
	struct folded_text *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->tree = tree;
	t->short_names = short_names;
	t->names = calloc(tree->impl->nfunctions + 1u, sizeof *t->names);
	t->sites = calloc(tree->n, sizeof *t->sites);
	t->same = calloc(tree->n, sizeof *t->same);
	t->counts = calloc(tree->n, sizeof *t->counts);
	if (!t->names || !t->sites || !t->same || !t->counts || find_same(t))
		return text_free(t);
	for (uint32_t i = 0; i < tree->n; i++)
		sum_add(&t->counts[t->same[i]], count(tree, i));
	return t;
}

/* Compares stacks by their text; where one begins with the other, the deeper
   one comes later. */
static int compare_stacks(const struct folded_text *t, uint32_t x, uint32_t y)
{
	const struct tree_node *nodes = t->tree->nodes;
	int longer = ORDER(nodes[x].depth, nodes[y].depth);

	while (nodes[x].depth > nodes[y].depth)
		x = t->same[nodes[x].parent];
	while (nodes[y].depth > nodes[x].depth)
		y = t->same[nodes[y].parent];
	if (x == y)
		return longer;
	while (t->same[nodes[x].parent] != t->same[nodes[y].parent]) {
		x = t->same[nodes[x].parent];
		y = t->same[nodes[y].parent];
	}
	return strcmp(strings_get(&t->strings, t->names[nodes[x].function]),
		       strings_get(&t->strings, t->names[nodes[y].function]))
		       ?: strcmp(strings_get(&t->strings, t->sites[x]),
				  strings_get(&t->strings, t->sites[y]));
}

/* Heaviest first, then by text: the order does not depend on the file's. */
static int compare_lines(const void *a, const void *b, void *arg)
{
	const struct folded_text *t = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return ORDER(t->counts[y], t->counts[x]) ?: compare_stacks(t, x, y);
}

/* PATH has room for the deepest node. */
static void put_stack(
	FILE *out, const struct folded_text *t, uint32_t node, uint32_t *path)
{
	const struct tree_node *nodes = t->tree->nodes;
	uint32_t depth = nodes[node].depth, at = node;

	for (uint32_t i = depth; i-- > 0; at = nodes[at].parent)
		path[i] = at;
	if (!depth) /* a sample of no stack at all */
		path[depth++] = 0;
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t site = i ? t->sites[path[i]] : 0;

		/* The site of a call stands behind the function it is in. */
		if (site)
			fprintf(out, ":%s", strings_get(&t->strings, site));
		if (i)
			fputc(';', out);
		fputs(strings_get(
			      &t->strings, t->names[nodes[path[i]].function]),
			out);
	}
	fprintf(out, " %" PRIu64 "\n", t->counts[node]);
}

static int put_text(FILE *out, const struct folded_text *t, struct err *err)
{
	const struct tree *tree = t->tree;
	uint32_t n = 0, *lines = calloc(tree->n, sizeof *lines);
	uint32_t *path =
		calloc((size_t)tree->impl->max_depth + 1, sizeof *path);
	int bad = lines && path ? 0 : err_memory(err, NULL, "report");

	for (uint32_t i = 0; i < tree->n && !bad; i++)
		if (t->counts[i])
			lines[n++] = i;
	if (n > 1)
		qsort_r(lines, n, sizeof *lines, compare_lines, (void *)t);
	for (uint32_t i = 0; i < n && !bad; i++) {
		bad = work_step(tree->view.work, "writing", i, n, err);
		if (!bad)
			put_stack(out, t, lines[i], path);
	}
	free(lines);
	free(path);
	return bad;
}

static int put_stacks(
	FILE *out, const struct tree *tree, bool short_names, struct err *err)
{
	struct folded_text *t = text_new(tree, short_names);
	int bad = t ? put_text(out, t, err) : err_memory(err, NULL, "report");

	text_free(t);
	return bad;
}

int export_folded(FILE *out, const struct export *x, struct err *err)
{
	struct tree *tree;
	int bad;

	if (x->tree)
		return put_stacks(out, x->tree, x->short_names, err);
	tree = tree_new(x->data, &x->view, err);
	bad = tree ? put_stacks(out, tree, x->short_names, err) : -1;
	tree_free(tree);
	return bad;
}
