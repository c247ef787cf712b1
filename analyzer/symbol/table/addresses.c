/* Collects addresses from the writer's call tree, and sorts them by module. */
#include "analyzer/symbol/table/addresses.h"

#include <stdlib.h>

#include "lib/order.h"
#include "lib/set.h"

static int compare_addresses(const void *va, const void *vb)
{
	const struct sym_address *a = va, *b = vb;

	return ORDER(a->module, b->module) ?: ORDER(a->addr, b->addr);
}

static int compare_calls(const void *va, const void *vb)
{
	const struct sym_call *a = va, *b = vb;

	return ORDER(a->module, b->module) ?: ORDER(a->addr, b->addr)
	       ?: ORDER(a->callee_module, b->callee_module)
	       ?: ORDER(a->callee, b->callee);
}

/* Most addresses occur many times: sets find those before the sort. */
struct collector {
	SET_OF(struct sym_address) addresses;
	SET_OF(struct sym_call) calls;
	struct cpd_node last; /* most nodes are the child of the one before */
};

static int add_address(struct collector *c, const struct sym_address *address)
{
	uint32_t i = set_add(&c->addresses, address,
		offsetof(struct sym_address, module) + sizeof address->module);
	struct sym_address *known;

	if (i == HASH_NONE)
		return -1;
	known = &c->addresses.v[i];
	if (address->time && (!known->time || address->time < known->time))
		known->time = address->time;
	return 0;
}

/* A return address stands for the call before it. */
static uint64_t in_call(const struct cpd_node *node)
{
	return node->addr - !(node->flags & CPD_NODE_EXACT);
}

static int add_node(
	struct collector *c, const struct cpd_writer *w, uint32_t id)
{
	struct cpd_node node = cpd_writer_node(w, id), caller = c->last;
	struct sym_call call;

	c->last = node;
	if (!node.module ||
		cpd_writer_module(w, node.module)->kind == CPD_MODULE_NO_CODE)
		return 0;
	if (add_address(c, &(struct sym_address){in_call(&node), node.module,
				   cpd_writer_node_time(w, id)}))
		return -1;
	if (!node.parent)
		return 0;
	if (caller.id != node.parent)
		caller = cpd_writer_node(w, node.parent);
	if (!caller.module || caller.flags & CPD_NODE_EXACT)
		return 0;
	call = (struct sym_call){
		caller.module, node.module, in_call(&caller), in_call(&node)};
	return set_add(&c->calls, &call, 0) == HASH_NONE ? -1 : 0;
}

int sym_addresses_init(
	struct sym_addresses *addresses, const struct cpd_writer *w)
{
	struct collector c = {0};
	uint32_t n = cpd_writer_nodes(w);
	int bad = 0;

	for (uint32_t id = 1; id <= n && !bad; id++)
		bad = add_node(&c, w, id);
	hash_free(&c.addresses.known);
	hash_free(&c.calls.known);
	if (c.addresses.n)
		qsort(c.addresses.v, c.addresses.n, sizeof *c.addresses.v,
			compare_addresses);
	if (c.calls.n)
		qsort(c.calls.v, c.calls.n, sizeof *c.calls.v, compare_calls);
	*addresses = (struct sym_addresses){
		c.addresses.v, c.addresses.n, c.calls.v, c.calls.n};
	return bad;
}

void sym_addresses_fini(struct sym_addresses *addresses)
{
	free(addresses->v);
	free(addresses->calls);
	*addresses = (struct sym_addresses){0};
}
