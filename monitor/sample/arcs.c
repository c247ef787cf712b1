/* Writes arcs as samples of stacks of two functions. */
#include "monitor/sample/arcs.h"

#include "lib/arch/arch.h"
#include "monitor/unwind/code/return_address.h"

/* Samples with more hits have no room in the file. */
#define HITS_MOST UINT32_MAX

/*
 * A return address that no call stands before: a function is entered there when
 * the other returns, as the code that ends a signal handler.
 */
static bool begins_function(
	const struct thread *thread, const struct mapping *at, uint64_t back)
{
	struct code_at code = {at, thread->process->pid};
	uint8_t bytes[CALL_LONGEST];

	return code_at_read(&code, back - CALL_LONGEST, bytes, sizeof bytes) ==
		       sizeof bytes &&
	       code_call_before(bytes + CALL_LONGEST, CALL_LONGEST, back)
			       .kind == NO_CALL &&
	       !code_at_is_goexit(&code, back);
}

/* The node of the caller; without one that of an incomplete stack; 0: failed.
 */
static uint32_t caller(
	struct sampler *sampler, const struct due *due, uint64_t back)
{
	const struct mapping *at =
		address_space_find(due->thread->process->space, back - 1);

	if (!at)
		return cpd_node(sampler->writer, 0, 0, CPD_TRUNCATED, 0);
	return cpd_node(sampler->writer, 0, at->module->id, back - at->bias,
		begins_function(due->thread, at, back) ? CPD_NODE_EXACT : 0);
}

static uint32_t node_of(struct sampler *sampler, const struct due *due,
	const struct arc_key *key, uint64_t ip)
{
	const struct probe_point *point =
		&due->timer->calls->points.v[key->point];
	const struct mapping *at =
		address_space_find(due->thread->process->space, ip);
	uint32_t node;

	if (!at)
		return cpd_node(sampler->writer, 0, 0, CPD_NO_STACK, 0);
	node = caller(sampler, due, key->back);
	return node ? cpd_node(sampler->writer, node, at->module->id,
			      point->entry, CPD_NODE_EXACT)
		    : 0;
}

int arcs_begin(struct sampler *sampler, const struct due *due,
	const struct arc_key *key, uint64_t ip)
{
	struct arcs *arcs = sampler->arcs;
	struct arc arc = {*key, due->timer, 0, due->thread->arcs};
	uint32_t at = arcs->unused;

	if (key->point >= due->timer->calls->points.n)
		return 0;
	arc.node = node_of(sampler, due, key, ip);
	if (!arc.node)
		return -1;
	if (at) {
		arcs->unused = arcs->all.v[at - 1].next;
		arcs->all.v[at - 1] = arc;
	} else if (vec_add(&arcs->all, arc)) {
		at = (uint32_t)arcs->all.n;
	} else {
		return task_table_starved(&sampler->tasks);
	}
	due->thread->arcs = at;
	return 0;
}

static void write_arc(
	struct sampler *sampler, struct due *due, const struct arc *arc)
{
	uint64_t calls = sampler->family->take_arc(arc->timer->impl, &arc->key);

	due->timer = arc->timer;
	while (calls) {
		due->hits = calls < HITS_MOST ? (uint32_t)calls : HITS_MOST;
		due->weight = due->hits;
		calls -= due->hits;
		if (sampler_write(sampler, due, arc->node, 0, false))
			return;
	}
}

void arcs_end(struct sampler *sampler, struct thread *thread, uint64_t time)
{
	struct due due = {.thread = thread, .time = time};
	struct arcs *arcs = sampler->arcs;

	while (thread->arcs) {
		uint32_t at = thread->arcs;
		struct arc *arc = &arcs->all.v[at - 1];

		write_arc(sampler, &due, arc);
		thread->arcs = arc->next;
		arc->next = arcs->unused;
		arcs->unused = at;
	}
}

void arcs_fini(struct arcs *arcs)
{
	vec_free(&arcs->all);
}
