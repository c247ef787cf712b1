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

#include "analyzer/name/name_style.h"
#include "lib/hash.h"
#include "lib/sum.h"
#include "lib/vec.h"
#include "analyzer/profile/function_figures.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/report_private.h"

#define NO_NODE 0 /* the trie's root, which is no path */

#define NARROW 60   /* less room than this leaves less for indents */
#define FAR 90      /* figures farther from short lines are hard to follow */
#define ALL_MAX 999 /* columns of a line that people may want */

struct path_node {
	uint32_t parent, child, last_child, next;
	uint32_t function, site;
	uint32_t length;
	uint64_t weight, hits, samples;
	uint64_t below; /* weight of all that go on from it */
};

struct path_line {
	uint32_t first, last; /* nodes of the chain */
	uint32_t depth;
	uint32_t number; /* lines of a subtree are next to each other */
	uint32_t tells;  /* the node that tells it from a line that would look
			    alike; NO_NODE: none need to */
};

struct paths {
	FILE *out;
	const struct profile *profile;
	const struct tree *tree;
	const struct report_options *options;
	bool up, list;
	VEC(struct path_node) nodes;
	VEC(struct path_line) lines;
	struct hash known;             /* nodes by parent, function and site */
	size_t figure, kept, interval; /* widths of columns; 0: none */
	size_t room, text, deepest;    /* deepest: the largest indent */
	size_t widest;                 /* line, with nothing left out */
	bool few, overlap, absent, left_out;
};

/* The trie. */

/* The child of PARENT by FUNCTION and SITE, made where it is new;
   UINT32_MAX: no memory. */
static uint32_t path_child(
	struct paths *p, uint32_t parent, uint32_t function, uint32_t site)
{
	uint64_t hash =
		hash_with(hash_mix((uint64_t)parent << 32 | function), site);
	struct path_node *node;
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&p->known, hash, &probe)) != HASH_NONE) {
		node = &p->nodes.v[i];
		if (node->parent == parent && node->function == function &&
			node->site == site)
			return i;
	}
	i = (uint32_t)p->nodes.n;
	if (!hash_add(&p->known, hash, i) || !(node = vec_push(&p->nodes)))
		return UINT32_MAX;
	node->parent = parent;
	node->function = function;
	node->site = site;
	node->length = p->nodes.v[parent].length + 1;
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

/* A node's site is that of the call between it and its parent. */
static int add_path(struct paths *p, const struct profile_entry *entry)
{
	uint32_t at = 0, n = entry->length;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t step = p->up ? n - 1 - k : k;
		uint32_t call = p->up ? step + 1 : step;

		at = path_child(p, at, entry->path[step],
			entry->sites && k ? entry->sites[call] : 0);
		if (at == UINT32_MAX)
			return -1;
	}
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

/* Adds paths that weigh nothing here behind all others of their parent. */
static int add_absent(struct paths *p, struct err *err)
{
	const struct report_absent *a = p->options->absent;

	for (; a && p->profile->kind == PROFILE_DOWN && !p->list; a = a->next)
		for (size_t i = 0; i < a->n; i++) {
			struct profile_entry none = *a->entries[i];

			none.weight = none.hits = none.samples = 0;
			if (add_path(p, &none))
				return report_no_memory(err);
			p->absent = true;
		}
	return 0;
}

static int add_paths(struct paths *p, struct err *err)
{
	const struct profile *profile = p->profile;
	uint32_t at = 0;

	if (!vec_push(&p->nodes))
		return report_no_memory(err);
	for (size_t i = 0; i < profile->n; i++) {
		const struct profile_entry *entry = &profile->entries[i];

		if (work_step(p->tree->view.work, "arranging paths", i,
			    profile->n, err))
			return -1;
		if (profile->kind == PROFILE_TREE ? add_nested(p, entry, &at)
						  : add_path(p, entry))
			return report_no_memory(err);
	}
	return add_absent(p, err);
}

/* Lines. */

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

static int add_lines(struct paths *p, struct err *err)
{
	VEC(struct path_line) todo = {0};
	uint32_t at = p->nodes.v[0].child, depth = 0, next;
	int status = 0;

	while (at && !status) {
		struct path_line *line = vec_push(&p->lines), *later;

		if (!line) {
			status = -1;
			break;
		}
		line->first = line->last = at;
		line->depth = depth;
		line->number = (uint32_t)p->lines.n;
		line->tells = NO_NODE;
		while ((next = goes_on(p, line->last)))
			line->last = next;
		/* first what is below, then what is beside */
		if (p->nodes.v[at].next) {
			later = vec_push(&todo);
			if (!later)
				status = -1;
			else
				*later = (struct path_line){
					.first = p->nodes.v[at].next,
					.depth = depth};
		}
		at = p->nodes.v[line->last].child;
		depth++;
		if (!at && todo.n) {
			at = todo.v[--todo.n].first;
			depth = todo.v[todo.n].depth;
		}
	}
	vec_free(&todo);
	return status ? report_no_memory(err) : 0;
}

