/* The array of nodes, and the table that finds them. */
#include "lib/cpprofdata/nodes.h"

bool cpd_nodes_room(struct cpd_nodes *t)
{
	return hash_reserve(&t->known, 1) && vec_reserve(t, t->n + 1) &&
	       (t->n || vec_push(t));
}

void cpd_nodes_add(
	struct cpd_nodes *t, uint64_t hash, const struct cpd_node *node)
{
	hash_add(&t->known, hash, (uint32_t)t->n);
	t->v[t->n++] = (struct cpd_nodes_entry){
		hash, node->addr, node->parent, node->module, node->flags};
}

struct cpd_node cpd_nodes_get(const struct cpd_nodes *t, uint32_t id)
{
	const struct cpd_nodes_entry *e = &t->v[id];

	return (struct cpd_node){id, e->parent, e->module, e->addr, e->flags};
}

void cpd_nodes_fini(struct cpd_nodes *t)
{
	hash_free(&t->known);
	vec_free(t);
}
