/* figures.c - what all writers ask of a tree. */
#include "analyzer/report/questions/questions_private.h"

uint64_t question_weight(
	const struct tree_sums *self, const struct tree_sums *children)
{
	return callgraph_sum(*self, *children).weight;
}

bool question_reaches(
	const struct tree *tree, uint64_t weight, double threshold)
{
	return weight > 0 && (double)weight >= tree_cutoff(tree, threshold);
}

bool question_chosen(const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct callgraph_entry *entry)
{
	for (size_t i = 0; i < choice->nroots; i++)
		if (choice->roots[i] == entry->function)
			return true;
	return !choice->nroots &&
	       question_reaches(graph->tree,
		       question_weight(&entry->self, &entry->children),
		       choice->threshold);
}

double question_fraction(const struct tree *tree, uint64_t weight)
{
	return tree->whole.weight ? (double)weight / (double)tree->whole.weight
				  : 0;
}

const struct function *question_function(
	const struct tree *tree, uint32_t function)
{
	return &tree->data->functions[function];
}
