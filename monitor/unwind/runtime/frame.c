/* Frames in code without unwind information: what all means need. */
#include "monitor/unwind/runtime/frame.h"

bool frame_apply(const struct no_cfi_frame *f, struct unwind_row row,
	struct unwind_cursor *next)
{
	const struct unwind_cursor *c = f->c;
	uint64_t cfa = (row.kind == ROW_FP ? c->fp : c->sp) +
		       (uint64_t)(int64_t)row.cfa;
	uint64_t slot;

	if (row.kind == ROW_SP_DEREF) {
		if (!snapshot_read(f->snapshot, cfa, &cfa))
			return false;
		cfa += (uint64_t)WORD_BYTES * row.words;
	}
	*next = (struct unwind_cursor){.sp = cfa, .fp = c->fp};
	if (cfa <= c->sp || cfa % WORD_BYTES ||
		!snapshot_read(f->snapshot, cfa + RETURN_FROM_CFA, &next->ip))
		return false;
	slot = cfa + (uint64_t)(int64_t)row.fp;
	/* below sp: it is not pushed yet, or popped already */
	return row.fp == ROW_FP_SAME || slot < c->sp ||
	       snapshot_read(f->snapshot, slot, &next->fp);
}

enum return_trust frame_try(const struct no_cfi_frame *f, struct unwind_row row,
	struct unwind_cursor *next)
{
	return frame_apply(f, row, next) ? return_to(f->snapshot, f->space,
						   next->ip, f->c->ip, NULL)
					 : TRUST_NONE;
}
