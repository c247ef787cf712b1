/* path_text.c - what of a call path is shown, and how it is broken. */
#include "analyzer/report/path_text.h"

#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/report_private.h"

#define LABELS 3 /* libraries that a fold names */

int path_text_add(struct path_text *path, const struct function *function,
	const char *name)
{
	struct named_step *step = vec_push(&path->steps);

	if (!step)
		return -1;
	step->function = function;
	step->name = report_escape(
		name ? name : report_shown(function, path->options), "");
	return step->name ? 0 : -1;
}

void path_text_drop(struct path_text *path)
{
	for (size_t i = 0; i < path->steps.n; i++)
		free(path->steps.v[i].name);
	vec_free(&path->steps);
}

/* Whose code a step is. */

bool path_is_generated(const struct function *function)
{
	return function_is_runtime(function);
}

bool path_is_start(const struct function *function)
{
	static const char *const names[] = {"[all]", "_start", "clone",
		"clone3", "__clone", "__clone3", "start_thread",
		"__libc_start_main", "__libc_start_main_impl",
		"__libc_start_call_main", "runtime.goexit", "runtime.main",
		"runtime.mcall"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(function->name, names[i]))
			return true;
	return function->starts || path_hands_over(function) ||
	       !strncmp(function->name, "std::rt::lang_start", 19) ||
	       (strstr(function->name, "std::sys::") &&
		       strstr(function->name, "::new::thread_start"));
}

bool path_hands_over(const struct function *function)
{
	return !strncmp(function->name, "std::sys", 8) &&
	       strstr(function->name, "::__rust_begin_short_backtrace");
}

bool path_calls_once(const struct function *function)
{
	return !strcmp(
		function->name, "core::ops::function::FnOnce::call_once");
}

size_t path_begin(const struct dataset *data, const uint32_t *path, size_t n)
{
	size_t begin = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		const struct function *f = &data->functions[path[i]];

		if (path_hands_over(f) ||
			(begin == i && (path_is_start(f) ||
					       (i && path_calls_once(f)))))
			begin = i + 1;
	}
	return begin;
}

bool path_is_own(const struct function *f, bool generated)
{
	/* who waits for Python's lock waits for other threads of Python */
	return path_is_generated(f) || !strcmp(f->name, "take_gil") ||
	       (!(generated && f->interpreter) && !path_is_start(f) &&
		       !dataset_is_librarys(f));
}

static bool is_own(const struct path_text *path, size_t i)
{
	return path_is_own(path->steps.v[i].function, path->generated);
}

/* Whether a step before the last is the program's. */
static bool has_own(const struct path_text *path)
{
	for (size_t i = 0; i + 1 < path->steps.n; i++)
		if (is_own(path, i))
			return true;
	return false;
}

/* The name of the library that has FUNCTION, of *N characters. */
static const char *library(const struct function *f, size_t *n)
{
	const char *cut = strstr(f->module, ".cpython-"),
		   *so = cut ? cut : strstr(f->module, ".so");
	const char *name = path_is_start(f) ? "start" : so ? f->module : "std";

	if (!so && !path_is_start(f) && !dataset_is_librarys(f))
		name = f->module;
	*n = so && name == f->module ? (size_t)(so - name) : strlen(name);
	return name;
}

static bool is_other_library(const struct path_text *path, size_t i, size_t k)
{
	size_t a, b;
	const char *x = library(path->steps.v[i].function, &a),
		   *y = library(path->steps.v[k].function, &b);

	return a != b || strncmp(x, y, a) != 0;
}

/* Whether step I is what is asked of the last library, from another one, and
   more than a call of the kernel's: free(), below which a lock is waited for.
 */
static bool is_last_entry(const struct path_text *path, size_t i)
{
	size_t last = path->steps.n - 1;

	while (last && *path->steps.v[last].name == '[')
		last--;
	if (!i || i >= last || !is_other_library(path, i - 1, i))
		return false;
	for (size_t k = i + 1; k <= last; k++)
		if (is_own(path, k) || is_other_library(path, i, k))
			return false;
	return true;
}

static bool stays(const struct path_text *path, size_t i)
{
	size_t n = path->steps.n;

	if (i + 1 == n || i + 1 == path->tells || is_own(path, i) ||
		is_last_entry(path, i))
		return true;
	if (i == 0)
		return path->outward || path->rooted ||
		       (path->inside ? !has_own(path)
				     : !path_is_start(
					       path->steps.v[0].function));
	return is_own(path, i - 1) ||
	       (path_is_start(path->steps.v[i - 1].function) &&
		       !path_is_start(path->steps.v[i].function));
}

/* What is written between two separators: a step, or several. */
struct piece {
	size_t first, end; /* of the steps */
	char *text;
	size_t width;
};

