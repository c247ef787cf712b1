/*
 * path_tree.c - call paths as a tree of what branches, or as a list.
 *
 * The paths of a profile are the nodes of a trie: downward by their beginnings,
 * upward by their ends.  A line stands for a chain of nodes in which one child
 * of each node keeps 99 % of it; the line's figure is that of the last node.
 * So each line is a call path of the profile with its weight, and the paths
 * that it passes over weigh the same to within 1 % a step.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "lib/sum.h"
#include "lib/vec.h"
#include "analyzer/profile/function_figures.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_tree.h"
#include "analyzer/report/report_private.h"

#define ROOM_MIN 20 /* columns of a text, however narrow the line */

/* The trie. */

/* The child of PARENT by FUNCTION and SITE, made where it is new;
   UINT32_MAX: no memory. */
static uint32_t path_child(
	struct paths *p, uint32_t parent, uint32_t function, uint32_t site)
{
	const struct path_node *above = &p->nodes.v[parent];
	const struct path_node node = {.parent = parent,
		.function = function,
		.site = site,
		.length = above->length + 1,
		.generated =
			above->generated ||
			path_is_generated(&p->tree->data->functions[function])};
	size_t before = p->nodes.n;
	uint32_t i =
		set_add(&p->nodes, &node, offsetof(struct path_node, child));

	if (i == HASH_NONE || p->nodes.n == before)
		return i;
	if (p->nodes.v[parent].child)
		p->nodes.v[p->nodes.v[parent].last_child].next = i;
	else
		p->nodes.v[parent].child = i;
	p->nodes.v[parent].last_child = i;
	return i;
}

static void fill(
	struct paths *p, uint32_t at, const struct profile_entry *entry)
{
	struct path_node *node = &p->nodes.v[at];

	node->weight = entry->weight;
	node->hits = entry->hits;
	node->samples = entry->samples;
	sum_add(&p->nodes.v[node->parent].below, entry->weight);
}

/*
 * What has been walked of an entry's path already.  A path and those on the way
 * to it share memory, upward ones its end: without this a stack of 100 000
 * frames takes 18 s, and 0.2 s with it.  NULL: no memory.
 */
static struct path_begun *begun_of(
	struct paths *p, const struct profile_entry *entry)
{
	const struct path_begun key = {
		.path = entry->path + (p->up ? entry->length : 0)};
	uint32_t i = set_add(&p->begun, &key, sizeof key.path);
	struct path_begun *begun;

	if (i == HASH_NONE)
		return NULL;
	begun = &p->begun.v[i];
	if (begun->length > entry->length)
		*begun = key;
	return begun;
}

/* A node's site is that of the call between it and its parent. */
static int add_path(struct paths *p, const struct profile_entry *entry)
{
	struct path_begun *begun = begun_of(p, entry);
	uint32_t at = begun ? begun->node : 0, n = entry->length;

	if (!begun)
		return -1;
	for (uint32_t k = begun->length; k < n; k++) {
		uint32_t step = p->up ? n - 1 - k : k;
		uint32_t call = p->up ? step + 1 : step;

		at = path_child(p, at, entry->path[step],
			entry->sites && k ? entry->sites[call] : 0);
		if (at == UINT32_MAX)
			return -1;
	}
	begun->length = n;
	begun->node = at;
	fill(p, at, entry);
	return 0;
}

/* Entries of the sample tree lie in preorder; AT: the one before. */
static int add_nested(
	struct paths *p, const struct profile_entry *entry, uint32_t *at)
{
	while (p->nodes.v[*at].length >= entry->depth)
		*at = p->nodes.v[*at].parent;
	*at = path_child(
		p, *at, *entry->path, entry->sites ? *entry->sites : 0);
	if (*at == UINT32_MAX)
		return -1;
	fill(p, *at, entry);
	return 0;
}

static int add_paths(struct paths *p, struct err *err)
{
	const struct profile *profile = p->profile;
	uint32_t at = 0;

	if (!vec_push(&p->nodes))
		return err_memory(err, NULL, "report");
	for (size_t i = 0; i < profile->n; i++) {
		const struct profile_entry *entry = &profile->entries[i];

		if (work_step(p->tree->view.work, "arranging paths", i,
			    profile->n, err))
			return -1;
		if (profile->kind == PROFILE_TREE ? add_nested(p, entry, &at)
						  : add_path(p, entry))
			return err_memory(err, NULL, "report");
	}
	return 0;
}

/* Lines. */

static const struct function *function(const struct paths *p, uint32_t node)
{
	return &p->tree->data->functions[p->nodes.v[node].function];
}

