/*
 * percall_callers - cost per call by caller, where calls are counted by caller
 * alone: of random recursive runs against an oracle that takes each stack by
 * itself.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/questions/percall.h"
#include "t/lib/draw.h"
#include "t/lib/made_file.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

#define ROUNDS 400
#define STACKS 40
#define DEPTH 16
#define F1 1 /* two of the functions are f */
#define F2 2
#define FUNCTIONS 6
#define TRUNCATED (FUNCTIONS + 1) /* above a stack without its outer frames */

/* By function that is called and by caller, of both resources: what was
   consumed, and calls.  Caller 0: of all. */
static uint64_t sums[FUNCTIONS + 1][TRUNCATED + 1][2];

static bool is_f(uint32_t function)
{
	return function == F1 || function == F2;
}

/* What a stack has goes to its innermost call of an f that is none by itself;
   of calls (T 1) a stack has two functions and is one of the inner. */
static void take_stack(
	const uint32_t *stack, uint32_t depth, size_t t, uint64_t weight)
{
	uint32_t i = depth;

	while (i-- > 0) {
		if (is_f(stack[i]) && (!i || stack[i - 1] != stack[i])) {
			sums[stack[i]][0][t] += weight;
			if (i)
				sums[stack[i]][stack[i - 1]][t] += weight;
			return;
		}
		if (t)
			return;
	}
}

static void write_stack(struct cpd_writer *w, uint32_t resource)
{
	uint32_t stack[DEPTH], node = 0, depth = 2, times = 1 + draw(50);
	uint32_t weight = resource == 1 ? 10 * times : times;

	if (resource == 1)
		depth = 1 + draw(DEPTH);
	for (uint32_t i = 0; i < depth; i++)
		stack[i] = i && !draw(4) ? stack[i - 1] : 1 + draw(FUNCTIONS);
	if (!draw(10))
		stack[0] = TRUNCATED;
	take_stack(stack, depth, resource - 1, weight);
	for (uint32_t i = 0; i < depth; i++)
		node = stack[i] == TRUNCATED
			       ? cpd_node(w, node, 0, CPD_TRUNCATED, 0)
			       : cpd_node(w, node, 1,
					 (uint64_t)stack[i] * MADE_SIZE,
					 CPD_NODE_EXACT);
	cpd_write_sample(w, &(struct cpd_sample){.thread = 1,
				    .resource = resource,
				    .node = node,
				    .hits = times,
				    .weight = weight});
}

/* LIMITED: f had more calls than were counted. */
static struct dataset *draw_run(const char *path, bool limited)
{
	static const char *const names[] = {"", "f", "f", "a", "b", "c", "d"};
	static const struct cpd_resource faults = {.name = "pagefaults",
		.title = "Page Faults",
		.gtick = "fault",
		.interval = 10,
		.timer = "t"};
	struct cpd_writer *w = made_begin(path, &faults);

	memset(sums, 0, sizeof sums);
	cpd_write_resource(w, &(struct cpd_resource){.name = PERCALL_ARCS,
				      .title = "Calls by Caller",
				      .gtick = "call",
				      .interval = 1,
				      .timer = "t"});
	made_program(w);
	for (uint32_t n = draw(STACKS); n; n--)
		write_stack(w, 1);
	for (uint32_t n = draw(STACKS); n; n--)
		write_stack(w, 2);
	for (uint32_t f = 1; f <= FUNCTIONS; f++)
		made_function(w, (struct cpd_function){.module = 1,
					 .lo = (uint64_t)f * MADE_SIZE,
					 .name = names[f],
					 .file = f == F2 ? "2.c" : "1.c"});
	/* a note without a blank names no file */
	cpd_write_note(
		w, &(struct cpd_note){CPD_NOTE_LIMITED,
			   limited ? "1000 /bin/prog" : "1000:/bin/prog"});
	return made_open(w, path, 0);
}

static const uint64_t *wanted(
	const struct dataset *data, const struct percall_row *row)
{
	uint32_t steps[2] = {0};

	for (uint32_t i = 0; i < row->length; i++)
		steps[i + 2 - row->length] =
			row->path[i] == FN_TRUNCATED
				? TRUNCATED
				: (uint32_t)(data->functions[row->path[i]].lo /
					     MADE_SIZE);
	return sums[steps[1]][steps[0]];
}

enum { ANSWER, ROWS, WEIGHT, CALLS, ADDS_UP, CHECKS };

static const char *const what[CHECKS] = {
	[ANSWER] = "an answer where there are calls, all of them",
	[ROWS] = "a row for each caller of each f, and for each f",
	[WEIGHT] = "what the innermost calls have",
	[CALLS] = "their number, without calls by itself",
	[ADDS_UP] = "they add up to all that f consumed",
};

static unsigned wrong[CHECKS];

static void check_rows(const struct percall *p)
{
	const struct dataset *data = p->pruned[0]->data;
	uint64_t all = 0;
	size_t rows = 0;

	for (uint32_t f = F1; f <= F2; f++)
		for (uint32_t c = 0; c <= TRUNCATED; c++)
			rows += sums[f][c][0] || sums[f][c][1];
	wrong[ROWS] += p->n != rows;
	for (size_t i = 0; i < p->n; i++) {
		const struct percall_row *row = &p->rows[i];
		const uint64_t *of = wanted(data, row);

		wrong[WEIGHT] += row->of[0].weight != of[0];
		wrong[CALLS] += row->of[1].weight != of[1];
		if (row->length == 1)
			all += row->of[0].weight;
	}
	wrong[ADDS_UP] += all != tree_total(p->pruned[0], 0)->weight;
}

static void check_run(const char *path, bool limited)
{
	struct dataset *data = draw_run(path, limited);
	const struct tree *trees[2];
	struct percall p;
	struct err err;
	uint32_t *found;
	size_t n;
	bool bad;

	for (uint32_t r = 1; r <= 2; r++) {
		struct tree_view view = {.resource = r};

		trees[r - 1] = tree_new(data, &view, &err);
	}
	dataset_find(data, "f", &found, &n, &err);
	bad = percall_init(&p, trees, found, n, 0, &err);
	wrong[ANSWER] += bad != (limited || !(sums[F1][0][1] + sums[F2][0][1]));
	if (!bad) {
		check_rows(&p);
		percall_fini(&p);
	}
	free(found);
	tree_free((struct tree *)trees[0]);
	tree_free((struct tree *)trees[1]);
	dataset_free(data);
}

int main(void)
{
	const char *path = temp_file();

	for (int round = 0; round < ROUNDS; round++)
		check_run(path, round % 10 == 0);
	for (int c = 0; c < CHECKS; c++)
		ok(!wrong[c], "%d random runs: %s", ROUNDS, what[c]);
	temp_file_remove(path);
	return done_testing();
}
