/*
 * percall_test - cost per call of a small run that can be worked out by hand:
 * recursion, a path without calls, and time that is the probes'.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/questions/percall.h"
#include "t/lib/made_file.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

enum { MAIN = 1, G, H, K, F, FUNCTIONS };

static const char *path;
static const char *const names[] = {"", "main", "g", "h", "k", "f"};

static void add(struct cpd_writer *w, uint32_t resource, uint32_t times,
	const uint32_t *stack)
{
	uint32_t node = 0;

	for (; *stack; stack++)
		node = cpd_node(
			w, node, 1, 0x1000 * (uint64_t)*stack, CPD_NODE_EXACT);
	for (uint32_t i = 0; i < times; i++)
		cpd_write_sample(
			w, &(struct cpd_sample){.thread = 1,
				   .resource = resource,
				   .node = node,
				   .hits = 1,
				   .weight = resource == 1 ? 1000 : 1});
}

#define STACK(...)                                                             \
	(const uint32_t[])                                                     \
	{                                                                      \
		MAIN, __VA_ARGS__, 0                                           \
	}

/* CALLS from g; 5 from h, each with four more of f by itself; k has none. */
static struct dataset *make(uint32_t calls)
{
	static const struct cpd_resource cpu = {.name = "cpu",
		.title = "CPU",
		.gtick = "us",
		.unit = CPD_USEC,
		.interval = 1000,
		.flags = CPD_RESOURCE_CLOCK,
		.timer = "t"};
	struct cpd_writer *w = made_begin(path, &cpu);

	cpd_write_resource(w, &(struct cpd_resource){.name = "calls=f",
				      .title = "Calls",
				      .gtick = "call",
				      .interval = 1,
				      .timer = "t"});
	made_program(w);
	add(w, 1, 100, STACK(G, F));
	add(w, 1, 20, STACK(H, F));
	add(w, 1, 30, STACK(H, F, F));
	add(w, 1, 4, STACK(K, F));
	add(w, 1, 50, STACK(G));
	add(w, 2, calls, STACK(G, F));
	add(w, 2, 5, STACK(H, F));
	add(w, 2, 20, STACK(H, F, F));
	for (uint32_t f = MAIN; f < FUNCTIONS; f++)
		made_function(w, (struct cpd_function){.module = 1,
					 .lo = 0x1000 * (uint64_t)f,
					 .name = names[f]});
	return made_open(w, path, 0);
}

/* The row of the path from CALLER to f; NULL: there is none. */
static const struct why_row *row_of(
	const struct percall *p, const struct dataset *data, const char *caller)
{
	for (size_t i = 0; i < p->why->n; i++) {
		const struct why_row *row = &p->why->rows[i];

		if (row->length == 2 &&
			!strcmp(data->functions[row->path[0]].name, caller))
			return row;
	}
	return NULL;
}

static int begin(struct percall *p, const struct dataset *data,
	struct tree **trees, struct err *err)
{
	uint32_t *found;
	size_t n;
	int status;

	for (uint32_t r = 1; r <= 2; r++) {
		struct tree_view view = {.resource = r};

		trees[r - 1] = tree_new(data, &view, err);
	}
	dataset_find(data, "f", &found, &n, err);
	status = percall_init(p, trees[0], trees[1], found, n, 0, err);
	free(found);
	return status;
}

static void end(struct tree **trees, struct dataset *data)
{
	tree_free(trees[0]);
	tree_free(trees[1]);
	dataset_free(data);
}

int main(void)
{
	struct dataset *data;
	struct tree *trees[2];
	struct percall p;
	struct err err;
	const struct why_row *row;

	path = temp_file();
	data = make(10);
	if (begin(&p, data, trees, &err)) {
		printf("Bail out! %s\n", err.reason);
		return 99;
	}
	row = row_of(&p, data, "g");
	ok(row && percall_value(row) == 10000, "100 ms in 10 calls");
	ok(row && fabs(percall_doubt(&p, row) - 0.19600) < 1e-4,
		"of 100 samples; the calls are counted");
	row = row_of(&p, data, "h");
	ok(row && percall_value(row) == 10000 && row->of[1].weight == 5,
		"calls of f by itself are a part of the outermost ones");
	ok(!row_of(&p, data, "f"), "and no path of their own");
	row = row_of(&p, data, "k");
	ok(row && percall_value(row) < 0,
		"time without a call: it began before collecting did");
	ok(tree_total(p.pruned[0], 0)->weight == 154000,
		"what is not below f is left out");
	percall_fini(&p);
	end(trees, data);
	data = make(5000);
	ok(begin(&p, data, trees, &err) < 0 &&
			strstr(err.reason, "5005 calls") && *err.hint,
		"the probes' time, in no books, is not passed off as f's: %s",
		err.reason);
	end(trees, data);
	temp_file_remove(path);
	return done_testing();
}
