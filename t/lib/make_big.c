/*
 * make_big FILE [SAMPLES [STACKS [DEPTH]]]: writes a large cpprofdata file.
 *
 * make_big --measure FILE: reads one that it wrote and says how long each step
 * of a first look at it takes, in seconds and in seconds of CPU time.  No test
 * depends on its figures.
 *
 * make_big --endless FILE [DEPTH]: writes a small one that takes for ever: one
 * stack in which all functions call the next in turn, again and again.  Paths
 * that end with one of them begin with each, and take a walk down all of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/profile/function_figures.h"
#include "analyzer/profile/profile.h"
#include "analyzer/symbol/table/addresses.h"
#include "lib/cpprofdata/writer.h"

#define FUNCTIONS 4000
#define CODE 0x1000 /* address of the first function, 64 bytes each */

static uint64_t seed = 7;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((seed >> 33) % n);
}

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double wall, cpu; /* when what is measured began */

static void begin(void)
{
	wall = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
}

static void end(const char *what)
{
	printf("%-24s %8.3f s %8.3f s  ", what, now(CLOCK_MONOTONIC) - wall,
		now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}

static void die(const struct err *err)
{
	char text[2048];

	err_format(err, text, sizeof text);
	fprintf(stderr, "make_big: %s\n", text);
	exit(1);
}

/*
 * A stack of about DEPTH frames: half of it is shared with the one before, as
 * in real programs, the rest calls functions of small numbers most.
 */
static void grow_stack(
	struct cpd_writer *w, uint32_t *stack, uint32_t *length, uint32_t depth)
{
	uint32_t keep = *length / 2, node;
	uint32_t n = depth * 3 / 4 + random_below(depth / 2 + 1);

	if (keep > n)
		keep = n;
	keep = keep ? keep - random_below(keep) : 0;
	node = keep ? stack[keep - 1] : 0;
	for (uint32_t i = keep; i < n; i++) {
		uint32_t f =
			i == 0  ? 0
			: i < 6 ? i * 8 + random_below(4)
				: 1 + random_below(
					      1 + random_below(FUNCTIONS - 1));

		node = cpd_node(
			w, node, 1, CODE + f * 64 + 8 + random_below(4) * 8, 0);
		stack[i] = node;
	}
	*length = n;
}

static void write_samples(
	struct cpd_writer *w, uint32_t samples, uint32_t stacks, uint32_t depth)
{
	uint32_t *leaves = calloc(stacks, sizeof *leaves);
	uint32_t *stack = calloc((size_t)depth * 2 + 2, sizeof *stack);
	uint32_t length = 0;

	if (!leaves || !stack)
		exit(1);
	for (uint32_t i = 0; i < stacks; i++) {
		grow_stack(w, stack, &length, depth);
		leaves[i] = stack[length - 1];
	}
	for (uint32_t i = 0; i < samples; i++)
		cpd_write_sample(
			w, &(struct cpd_sample){.time = 1000 + i * 1000ULL,
				   .thread = 1,
				   .resource = 1,
				   .node = leaves[random_below(stacks)],
				   .hits = 1,
				   .weight = 1000});
	free(leaves);
	free(stack);
}

static void write_names(struct cpd_writer *w)
{
	struct sym_addresses addresses;
	uint32_t ids[FUNCTIONS];

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		char name[32];

		snprintf(name, sizeof name, f ? "function_%u" : "main", f);
		ids[f] = cpd_write_function(
			w, &(struct cpd_function){.module = 1,
				   .lo = CODE + f * 64,
				   .hi = CODE + f * 64 + 64,
				   .name = name,
				   .linkage = name,
				   .source = CPD_NAME_SYMTAB,
				   .flags = f ? 0 : CPD_FUNCTION_MAIN});
	}
	if (sym_addresses_init(&addresses, w))
		abort();
	for (size_t i = 0; i < addresses.n; i++) {
		const struct sym_address *a = &addresses.v[i];
		struct cpd_frame frame = {ids[(a->addr - CODE) / 64], 0, ""};

		cpd_write_addr(w, &(struct cpd_addr){a->module, a->addr, 1,
					  &frame, 0, 0, NULL});
	}
	sym_addresses_fini(&addresses);
}

static void write_turns(struct cpd_writer *w, uint32_t depth)
{
	struct cpd_sample sample = {.time = 1000,
		.thread = 1,
		.resource = 1,
		.hits = 1,
		.weight = 1000};

	for (uint32_t i = 0; i < depth; i++)
		sample.node = cpd_node(
			w, sample.node, 1, CODE + i % FUNCTIONS * 64 + 8, 0);
	cpd_write_sample(w, &sample);
}

