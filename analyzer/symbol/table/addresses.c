/*
 * Collects addresses from the writer's call tree, and sorts them by module.
 *
 * They are sorted by counting.  With qsort(), and a set of the calls, this was
 * a sixth of what naming takes: 199 million instructions for 43 000 samples of
 * a compiler, now 87.
 */
#include "analyzer/symbol/table/addresses.h"

#include <stdlib.h>

#include "lib/set.h"

/* Code of address number `from` has called that of number `to`. */
struct number_pair {
	uint32_t from, to;
};

struct collector {
	SET_OF(struct sym_address) addresses; /* most occur many times */
	VEC(struct number_pair) calls;        /* so do these */
	uint32_t *callers; /* by node: the number of its address, or
			      HASH_NONE: it makes no call */
};

static uint32_t add_address(
	struct collector *c, const struct sym_address *address)
{
	uint32_t i = set_add(&c->addresses, address,
		offsetof(struct sym_address, module) + sizeof address->module);
	struct sym_address *known;

	if (i == HASH_NONE)
		return i;
	known = &c->addresses.v[i];
	if (address->time && (!known->time || address->time < known->time))
		known->time = address->time;
	return i;
}

/* A return address stands for the call before it. */
static int add_node(
	struct collector *c, const struct cpd_writer *w, uint32_t id)
{
	struct cpd_node node = cpd_writer_node(w, id);
	bool exact = node.flags & CPD_NODE_EXACT;
	uint32_t number, caller;

	c->callers[id] = HASH_NONE;
	if (!node.module ||
		cpd_writer_module(w, node.module)->kind == CPD_MODULE_NO_CODE)
		return 0;
	number =
		add_address(c, &(struct sym_address){.addr = node.addr - !exact,
				       .module = node.module,
				       .time = cpd_writer_node_time(w, id)});
	if (number == HASH_NONE)
		return -1;
	if (!exact)
		c->callers[id] = number;
	caller = node.parent ? c->callers[node.parent] : HASH_NONE;
	if (caller != HASH_NONE)
		c->calls.v[c->calls.n++] = (struct number_pair){caller, number};
	return 0;
}

/*
 * Sorts N pairs by `to`, or by `from`, which are below MOST; equal ones keep
 * their order (distribution counting: Knuth, volume 3, 5.2).  SPARE and AT have
 * room for N pairs and for MOST + 1 numbers.
 */
static void distribute(struct number_pair *pairs, size_t n, bool by_from,
	size_t most, struct number_pair *spare, uint32_t *at)
{
	memset(at, 0, (most + 1) * sizeof *at);
	for (size_t i = 0; i < n; i++)
		at[1 + (by_from ? pairs[i].from : pairs[i].to)]++;
	for (size_t i = 0; i < most; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < n; i++)
		spare[at[by_from ? pairs[i].from : pairs[i].to]++] = pairs[i];
	memcpy(pairs, spare, n * sizeof *pairs);
}

/* What the addresses are sorted by: of 12 bytes, the last counts most. */
static uint8_t key_byte(const struct sym_address *address, unsigned i)
{
	return (uint8_t)(i < 8 ? address->addr >> 8 * i
			       : address->module >> 8 * (i - 8));
}

/* Gives the numbers of FOUND, in the order of the addresses. */
static void sort_addresses(const struct sym_address *found, size_t n,
	struct number_pair *order, struct number_pair *spare, uint32_t *at)
{
	for (uint32_t i = 0; i < n; i++)
		order[i].from = i;
	for (unsigned byte = 0; byte < 12; byte++) {
		bool differs = false;

		for (size_t i = 0; i < n; i++) {
			order[i].to = key_byte(&found[order[i].from], byte);
			differs |= order[i].to != order[0].to;
		}
		if (differs)
			distribute(order, n, false, 256, spare, at);
	}
}

/* Leaves each call once, by the numbers that its addresses have now. */
static void sort_calls(struct collector *c, const uint32_t *now,
	struct number_pair *spare, uint32_t *at)
{
	struct number_pair *calls = c->calls.v;
	size_t kept = 0;

	for (size_t i = 0; i < c->calls.n; i++)
		calls[i] = (struct number_pair){
			now[calls[i].from], now[calls[i].to]};
	distribute(calls, c->calls.n, false, c->addresses.n, spare, at);
	distribute(calls, c->calls.n, true, c->addresses.n, spare, at);
	for (size_t i = 0; i < c->calls.n; i++)
		if (!i || memcmp(&calls[i], &calls[kept - 1], sizeof *calls))
			calls[kept++] = calls[i];
	c->calls.n = kept;
}

static void write_out(const struct collector *c,
	const struct number_pair *order, struct sym_addresses *all)
{
	for (; all->n < c->addresses.n; all->n++)
		all->v[all->n] = c->addresses.v[order[all->n].from];
	for (; all->ncalls < c->calls.n; all->ncalls++) {
		const struct number_pair *call = &c->calls.v[all->ncalls];
		const struct sym_address *from = &all->v[call->from];
		const struct sym_address *to = &all->v[call->to];

		all->calls[all->ncalls] = (struct sym_call){
			from->module, to->module, from->addr, to->addr};
	}
}

static int sort(struct collector *c, struct sym_addresses *all)
{
	size_t n = c->addresses.n, most = n > c->calls.n ? n : c->calls.n;
	struct number_pair *order = calloc(n + 1, sizeof *order);
	struct number_pair *spare = calloc(most + 1, sizeof *spare);
	uint32_t *at = calloc(n + 257, sizeof *at);
	uint32_t *now = calloc(n + 1, sizeof *now);
	int rc = -1;

	all->v = calloc(n + 1, sizeof *all->v);
	all->calls = calloc(c->calls.n + 1, sizeof *all->calls);
	if (order && spare && at && now && all->v && all->calls) {
		sort_addresses(c->addresses.v, n, order, spare, at);
		for (uint32_t i = 0; i < n; i++)
			now[order[i].from] = i;
		sort_calls(c, now, spare, at);
		write_out(c, order, all);
		rc = 0;
	}
	free(order);
	free(spare);
	free(at);
	free(now);
	return rc;
}

int sym_addresses_init(
	struct sym_addresses *addresses, const struct cpd_writer *w)
{
	struct collector c = {0};
	uint32_t n = cpd_writer_nodes(w);
	bool bad;

	c.callers = calloc((size_t)n + 1, sizeof *c.callers);
	bad = !c.callers || !vec_reserve(&c.calls, (size_t)n + 1);
	*addresses = (struct sym_addresses){0};
	for (uint32_t id = 1; id <= n && !bad; id++)
		bad = add_node(&c, w, id) != 0;
	bad = bad || sort(&c, addresses) != 0;
	set_free(&c.addresses);
	vec_free(&c.calls);
	free(c.callers);
	return bad ? -1 : 0;
}

void sym_addresses_fini(struct sym_addresses *addresses)
{
	free(addresses->v);
	free(addresses->calls);
	*addresses = (struct sym_addresses){0};
}
