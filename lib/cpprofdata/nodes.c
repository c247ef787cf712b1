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
