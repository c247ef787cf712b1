/*
 * filter_input.h - files of few functions in two modules, in several processes
 * and threads, some of one name.
 */
#ifndef CPPROF_FILTER_INPUT_H
#define CPPROF_FILTER_INPUT_H

#include <string.h>

#include "t/lib/made_file.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

#define SAMPLES 60
#define DEPTH 24
#define FUNCTIONS 5
#define THREADS 6
#define SECOND 1000000000

static const char *path; /* of the file */

/* Threads 1 .. THREADS: process, names; processes 1, 2 and 3 with a pid. */
static const uint32_t process_of[] = {0, 1, 1, 1, 2, 2, 3};
static const char *const thread_names[] = {
	"", "main", "worker", "worker", "", "main", "worker"};
static const char *const process_names[] = {"", "sh", "sed", "sh"};

struct flat {
	uint32_t functions[DEPTH]; /* 1 .. FUNCTIONS, outermost first */
	uint32_t depth, thread;
	bool truncated;
	uint64_t weight, hits, time;
};

struct loss {
	enum cpd_loss_kind kind;
	uint32_t thread;
	uint64_t gticks;
};

struct input {
	struct flat flat[SAMPLES];
	size_t n;
	struct loss losses[4];
	size_t nlosses;
};

static uint64_t address(uint32_t f)
{
	return 0x1000 * (uint64_t)f;
}

static void write_tasks(struct cpd_writer *w)
{
	for (uint32_t p = 1; p <= 3; p++)
		cpd_write_process(w, &(struct cpd_process){.pid = 100 + (int)p,
					     .parent = p - 1,
					     .time = 10 * p,
					     .name = process_names[p],
					     .exe = "/bin/prog"});
	for (uint32_t t = 1; t <= THREADS; t++)
		cpd_write_thread(w, &(struct cpd_thread){.tid = 200 + (int)t,
					    .process = process_of[t],
					    .time = 100,
					    .name = thread_names[t]});
	cpd_write_module(w, &(struct cpd_module){.path = "/bin/prog"});
	cpd_write_module(w, &(struct cpd_module){.path = "/lib/liba.so"});
}

static const char *const files[] = {"", "a.c", "b.c", "a.c", "", ""};

static uint32_t module_of(uint32_t f)
{
	return f < 4 ? 1 : 2;
}

static void write_names(struct cpd_writer *w)
{
	char name[] = "f?";

	for (uint32_t f = 1; f <= FUNCTIONS; f++) {
		name[1] = (char)('0' + f);
		made_function(w, (struct cpd_function){.module = module_of(f),
					 .lo = address(f),
					 .name = name,
					 .file = files[f],
					 .line = f});
	}
}

__attribute__((unused)) static struct dataset *write_and_open(
	const struct input *in)
{
	struct cpd_writer *w = made_begin(path, NULL);

	write_tasks(w);
	for (size_t s = 0; s < in->n; s++) {
		const struct flat *flat = &in->flat[s];
		struct cpd_sample sample = {.thread = flat->thread,
			.time = flat->time,
			.resource = 1,
			.hits = (uint32_t)flat->hits,
			.weight = flat->weight};

		if (flat->truncated)
			sample.node = cpd_node(w, 0, 0, CPD_TRUNCATED, 0);
		for (uint32_t i = 0; i < flat->depth; i++)
			sample.node = cpd_node(w, sample.node,
				module_of(flat->functions[i]),
				address(flat->functions[i]), CPD_NODE_EXACT);
		cpd_write_sample(w, &sample);
	}
	for (size_t i = 0; i < in->nlosses; i++)
		cpd_write_loss(w,
			&(struct cpd_loss){1, in->losses[i].kind,
				in->losses[i].thread, in->losses[i].gticks, 0});
	write_names(w);
	return made_open(w, path, 500);
}

#endif
