/*
 * monitor_dump - a cpprofdata file in lines that awk can read, for the tests of
 * the monitor: what is in it, by nothing but the reader.
 *
 *     start MONOTONIC-NS
 *     resource NAME INTERVAL SAMPLES HITS WEIGHT TOTAL LOST-SAMPLES LOST
 *         UNSAMPLED KERNEL SETUID FLAGS NO-STACK TRUNCATED SQUARES
 *         PROBES PROBE-SAMPLES
 *     process ID PARENT PID exec|fork NAME [EXE]
 *     thread ID PROCESS TID NAME SAMPLES UNSAMPLED
 *     note KEY TEXT
 *     end STATUS | cut | open
 *
 * SQUARES are those of the samples' hits.  A thread's samples and [unsampled]
 * gticks are summed over all resources. Status 1 if the file cannot be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cpprofdata/reader.h"
#include "lib/vec.h"

struct resource {
	struct cpd_resource is;
	uint64_t samples, hits, squares, weight, total, lost_samples,
		probe_samples;
	uint64_t loss[CPD_LOSS_KINDS];
	uint64_t pseudo[3];
};

struct thread {
	struct cpd_thread is;
	const char *name;
	uint64_t samples, unsampled;
};

static VEC(struct resource) all;
static VEC(struct cpd_process) processes;
static VEC(struct thread) threads;
static VEC(uint8_t) pseudo_of; /* [node] */
static VEC(struct cpd_note) notes;
static bool ended;
static uint64_t start;
static int status;

/* Lent strings, kept; nothing here is freed before the end. */
static const char *keep(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		abort();
	return copy;
}

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static int on_head(void *arg, const struct cpd_head *h, struct err *err)
{
	(void)arg;
	(void)err;
	start = h->start;
	return 0;
}

static int on_resource(void *arg, const struct cpd_resource *r, struct err *err)
{
	struct resource *slot = must(vec_push(&all));

	(void)arg;
	(void)err;
	slot->is = *r;
	slot->is.name = keep(r->name);
	return 0;
}

static int on_process(void *arg, const struct cpd_process *p, struct err *err)
{
	struct cpd_process *slot = must(vec_push(&processes));

	(void)arg;
	(void)err;
	*slot = *p;
	slot->name = keep(p->name);
	slot->exe = keep(p->exe);
	return 0;
}

static int on_thread(void *arg, const struct cpd_thread *t, struct err *err)
{
	struct thread *slot = must(vec_push(&threads));

	(void)arg;
	(void)err;
	slot->is = *t;
	slot->name = keep(t->name);
	return 0;
}

static int on_rename(void *arg, const struct cpd_rename *r, struct err *err)
{
	(void)arg;
	(void)err;
	if (r->thread) {
		free((void *)threads.v[r->thread - 1].name);
		threads.v[r->thread - 1].name = keep(r->name);
	}
	return 0;
}

/* Pseudo nodes stand below the root; what is below them is of their kind. */
static int on_node(void *arg, const struct cpd_node *n, struct err *err)
{
	uint8_t kind = 0;

	(void)arg;
	(void)err;
	while (pseudo_of.n <= n->id)
		must(vec_push(&pseudo_of));
	if (!n->module)
		kind = (uint8_t)n->addr;
	else if (n->parent)
		kind = pseudo_of.v[n->parent];
	pseudo_of.v[n->id] = kind;
	return 0;
}

static int on_sample(void *arg, const struct cpd_sample *s, struct err *err)
{
	struct resource *r = &all.v[s->resource - 1];

	(void)arg;
	(void)err;
	r->samples++;
	r->hits += s->hits;
	r->squares += (uint64_t)s->hits * s->hits;
	r->weight += s->weight;
	r->pseudo[pseudo_of.v[s->node]]++;
	threads.v[s->thread - 1].samples++;
	return 0;
}

