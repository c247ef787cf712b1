/*
 * What a session has made is made once: a command that needs the same tree, or
 * an undo, makes none; and no filter is shown a tree that another one made.
 */
#include <string.h>

#include "cpprof/session/session.h"
#include "t/lib/made_file.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

#define MS 1000000u

static struct session *session;
static int made; /* trees */

static bool count_trees(
	void *arg, const char *what, uint64_t done, uint64_t all)
{
	(void)arg, (void)all;
	made += strcmp(what, "adding up stacks") == 0 && !done;
	return true;
}

static uint64_t address(uint32_t function)
{
	return (uint64_t)function * MADE_SIZE;
}

/* main calls f, g and h, with 1, 10 and 100 us, in the first, second and third
   millisecond of the run. */
static void write_file(const char *path)
{
	static const char *const names[] = {"", "main", "f", "g", "h"};
	struct cpd_writer *w = made_begin(path, NULL);
	uint32_t top, weight = 1;

	made_program(w);
	top = cpd_node(w, 0, 1, address(1), CPD_NODE_EXACT);
	for (uint32_t i = 2; i <= 4; i++, weight *= 10)
		cpd_write_sample(
			w, &(struct cpd_sample){.thread = 1,
				   .resource = 1,
				   .time = MADE_START + (i - 1) * MS - 1,
				   .node = cpd_node(w, top, 1, address(i),
					   CPD_NODE_EXACT),
				   .hits = 1,
				   .weight = weight});
	for (uint32_t i = 1; i <= 4; i++)
		made_function(w, (struct cpd_function){.module = 1,
					 .lo = address(i),
					 .name = names[i]});
	dataset_free(made_open(w, path, MADE_START + 3 * MS));
}

static void filter(enum filter_kind kind, const char *name)
{
	struct err err;

	if (session_filter(session, kind, name, &err))
		made_fail(&err);
}

static void undo(void)
{
	struct err err;

	if (session_undo(session, &err))
		made_fail(&err);
}

/* What the tree of the view has. */
static uint64_t weight(void)
{
	struct err err;
	const struct tree *tree = session_tree(session, &err);

	if (!tree)
		made_fail(&err);
	return tree_total(tree, 0)->weight;
}

/* The nodes of the tree of the view, and what they are. */
static uint32_t nodes(void)
{
	struct err err;

	return weight() ? session_tree(session, &err)->n : 0;
}

static void test_undo(void)
{
	bool right = weight() == 111;

	filter(FILTER_WITHOUT, "f");
	right &= weight() == 110;
	filter(FILTER_WINDOW, "2ms..");
	right &= weight() == 100;
	made = 0;
	undo();
	right &= weight() == 110;
	undo();
	right &= weight() == 111;
	ok(right, "undo shows what was there");
	ok(!made, "undo makes no tree (%d made)", made);
	filter(FILTER_WITHOUT, "g");
	ok(weight() == 101, "another filter in its place is no undone one");
	filter(FILTER_WITHOUT, "h");
	ok(weight() == 1, "nor is one above it");
	undo();
	undo();
}

static void test_elided(void)
{
	uint32_t all = nodes();
	bool right;

	filter(FILTER_ELIDE, "f");
	right = nodes() == all - 1;
	filter(FILTER_WITHOUT, "f");
	right &= weight() == 110;
	undo();
	made = 0;
	right &= weight() == 111 && nodes() == all - 1;
	session_show_elided(session);
	right &= nodes() == all;
	ok(right && !made, "elide off makes no tree (%d made)", made);
	filter(FILTER_ELIDE, "main");
	right = nodes() == all - 1 && weight() == 111 && made == 1;
	ok(right, "another one that is elided makes one (%d made)", made);
	session_show_elided(session);
}

static void test_views(void)
{
	struct tree_view view = session->view;
	bool right = true;

	made = 0;
	for (int i = 0; i < 4; i++) {
		view.sites = i & 1;
		session_view(session, &view);
		right &= weight() == 111;
	}
	view.sites = false;
	session_view(session, &view);
	ok(right && made == 1, "two views make a tree each (%d made)",
		made + 1);
}

int main(void)
{
	const char *path = temp_file();
	struct err err;

	write_file(path);
	session = session_open(path, &err);
	if (!session)
		made_fail(&err);
	session->patience.work.go_on = count_trees;
	test_undo();
	test_elided();
	test_views();
	session_close(session);
	temp_file_remove(path);
	return done_testing();
}