static int compare_lines(const void *a, const void *b, void *arg)
{
	const struct path_line *x = a, *y = b;
	const struct paths *p = arg;
	uint64_t left = p->nodes.v[x->last].weight;
	uint64_t right = p->nodes.v[y->last].weight;

	if (left != right)
		return left < right ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
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
		return report_no_memory(err);
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

/* "g", "g:db.c:41", "g from db.c:41"; in new memory. */
static char *step_name(const struct paths *p, const struct path_node *node)
{
	const char *name = report_shown(
		&p->tree->data->functions[node->function], p->options);
	const char *site = node->site ? tree_site(p->tree, node->site) : "";
	char *joined, *escaped;

	if (!*site)
		return report_escape(name, "");
	if (asprintf(&joined, "%s%s%s", name, p->up ? ":" : " from ", site) < 0)
		return NULL;
	escaped = report_escape(joined, "");
	free(joined);
	return escaped;
}

/* How much a step is wanted where not all have room. */
enum rank {
	RANK_SUBJECT, /* what the line is about */
	RANK_TELLS,   /* tells it from another line */
	RANK_FIRST,   /* what the parent line calls */
	RANK_OWN,     /* in no shared library */
	RANK_MAIN,
	RANK_OTHER, /* the nearer to the subject, the more */
	RANK_START, /* runs before main, or before a thread's function */
	RANKS
};

/* The steps of a line, in the order in which it reads. */
struct chain {
	char **names;
	size_t *counts; /* of steps that a name stands for */
	enum rank *ranks;
	bool *internal; /* of the C++ or Rust library */
	size_t n;
};

static void chain_free(struct chain *chain)
{
	for (size_t i = 0; chain->names && i < chain->n; i++)
		free(chain->names[i]);
	free(chain->names);
	free(chain->counts);
	free(chain->ranks);
	free(chain->internal);
	*chain = (struct chain){0};
}

static bool is_start(const struct paths *p, uint32_t function)
{
	static const char *const names[] = {"_start", "__libc_start_main",
		"__libc_start_call_main", "clone", "clone3", "__clone",
		"__clone3", "start_thread"};
	const char *name = p->tree->data->functions[function].name;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return function == FN_ALL;
}

static enum rank rank(const struct paths *p, uint32_t function)
{
	const struct function *f = &p->tree->data->functions[function];

	return is_start(p, function)      ? RANK_START
	       : !strcmp(f->name, "main") ? RANK_MAIN
	       : strstr(f->module, ".so") ? RANK_OTHER
					  : RANK_OWN;
}

/*
 * Makes a chain of the nodes from the LINE's last up to ABOVE, ABOVE left out,
 * in the order of calls where the line reads inward.  -1 when out of memory;
 * chain_free() is due either way.
 */
static int chain_init(struct chain *chain, const struct paths *p,
	const struct path_line *line, uint32_t above, bool inward)
{
	uint32_t last = line->last;
	size_t count = 0;

	for (uint32_t at = last; at != above; at = p->nodes.v[at].parent)
		count++;
	*chain = (struct chain){calloc(count + 1, sizeof *chain->names),
		calloc(count + 1, sizeof *chain->counts),
		calloc(count + 1, sizeof *chain->ranks),
		calloc(count + 1, sizeof *chain->internal), count};
	if (!chain->names || !chain->counts || !chain->ranks ||
		!chain->internal)
		return -1;
	for (size_t i = 0; i < count; i++) {
		/* the way up from LAST goes outward in a downward profile,
		   inward in an upward one */
		size_t to = inward == p->up ? i : count - 1 - i;
		const struct path_node *node = &p->nodes.v[last];
		bool tells = last == line->tells;

		chain->names[to] = step_name(p, node);
		if (!chain->names[to])
			return -1;
		chain->counts[to] = 1;
		chain->ranks[to] = tells ? RANK_TELLS : rank(p, node->function);
		chain->internal[to] =
			!tells &&
			name_is_internal(
				p->tree->data->functions[node->function].name);
		last = node->parent;
	}
	return 0;
}

/*
 * Puts "... 5 more ..." for functions inside a library.  Of a run of its
 * functions the one that was called from outside stays, and so do the ends of
 * the line.
 */
static void chain_fold(struct chain *chain, bool inward)
{
	size_t kept = 0, end, from, to;
	char text[48], *name;

	for (size_t i = 0; i < chain->n; i = end) {
		end = i + 1;
		while (chain->internal[i] && end < chain->n &&
			chain->internal[end])
			end++;
		from = inward || i == 0 ? i + 1 : i;
		to = !inward || end == chain->n ? end - 1 : end;
		name = from + 1 < to ? strdup(layout_left_out(
					       text, sizeof text, to - from))
				     : NULL;
		for (size_t k = i; k < end; k++) {
			if (name && k >= from && k < to) {
				free(chain->names[k]);
				chain->names[k] = NULL;
				if (k > from)
					continue;
				chain->names[kept] = name;
				chain->ranks[kept] = RANK_OTHER;
				chain->counts[kept++] = to - from;
			} else {
				chain->names[kept] = chain->names[k];
				chain->ranks[kept] = chain->ranks[k];
				chain->counts[kept++] = 1;
			}
		}
	}
	chain->n = kept;
}

/* Marks what runs before main. */
static void rank_start(struct chain *chain)
{
	size_t from = 0;

	for (size_t i = 0; i < chain->n; i++)
		for (; chain->ranks[i] == RANK_MAIN && from < i; from++)
			if (chain->ranks[from] != RANK_TELLS)
				chain->ranks[from] = RANK_START;
	if (chain->ranks[0] == RANK_OTHER || chain->ranks[0] == RANK_OWN)
		chain->ranks[0] = RANK_FIRST;
}

/*
 * Downward the last step, the SUBJECT, is what the figure is about, and the
 * first is next to the parent line.
 */
static void rank_down(struct chain *chain, size_t subject)
{
	rank_start(chain);
	chain->ranks[subject] = RANK_SUBJECT;
}

/*
 * Upward the callers next to the function are wanted most.  What tells the line
 * from another one is wanted still more, and the nearest caller more than the
 * ROOT, whom people asked for.
 */
static void rank_up(struct chain *chain, size_t nearest, bool inward, bool root)
{
	size_t most = nearest;

	for (size_t k = 1; k < chain->n; k++) {
		size_t i = inward ? nearest - k : k;

		if (chain->ranks[i] == RANK_TELLS ||
			(root && most == nearest && chain->counts[i] == 1))
			most = i;
		chain->ranks[i] = RANK_OTHER;
	}
	chain->ranks[nearest] = RANK_TELLS;
	chain->ranks[most] = RANK_SUBJECT;
}

static char *chain_join(
	const struct chain *chain, bool inward, bool both, size_t width)
{
	size_t *order = calloc(chain->n + 1, sizeof *order), n = 0;
	struct layout_steps steps = {(const char *const *)chain->names,
		chain->counts, chain->n, order, both};
	char *text;

	if (!order)
		return NULL;
	for (enum rank want = 0; want < RANKS; want++)
		for (size_t k = 0; k < chain->n; k++) {
			size_t i = inward ? chain->n - 1 - k : k;

			if (chain->ranks[i] == want)
				order[n++] = i;
		}
	text = layout_join_steps(&steps, inward ? " > " : " < ", width);
	free(order);
	return text;
}

/* The indent of a line; deep in a tree it stops growing. */
static size_t indent(const struct paths *p, const struct path_line *line)
{
	size_t wanted = 2 * (size_t)line->depth;

	if (p->list)
		return line->depth ? 2 : 0;
	return wanted < p->deepest ? wanted : p->deepest;
}

/* Notes whether a line fits, and the width at which none needs less indent. */
static void note_width(struct paths *p, const struct path_line *line,
	const struct chain *chain, size_t others)
{
	size_t width = others + 3 * (chain->n - 1);

	for (size_t i = 0; i < chain->n; i++)
		width += layout_width(chain->names[i]);
	p->left_out |= width > p->room;
	if (!p->list)
		width += 2 * (size_t)line->depth - indent(p, line);
	if (width > p->widest)
		p->widest = width;
}

/*
 * The text of a chain, at most WIDTH wide.  In a list, "..." stands for what
 * all paths have in common, as the first line says it.
 */
static char *line_text(
	struct paths *p, const struct path_line *line, size_t width)
{
	uint32_t common = p->lines.v[0].last;
	bool rest = p->list && line->depth;
	uint32_t above = rest      ? common
			 : p->list ? 0
				   : p->nodes.v[line->first].parent;
	const char *before = rest && !p->up ? "... > " : "";
	const char *behind = rest && p->up ? " > ..." : "";
	bool inward = p->list || !p->up;
	bool root = p->up && !above;
	size_t shift = indent(p, line);
	size_t others = shift + strlen(before) + strlen(behind);
	char *joined = NULL, *text = NULL;
	struct chain chain;

	if (chain_init(&chain, p, line, above, inward) == 0) {
		if (!p->options->full_names)
			chain_fold(&chain, inward);
		if (p->up)
			rank_up(&chain, inward ? chain.n - 1 : 0, inward, root);
		else
			rank_down(&chain, chain.n - 1);
		note_width(p, line, &chain, others);
		joined = chain_join(
			&chain, inward, root || line->tells, width - others);
	}
	if (joined && asprintf(&text, "%*s%s%s%s", (int)shift, "", before,
			      joined, behind) < 0)
		text = NULL;
	chain_free(&chain);
	free(joined);
	return text;
}

/* Lines that look alike. */

struct alike {
	char *text;
	struct path_line *line;
	uint32_t above; /* the node that it hangs from in a tree */
};

/* Alike lines side by side, in the order of the trie. */
static int compare_alike(const void *a, const void *b)
{
	const struct alike *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	if (order)
		return order;
	if (x->above != y->above)
		return x->above < y->above ? -1 : 1;
	return x->line->number < y->line->number ? -1 : 1;
}

/* The step of LINE next to what it has in common with OTHER; NO_NODE: it has
   no further step. */
static uint32_t branch(const struct paths *p, const struct path_line *line,
	const struct path_line *other)
{
	const struct path_node *nodes = p->nodes.v;
	uint32_t at = line->last, to = other->last, step = NO_NODE;

	while (at != to) {
		if (nodes[at].length < nodes[to].length) {
			to = nodes[to].parent;
		} else {
			step = at;
			at = nodes[at].parent;
		}
	}
	return step;
}

/* Of two branches the inner one has more in common with the line. */
static void tell_apart(const struct paths *p, struct path_line *line,
	const struct path_line *other)
{
	uint32_t step = branch(p, line, other), *tells = &line->tells;

	if (step && (!*tells || p->nodes.v[step].length >
					p->nodes.v[*tells].length))
		*tells = step;
}

static int find_alike(struct paths *p, struct alike *rows, size_t width)
{
	for (size_t i = 0; i < p->lines.n; i++) {
		struct path_line *line = &p->lines.v[i];

		rows[i].line = line;
		rows[i].above =
			p->list ? NO_NODE : p->nodes.v[line->first].parent;
		rows[i].text = line_text(p, line, width);
		if (!rows[i].text)
			return -1;
	}
	qsort(rows, p->lines.n, sizeof *rows, compare_alike);
	for (size_t i = 1; i < p->lines.n; i++)
		if (rows[i].above == rows[i - 1].above &&
			!strcmp(rows[i].text, rows[i - 1].text)) {
			tell_apart(p, rows[i].line, rows[i - 1].line);
			tell_apart(p, rows[i - 1].line, rows[i].line);
		}
	return 0;
}

/* Finds for lines that look alike the steps that tell them apart. */
static int tell_lines_apart(struct paths *p, size_t width)
{
	struct alike *rows = calloc(p->lines.n + 1, sizeof *rows);
	int status = rows ? find_alike(p, rows, width) : -1;

	for (size_t i = 0; rows && i < p->lines.n; i++)
		free(rows[i].text);
	free(rows);
	return status;
}

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

static int measure(struct paths *p)
{
	size_t columns = layout_columns(p->options), room, used;
	char buf[128];

	p->kept = report_has_filters(p->tree) ? 9 : 0;
	p->interval =
		p->options->intervals && !profile_of_all(p->tree) ? 17 : 0;
	for (size_t i = 0; i < p->lines.n; i++) {
		const struct path_node *node = &p->nodes.v[p->lines.v[i].last];
		size_t width = layout_width(layout_figure(
			p->tree, node->weight, p->options, buf, sizeof buf));

		if (width > p->figure)
			p->figure = width;
	}
	used = 2 + p->figure + 1 + p->kept + p->interval;
	room = p->room = columns > used + 10 ? columns - used : 10;
	p->deepest = room < NARROW ? room / 3 : room / 2;
	if (tell_lines_apart(p, room))
		return -1;
	for (size_t i = 0; i < p->lines.n && p->text < room; i++) {
		char *text = line_text(p, &p->lines.v[i], room);
		size_t width = text ? layout_width(text) : 0;

		free(text);
		if (!text)
			return -1;
		if (width > p->text)
			p->text = width;
	}
	if (p->text > FAR)
		p->text = FAR;
	return 0;
}

static const char *line_figure(const struct paths *p,
	const struct path_node *node, char *buf, size_t size)
{
	if (!node->weight)
		return "0";
	return layout_figure(p->tree, node->weight, p->options, buf, size);
}

static int put_line(struct paths *p, const struct path_line *line)
{
	const struct path_node *node = &p->nodes.v[line->last];
	char *text = line_text(p, line, p->room);
	size_t width = text ? layout_width(text) : 0;
	char buf[128], mark = layout_mark(p->tree, node->samples);
	const char *figure = line_figure(p, node, buf, sizeof buf);
	bool overlap = !p->list && overlaps(p, line);

	if (!text)
		return -1;
	fputs(text, p->out);
	layout_pad(p->out, width + layout_width(figure),
		(width > p->text ? width : p->text) + 2 + p->figure);
	fputs(figure, p->out);
	free(text);
	if (p->kept) {
		fprintf(p->out, "%*s", (int)p->kept,
			layout_kept(p->tree, node->weight, buf, sizeof buf));
	}
	if (p->interval) {
		interval_text(p, node, buf);
		fprintf(p->out, "%*s", (int)p->interval, buf);
	}
	if (overlap || mark != ' ')
		fputc(overlap ? '*' : mark, p->out);
	fputc('\n', p->out);
	p->overlap |= overlap;
	p->few |= !overlap && mark != ' ';
	return 0;
}

/* Notes which resources have the paths of no weight. */
static void put_absent_note(const struct paths *p)
{
	const struct report_absent *a = p->options->absent;
	char *names = NULL, *escaped;
	size_t size;
	FILE *out = open_memstream(&names, &size);

	for (bool first = true; out && a; a = a->next) {
		if (!a->n)
			continue;
		escaped = report_escape(a->resource, "");
		fprintf(out, "%s%s", first ? "" : ", ", escaped ? escaped : "");
		free(escaped);
		first = false;
	}
	if (out && !fclose(out))
		layout_note(p->out, p->options,
			"0: none of it; the path is known from %s", names);
	free(names);
}

/* Says how to see what dots stand for. */
static void put_left_out_note(const struct paths *p)
{
	size_t columns = layout_columns(p->options) - p->room + p->widest;

	if (p->left_out)
		layout_note(p->out, p->options,
			"... has no room: COLUMNS=%zu shows %s",
			columns < ALL_MAX ? columns : ALL_MAX,
			columns <= ALL_MAX ? "all" : "more");
}

static int put_lines(struct paths *p, size_t all, struct err *err)
{
	for (size_t i = 0; i < p->lines.n; i++) {
		if (work_step(
			    p->tree->view.work, "writing", i, p->lines.n, err))
			return -1;
		if (put_line(p, &p->lines.v[i]))
			return report_no_memory(err);
	}
	if (p->lines.n < all)
		layout_note(p->out, p->options, "%zu more", all - p->lines.n);
	if (p->overlap)
		layout_note(p->out, p->options,
			"* recursion: the paths below it overlap and add up to "
			"more");
	if (p->absent)
		put_absent_note(p);
	if (p->few)
		layout_few_note(p->out, p->options);
	put_left_out_note(p);
	return 0;
}

/* Sorts a list: first what all have in common, then the others, heaviest
   first. */
static void sort_list(struct paths *p)
{
	bool common = p->lines.n && !p->nodes.v[p->lines.v[0].first].next;

	for (size_t i = 0; i < p->lines.n; i++)
		p->lines.v[i].depth = common && i > 0;
	if (p->lines.n > 1)
		qsort_r(p->lines.v + common, p->lines.n - common,
			sizeof *p->lines.v, compare_lines, p);
}

int report_path_tree(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err)
{
	struct paths p = {.out = out,
		.profile = profile,
		.tree = profile->tree,
		.options = options,
		.up = profile->kind == PROFILE_UP};
	size_t all;
	int status;

	p.list = options->form == REPORT_FORM_USUAL
			 ? p.up
			 : options->form == REPORT_FORM_LIST;
	status = add_paths(&p, err) || add_lines(&p, err) ? -1 : 0;
	all = p.lines.n;
	if (!status && p.list)
		sort_list(&p);
	if (!status)
		status = keep_top(&p, err);
	if (!status && measure(&p))
		status = report_no_memory(err);
	if (!status)
		status = put_lines(&p, all, err);
	vec_free(&p.nodes);
	vec_free(&p.lines);
	hash_free(&p.known);
	return status;
}
