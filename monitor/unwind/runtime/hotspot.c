/* Frames of HotSpot's interpreter and compilers. */
#include "monitor/unwind/runtime/hotspot.h"

#define CHAIN_FRAMES 4
#define LARGEST_FRAME 4096 /* words that are tried */

static bool is_generated(const struct address_space *space, uint64_t addr)
{
	const struct mapping *m = address_space_find(space, addr);

	return m && !m->module->image;
}

/* Whether a chain of frame pointers begins at FP. */
static bool chain_holds(const struct no_cfi_frame *f, uint64_t fp)
{
	uint64_t saved, ip;

	for (unsigned i = 0; i < CHAIN_FRAMES; i++) {
		if (fp % WORD_BYTES ||
			!snapshot_read(f->snapshot, fp, &saved) ||
			!snapshot_read(f->snapshot, fp + FRAME_RETURN, &ip))
			return false;
		if (!is_generated(f->space, ip))
			return return_to(f->snapshot, f->space, ip, ip, NULL) !=
			       TRUST_NONE;
		if (saved <= fp)
			return false;
		fp = saved;
	}
	return true;
}

/*
 * A function that has no frame, or not yet, is called from the function of the
 * frame at fp: then its return address lies before that.
 */
static bool has_return_address(const struct no_cfi_frame *f)
{
	const struct unwind_cursor *c = f->c;
	const struct mapping *stack =
		address_space_find(f->space, c->sp); /* executable */
	const struct mapping *m;
	uint64_t word;

	if (c->fp < c->sp || c->fp - c->sp > WORD_BYTES * LARGEST_FRAME)
		return true;
	for (uint64_t at = c->sp; at < c->fp; at += WORD_BYTES) {
		if (!snapshot_read(f->snapshot, at, &word))
			return true;
		m = address_space_find(f->space, word);
		if (m && m != stack && word != c->ip)
			return true;
	}
	return false;
}

/*
 * Whether SP is what the interpreted frame at FP has for its caller's stack
 * pointer: the frame's variables, whose address it has, end below it or, to
 * align it, a word lower (interpreter_frame_locals_offset); or the return
 * address stands twice, where it was and below the frame's parameters; or the
 * frame is being made, and a register still has the return address.
 */
static bool is_sender(struct snapshot *snapshot, uint64_t fp, uint64_t sp)
{
	uint64_t variables, ip, again;

	if (snapshot_read(snapshot, fp + HOTSPOT_VARIABLES, &variables) &&
		(variables == sp - WORD_BYTES ||
			variables == sp - 2 * WORD_BYTES))
		return true;
	return snapshot_read(snapshot, fp + FRAME_RETURN, &ip) &&
	       (ip == snapshot->regs[REG_ENTRY_RETURN_] ||
		       (snapshot_read(snapshot, sp + RETURN_FROM_CFA, &again) &&
			       ip == again));
}

/*
 * HotSpot saves its caller's stack pointer (frame_x86.hpp,
 * interpreter_frame_sender_sp_offset).  The caller may be a compiled method,
 * which uses the frame pointer for something else.
 */
uint64_t hotspot_sender(struct snapshot *snapshot, uint64_t fp, uint64_t saved)
{
	uint64_t sp, usual = fp + FRAME_CFA;

	if (!snapshot_read(snapshot, fp + HOTSPOT_SENDER, &sp) ||
		sp % WORD_BYTES || sp < usual)
		return usual;
	return sp <= saved || (sp - fp <= WORD_BYTES * LARGEST_FRAME &&
				      is_sender(snapshot, fp, sp))
		       ? sp
		       : usual;
}

/* Reads the caller from the frame that the frame pointer leads to. */
static bool read_frame(const struct no_cfi_frame *f, struct unwind_cursor *next)
{
	uint64_t fp = f->c->fp;

	*next = (struct unwind_cursor){0};
	if (!snapshot_read(f->snapshot, fp, &next->fp) ||
		!snapshot_read(f->snapshot, fp + FRAME_RETURN, &next->ip))
		return false;
	next->sp = hotspot_sender(f->snapshot, fp, next->fp);
	return true;
}

/*
 * At a function's entry sp points to the return address, an address of code,
 * and the frame pointer is the caller's.
 */
static bool at_entry(const struct no_cfi_frame *f, struct unwind_cursor *next)
{
	const struct unwind_cursor *c = f->c;

	*next = (struct unwind_cursor){.sp = c->sp + WORD_BYTES, .fp = c->fp};
	return c->exact && c->fp >= c->sp &&
	       snapshot_read(f->snapshot, c->sp, &next->ip) &&
	       is_generated(f->space, next->ip) && chain_holds(f, c->fp);
}

/* The caller of a frame that keeps the frame pointer, if a chain holds. */
static enum no_cfi_result by_chain(struct no_cfi_frame *f)
{
	uint64_t entry = f->snapshot->regs[REG_ENTRY_RETURN_];
	struct unwind_cursor next;

	if (at_entry(f, &next))
		return frame_go(f, &next);
	if (f->c->sp % WORD_BYTES || has_return_address(f) ||
		!chain_holds(f, f->c->fp) || !read_frame(f, &next))
		return NO_CFI_NONE;
	/* a method's entry has its return address there before it is pushed */
	if (f->c->exact && entry != next.ip && is_generated(f->space, entry))
		return NO_CFI_NONE;
	return frame_go(f, &next);
}

enum no_cfi_result hotspot_chain(struct no_cfi_frame *f)
{
	const struct analysed *slot = f->slot;
	struct unwind_cursor next, found = {0};

	for (uint32_t i = 0; slot && i < slot->n; i++) {
		if (slot->rows[i].kind == ROW_END ||
			!frame_apply(f, slot->rows[i], &next) ||
			!is_generated(f->space, next.ip) || next.fp < next.sp ||
			!chain_holds(f, next.fp))
			continue;
		if (found.ip)
			return NO_CFI_NONE;
		found = next;
		if (slot->rows[i].kind == ROW_FP)
			found.sp =
				hotspot_sender(f->snapshot, f->c->fp, next.fp);
	}
	return found.ip ? frame_go(f, &found) : by_chain(f);
}

/* Whether the method that runs returns to IP, in generated code. */
static bool returns_to(const struct no_cfi_frame *f, uint64_t ip)
{
	return is_generated(f->space, ip) &&
	       return_to(f->snapshot, f->space, ip, f->c->ip, NULL) !=
		       TRUST_NONE;
}

enum no_cfi_result hotspot_entered(struct no_cfi_frame *f)
{
	const struct unwind_cursor *c = f->c;
	const struct unwind_cursor next = {
		.ip = f->snapshot->regs[REG_ENTRY_RETURN_],
		.sp = f->snapshot->regs[REG_ENTRY_SENDER_],
		.fp = c->fp};

	/* a frame pointer between them is that of the frame being made */
	if (next.sp % WORD_BYTES || next.sp < c->sp ||
		next.sp - c->sp > WORD_BYTES * LARGEST_FRAME ||
		(c->fp >= c->sp && c->fp < next.sp) || !returns_to(f, next.ip))
		return NO_CFI_NONE;
	return frame_go(f, &next);
}
