/*
 * view_test - clones, tail calls and inlined copies in the sample tree.
 *
 * Files of known contents are written; what must come of them is worked out by
 * hand.  Frames are written as "function" or, for an address with inlined
 * calls, as "outer>inlined".
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/tree/tree.h"
#include "t/lib/made_file.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

#define NAMES 32

static const char *path;
static struct cpd_writer *w;
static uint64_t at; /* the next address that is given out */

struct name {
	const char *name, *linkage, *file;
	uint64_t lo, hi;
	uint32_t id; /* in the file */
	enum cpd_function_source source;
};
static struct name names[NAMES];
static size_t nnames;

static void begin(void)
{
	w = made_begin(path, NULL);
	made_program(w);
	nnames = 0;
	at = 0x1000;
}

/* A function of 256 bytes, or with LO 0 an inlined one. */
static struct name *function(
	const char *name, const char *linkage, const char *file, bool bounds)
{
	struct name *n = &names[nnames++];

	*n = (struct name){.name = name,
		.linkage = linkage,
		.file = file,
		.source = CPD_NAME_SYMTAB};
	if (bounds) {
		n->lo = at;
		n->hi = at += 0x100;
	}
	return n;
}

static struct name *plain(const char *name)
{
	return function(name, "", "", true);
}

/* One sample of weight 1 with that stack, outermost first; NULL ends it. */
static void sample(struct name *const *stack)
{
	struct cpd_sample s = {
		.thread = 1, .resource = 1, .hits = 1, .weight = 1};

	for (; *stack; stack++)
		s.node = cpd_node(w, s.node, 1, (*stack)->lo + 0x11, 0);
	cpd_write_sample(w, &s);
}
#define STACK(...) sample((struct name *const[]){__VA_ARGS__, NULL})

/* All functions are written, and an address of each with bounds. */
static void name_functions(void)
{
	for (size_t i = 0; i < nnames; i++) {
		struct name *n = &names[i];

		n->id = cpd_write_function(
			w, &(struct cpd_function){.module = 1,
				   .lo = n->lo,
				   .hi = n->hi,
				   .name = n->name,
				   .linkage = n->linkage,
				   .source = n->source});
	}
}

static void name_call(
	struct name *f, struct name *inlined, const struct name *target)
{
	struct cpd_frame frames[2] = {0};
	uint32_t n = 0;

	if (inlined)
		frames[n++] = (struct cpd_frame){inlined->id, 5, inlined->file};
	frames[n++] = (struct cpd_frame){f->id, 7, f->file};
	cpd_write_addr(w, &(struct cpd_addr){1, f->lo + 0x10, n, frames,
				  target ? target->id : 0, 0, NULL});
}

static void name_address(struct name *f, struct name *inlined)
{
	name_call(f, inlined, NULL);
}

/* "a(2;1) .b(1;1)": names, weights and own weights in preorder, depth as dots;
   siblings by weight, then as they were announced. */
static const char *drawn(const struct dataset *data, struct tree_view view)
{
	static char text[1024];
	struct err err;
	struct tree *tree;
	size_t used = 0;

	view.resource = 1;
	tree = tree_new(data, &view, &err);
	text[0] = '\0';
	for (uint32_t i = 1; tree && i < tree->n; i++) {
		const struct tree_node *n = &tree->nodes[i];

		used += (size_t)snprintf(text + used, sizeof text - used,
			"%s%.*s%s(%d;%d)", i > 1 ? " " : "", (int)n->depth - 1,
			"..........", data->functions[n->function].name,
			(int)tree_total(tree, i)->weight,
			(int)tree_self(tree, i).weight);
	}
	tree_free(tree);
	return text;
}

static void is(const char *got, const char *wanted, const char *what)
{
	if (!ok(strcmp(got, wanted) == 0, "%s", what))
		diag("got %s, wanted %s", got, wanted);
}

static void test_clones(void)
{
	struct dataset *data;
	struct name *main, *f, *part, *cold, *twin, *lone, *go;
	uint32_t *found;
	struct err err;
	size_t n;

	begin();
	main = plain("main");
	f = plain("f");
	part = plain("f.part.0");
	cold = plain("f.cold");
	twin = function(
		"ns::g(int).constprop.0", "_ZN2ns1gEi.constprop.0", "", true);
	lone = plain("h.isra.0.part.1");
	go = function("pkg.part.0", "", "", true);
	go->source = CPD_NAME_GO;
	STACK(main, f, part);
	STACK(main, f, part, twin);
	STACK(main, f);
	STACK(main, cold);
	STACK(main, twin, twin, lone);
	STACK(main, go);
	name_functions();
	for (size_t i = 0; i < nnames; i++)
		name_address(&names[i], NULL);
	data = made_open(w, path, 0);
	is(drawn(data, (struct tree_view){0}),
		"main(6;0) .f(4;3) ..ns::g(int)(1;1) .pkg.part.0(1;1) "
		".ns::g(int)(1;0) ..ns::g(int)(1;0) ...h(1;1)",
		"clones are what they are clones of; a piece and its caller "
		"one frame; recursion stays");
	is(drawn(data, (struct tree_view){.clones = true}),
		"main(6;0) .f(3;1) ..f.part.0(2;1) ...ns::g(int).constprop.0(1"
		";1) .f.cold(1;1) .ns::g(int).constprop.0(1;0) "
		"..ns::g(int).constprop.0(1;0) ...h.isra.0.part.1(1;1) "
		".pkg.part.0(1;1)",
		"clones apart");
	n = 0;
	ok(!dataset_find(data, "f.cold", &found, &n, &err) && n == 1 &&
			dataset_bases(data, found, n) == 1 &&
			!strcmp(data->functions[found[0]].name, "f"),
		"a clone's name finds its function");
	free(found);
	n = 0;
	ok(!dataset_find(data, "_ZN2ns1gEi", &found, &n, &err) && n == 1,
		"so does the linkage name of one that has only clones");
	free(found);
	dataset_free(data);
}

