/*
 * The ladder of means for frames in code without unwind information: by its
 * instructions (code_analysis.h), by what its runtime does, by the frame
 * pointer.  A caller is accepted only if a call stands before the return
 * address, or a chain of frame pointers holds (hotspot.h).
 */
#include "monitor/unwind/unwind.h"

#include "lib/arch/arch.h"
#include "monitor/unwind/runtime/frame.h"
#include "monitor/unwind/runtime/hand_made.h"
#include "monitor/unwind/runtime/hotspot.h"
#include "monitor/unwind/runtime/start.h"

#define FINGERPRINT 64 /* bytes of generated code that identify it */

/* Generated code can be replaced: its bytes are part of the key. */
static uint64_t key_of(const struct code_at *code, uint64_t ip)
{
	uint8_t bytes[FINGERPRINT];
	uint64_t key = ip - code->mapping->bias;
	size_t n;

	if (code->mapping->module->image)
		return key;
	n = code_at_read((void *)(uintptr_t)code, ip, bytes, sizeof bytes);
	for (size_t i = 0; i < n; i++)
		key = (key ^ bytes[i]) * 1099511628211ull;
	return key;
}

/* The rows by the instructions at IP; NULL: no memory. */
static const struct analysed *rows_by_code(
	const struct snapshot *snapshot, const struct mapping *m, uint64_t ip)
{
	struct code_at code = {m, snapshot->pid};
	struct code_analysis_code source = {code_at_read, &code};
	uint64_t key = key_of(&code, ip);
	struct analysed *slot = unwind_analysed(m->module, key);

	if (slot && !slot->made) {
		slot->made = true;
		slot->n = !m->module->image &&
			  code_analysis_from_prologue(&source, ip, slot->rows);
		if (!slot->n)
			slot->n = (uint32_t)code_analysis_rows(
				&source, ip, slot->rows);
	}
	return slot;
}

/* Picks one of several rows if it is better than the others. */
static enum no_cfi_result pick_row(struct no_cfi_frame *f)
{
	const struct analysed *slot = f->slot;
	struct unwind_cursor best = {0}, next;
	enum return_trust trust = TRUST_NONE, t;
	bool tie = false;

	for (uint32_t i = 0; i < slot->n; i++) {
		if (slot->rows[i].kind == ROW_END) {
			if (slot->n == 1)
				return NO_CFI_END;
			continue;
		}
		t = frame_try(f, slot->rows[i], &next);
		if (t == TRUST_NONE || t < trust)
			continue;
		tie = t == trust && (next.sp != best.sp || next.fp != best.fp);
		trust = t;
		best = next;
	}
	if (trust == TRUST_NONE || tie)
		return NO_CFI_NONE;
	if (best.sp == f->c->fp + FRAME_CFA && frame_is_generated(f))
		best.sp = hotspot_sender(f->snapshot, f->c->fp, best.fp);
	return frame_go(f, &best);
}

/*
 * By the instructions; where they say nothing, as if nothing was pushed yet.
 * The copy of an instruction that a probe has replaced is mostly a function's
 * first, and lies far from where that is called.
 */
static enum no_cfi_result by_code(struct no_cfi_frame *f)
{
	const uint64_t ip = f->c->ip;
	const enum return_trust enough =
		ip >= PROBE_COPIES && ip < PROBE_COPIES_END ? TRUST_OTHER
							    : TRUST_TARGET;
	const struct unwind_row nothing_pushed = {
		.kind = ROW_SP, .fp = ROW_FP_SAME, .cfa = -RETURN_FROM_CFA};
	struct unwind_cursor next;

	f->slot = rows_by_code(f->snapshot, f->mapping, ip);
	if (f->slot && f->slot->n)
		return pick_row(f);
	if (f->c->exact && frame_try(f, nothing_pushed, &next) >= enough)
		return frame_go(f, &next);
	return NO_CFI_NONE;
}

/* By the frame pointer. */
static enum no_cfi_result by_frame_pointer(struct no_cfi_frame *f)
{
	const struct unwind_row framed = {
		.kind = ROW_FP, .fp = -FRAME_CFA, .cfa = FRAME_CFA};
	struct unwind_cursor next;

	if (f->c->fp % WORD_BYTES || frame_try(f, framed, &next) == TRUST_NONE)
		return NO_CFI_NONE;
	if (frame_is_generated(f))
		next.sp = hotspot_sender(f->snapshot, f->c->fp, next.fp);
	return frame_go(f, &next);
}

/* The code and the frames that a means is for. */
enum {
	GENERATED = 1,
	OF_FILE = 2,
	EXACT = 4,     /* the thread was exactly there */
	RETURNING = 8, /* a callee returns there */
	ANY_CODE = GENERATED | OF_FILE,
	ANY_FRAME = EXACT | RETURNING,
};

static const struct means {
	unsigned of;
	enum no_cfi_result (*step)(struct no_cfi_frame *f);
} ladder[] = {
	{ANY_CODE | RETURNING, hand_made_begins},
	{GENERATED | EXACT, hotspot_entered},
	{ANY_CODE | ANY_FRAME, by_code},
	{GENERATED | ANY_FRAME, hotspot_chain},
	{ANY_CODE | ANY_FRAME, by_frame_pointer},
	{OF_FILE | ANY_FRAME, start_by_uses},
};

enum no_cfi_result unwind_no_cfi(struct snapshot *snapshot,
	const struct address_space *space, const struct mapping *mapping,
	struct unwind_cursor *c)
{
	struct no_cfi_frame f = {snapshot, space, mapping, c, NULL};
	const unsigned code = frame_is_generated(&f) ? GENERATED : OF_FILE;
	const unsigned frame = c->exact ? EXACT : RETURNING;

	for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) {
		enum no_cfi_result found = NO_CFI_NONE;

		if (ladder[i].of & code && ladder[i].of & frame)
			found = ladder[i].step(&f);
		if (found != NO_CFI_NONE)
			return found;
	}
	return NO_CFI_NONE;
}
