/*
 * path_walk.c - the downward walk; see path_walk.h.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/sum.h"
#include "analyzer/profile/path_walk.h"

#define NO_STEP UINT32_MAX

/* What entering a node changed, to be put back when its subtree is done. */
struct path_undo {
	uint32_t end;            /* of the subtree */
	uint32_t length;         /* the path's, before */
	uint32_t locked;         /* the step this node locked, or NO_STEP */
	uint32_t function;       /* pushed on the path, or NO_STEP */
	uint32_t step, position; /* that the push wrote over */
	uint32_t light;          /* where the light subtree around it ends */
};

int path_walk_init(
	struct path_walk *walk, uint32_t nfunctions, uint32_t max_depth)
{
	size_t levels = (size_t)max_depth + 2;

	memset(walk, 0, sizeof *walk);
	walk->path = calloc(levels, sizeof *walk->path);
	walk->position = calloc((size_t)nfunctions + 1, sizeof *walk->position);
	walk->undo = calloc(levels, sizeof *walk->undo);
	return walk->path && walk->position && walk->undo ? 0 : -1;
}

void path_walk_fini(struct path_walk *walk)
{
	set_free(&walk->steps);
	free(walk->path);
	free(walk->position);
	free(walk->undo);
}

void path_walk_clear(struct path_walk *walk)
{
	set_clear(&walk->steps);
}

#define STEP_KEY offsetof(struct path_step, length)

uint32_t path_walk_find(
	const struct path_walk *walk, uint32_t parent, uint32_t function)
{
	const struct path_step step = {.parent = parent, .function = function};

	return set_find(&walk->steps, &step, STEP_KEY);
}

/* The path PARENT + FUNCTION; NO_STEP when out of memory. */
static uint32_t step_child(struct path_walk *walk, uint32_t parent,
	uint32_t function, uint32_t site)
{
	const struct path_step step = {.parent = parent,
		.function = function,
		.site = site,
		.length = parent == NO_STEP ? 1
					    : walk->steps.v[parent].length + 1};

	return set_add(&walk->steps, &step, STEP_KEY);
}

/* Enters node NUMBER with a path of LENGTH steps; the path's length below it,
 * or -1.
 */
static int64_t walk_enter(struct path_walk *walk, const struct tree *tree,
	uint32_t number, uint32_t length, uint32_t only, struct path_undo *undo)
{
	const struct tree_node *node = &tree->nodes[number];
	uint32_t parent = length ? walk->path[length - 1] : NO_STEP;
	uint32_t at = walk->position[node->function] - 1;
	uint32_t site = length && tree->sites ? tree->sites[number] : 0;
	uint32_t step = step_child(walk, parent, node->function, site);

	if (step == NO_STEP)
		return -1;
	undo->length = length;
	undo->locked = NO_STEP;
	undo->function = NO_STEP;
	undo->light = 0;
	if ((only == PATH_ANY || only == node->function) &&
		!walk->steps.v[step].locked) {
		struct path_step *record = &walk->steps.v[step];
		const struct tree_sums *sums = tree_total(tree, number);

		sum_add(&record->weight, sums->weight);
		sum_add(&record->hits, sums->hits);
		sum_add(&record->samples, sums->samples);
		record->locked = true;
		undo->locked = step;
	}
	if (at < length &&
		walk->steps.v[walk->path[at]].function == node->function)
		return (int64_t)at + 1;
	undo->function = node->function;
	undo->step = walk->path[length];
	undo->position = walk->position[node->function];
	walk->path[length] = step;
	walk->position[node->function] = length + 1;
	return (int64_t)length + 1;
}

/* Leaves a node; the path's length above it. */
static uint32_t walk_leave(struct path_walk *walk, const struct path_undo *undo)
{
	if (undo->locked != NO_STEP)
		walk->steps.v[undo->locked].locked = false;
	if (undo->function != NO_STEP) {
		walk->path[undo->length] = undo->step;
		walk->position[undo->function] = undo->position;
	}
	return undo->length;
}

/*
 * Below a light function: whether NODE's function is in the path of LENGTH.
 * The path is then cut back to it; NODE itself gets no record.
 */
static bool walk_return(const struct path_walk *walk,
	const struct tree_node *node, uint32_t *length, struct path_undo *undo)
{
	uint32_t at = walk->position[node->function] - 1;

	if (at >= *length ||
		walk->steps.v[walk->path[at]].function != node->function)
		return false;
	*undo = (struct path_undo){
		.length = *length, .locked = NO_STEP, .function = NO_STEP};
	*length = at + 1;
	return true;
}

/*
 * The last of the nodes behind I, before DARK, whose functions cannot be in the
 * path.  Most nodes of a large tree are passed here: down main in one of 16
 * million nodes takes 0.11 s, and 0.13 s where each is looked at by itself.
 */
static uint32_t skip_light(struct path_walk *walk,
	const struct tree_node *nodes, uint32_t i, uint32_t dark)
{
	uint32_t steps = WORK_STEPS - 1 - (uint32_t)(walk->walked % WORK_STEPS);
	uint32_t from = i, end = dark - 1;

	if (end - i > steps)
		end = i + steps;
	while (i < end && !walk->position[nodes[i + 1].function])
		i++;
	walk->walked += i - from;
	return i;
}

int path_walk_from(struct path_walk *walk, const struct tree *tree, uint32_t at,
	uint32_t only, const bool *light, struct err *err)
{
	const struct tree_node *nodes = tree->nodes;
	uint32_t end = at + nodes[at].size, open = 0, length = 0, dark = 0;
	int64_t below = 0;

	for (uint32_t i = at; i < end && below >= 0; i++) {
		struct path_undo *undo;

		if (work_step(walk->work, "walking call paths", ++walk->walked,
			    walk->all, err))
			return -1;
		while (open && walk->undo[open - 1].end <= i) {
			undo = &walk->undo[--open];
			length = walk_leave(walk, undo);
			if (undo->light)
				dark = undo->light;
		}
		undo = &walk->undo[open];
		if (i < dark) {
			if (!walk_return(walk, &nodes[i], &length, undo)) {
				i = skip_light(walk, nodes, i, dark);
				continue;
			}
			undo->light = dark;
			dark = 0;
		} else if (light && light[nodes[i].function]) {
			dark = i + nodes[i].size;
			i = skip_light(walk, nodes, i, dark);
			continue;
		} else {
			below = walk_enter(walk, tree, i, length, only, undo);
			length = below < 0 ? length : (uint32_t)below;
		}
		undo->end = i + nodes[i].size;
		open += below >= 0;
	}
	while (open)
		length = walk_leave(walk, &walk->undo[--open]);
	return below < 0 ? err_memory(err, NULL, "profile") : 0;
}
