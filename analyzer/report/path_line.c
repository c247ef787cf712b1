/*
 * path_line.c - the text of a line of call paths.
 *
 * In a tree a line has the steps that its parent has not, in a list the whole
 * path.
 */
#include <stdlib.h>

#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/path_tree.h"
#include "analyzer/report/report_private.h"

static const struct function *function(const struct paths *p, uint32_t node)
{
	return &p->tree->data->functions[p->nodes.v[node].function];
}

/* Adds a node's step: "g", "g:db.c:41", "g from db.c:41". */
static int add_step(
	struct path_text *text, const struct paths *p, uint32_t node)
{
	const struct function *f = function(p, node);
	uint32_t at = p->nodes.v[node].site;
	const char *site = at ? tree_site(p->tree, at) : "";
	char *joined;
	int bad;

	if (!*site)
		return path_text_add(text, f, NULL);
	if (asprintf(&joined, "%s%s%s", report_shown(f, p->options),
		    p->up ? ":" : " from ", site) < 0)
		return -1;
	bad = path_text_add(text, f, joined);
	free(joined);
	return bad;
}

/* Adds the nodes from the LINE's last up to ABOVE, ABOVE left out, in the order
   of calls. */
static int add_steps(struct path_text *text, const struct paths *p,
	const struct path_line *line, uint32_t above)
{
	const struct path_node *nodes = p->nodes.v;
	size_t n = nodes[line->last].length - nodes[above].length, i = n;
	uint32_t *path = calloc(n + 1, sizeof *path);
	int bad = path ? 0 : -1;

	for (uint32_t at = line->last; path && i > 0; at = nodes[at].parent)
		path[--i] = at;
	for (; !bad && i < n; i++) {
		uint32_t at = path[p->up ? n - 1 - i : i];

		bad = add_step(text, p, at);
	}
	free(path);
	return bad;
}

size_t path_indent(const struct paths *p, const struct path_line *line)
{
	return p->list ? 0 : layout_indent(p->options, line->depth, p->room);
}

/* The node that a line goes on from. */
static uint32_t above(const struct paths *p, const struct path_line *line)
{
	return p->list || p->options->line ? NO_NODE
					   : p->nodes.v[line->first].parent;
}

static int fill(const void *arg, size_t i, struct path_text *text)
{
	const struct paths *p = arg;
	const struct path_line *line = &p->lines.v[i];
	uint32_t from = above(p, line);

	text->outward = p->up && !p->list && !p->options->line;
	text->rooted = !p->up && from == NO_NODE &&
		       function(p, p->nodes.v[0].child) !=
			       &p->tree->data->functions[FN_ALL];
	text->generated = p->nodes.v[line->last].generated;
	text->inside = !p->up && from != NO_NODE &&
		       !path_is_start(function(p, from)) &&
		       !path_is_own(function(p, from), text->generated);
	text->width = p->room - path_indent(p, line);
	return add_steps(text, p, line, from);
}

static uint32_t group(const void *arg, size_t i)
{
	const struct paths *p = arg;

	return above(p, &p->lines.v[i]);
}

int path_lines_write(struct paths *p)
{
	p->table = (struct path_table){.options = p->options,
		.n = p->lines.n,
		.fill = fill,
		.group = group,
		.arg = p};
	return path_table_init(&p->table);
}
