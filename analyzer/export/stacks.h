/*
 * stacks.h - the file's stacks as reports show them, and what is kept of each
 * resource.
 */
#ifndef CPPROF_EXPORT_STACKS_H
#define CPPROF_EXPORT_STACKS_H

#include "analyzer/export/export.h"

#define STACK_FRAMES_MAX (DATASET_FRAMES_MAX + DATASET_LOST_MAX)

struct stack_frame {
	uint32_t function; /* in the dataset */
	uint32_t line;     /* 0: not known */
	const char *file;  /* "": not known */
	bool lost;         /* it left by a tail call, and has no address */
};

/*
 * The frames that the view shows for NODE of the file, innermost first: how
 * many, which may be 0.  BEFORE is the function that called it, what
 * stack_innermost() gives for its parent.
 */
size_t stack_frames(const struct dataset *data, const struct tree_view *view,
	uint32_t node, uint32_t before,
	struct stack_frame frames[STACK_FRAMES_MAX]);

/* The function of NODE's innermost frame that the view knows; FN_NONE at the
 * root. */
uint32_t stack_innermost(const struct dataset *data,
	const struct tree_view *view, uint32_t node);

/* The address that NODE's frames were looked up at. */
static inline uint64_t stack_address(const struct node *node)
{
	return node->addr - !(node->flags & CPD_NODE_EXACT);
}

/* What an export has of one resource. */
struct kept {
	bool on;           /* it is exported */
	struct tree *tree; /* NULL: no filter is in force */
	bool loss[CPD_LOSS_KINDS];
};

/*
 * By resource, [0] unused; for kept_free().  NULL: no memory, or the work is
 * to end.
 */
struct kept *kept_new(const struct export *x, struct err *err);
void kept_free(struct kept *kept, const struct dataset *data);

static inline bool kept_stack(
	const struct kept *kept, uint32_t thread, uint32_t node)
{
	return kept->on &&
	       (!kept->tree || (tree_keeps_thread(kept->tree, thread) &&
				       tree_keeps_stack(kept->tree, node)));
}

static inline bool kept_loss(
	const struct kept *kept, const struct cpd_loss *loss)
{
	return kept->on && loss->gticks && kept->loss[loss->kind] &&
	       (!kept->tree || tree_keeps_thread(kept->tree, loss->thread));
}

/* The function that a kind of loss is shown as. */
uint32_t stack_loss(enum cpd_loss_kind kind);

/* Name as exports have it, in new memory; NULL: no memory. */
char *export_name(const char *name);

int export_no_memory(struct err *err);

#endif