struct path_pieces {
	const struct path_text *path;
	VEC(struct piece) v;       /* in the order of calls */
	size_t *kept, n;           /* those that are written, ascending */
	size_t width;              /* of a line; 0: any */
	enum name_squeeze squeeze; /* how short names are */
};

/* "[libstdc++, libc: 6]" */
static char *fold_text(const struct path_text *path, size_t first, size_t end)
{
	char *text = NULL, escaped[256];
	const char *known[LABELS];
	size_t nknown = 0, size, length;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = first; i < end && nknown < LABELS; i++) {
		const char *name = library(path->steps.v[i].function, &length);
		char *copy = strndup(name, length);
		size_t k = 0;

		while (k < nknown && strcmp(known[k], name) != 0)
			k++;
		if (k == nknown && copy) {
			known[nknown++] = name;
			fprintf(out, "%s%s", k ? ", " : "[",
				text_escape(copy, escaped, sizeof escaped));
		}
		free(copy);
	}
	fprintf(out, ": %zu]", end - first);
	return text_end(out, &text);
}

/* Step I as it is written; new memory. */
static char *step_text(const struct path_pieces *p, size_t i)
{
	const struct path_text *path = p->path;

	return name_squeeze(path->steps.v[i].name, p->squeeze,
		i + 1 == path->tells ? path->told : SIZE_MAX);
}

static int add_piece(struct path_pieces *p, size_t first, size_t end)
{
	struct piece *piece = vec_push(&p->v);

	if (!piece)
		return -1;
	piece->first = first;
	piece->end = end;
	piece->text = end > first + 1 ? fold_text(p->path, first, end)
				      : step_text(p, first);
	if (!piece->text)
		return -1;
	piece->width = layout_width(piece->text);
	return 0;
}

static void drop_pieces(struct path_pieces *p)
{
	for (size_t i = 0; i < p->v.n; i++)
		free(p->v.v[i].text);
	p->v.n = 0;
}

/* Folds what does not stay; one step is shorter than its fold. */
static int make_pieces(struct path_pieces *p)
{
	const struct path_text *path = p->path;
	bool whole = path->unfolded || path->options->whole ||
		     path->options->no_fold;
	size_t i = 0, end, n = path->steps.n;

	while (!whole && !path->rooted && i + 1 < n &&
		path_is_start(path->steps.v[i].function) &&
		i + 1 != path->tells)
		i++;
	for (; i < n; i = end) {
		end = i + 1;
		while (!whole && end < n && !stays(path, i) &&
			!stays(path, end))
			end++;
		if (add_piece(p, i, end))
			return -1;
	}
	return 0;
}

/* Lines. */

struct output_line {
	FILE *out; /* NULL: only measured */
	size_t width, used, lines;
};

static void put(struct output_line *l, const char *text, size_t n, size_t width)
{
	if (l->out)
		fwrite(text, 1, n, l->out);
	l->used += width;
}

static void next_line(struct output_line *l, const char *begin)
{
	if (l->out)
		fprintf(l->out, "\n%*s%s", LAYOUT_INDENT, "", begin);
	l->used = LAYOUT_INDENT + strlen(begin);
	l->lines++;
}

/* BETWEEN and a name, on this line or the next. */
static void put_piece(struct output_line *l, const char *between,
	const char *text, size_t width)
{
	bool first = l->lines == 1 && !l->used;
	size_t gap = first ? 0 : strlen(between);

	if (!first && l->width && l->used + gap + width > l->width)
		next_line(l, between + 1);
	else
		put(l, between, gap, gap);
	if (l->width)
		l->lines += layout_word(l->out, text, l->width, &l->used);
	else
		put(l, text, strlen(text), width);
}

/* What was left out between two steps of the path. */
static void put_gap(struct output_line *l, const struct path_pieces *p,
	size_t from, size_t to)
{
	const char *between = p->path->outward ? " < " : " > ";
	char more[80], *name = to == from + 1 ? step_text(p, from) : NULL;
	size_t width;

	if (from == to)
		return;
	snprintf(more, sizeof more,
		p->path->number ? "[%zu more: path %zu]" : "[%zu more]",
		to - from, p->path->number);
	width = name ? layout_width(name) : SIZE_MAX;
	if (width <= strlen(more)) /* which would save nothing */
		put_piece(l, between, name, width);
	else
		put_piece(l, between, more, strlen(more));
	free(name);
}

/* Writes what is kept, and how much was left out; returns how many lines. */
static size_t put_kept(FILE *out, const struct path_pieces *p)
{
	const struct path_text *path = p->path;
	bool outward = path->outward;
	struct output_line l = {out, p->width, 0, 1};
	size_t begin = p->v.v[0].first, end = path->steps.n;
	size_t at = outward ? end : begin; /* so far */

	for (size_t k = 0; k < p->n; k++) {
		const struct piece *piece =
			&p->v.v[p->kept[outward ? p->n - 1 - k : k]];

		put_gap(&l, p, outward ? piece->end : at,
			outward ? at : piece->first);
		put_piece(
			&l, outward ? " < " : " > ", piece->text, piece->width);
		at = outward ? piece->first : piece->end;
	}
	put_gap(&l, p, outward ? begin : at, outward ? at : end);
	return l.lines;
}