/* The only child of AT, if it has nearly all of AT; else NO_NODE. */
static uint32_t goes_on(const struct paths *p, uint32_t at)
{
	const struct path_node *node = &p->nodes.v[at];
	uint32_t child = node->child;

	if (!child || p->nodes.v[child].next ||
		(double)p->nodes.v[child].weight <
			PROFILE_KEEPS * (double)node->weight)
		return NO_NODE;
	return child;
}

/*
 * The last node of the line from AT that only starts the program, as Rust's
 * runtime does, main being its own; NO_NODE: there is none. What hands over may
 * have the program's code inlined, and then calls several.
 */
static uint32_t hands_over(const struct paths *p, uint32_t at)
{
	uint32_t before = NO_NODE, next;

	while (at != NO_NODE && !path_hands_over(function(p, at))) {
		before = at;
		at = goes_on(p, at);
	}
	next = at == NO_NODE ? NO_NODE : goes_on(p, at);
	if (next == NO_NODE)
		return at == NO_NODE ? NO_NODE : before;
	return path_calls_once(function(p, next)) ? next : at;
}

/* Makes one list of siblings of those that begin with A and B, heaviest first.
 */
static uint32_t merge(struct paths *p, uint32_t a, uint32_t b)
{
	uint32_t head = 0, *to = &head;

	while (a && b) {
		uint32_t *from =
			p->nodes.v[b].weight > p->nodes.v[a].weight ? &b : &a;

		*to = *from;
		to = &p->nodes.v[*from].next;
		*from = *to;
	}
	*to = a ? a : b;
	return head;
}

static int add_lines(struct paths *p, struct err *err)
{
	VEC(struct path_line) todo = {0};
	uint32_t at = p->nodes.v[0].child, depth = 0, next, beside, over;
	bool fold = !p->options->no_fold,
	     all = p->nodes.v[at].function == FN_ALL && fold,
	     whole = all || (function(p, at)->is_main && fold);
	bool start; /* a line of what starts the rest alone */
	int status = 0;

	while (at && !status) {
		struct path_line *line = vec_push(&p->lines), *later;

		if (!line) {
			status = -1;
			break;
		}
		line->first = line->last = at;
		line->depth = depth;
		over = whole ? hands_over(p, at) : NO_NODE;
		start = over || (all && path_is_start(function(p, at)) &&
					!path_hands_over(function(p, at)));
		while ((next = goes_on(p, line->last)) && line->last != over &&
			!(start && !over && !path_is_start(function(p, next))))
			line->last = next;
		/* first what is below, then what is beside; where nobody asked
		   for it, what starts the rest is no line */
		next = p->nodes.v[line->last].child;
		beside = p->nodes.v[line->first].next;
		if (start && next) {
			p->lines.n--;
			at = merge(p, next, beside);
		} else {
			later = beside ? vec_push(&todo) : NULL;
			if (later)
				*later = (struct path_line){
					.first = beside, .depth = depth};
			else if (beside)
				status = -1;
			at = next;
			depth++;
		}
		if (!at && todo.n) {
			at = todo.v[--todo.n].first;
			depth = todo.v[todo.n].depth;
		}
	}
	vec_free(&todo);
	return status ? err_memory(err, NULL, "report") : 0;
}

static int compare_lines(const void *a, const void *b, void *arg)
{
	const struct path_line *x = a, *y = b;
	const struct paths *p = arg;
	uint64_t left = p->nodes.v[x->last].weight;
	uint64_t right = p->nodes.v[y->last].weight;

	return ORDER(right, left) ?: ORDER(x->first, y->first);
}

/* Keeps the heaviest lines.  Their parents weigh no less, so these stay too. */
static int keep_top(struct paths *p, struct err *err)
{
	size_t top = p->options->top, kept = 0;
	struct path_line *sorted, least;

	if (!top || p->lines.n <= top)
		return 0;
	sorted = malloc(p->lines.n * sizeof *sorted);
	if (!sorted)
		return err_memory(err, NULL, "report");
	memcpy(sorted, p->lines.v, p->lines.n * sizeof *sorted);
	qsort_r(sorted, p->lines.n, sizeof *sorted, compare_lines, p);
	least = sorted[top - 1];
	for (size_t i = 0; i < p->lines.n; i++)
		if (compare_lines(&p->lines.v[i], &least, p) <= 0)
			p->lines.v[kept++] = p->lines.v[i];
	p->lines.n = kept;
	free(sorted);
	return 0;
}

/* What is written. */

/* Whether the children of a line add up to more than the line. */
static bool overlaps(const struct paths *p, const struct path_line *line)
{
	const struct path_node *last = &p->nodes.v[line->last];

	return p->profile->kind == PROFILE_DOWN && last->below > last->weight;
}

static void interval_text(const struct paths *p, const struct path_node *node,
	char buf[static 64])
{
	struct profile_entry entry = {.weight = node->weight,
		.hits = node->hits,
		.samples = node->samples};
	double lo, hi;

	profile_interval(p->profile, &entry, &lo, &hi);
	snprintf(buf, 64, "%.1f..%.1f %%", 100 * lo, 100 * hi);
}