/* A piece of one of two static functions: nobody knows which, so of neither. */
static void test_two_of_a_name(void)
{
	struct dataset *data;
	struct name *one, *two, *cold;

	begin();
	one = plain("s");
	two = plain("s");
	cold = plain("s.cold");
	STACK(one);
	STACK(two);
	STACK(two);
	STACK(cold);
	name_functions();
	for (size_t i = 0; i < nnames; i++)
		name_address(&names[i], NULL);
	data = made_open(w, path, 0);
	is(drawn(data, (struct tree_view){0}), "s(2;2) s(1;1) s(1;1)",
		"of two functions of that name it is neither's");
	dataset_free(data);
}

/* Weight that is kept with `contains F` and, if there is one, `then G`. */
static int kept(const struct dataset *data, struct tree_view view,
	const char *f, const char *g)
{
	struct filters filters = {0};
	struct tree *tree;
	struct err err;
	int weight;

	filters_add(&filters, data, FILTER_CONTAINS, f, &err);
	if (g)
		filters_add(&filters, data, FILTER_THEN, g, &err);
	view.resource = 1;
	view.filters = &filters;
	tree = tree_new(data, &view, &err);
	weight = (int)tree_total(tree, 0)->weight;
	tree_free(tree);
	filters_fini(&filters);
	return weight;
}

/* The call in main names f, the one in f names g. */
static void test_tails(void)
{
	struct dataset *data;
	struct name *main, *f, *cold, *g, *h;

	begin();
	main = plain("main");
	f = plain("f");
	cold = plain("f.cold");
	g = plain("g");
	h = function("h", "", "", false);
	STACK(main, f, g);
	STACK(main, g);
	STACK(main, g);
	STACK(main, cold);
	name_functions();
	name_call(main, NULL, f);
	name_call(f, NULL, g);
	name_address(cold, NULL);
	name_address(g, h);
	data = made_open(w, path, 0);
	is(drawn(data, (struct tree_view){0}),
		"main(4;0) .f(4;1) ..g(3;0) ...h(3;3)",
		"f is back where main called it and g was found; no f calls "
		"its own f.cold");
	is(drawn(data, (struct tree_view){.no_inlines = true}),
		"main(4;0) .f(4;1) ..g(3;3)", "with inlined calls folded too");
	ok(kept(data, (struct tree_view){0}, "f", NULL) == 4 &&
			kept(data, (struct tree_view){0}, "f", "g") == 3,
		"filters find it there");
	dataset_free(data);
}

/* Filters find what the view shows. */
static void test_filters(void)
{
	struct tree_view plainly = {0}, clones = {.clones = true};
	struct tree_view folded = {.no_inlines = true};
	struct name *main, *f, *part, *g, *h;
	struct dataset *data;

	begin();
	main = plain("main");
	f = plain("f");
	part = plain("f.part.0");
	g = plain("g");
	h = function("h", "", "", false);
	STACK(main, f, part);
	STACK(main, f, part, g);
	STACK(main, part);
	STACK(main, g, part, f);
	name_functions();
	name_address(main, NULL);
	name_address(f, NULL);
	name_address(part, NULL);
	name_address(g, h);
	data = made_open(w, path, 0);
	ok(kept(data, plainly, "f", NULL) == 4 &&
			kept(data, clones, "f", NULL) == 3,
		"a clone is what it is a clone of, or is not");
	ok(kept(data, plainly, "f", "f") == 1 &&
			kept(data, clones, "f", "f.part.0") == 2,
		"a piece and its caller are one frame, or two");
	ok(kept(data, plainly, "h", NULL) == 2 &&
			kept(data, plainly, "g", "h") == 2 &&
			kept(data, folded, "h", NULL) == 0,
		"an inlined function is in stacks, or folded in none");
	dataset_free(data);
}

int main(void)
{
	path = temp_file();
	test_clones();
	test_two_of_a_name();
	test_tails();
	test_filters();
	temp_file_remove(path);
	return done_testing();
}
