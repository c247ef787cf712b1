/*
 * Trials of whole diffs: runs of a program that is sampled by a clock, some the
 * same and some slower, with the noise of runs and of sampling.  The random
 * numbers are the same in every run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diff/diff.h"
#include "t/lib/draw.h"
#include "t/lib/made_file.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

#define FUNCTIONS 12 /* main is the first */
#define STACKS 30
#define DEPTH 6
#define RUNS 10
#define WEIGHT 1000 /* of a sample */

static const char *path;
static double samples = 2000; /* of a run, about */
static struct sampled {
	uint32_t functions[DEPTH], depth;
	double share; /* of the run */
} stacks[STACKS];

static double uniform(void)
{
	return ((double)(draw64() >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller. */
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* A program: random stacks below main, recursive ones among them. */
static void make_program(void)
{
	double all = 0;

	for (size_t s = 0; s < STACKS; s++) {
		stacks[s].depth = 2 + draw(DEPTH - 1);
		stacks[s].functions[0] = 0;
		for (uint32_t d = 1; d < stacks[s].depth; d++)
			stacks[s].functions[d] = 1 + draw(FUNCTIONS - 1);
		stacks[s].share = -log(uniform());
		all += stacks[s].share;
	}
	for (size_t s = 0; s < STACKS; s++)
		stacks[s].share /= all;
}

/* How many samples a clock takes where so many are due. */
static uint32_t taken(double due)
{
	double n = due + sqrt(due) * normal();

	return n > 0 ? (uint32_t)(n + 0.5) : 0;
}

static void add_times(struct cpd_writer *w, const struct sampled *stack,
	uint64_t weight, uint32_t times)
{
	struct cpd_sample sample = {.time = MADE_START,
		.thread = 1,
		.resource = 1,
		.hits = 1,
		.weight = weight};

	for (uint32_t d = 0; d < stack->depth; d++)
		sample.node = cpd_node(w, sample.node, 1,
			MADE_SIZE * (1 + (uint64_t)stack->functions[d]),
			CPD_NODE_EXACT);
	for (; times; times--)
		cpd_write_sample(w, &sample);
}

/* Writes the functions' names, ends the file and reads it. */
static struct dataset *end_run(struct cpd_writer *w)
{
	char name[16];

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		snprintf(name, sizeof name, f ? "f%u" : "main", f);
		made_function(w, (struct cpd_function){.module = 1,
					 .lo = MADE_SIZE * (1 + (uint64_t)f),
					 .name = name,
					 .flags = f ? 0 : CPD_FUNCTION_MAIN});
	}
	return made_open(w, path, MADE_START + 1);
}

/* A run whose time is FACTOR times the usual, give or take NOISE, and that of
   the first stack MORE times that. */
static struct dataset *run(double factor, double more, double noise)
{
	static const struct cpd_resource cpu = {.name = "cpu",
		.title = "CPU",
		.gtick = "us",
		.unit = CPD_USEC,
		.interval = WEIGHT,
		.flags = CPD_RESOURCE_CLOCK,
		.timer = "t"};
	struct cpd_writer *w = made_begin(path, &cpu);
	double due = samples * factor * (1 + noise * normal());

	made_program(w);
	for (size_t s = 0; s < STACKS; s++)
		add_times(w, &stacks[s], WEIGHT,
			taken(due * stacks[s].share * (s ? 1 : more)));
	return end_run(w);
}

struct trial {
	bool total, part;     /* whether it says for sure that it changed */
	unsigned likely, all; /* parts that likely did, and that are listed */
};

static void look_at(
	const struct diff_entry *entries, size_t n, struct trial *said)
{
	for (size_t i = 0; i < n; i++) {
		said->part |= entries[i].figure.verdict == DIFF_REAL;
		said->likely += entries[i].figure.verdict == DIFF_UNSURE;
		said->all++;
	}
}

/* N runs a side, of the later ones each FACTOR times as long, and of their
   first stack MORE times that. */
static struct trial compare(size_t n, double factor, double more, double noise)
{
	struct dataset *data[2 * RUNS];
	struct tree *trees[2 * RUNS];
	struct tree_view view = {.resource = 1};
	struct trial said;
	struct diff *diff;
	struct err err;

	for (size_t i = 0; i < 2 * n; i++) {
		data[i] = run(i < n ? 1 : factor, i < n ? 1 : more, noise);
		trees[i] = tree_new(data[i], &view, &err);
	}
	diff = diff_new((struct diff_side){(const struct tree **)trees, n},
		(struct diff_side){(const struct tree **)trees + n, n}, "main",
		0.01, &err);
	said = (struct trial){.total = diff->total.verdict == DIFF_REAL};
	look_at(diff->paths, diff->npaths, &said);
	look_at(diff->changed, diff->nchanged, &said);
	diff_free(diff);
	for (size_t i = 0; i < 2 * n; i++) {
		tree_free(trees[i]);
		dataset_free(data[i]);
	}
	return said;
}

static void test_false_alarms(size_t n, double noise)
{
	unsigned any = 0, total = 0, likely = 0;

	for (unsigned trial = 0; trial < 200; trial++) {
		struct trial said;

		make_program();
		said = compare(n, 1, 1, noise);
		any += said.total || said.part;
		likely += said.likely;
		total += said.total;
	}
	printf("# %u of 200, of the total %u; likely %u\n", any, total, likely);
	ok(any <= 10,
		"%zu equal runs a side, %g %% of noise: at most 5 %% false "
		"alarms",
		n, 100 * noise);
	ok(likely <= 200, "... and by chance one that is likely in each");
}

/* Three runs a side tell of a stack that takes half as much again, be it of a
   tenth of all. */
static void test_part(void)
{
	unsigned found = 0, alarms = 0;

	samples = 2000;
	for (unsigned trial = 0; trial < 100; trial++) {
		struct trial said;

		do
			make_program();
		while (stacks[0].share < 0.08 || stacks[0].share > 0.12);
		said = compare(3, 1, 1.5, 0.03);
		found += said.all > 0;
		alarms += said.total;
	}
	printf("# %u of 100, of the total %u\n", found, alarms);
	ok(found >= 80, "+50 %% of a tenth at 3 runs a side: 80 of 100");
}

/* NOISE is that of the runs' times and of sampling together. */
static void test_power(double noise)
{
	double of_runs;
	unsigned found = 0;

	samples = 10000;
	of_runs = sqrt(noise * noise - 1 / samples);
	for (unsigned trial = 0; trial < 100; trial++) {
		make_program();
		found += compare(RUNS, 1.03, 1, of_runs).total;
	}
	printf("# %u of 100\n", found);
	ok(found >= 95, "+3 %% at %d runs a side, %g %% of noise: 95 of 100",
		RUNS, 100 * noise);
}

/* A run that allocates the same in each stack, and once more in stack MORE. */
static struct dataset *counted_run(size_t more)
{
	static const struct cpd_resource allocations = {.name = "allocations",
		.title = "Allocations",
		.gtick = "allocation",
		.unit = CPD_COUNT,
		.interval = 1,
		.timer = "t"};
	struct cpd_writer *w = made_begin(path, &allocations);

	made_program(w);
	for (size_t s = 0; s < STACKS; s++)
		add_times(w, &stacks[s], 1,
			1 + (uint32_t)(1000 * stacks[s].share) + (s == more));
	return end_run(w);
}

/* No stack calls a function again: its functions rise. */
static void make_straight(void)
{
	make_program();
	for (size_t s = 0; s < STACKS; s++)
		for (uint32_t d = 1; d < stacks[s].depth; d++)
			stacks[s].functions[d] = 1 + 2 * (d - 1) + draw(2);
}

/* Whether the one path that has changed is STACK, by one and exactly. */
static bool is_first(const struct diff *diff, const struct sampled *stack)
{
	const struct diff_entry *first = diff->paths;
	char name[16];

	if (diff->npaths != 1 || first->length != stack->depth ||
		first->figure.verdict != DIFF_EXACT || first->figure.lo != 1 ||
		first->figure.hi != 1 || diff->total.verdict != DIFF_EXACT)
		return false;
	for (uint32_t d = 1; d < stack->depth; d++) {
		snprintf(name, sizeof name, "f%u", stack->functions[d]);
		if (strcmp(diff->functions[first->path[d]].name, name) != 0)
			return false;
	}
	return true;
}

static void test_one_more(void)
{
	unsigned found = 0;

	for (unsigned trial = 0; trial < 200; trial++) {
		size_t more = draw(STACKS);
		struct dataset *data[3];
		struct tree *trees[3];
		struct tree_view view = {.resource = 1};
		struct diff *diff;
		struct err err;

		make_straight();
		for (size_t i = 0; i < 3; i++) {
			data[i] = counted_run(i < 2 ? STACKS : more);
			trees[i] = tree_new(data[i], &view, &err);
		}
		diff = diff_new(
			(struct diff_side){(const struct tree **)trees, 2},
			(struct diff_side){(const struct tree **)trees + 2, 1},
			"main", 0.01, &err);
		found += is_first(diff, &stacks[more]);
		diff_free(diff);
		for (size_t i = 0; i < 3; i++) {
			tree_free(trees[i]);
			dataset_free(data[i]);
		}
	}
	printf("# %u of 200\n", found);
	ok(found == 200,
		"one more allocation is found exactly, its path the first");
}

int main(void)
{
	path = temp_file();
	test_false_alarms(2, 0.05);
	test_false_alarms(5, 0.05);
	test_false_alarms(RUNS, 0.015);
	test_part();
	test_power(0.015);
	test_one_more();
	temp_file_remove(path);
	return done_testing();
}