/* STACKS 0: one of all functions in turn. */
static void make(
	const char *path, uint32_t samples, uint32_t stacks, uint32_t depth)
{
	static const char *const argv[] = {"big"};
	struct err err;
	struct cpd_writer *w = cpd_writer_open(path, &err);

	if (!w)
		die(&err);
	cpd_write_head(w, &(struct cpd_head){.argc = 1,
				  .argv = argv,
				  .cwd = "/",
				  .host = "h",
				  .kernel = "k",
				  .machine = "m",
				  .version = "0",
				  .ncpu = 1});
	cpd_write_resource(w, &(struct cpd_resource){.name = "cpu",
				      .title = "CPU Time",
				      .gtick = "us",
				      .unit = CPD_USEC,
				      .interval = 1000,
				      .timer = "made"});
	cpd_write_process(w, &(struct cpd_process){.pid = 1,
				     .name = "big",
				     .exe = "/big",
				     .flags = CPD_PROCESS_EXEC});
	cpd_write_thread(
		w, &(struct cpd_thread){.process = 1, .tid = 1, .name = "big"});
	cpd_write_module(w,
		&(struct cpd_module){.kind = CPD_MODULE_ELF, .path = "/big"});
	cpd_writer_publish(w);
	if (stacks)
		write_samples(w, samples, stacks, depth);
	else
		write_turns(w, depth);
	cpd_write_total(w, &(struct cpd_total){1, samples * 1000ULL, 0});
	write_names(w);
	if (cpd_writer_close(
		    w, &(struct cpd_end){.time = 1, .samples = samples}, &err))
		die(&err);
}

static void profile(const struct tree *tree, enum profile_kind kind,
	const char *what, uint32_t root, double threshold)
{
	char text[64];
	struct err err;
	struct profile *p;

	snprintf(text, sizeof text, "%-8s threshold %g", what, threshold);
	begin();
	p = profile_new(tree, kind, &root, 1, threshold, &err);
	if (!p)
		die(&err);
	end(text);
	printf("%zu entries\n", p->n);
	profile_free(p);
}

static void measure(const char *path)
{
	struct err err;
	uint32_t *found, leaf;
	size_t n;
	struct dataset *data;
	struct tree_view view = {.resource = 1};
	struct function_figures figures;
	struct tree *tree;

	begin();
	data = dataset_open(path, NULL, &err);
	if (!data)
		die(&err);
	end("open");
	printf("%u nodes, %zu cells\n", data->nnodes, data->naggregates);
	begin();
	tree = tree_new(data, &view, &err);
	if (!tree)
		die(&err);
	end("tree");
	printf("%u nodes\n", tree->n);
	begin();
	if (function_figures_init(&figures, tree, false, 0.01, &err))
		die(&err);
	end("table of functions");
	printf("%zu functions\n", figures.n);
	function_figures_fini(&figures);
	if (dataset_find(data, "function_1", &found, &n, &err))
		die(&err);
	leaf = *found;
	free(found);
	if (dataset_find(data, "main", &found, &n, &err))
		die(&err);
	profile(tree, PROFILE_FUNCTION, "function", 0, 0);
	profile(tree, PROFILE_DOWN, "down", *found, 0.01);
	profile(tree, PROFILE_UP, "up", leaf, 0.01);
	profile(tree, PROFILE_BODY, "body", 0, 0);
	profile(tree, PROFILE_TREE, "tree", 0, 0.01);
	free(found);
	tree_free(tree);
	dataset_free(data);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "--endless") == 0) {
		make(argv[2], 1, 0,
			argc > 3 ? (uint32_t)atol(argv[3]) : 1000000);
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--measure") == 0) {
		measure(argv[2]);
		return 0;
	}
	uint32_t samples = argc > 2 ? (uint32_t)atol(argv[2]) : 1000000;
	uint32_t stacks = argc > 3 ? (uint32_t)atol(argv[3]) : 50000;
	uint32_t depth = argc > 4 ? (uint32_t)atol(argv[4]) : 24;

	if (argc < 2 || !samples || !stacks || depth < 4) {
		fprintf(stderr, "usage: make_big FILE [SAMPLES [STACKS "
				"[DEPTH]]]\n"
				"       make_big --measure FILE\n");
		return 1;
	}
	make(argv[1], samples, stacks, depth);
	return 0;
}
