/*
 * tree_frames.h - the frames of a location as a view shows them.
 *
 * Frames are numbered from the innermost inlined call, 0, outwards; behind the
 * location's own follow the functions that left by tail calls before them.  The
 * root of the file, which has none, is not asked for frames.
 */
#ifndef CPPROF_TREE_FRAMES_H
#define CPPROF_TREE_FRAMES_H

#include "analyzer/tree/tree.h"

/* The innermost frame that is shown. */
static inline uint32_t tree_innermost(
	const struct tree_view *view, const struct location *at)
{
	return view->no_inlines ? at->nframes - 1u : 0;
}

/* The outermost one. */
static inline uint32_t tree_outermost(
	const struct dataset *data, const struct location *at)
{
	uint32_t lost = 0;

	while (at->lost && dataset_lost(data, at, lost))
		lost++;
	return at->nframes - 1u + lost;
}

/* The function of frame K. */
static inline uint32_t tree_frame(
	const struct dataset *data, const struct location *at, uint32_t k)
{
	return k < at->nframes ? at->frames[k].function
			       : dataset_lost(data, at, k - at->nframes);
}

/* FUNCTION as the view shows it: what it is a clone of, or itself. */
static inline uint32_t tree_base(const struct dataset *data,
	const struct tree_view *view, uint32_t function)
{
	return view->clones ? function : data->functions[function].base;
}

/*
 * Whether FUNCTION, called by BEFORE (FN_NONE: by none), is a clone that is one
 * frame with it: f.part.0 called by f.
 */
static inline bool tree_is_same_frame(const struct dataset *data,
	const struct tree_view *view, uint32_t before, uint32_t function)
{
	uint32_t base = tree_base(data, view, function);

	return base != function && before != function &&
	       data->functions[before].base == base;
}

#endif
