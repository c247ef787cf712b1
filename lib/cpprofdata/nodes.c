#include <stdlib.h>

#include "lib/hash.h"
#include "lib/huge_pages.h"
#include "lib/vec.h"
#include "lib/cpprofdata/nodes.h"

bool cpd_nodes_room(struct cpd_nodes *t)
{
	struct cpd_nodes new = {.n = t->n};

	if (t->cap && t->n < t->cap / 2)
		return true;
	new.cap = t->cap ? t->cap * 2 : 4096;
	new.hashes = realloc(t->hashes, (new.cap / 2 + 1) * sizeof *new.hashes);
	if (!new.hashes)
		return false;
	t->hashes = new.hashes;
	t->hashes[0] = 0;
	new.v = huge_new(new.cap * sizeof *new.v);
	if (!new.v)
		return false;
	for (size_t i = 0; i < t->cap; i++) {
		const struct cpd_nodes_entry *e = &t->v[i];

		if (e->id)
			*cpd_nodes_find(&new, e->hash, e->parent, e->module,
				e->addr, e->flags) = *e;
	}
	huge_free(t->v, t->cap * sizeof *t->v);
	*t = new;
	return true;
}

static int compare_calls(const void *va, const void *vb)
{
	const struct cpd_call *a = va, *b = vb;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->callee_module != b->callee_module)
		return a->callee_module < b->callee_module ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/*
 * The distinct calls of a tree, of which most come up many times: found by
 * hashing before they are sorted.
 */
struct calls {
	VEC(struct cpd_call) list;
	struct hash known;
};

static bool add_call(struct calls *t, struct cpd_call call)
{
	uint64_t hash =
		hash_with(hash_with(hash_mix((uint64_t)call.module << 32 |
					     call.callee_module),
				  call.addr),
			call.callee);
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&t->known, hash, &probe)) != HASH_NONE)
		if (!compare_calls(&t->list.v[i], &call))
			return true;
	if (!vec_reserve(&t->list, t->list.n + 1) ||
		!hash_add(&t->known, hash, (uint32_t)t->list.n))
		return false;
	*vec_push(&t->list) = call;
	return true;
}

/* Takes them out, sorted; NULL: there are none, or no memory. */
static struct cpd_call *take_calls(struct calls *t, bool all, size_t *n)
{
	hash_free(&t->known);
	if (!all)
		vec_free(&t->list);
	*n = t->list.n;
	if (t->list.n)
		qsort(t->list.v, *n, sizeof *t->list.v, compare_calls);
	return t->list.v;
}

struct cpd_lookup *cpd_nodes_lookups(const struct cpd_nodes *t, size_t *n)
{
	struct calls calls = {0};
	struct cpd_call *distinct;
	struct cpd_lookup *v = NULL;
	bool all = true;

	for (size_t i = 0; all && i < t->cap; i++) {
		const struct cpd_nodes_entry *e = &t->v[i];

		if (e->id && e->module)
			all = add_call(&calls,
				(struct cpd_call){.module = e->module,
					.addr = e->addr -
						!(e->flags & CPD_NODE_EXACT)});
	}
	distinct = take_calls(&calls, all, n);
	if (distinct)
		v = malloc(*n * sizeof *v);
	for (size_t i = 0; v && i < *n; i++)
		v[i] = (struct cpd_lookup){
			distinct[i].module, distinct[i].addr, 0};
	free(distinct);
	if (!v)
		*n = 0;
	return v;
}

/* The entries by the number of their node; NULL: no memory. */
static const struct cpd_nodes_entry **by_id(const struct cpd_nodes *t)
{
	const struct cpd_nodes_entry **v = calloc(t->n + 1, sizeof *v);

	for (size_t i = 0; v && i < t->cap; i++)
		if (t->v[i].id)
			v[t->v[i].id] = &t->v[i];
	return v;
}

struct cpd_call *cpd_nodes_calls(const struct cpd_nodes *t, size_t *n)
{
	const struct cpd_nodes_entry **nodes = by_id(t);
	struct calls calls = {0};
	bool all = nodes;

	for (size_t id = 1; all && id <= t->n; id++) {
		const struct cpd_nodes_entry *e = nodes[id];
		const struct cpd_nodes_entry *caller = nodes[e->parent];

		if (e->module && caller && caller->module &&
			!(caller->flags & CPD_NODE_EXACT))
			all = add_call(&calls,
				(struct cpd_call){caller->module, e->module,
					caller->addr - 1,
					e->addr -
						!(e->flags & CPD_NODE_EXACT)});
	}
	free(nodes);
	return take_calls(&calls, all, n);
}

void cpd_nodes_fini(struct cpd_nodes *t)
{
	huge_free(t->v, t->cap * sizeof *t->v);
	free(t->hashes);
	*t = (struct cpd_nodes){0};
}
