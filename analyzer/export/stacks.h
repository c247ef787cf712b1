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

/* How an export shows the file's stacks. */
struct stacks {
	const struct dataset *data;
	struct tree_view view;
	bool short_names;
	const uint32_t *shown; /* by function, what is shown in its place, or
				  FN_NONE; NULL: itself */
};

/*
 * The frames that are shown of NODE of the file, innermost first: how many,
 * which may be 0.  Those are left out that are a part of the frame that called
 * them (clones, groups).
 */
size_t stack_frames(const struct stacks *s, uint32_t node,
	struct stack_frame frames[STACK_FRAMES_MAX]);

/* What FUNCTION is called, unescaped. */
static inline const char *stack_name(const struct stacks *s, uint32_t function)
{
	const struct function *f = &s->data->functions[function];

	return s->short_names ? f->short_name : f->name;
}

/* The group that is above all frames of a thread; FN_NONE: there is none. */
uint32_t stack_group(const struct stacks *s, uint32_t thread);

/* What an export has of one resource. */
struct kept {
	bool on;           /* it is exported */
	struct tree *tree; /* NULL: it is all shown as it is */
};

/*
 * By resource, [0] unused; for kept_free().  NULL: no memory, or the work is
 * to end.  Fills in STACKS, which lives no longer.
 */
struct kept *kept_new(
	const struct export *x, struct stacks *stacks, struct err *err);
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
	return kept->on && loss->gticks &&
	       (!kept->tree || tree_keeps_loss(kept->tree, loss));
}

/* Name as exports have it, in new memory; NULL: no memory. */
char *export_name(const char *name);

/*
 * The books of a resource in a line, in new memory; cpprof import reads what
 * stands before the weight of the samples.  NULL: no memory.
 */
char *export_books(const struct dataset *data, uint32_t resource);

#endif
