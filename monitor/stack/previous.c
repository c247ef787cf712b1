/* Keeps frames with the words that they follow from, and compares those. */
#include "monitor/stack/previous.h"

#include <stdlib.h>

#include "lib/lower_bound.h"

#define PIECE (16u << 10) /* of the live stack, read at once */
#define AHEAD 8           /* frames */
#define MOST_PIECES 8 /* for a longer stack: this many pieces are compared */

enum compared { SAME, DIFFERENT, OUTSIDE };

/* The word at ADDR of the copy, against what it was. */
static inline enum compared word_is(
	const struct snapshot *snapshot, uint64_t addr, uint64_t value)
{
	const void *word = snapshot_word(snapshot, addr);

	if (!word)
		return OUTSIDE;
	return memcmp(word, &value, sizeof value) ? DIFFERENT : SAME;
}

/* The kernel has just written the copy, mostly on another processor. */
static inline void fetch_word(const struct snapshot *snapshot, uint64_t addr)
{
	if (addr - snapshot->base < snapshot->size)
		__builtin_prefetch(snapshot->stack + (addr - snapshot->base));
}

static enum compared worst(enum compared a, enum compared b)
{
	if (a == DIFFERENT || b == DIFFERENT)
		return DIFFERENT;
	return a == OUTSIDE ? a : b;
}

/* Whether the step from INNER still leads to OUTER (NULL: to the end). */
static enum compared compare_step(const struct snapshot *snapshot,
	const struct unwind_frame *inner, const struct unwind_frame *outer)
{
	uint64_t uc = inner->sp;
	enum compared result;

	switch ((enum unwind_step)inner->step) {
	case STEP_ROW:
		result = word_is(snapshot, outer->sp - 8, outer->ip);
		if (!inner->fp_at || result == DIFFERENT)
			return result;
		return worst(
			result, word_is(snapshot, inner->fp_at, outer->fp));
	case STEP_SIGNAL:
		result = word_is(snapshot, uc + UCONTEXT_IP, outer->ip);
		result = worst(
			result, word_is(snapshot, uc + UCONTEXT_SP, outer->sp));
		return worst(
			result, word_is(snapshot, uc + UCONTEXT_FP, outer->fp));
	case STEP_END:
		return SAME;
	case STEP_SENTINEL:
		return word_is(snapshot, inner->fp_at, inner->sentinel);
	case STEP_OTHER:
		break;
	}
	return DIFFERENT;
}

/* Whether the outermost bytes that both copies have are the same. */
static bool overlaps(
	const struct previous_stack *previous, const struct snapshot *snapshot)
{
	uint64_t end = snapshot->base + snapshot->size, lo;

	if (end > previous->base + previous->size)
		end = previous->base + previous->size;
	lo = end - PREVIOUS_OVERLAP;
	if (!previous->size || lo > end || lo < previous->base ||
		lo < snapshot->base)
		return false;
	return !memcmp(previous->copy + (lo - previous->base),
		snapshot->stack + (lo - snapshot->base), PREVIOUS_OVERLAP);
}

/*
 * Whether the words of frames [0, n) in a piece of the live stack are
 * unchanged.
 */
static bool piece_is_as_known(const struct previous_stack *previous, size_t n,
	const struct snapshot *piece)
{
	uint64_t end = piece->base + piece->size;
	const struct unwind_frame *frames = previous->frames.v;
	size_t i = LOWER_BOUND(n, k, frames[k].sp >= end);

	for (; i < n && frames[i].sp >= piece->base; i++)
		if (compare_step(piece, &frames[i],
			    i ? &frames[i - 1] : NULL) == DIFFERENT)
			return false;
	return true;
}

/*
 * Compares the live stack from START to the outermost frame with frames [0, n)
 * of the previous stack; for a long one the two ends and some pieces in
 * between.
 */
static bool live_is_as_known(const struct previous_stack *previous, size_t n,
	struct snapshot *snapshot, uint64_t start)
{
	uint64_t end = previous->frames.v[0].sp, step = PIECE;
	struct snapshot piece = {.base = start};
	uint8_t *bytes = malloc(PIECE);
	bool good = bytes && snapshot->peek && start < end && previous->ordered;

	if (good && end - start > MOST_PIECES * PIECE)
		step = (end - start) / (MOST_PIECES - 1);
	piece.stack = bytes;
	while (good && piece.base < end) {
		if (piece.base + step >= end && end - start > PIECE)
			piece.base = end - PIECE;
		piece.size =
			end - piece.base < PIECE ? end - piece.base : PIECE;
		good = snapshot->peek(
			       snapshot, piece.base, bytes, piece.size) &&
		       piece_is_as_known(previous, n, &piece);
		piece.base += piece.base + piece.size >= end ? PIECE : step;
	}
	free(bytes);
	return good;
}

