/*
 * Frames of generated code (a mapping without a file) whose return address is
 * behind no call: an interpreter enters a method by a jump, and the method
 * returns to where the interpreter continues (HotSpot's, whose frames all keep
 * the frame pointer: 98 % of the stacks of java -Xint ended there).  A chain of
 * frame pointers takes the place of the call: each frame's saved frame pointer
 * leads outward to another frame, whose return address is in generated code
 * again, for several frames or until one is behind a call of a file's code.
 */
#include "monitor/unwind/generated.h"

#include "monitor/unwind/return_address.h"

#define CHAIN_FRAMES 4
#define LARGEST_FRAME 4096 /* words that are tried */

bool unwind_is_generated(const struct address_space *space, uint64_t addr)
{
	const struct mapping *m = address_space_find(space, addr);

	return m && !m->module->image;
}

bool unwind_chain_holds(struct snapshot *snapshot,
	const struct address_space *space, uint64_t fp)
{
	uint64_t saved, ip;

	for (unsigned i = 0; i < CHAIN_FRAMES; i++) {
		if (fp % 8 || !snapshot_read(snapshot, fp, &saved) ||
			!snapshot_read(snapshot, fp + 8, &ip))
			return false;
		if (!unwind_is_generated(space, ip))
			return return_to(snapshot, space, ip, ip, NULL) !=
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
static bool has_return_address(struct snapshot *snapshot,
	const struct address_space *space, const struct unwind_cursor *c)
{
	const struct mapping *stack =
		address_space_find(space, c->sp); /* executable */
	const struct mapping *m;
	uint64_t word;

	if (c->fp < c->sp || c->fp - c->sp > 8ull * LARGEST_FRAME)
		return true;
	for (uint64_t at = c->sp; at < c->fp; at += 8) {
		if (!snapshot_read(snapshot, at, &word))
			return true;
		m = address_space_find(space, word);
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

	if (snapshot_read(snapshot, fp - 56, &variables) &&
		(variables == sp - 8 || variables == sp - 16))
		return true;
	return snapshot_read(snapshot, fp + 8, &ip) &&
	       (ip == snapshot->regs[REG_ENTRY_RETURN_] ||
		       (snapshot_read(snapshot, sp - 8, &again) &&
			       ip == again));
}

/*
 * An interpreted method's own variables may lie just outside of its frame.
 * HotSpot saves its caller's stack pointer (frame_x86.hpp,
 * interpreter_frame_sender_sp_offset).  The caller may be a compiled method,
 * which uses the frame pointer for something else.
 */
uint64_t unwind_sender(struct snapshot *snapshot, uint64_t fp, uint64_t saved)
{
	uint64_t sp;

	if (!snapshot_read(snapshot, fp - 8, &sp) || sp % 8 || sp < fp + 16)
		return fp + 16;
	return sp <= saved || (sp - fp <= 8 * LARGEST_FRAME &&
				      is_sender(snapshot, fp, sp))
		       ? sp
		       : fp + 16;
}

/*
 * At a function's entry sp points to the return address, an address of code,
 * and the frame pointer is the caller's.
 */
static bool at_entry(struct snapshot *snapshot,
	const struct address_space *space, struct unwind_cursor *c)
{
	uint64_t ip;

	if (!c->exact || c->fp < c->sp ||
		!snapshot_read(snapshot, c->sp, &ip) ||
		!unwind_is_generated(space, ip) ||
		!unwind_chain_holds(snapshot, space, c->fp))
		return false;
	c->ip = ip;
	c->sp += 8;
	c->exact = false;
	return true;
}

bool unwind_by_chain(struct snapshot *snapshot,
	const struct address_space *space, struct unwind_cursor *c)
{
	struct unwind_cursor next = {0};

	if (at_entry(snapshot, space, c))
		return true;
	if (c->sp % 8 || has_return_address(snapshot, space, c) ||
		!unwind_chain_holds(snapshot, space, c->fp) ||
		!snapshot_read(snapshot, c->fp, &next.fp) ||
		!snapshot_read(snapshot, c->fp + 8, &next.ip))
		return false;
	/* a method's entry has its return address there before it is pushed */
	if (c->exact && snapshot->regs[REG_ENTRY_RETURN_] != next.ip &&
		unwind_is_generated(space, snapshot->regs[REG_ENTRY_RETURN_]))
		return false;
	next.sp = unwind_sender(snapshot, c->fp, next.fp);
	*c = next;
	return true;
}

bool unwind_entered(struct snapshot *snapshot,
	const struct address_space *space, struct unwind_cursor *c)
{
	uint64_t sp = snapshot->regs[REG_ENTRY_SENDER_];
	uint64_t ip = snapshot->regs[REG_ENTRY_RETURN_];

	/* a frame pointer between them is that of the frame being made */
	if (!c->exact || sp % 8 || sp < c->sp ||
		sp - c->sp > 8 * LARGEST_FRAME ||
		(c->fp >= c->sp && c->fp < sp) ||
		!unwind_is_generated(space, ip) ||
		return_to(snapshot, space, ip, c->ip, NULL) == TRUST_NONE)
		return false;
	*c = (struct unwind_cursor){.ip = ip, .sp = sp, .fp = c->fp};
	return true;
}

bool unwind_called(struct snapshot *snapshot, const struct address_space *space,
	struct unwind_cursor *c)
{
	uint64_t ip;

	if (!c->exact || !snapshot_read(snapshot, c->sp, &ip) ||
		!unwind_is_generated(space, ip) ||
		return_to(snapshot, space, ip, c->ip, NULL) == TRUST_NONE)
		return false;
	*c = (struct unwind_cursor){.ip = ip, .sp = c->sp + 8, .fp = c->fp};
	return true;
}

/*
 * The frame's own stack pointer at the call is in it (frame_x86.hpp,
 * interpreter_frame_last_sp_offset).  What lies below may be return addresses
 * of earlier calls.
 */
bool unwind_interpreted(struct snapshot *snapshot,
	const struct address_space *space, struct unwind_cursor *c)
{
	struct unwind_cursor next = {0};
	uint64_t sp;

	if (c->fp % 8 || c->fp < c->sp ||
		!snapshot_read(snapshot, c->fp - 16, &sp) || sp < c->sp ||
		sp >= c->fp || !snapshot_read(snapshot, c->fp, &next.fp) ||
		!snapshot_read(snapshot, c->fp + 8, &next.ip) ||
		!address_space_find(space, next.ip))
		return false;
	next.sp = unwind_sender(snapshot, c->fp, next.fp);
	*c = next;
	return true;
}