static void measure(struct paths *p)
{
	size_t columns = layout_columns(p->options);
	char buf[128];

	p->kept = report_has_filters(p->tree) ? 10 : 0;
	p->interval =
		p->options->intervals && !profile_of_all(p->tree) ? 17 : 0;
	p->figure = strlen("100.0 %");
	for (size_t i = 0; i < p->lines.n; i++) {
		const struct path_node *node = &p->nodes.v[p->lines.v[i].last];
		size_t width = layout_width(layout_figure(
			p->tree, node->weight, p->options, buf, sizeof buf));

		if (width > p->figure)
			p->figure = width;
	}
	p->figure += columns < LAYOUT_NARROW ? 1 : 2;
	p->before = p->figure + p->kept + p->interval + 2;
	p->room =
		columns > p->before + ROOM_MIN ? columns - p->before : ROOM_MIN;
}

static void put_head(const struct paths *p)
{
	const char *dim = p->options->color ? "\033[2m" : "";

	if (!p->kept && !p->interval)
		return;
	fprintf(p->out, "%s%*s ", dim, (int)p->figure, "total");
	if (p->kept)
		fprintf(p->out, "%*s ", (int)p->kept - 1, "of kept");
	if (p->interval)
		fprintf(p->out, "%*s", (int)p->interval, "95 % interval");
	fprintf(p->out, " call path%s\n", *dim ? "\033[0m" : "");
}

static void put_line(struct paths *p, const struct path_line *line)
{
	const struct path_node *node = &p->nodes.v[line->last];
	char buf[128],
		mark = layout_mark(p->tree, &(struct tree_sums){node->weight,
						    node->hits, node->samples});
	bool overlap = !p->list && overlaps(p, line);
	size_t indent = path_indent(p, line);

	fprintf(p->out, "%*s%c", (int)p->figure,
		layout_figure(
			p->tree, node->weight, p->options, buf, sizeof buf),
		overlap ? '*' : mark);
	if (p->kept)
		fprintf(p->out, "%*s ", (int)p->kept - 1,
			layout_kept(p->tree, node->weight, buf, sizeof buf));
	if (p->interval) {
		interval_text(p, node, buf);
		fprintf(p->out, "%*s", (int)p->interval, buf);
	}
	fprintf(p->out, " %*s", (int)indent, "");
	path_put(p->out, p->table.texts[line - p->lines.v], p->before + indent);
	fputc('\n', p->out);
	p->overlap |= overlap;
	p->few |= !overlap && mark != ' ';
}

static int put_lines(struct paths *p, size_t all, struct err *err)
{
	put_head(p);
	for (size_t i = 0; i < p->lines.n; i++) {
		if (work_step(
			    p->tree->view.work, "writing", i, p->lines.n, err))
			return -1;
		put_line(p, &p->lines.v[i]);
	}
	if (!p->options->line)
		layout_more(p->out, p->options, all - p->lines.n, "path", "");
	path_table_note(p->out, &p->table);
	if (p->overlap)
		layout_note(p->out, p->options,
			"* recursion: the paths below it overlap and add up to "
			"more");
	if (p->few)
		layout_few_note(p->out, p->options);
	return 0;
}

/* Keeps the line that is asked for alone. */
static int keep_asked(struct paths *p, struct err *err)
{
	size_t line = p->options->line, n = p->lines.n;

	if (!line)
		return 0;
	if (line > n) {
		err_set(err, "path", NULL, "there are only %zu", n);
		return err_hint(err, "1 is the first of the last table");
	}
	p->lines.v[0] = p->lines.v[line - 1];
	p->lines.n = 1;
	return 0;
}

int report_path_tree(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err)
{
	struct paths p = {.out = out,
		.profile = profile,
		.tree = profile->tree,
		.options = options,
		.up = profile->kind == PROFILE_UP,
		.list = options->form == REPORT_FORM_LIST};
	size_t all;
	int status;

	status = add_paths(&p, err) || add_lines(&p, err) ? -1 : 0;
	all = p.lines.n;
	if (!status && p.list && p.lines.n > 1)
		qsort_r(p.lines.v, p.lines.n, sizeof *p.lines.v, compare_lines,
			&p);
	if (!status)
		status = keep_top(&p, err);
	if (!status)
		status = keep_asked(&p, err);
	if (!status) {
		measure(&p);
		status = path_lines_write(&p) ? err_memory(err, NULL, "report")
					      : 0;
	}
	if (!status)
		status = put_lines(&p, all, err);
	path_table_fini(&p.table);
	set_free(&p.nodes);
	vec_free(&p.lines);
	set_free(&p.begun);
	return status;
}