/*
 * Whether the steps of frames [0, N) are unchanged as far as the outermost
 * bytes tell, which were copied with the sample.
 */
static bool tail_is_as_known(const struct previous_stack *previous, size_t n,
	const struct snapshot *snapshot)
{
	const struct unwind_frame *v = previous->frames.v;

	/* the outermost first: there may be a hundred thousand */
	for (size_t k = 2; snapshot->tail_size && k <= n; k++) {
		if (v[k - 2].sp <= snapshot->tail_base)
			break;
		if (compare_step(snapshot, &v[k - 1], &v[k - 2]) == DIFFERENT)
			return false;
	}
	return true;
}

/*
 * How far the steps from frame number NEXT (from 1) are unchanged: the number
 * of the first frame with another step; 0: to the end.
 */
static size_t compare_from(const struct previous_stack *previous,
	struct snapshot *snapshot, size_t next)
{
	const struct unwind_frame *v = previous->frames.v;

	for (size_t k = next; k > 0; k--) {
		if (k > AHEAD)
			fetch_word(snapshot, v[k - AHEAD].sp);
		switch (compare_step(
			snapshot, &v[k - 1], k > 1 ? &v[k - 2] : NULL)) {
		case SAME:
			break;
		case DIFFERENT:
			return k;
		case OUTSIDE:
			if (frame_exceeds_copy(snapshot, v[k - 1].sp) ||
				!overlaps(previous, snapshot) ||
				!tail_is_as_known(previous, k, snapshot) ||
				!live_is_as_known(previous, k, snapshot,
					snapshot->base + snapshot->size - 64))
				return k;
			snapshot->read_later = true;
			return 0;
		}
	}
	return 0;
}

bool previous_follow(const struct previous_stack *previous,
	struct snapshot *snapshot, size_t *next, struct unwind_cursor *c,
	unwind_frames *found, uint32_t *same)
{
	const struct unwind_frame *v = previous->frames.v, *f;
	size_t k, at;

	*same = 0;
	while (*next && v[*next - 1].sp < c->sp)
		--*next;
	if (!*next)
		return false;
	f = &v[*next - 1];
	if (f->sp != c->sp || f->ip != c->ip || f->fp != c->fp ||
		f->exact != c->exact)
		return false;
	k = compare_from(previous, snapshot, *next);
	if (k == 0)
		return true;
	for (at = *next; at > k; at--) {
		if (!vec_add(found, v[at - 1]))
			break;
		found->v[found->n - 1].previous = (uint32_t)at;
		f = &v[at - 2];
		*c = (struct unwind_cursor){f->ip, f->sp, f->fp, f->exact};
	}
	*same = (uint32_t)at;
	*next = at - 1;
	return false;
}

/* Keeps the copy where the next sample's may not reach the outermost frame. */
static void keep_copy(
	struct previous_stack *previous, const struct snapshot *snapshot)
{
	uint64_t top = previous->frames.v[0].sp;

	previous->size = 0;
	if (snapshot->fits || top - snapshot->base < snapshot->size / 2)
		return;
	if (previous->room < snapshot->size) {
		free(previous->copy);
		previous->copy = malloc(snapshot->size);
		previous->room = previous->copy ? snapshot->size : 0;
	}
	if (!previous->copy)
		return;
	memcpy(previous->copy, snapshot->stack, snapshot->size);
	previous->base = snapshot->base;
	previous->size = snapshot->size;
}

void previous_set(struct previous_stack *previous, size_t kept,
	const unwind_frames *found, const struct snapshot *snapshot,
	uint64_t generation)
{
	unwind_frames *frames = &previous->frames;

	frames->n = 0;
	previous->generation = generation;
	if (!vec_reserve(frames, kept + found->n + 1))
		return;
	if (!kept)
		previous->ordered = true;
	frames->n = kept;
	for (size_t i = found->n; i-- > 0; frames->n++) {
		frames->v[frames->n] = found->v[i];
		if (frames->n && found->v[i].sp >= frames->v[frames->n - 1].sp)
			previous->ordered = false;
	}
	if (frames->n)
		keep_copy(previous, snapshot);
}

void previous_fini(struct previous_stack *previous)
{
	vec_free(&previous->frames);
	free(previous->copy);
	memset(previous, 0, sizeof *previous);
}