static int on_total(void *arg, const struct cpd_total *t, struct err *err)
{
	(void)arg;
	(void)err;
	all.v[t->resource - 1].total = t->gticks;
	return 0;
}

static int on_loss(void *arg, const struct cpd_loss *l, struct err *err)
{
	struct resource *r = &all.v[l->resource - 1];

	(void)arg;
	(void)err;
	r->loss[l->kind] += l->gticks;
	if (l->kind == CPD_LOST)
		r->lost_samples += l->samples;
	if (l->kind == CPD_PROBES)
		r->probe_samples += l->samples;
	if (l->thread && l->kind == CPD_UNSAMPLED)
		threads.v[l->thread - 1].unsampled += l->gticks;
	return 0;
}

static int on_note(void *arg, const struct cpd_note *n, struct err *err)
{
	struct cpd_note *slot = must(vec_push(&notes));

	(void)arg;
	(void)err;
	slot->key = keep(n->key);
	slot->text = keep(n->text);
	return 0;
}

static int on_end(void *arg, const struct cpd_end *e, struct err *err)
{
	(void)arg;
	(void)err;
	ended = true;
	status = e->status;
	return 0;
}

static void print_all(void)
{
	printf("start %ju\n", (uintmax_t)start);
	for (size_t i = 0; i < all.n; i++) {
		const struct resource *r = &all.v[i];

		printf("resource %s %ju %ju %ju %ju %ju %ju %ju %ju %ju %ju "
		       "%u %ju %ju %ju %ju %ju\n",
			r->is.name, (uintmax_t)r->is.interval,
			(uintmax_t)r->samples, (uintmax_t)r->hits,
			(uintmax_t)r->weight, (uintmax_t)r->total,
			(uintmax_t)r->lost_samples,
			(uintmax_t)r->loss[CPD_LOST],
			(uintmax_t)r->loss[CPD_UNSAMPLED],
			(uintmax_t)r->loss[CPD_KERNEL],
			(uintmax_t)r->loss[CPD_SETUID], r->is.flags,
			(uintmax_t)r->pseudo[CPD_NO_STACK],
			(uintmax_t)r->pseudo[CPD_TRUNCATED],
			(uintmax_t)r->squares, (uintmax_t)r->loss[CPD_PROBES],
			(uintmax_t)r->probe_samples);
	}
	for (size_t i = 0; i < processes.n; i++)
		printf("process %u %u %d %s %s %s\n", processes.v[i].id,
			processes.v[i].parent, processes.v[i].pid,
			processes.v[i].flags & CPD_PROCESS_EXEC ? "exec"
								: "fork",
			processes.v[i].name, processes.v[i].exe);
	for (size_t i = 0; i < threads.n; i++)
		printf("thread %u %u %d %s %ju %ju\n", threads.v[i].is.id,
			threads.v[i].is.process, threads.v[i].is.tid,
			threads.v[i].name, (uintmax_t)threads.v[i].samples,
			(uintmax_t)threads.v[i].unsampled);
	for (size_t i = 0; i < notes.n; i++)
		printf("note %s %s\n", notes.v[i].key, notes.v[i].text);
}

int main(int argc, char **argv)
{
	const struct cpd_handlers handlers = {
		.head = on_head,
		.resource = on_resource,
		.process = on_process,
		.thread = on_thread,
		.rename = on_rename,
		.node = on_node,
		.sample = on_sample,
		.total = on_total,
		.loss = on_loss,
		.note = on_note,
		.end = on_end,
	};
	struct cpd_result result;
	struct err err;
	char text[2048];

	if (argc != 2)
		return 2;
	if (cpd_read(argv[1], &handlers, NULL, &result, &err)) {
		err_format(&err, text, sizeof text);
		fprintf(stderr, "monitor_dump: %s\n", text);
		return 1;
	}
	print_all();
	if (ended)
		printf("end %d\n", status);
	else
		puts(result.truncated ? "cut" : "open");
	return 0;
}
