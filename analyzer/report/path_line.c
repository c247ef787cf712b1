/*
 * path_line.c - the text of a line of call paths.
 *
 * Where a chain has no room, the steps that tell least are left out: each step
 * has a rank.  Lines that would look alike keep the step where they part.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/name/name_style.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_tree.h"
#include "analyzer/report/report_private.h"

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
	RANK_OWN,     /* the program's: neither in a shared library nor of
			 the C++ or Rust library */
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
	       : dataset_is_librarys(f)   ? RANK_OTHER
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
 * first is next to the parent line.  Inside a library the last may have a name
 * as long as the line, and tell less than the program's step that led there:
 * true if that one must have room, too.
 */
static bool rank_down(struct chain *chain, size_t subject)
{
	bool library = chain->ranks[subject] == RANK_OTHER;
	size_t i = subject;

	while (library && i > 0 && chain->ranks[i - 1] != RANK_OWN)
		i--;
	rank_start(chain);
	chain->ranks[subject] = RANK_SUBJECT;
	if (!library || i == 0)
		return false;
	chain->ranks[i - 1] = RANK_TELLS;
	return true;
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
	bool both = root || line->tells;
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
			both |= rank_down(&chain, chain.n - 1);
		note_width(p, line, &chain, others);
		joined = chain_join(&chain, inward, both, width - others);
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
	struct path_line *line;
	uint32_t above; /* the node that it hangs from in a tree */
};

/* Alike lines side by side, in the order of the trie. */
static int compare_alike(const void *a, const void *b)
{
	const struct alike *x = a, *y = b;
	int order = strcmp(x->line->text, y->line->text);

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

/* Finds for lines that look alike the steps that tell them apart. */
static int find_alike(struct paths *p)
{
	struct alike *rows = calloc(p->lines.n + 1, sizeof *rows);

	for (size_t i = 0; rows && i < p->lines.n; i++) {
		struct path_line *line = &p->lines.v[i];

		rows[i].line = line;
		rows[i].above =
			p->list ? NO_NODE : p->nodes.v[line->first].parent;
	}
	if (rows)
		qsort(rows, p->lines.n, sizeof *rows, compare_alike);
	for (size_t i = 1; rows && i < p->lines.n; i++)
		if (rows[i].above == rows[i - 1].above &&
			!strcmp(rows[i].line->text, rows[i - 1].line->text)) {
			tell_apart(p, rows[i].line, rows[i - 1].line);
			tell_apart(p, rows[i - 1].line, rows[i].line);
		}
	free(rows);
	return rows ? 0 : -1;
}

/* Writes the lines that have no text yet. */
static int write_lines(struct paths *p, size_t width)
{
	for (size_t i = 0; i < p->lines.n; i++) {
		struct path_line *line = &p->lines.v[i];

		if (!line->text)
			line->text = line_text(p, line, width);
		if (!line->text)
			return -1;
	}
	return 0;
}

int path_lines_write(struct paths *p, size_t width)
{
	if (write_lines(p, width) || find_alike(p))
		return -1;
	for (size_t i = 0; i < p->lines.n; i++) {
		struct path_line *line = &p->lines.v[i];

		if (line->tells != NO_NODE) {
			free(line->text);
			line->text = NULL;
		}
	}
	return write_lines(p, width);
}
