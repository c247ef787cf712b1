/*
 * filter_words - names, patterns and times that are refused, and what a window
 * keeps of a wait.
 */
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/tree/tree.h"
#include "t/unit/analyzer/filter_input.h"

static void test_many(const struct dataset *data)
{
	struct filters filters = {0};
	struct err err;

	while (filters.n <= FILTERS_MAX &&
		filters_add(&filters, data, FILTER_CONTAINS, "f1", &err) == 0)
		;
	ok(filters.n == FILTERS_MAX && strstr(err.reason, "in force already"),
		"more filters than anybody types are refused");
	filters_fini(&filters);
}

/* What is refused, and that it changes nothing. */
static void test_refused(void)
{
	struct input in = {.n = 1};
	struct filters filters = {0};
	struct dataset *data;
	struct err err;

	in.flat[0] = (struct flat){.functions = {1, 2, 1},
		.depth = 3,
		.thread = 1,
		.weight = 10,
		.hits = 1};
	data = write_and_open(&in);
	ok(filters_add(&filters, data, FILTER_THEN, "f1", &err) < 0 &&
			strstr(err.hint, "contains"),
		"then needs something to follow");
	ok(!filters_undo(&filters), "nothing to undo");
	filters_add(&filters, data, FILTER_CONTAINS, "f1", &err);
	ok(filters_add(&filters, data, FILTER_PROCESS, "sedd", &err) < 0 &&
			strstr(err.reason, "nearest: sed"),
		"the nearest process");
	ok(filters_add(&filters, data, FILTER_THREAD, "wroker", &err) < 0 &&
			strstr(err.reason, "nearest: worker"),
		"the nearest thread");
	ok(filters_add(&filters, data, FILTER_THEN, "", &err) < 0 &&
			filters_add(&filters, data, FILTER_PROCESS, "", &err) <
				0 &&
			filters_add(&filters, data, FILTER_PROCESS, "999",
				&err) < 0 &&
			filters_add(&filters, data, FILTER_PROCESS,
				"99999999999999999999", &err) < 0 &&
			filters_add(&filters, data, FILTER_THREAD, "%", &err) <
				0 &&
			filters_add(&filters, data, FILTER_THREAD, "%0", &err) <
				0,
		"wrong words");
	ok(filters.n == 1, "and nothing has changed");
	filters_fini(&filters);
	dataset_free(data);
}

static bool refuses(const struct dataset *data, enum filter_kind kind,
	const char *word, const char *why)
{
	struct filters filters = {0};
	struct err err;
	bool refused = filters_add(&filters, data, kind, word, &err) < 0 &&
		       (strstr(err.reason, why) || strstr(err.op, why)) &&
		       *err.hint && !filters.n;

	if (!refused)
		diag("%s: %s", word, err.reason);
	filters_fini(&filters);
	return refused;
}

/* Patterns and times that are none, or that would take all memory. */
static void test_patterns(void)
{
	static const struct {
		enum filter_kind kind;
		const char *word, *why;
	} bad[] = {{FILTER_CONTAINS, "/f(/", "regular"},
		{FILTER_CONTAINS, "//", "empty"},
		{FILTER_CONTAINS, "/[/", "regular"},
		{FILTER_CONTAINS, "/(f)\\1/", "back-ref"},
		{FILTER_WITHOUT, "/((a{200}){200}){200}/", "too often"},
		{FILTER_CONTAINS, "/f{1,4000000000}/", "too often"},
		{FILTER_CONTAINS, "g*", "no function fits"},
		{FILTER_CONTAINS, "f[1]", "no function"},
		{FILTER_THREAD, "/*/", "regular"},
		{FILTER_THREAD, "/(/", "regular"},
		{FILTER_PROCESS, "x*", "no process"},
		{FILTER_MODULE, "libb.so", "nearest: liba.so"},
		{FILTER_MODULE, "", "no module"},
		{FILTER_WINDOW, "1s", "window"},
		{FILTER_WINDOW, "..", "window"}, {FILTER_WINDOW, "", "window"},
		{FILTER_WINDOW, "1..2", "window"},
		{FILTER_WINDOW, "-1s..2s", "window"},
		{FILTER_WINDOW, "nans..infs", "window"},
		{FILTER_WINDOW, "2s..1s", "ends before"},
		{FILTER_WINDOW, "1e300s..", "window"}};
	struct input in = {.n = 2};
	struct dataset *data;
	int wrong = 0;

	for (uint32_t s = 0; s < 2; s++)
		in.flat[s] = (struct flat){.functions = {1, 2 + 2 * s},
			.depth = 2,
			.thread = 1,
			.weight = 10,
			.hits = 1};
	data = write_and_open(&in);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		wrong += !refuses(data, bad[i].kind, bad[i].word, bad[i].why);
	ok(!wrong, "wrong patterns and times are refused (%d are not)", wrong);
	test_many(data);
	dataset_free(data);
}

/* A wait of 4 s that ends at second 5, in two windows. */
static void test_wait(void)
{
	static const struct cpd_resource real = {.name = "real",
		.title = "Real Time",
		.gtick = "us",
		.unit = CPD_USEC,
		.interval = 100000,
		.timer = "t"};
	struct cpd_writer *w = made_begin(path, &real);
	struct filters filters = {0};
	struct tree_view view = {.resource = 1, .filters = &filters};
	static const struct {
		const char *window;
		uint64_t weight, hits;
	} parts[] = {{"..2s", 1000000, 10}, {"2s..2500ms", 500000, 5},
		{"2500ms..", 2500000, 25}, {"5s..", 0, 0}, {"..1s", 0, 0},
		{"1s..1000001us", 1, 0}};
	struct dataset *data;
	struct err err;
	int wrong = 0;

	write_tasks(w);
	cpd_write_sample(w,
		&(struct cpd_sample){.thread = 1,
			.time = MADE_START + 5ull * SECOND,
			.resource = 1,
			.node = cpd_node(w, 0, 1, address(1), CPD_NODE_EXACT),
			.hits = 40,
			.weight = 4000000});
	write_names(w);
	data = made_open(w, path, 0);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct tree *tree;

		filters_add(
			&filters, data, FILTER_WINDOW, parts[i].window, &err);
		tree = tree_new(data, &view, &err);
		wrong += tree_total(tree, 0)->weight != parts[i].weight ||
			 tree_total(tree, 0)->hits != parts[i].hits;
		tree_free(tree);
		filters_undo(&filters);
	}
	ok(!wrong, "a wait is spread over its duration (%d wrong)", wrong);
	ok(!truncate(path, 0) && filters_add(&filters, data, FILTER_WINDOW,
					 "1s..2s", &err) < 0,
		"a file that has changed is refused: %s", err.reason);
	filters_fini(&filters);
	dataset_free(data);
}

int main(void)
{
	path = temp_file();
	test_refused();
	test_patterns();
	test_wait();
	temp_file_remove(path);
	return done_testing();
}