/* Keeps piece I if it fits, or if it MUST be there. */
static bool keep(struct path_pieces *p, size_t i, bool must)
{
	size_t at = p->n;

	while (at > 0 && p->kept[at - 1] > i)
		at--;
	if (at > 0 && p->kept[at - 1] == i)
		return true;
	memmove(p->kept + at + 1, p->kept + at, (p->n - at) * sizeof *p->kept);
	p->kept[at] = i;
	p->n++;
	if (must || put_kept(NULL, p) <= PATH_LINES)
		return true;
	p->n--;
	memmove(p->kept + at, p->kept + at + 1, (p->n - at) * sizeof *p->kept);
	return false;
}

/* Makes the pieces with such names and keeps all; how many lines they take, 0:
   no memory. */
static size_t make_all(struct path_pieces *p, enum name_squeeze squeeze)
{
	drop_pieces(p);
	p->squeeze = squeeze;
	if (make_pieces(p))
		return 0;
	for (p->n = 0; p->n < p->v.n; p->n++)
		p->kept[p->n] = p->n;
	return put_kept(NULL, p);
}

/*
 * Makes pieces of names that are as long as they can be without a further line:
 * what is in brackets goes where that saves one, and the outer parts of names
 * where that saves steps.  Returns how many lines they take, 0: no memory.
 */
static size_t make_shortest(struct path_pieces *p)
{
	bool fixed =
		!p->width || p->path->unfolded || p->path->options->full_names;
	size_t least = make_all(p, NAME_WHOLE), lines;
	enum name_squeeze best = NAME_WHOLE;

	if (fixed || least <= 1)
		return least;
	for (enum name_squeeze s = NAME_OUTER; s <= NAME_LAST; s++) {
		if (s == NAME_LAST && least <= PATH_LINES)
			break;
		lines = make_all(p, s);
		if (!lines)
			return 0;
		if (lines < least) {
			least = lines;
			best = s;
		}
	}
	return least > PATH_LINES ? make_all(p, NAME_LAST) : make_all(p, best);
}

/* What the program's own functions tell is most; of one without a name, least.
 */
static int tells_most(const struct path_text *path, size_t i)
{
	if (path->steps.v[i].function->source == CPD_NAME_NONE)
		return 0;
	return is_own(path, i) ? 2 : 1;
}

/* Chooses what is written: all that can be. */
static void choose(struct path_pieces *p)
{
	size_t n = p->v.n, tells = p->path->tells;

	p->n = 0;
	keep(p, p->path->outward ? 0 : n - 1, true);
	for (size_t i = 0; tells && i < n; i++)
		if (p->v.v[i].first < tells && tells <= p->v.v[i].end)
			keep(p, i, true);
	keep(p, p->path->outward ? n - 1 : 0, false);
	for (int most = 2; most >= 0; most--)
		for (size_t i = n; i-- > 0;)
			if (tells_most(p->path, p->v.v[i].first) == most &&
				!keep(p, i, false))
				break;
}

char *path_text_end(struct path_text *path)
{
	bool whole = path->options->whole;
	struct path_pieces p = {.path = path, .width = whole ? 0 : path->width};
	char *text = NULL;
	size_t size, lines = 0;
	FILE *out = NULL;

	for (size_t i = 0; i < path->steps.n; i++)
		path->generated |= path_is_generated(path->steps.v[i].function);
	p.kept = calloc(path->steps.n + 1, sizeof *p.kept);
	if (p.kept)
		lines = make_shortest(&p);
	if (lines)
		out = open_memstream(&text, &size);
	if (out) {
		if (p.width && !path->unfolded && lines > PATH_LINES)
			choose(&p);
		put_kept(out, &p);
		text = text_end(out, &text);
	}
	drop_pieces(&p);
	vec_free(&p.v);
	free(p.kept);
	path_text_drop(path);
	return text;
}

int path_text_add_all(struct path_text *text, const struct dataset *data,
	const uint32_t *path, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (path_text_add(text, &data->functions[path[i]], NULL))
			return -1;
	return 0;
}

char *path_wrap(
	const char *text, size_t width, const struct report_options *options)
{
	return options->whole ? strdup(text) : layout_wrap(text, width);
}

size_t path_put(FILE *out, const char *text, size_t indent)
{
	const char *end;

	while ((end = strchr(text, '\n'))) {
		fprintf(out, "%.*s\n%*s", (int)(end - text), text, (int)indent,
			"");
		text = end + 1;
	}
	fputs(text, out);
	return layout_width(text);
}
