/*
 * Frames in code without unwind information: by its instructions
 * (code_analysis.h), else by the frame pointer.  Accepted only if a call stands
 * before the return address, or a chain of frame pointers holds (generated.h).
 */
#include "monitor/unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arch/arch.h"
#include "monitor/unwind/code.h"
#include "monitor/unwind/generated.h"
#include "monitor/unwind/return_address.h"

#define FINGERPRINT 64  /* bytes of generated code that identify it */
#define ENTRY_WORDS 512 /* of the stack that are tried */
#define START_FRAMES 4
#define START_WORDS 64

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
		if (!slot->n && !m->module->image)
			slot->n = code_analysis_of_prologue(
				&source, ip, slot->rows);
	}
	return slot;
}

/* The row at IP in the function that begins at ENTRY; false: unclear. */
static bool row_from_entry(const struct snapshot *snapshot,
	const struct mapping *m, uint64_t entry, uint64_t ip, struct row *row)
{
	struct code_at code = {m, snapshot->pid};
	struct code_analysis_code source = {code_at_read, &code};
	uint64_t key = key_of(&code, ip) ^ (entry - m->bias) << 32;
	struct analysed *slot = unwind_analysed(m->module, key);

	if (!slot)
		return false;
	if (!slot->made) {
		slot->made = true;
		slot->n = code_analysis_from_entry(
			&source, entry, ip, slot->rows);
	}
	*row = slot->rows[0];
	return slot->n;
}

/* The caller by ROW. */
static bool apply_row(struct snapshot *snapshot, struct row row,
	const struct unwind_cursor *c, struct unwind_cursor *next)
{
	uint64_t cfa = (row.kind == ROW_FP ? c->fp : c->sp) +
		       (uint64_t)(int64_t)row.cfa;
	uint64_t slot;

	if (row.kind == ROW_SP_DEREF) {
		if (!snapshot_read(snapshot, cfa, &cfa))
			return false;
		cfa += 8ull * row.words;
	}
	*next = (struct unwind_cursor){.sp = cfa, .fp = c->fp};
	if (cfa <= c->sp || cfa % 8 ||
		!snapshot_read(snapshot, cfa - 8, &next->ip))
		return false;
	slot = cfa + (uint64_t)(int64_t)row.fp;
	/* below sp: it is not pushed yet, or popped already */
	return row.fp == ROW_FP_SAME || slot < c->sp ||
	       snapshot_read(snapshot, slot, &next->fp);
}

/* The caller by ROW, and how far to trust it. */
static enum return_trust try_row(struct snapshot *snapshot,
	const struct address_space *space, struct row row,
	const struct unwind_cursor *c, struct unwind_cursor *next)
{
	return apply_row(snapshot, row, c, next)
		       ? return_to(snapshot, space, next->ip, c->ip, NULL)
		       : TRUST_NONE;
}

/*
 * In generated code: by the only row that leads to a frame which begins a
 * chain; else by the chain that this frame begins.
 */
static bool in_generated(struct snapshot *snapshot,
	const struct address_space *space, const struct analysed *slot,
	struct unwind_cursor *c)
{
	struct unwind_cursor next, found = {0};

	for (uint32_t i = 0; slot && i < slot->n; i++) {
		if (slot->rows[i].kind == ROW_END ||
			!apply_row(snapshot, slot->rows[i], c, &next) ||
			!unwind_is_generated(space, next.ip) ||
			next.fp < next.sp ||
			!unwind_chain_holds(snapshot, space, next.fp))
			continue;
		if (found.ip)
			return false;
		found = next;
		if (slot->rows[i].kind == ROW_FP)
			found.sp = unwind_sender(snapshot, c->fp, next.fp);
	}
	if (!found.ip)
		return unwind_by_chain(snapshot, space, c);
	*c = found;
	return true;
}

/* Picks one of several rows if it is better than the others. */
static enum no_cfi_result by_code(struct snapshot *snapshot,
	const struct address_space *space, const struct analysed *slot,
	struct unwind_cursor *c)
{
	struct unwind_cursor best = {0}, next;
	enum return_trust trust = TRUST_NONE, t;
	bool tie = false;

	for (uint32_t i = 0; i < slot->n; i++) {
		if (slot->rows[i].kind == ROW_END) {
			if (slot->n == 1)
				return NO_CFI_END;
			continue;
		}
		t = try_row(snapshot, space, slot->rows[i], c, &next);
		if (t == TRUST_NONE || t < trust)
			continue;
		tie = t == trust && (next.sp != best.sp || next.fp != best.fp);
		trust = t;
		best = next;
	}
	if (trust == TRUST_NONE || tie)
		return NO_CFI_NONE;
	if (best.sp == c->fp + 16 && unwind_is_generated(space, c->ip))
		best.sp = unwind_sender(snapshot, c->fp, best.fp);
	*c = best;
	return NO_CFI_CALLER;
}

/* Whether ADDR is in the copy: the search does not read the live process. */
static bool in_copy(const struct snapshot *snapshot, uint64_t addr)
{
	return addr - snapshot->base < snapshot->size;
}

/*
 * A function that does not return: a word of the stack is this frame's return
 * address if it is behind a direct call, and if the instructions from that
 * call's target to here push exactly what lies between.
 */
static bool by_entry(struct snapshot *snapshot,
	const struct address_space *space, const struct mapping *mapping,
	struct unwind_cursor *c)
{
	struct unwind_cursor next;
	uint64_t word, entry;
	struct row row;

	for (unsigned i = 0; i < ENTRY_WORDS; i++) {
		if (!in_copy(snapshot, c->sp + 8 * i) ||
			!snapshot_read(snapshot, c->sp + 8 * i, &word))
			return false;
		if (return_to(snapshot, space, word, c->ip, &entry) !=
				TRUST_TARGET ||
			!row_from_entry(
				snapshot, mapping, entry, c->ip, &row) ||
			row.cfa != (int32_t)(8 * i + 8))
			continue;
		if (try_row(snapshot, space, row, c, &next) != TRUST_TARGET)
			continue;
		*c = next;
		return true;
	}
	return false;
}

/* Whether ADDR is in the code that a program starts with, which calls once. */
static bool is_start_code(const struct address_space *space, uint64_t addr)
{
	const struct mapping *m = address_space_find(space, addr);
	const struct elf_image *image = m ? m->module->image : NULL;

	return image && image->entry &&
	       addr - m->bias - image->entry < START_CODE;
}

/*
 * The same in a file, where the uses of functions tell which one holds C.  The
 * return address of a candidate has to be behind a direct call of exactly that
 * start, or, if its address is taken, behind a call through a pointer; no two
 * of the latter may differ.  The start code may also lead there by jumps
 * (musl's libc.so).
 */
static bool by_start(struct snapshot *snapshot,
	const struct address_space *space, const struct mapping *mapping,
	struct unwind_cursor *c)
{
	struct unwind_code *code = unwind_code(mapping->module);
	struct unwind_cursor next, best = {0};
	const struct start_row *rows;
	bool found = false;
	uint64_t target;
	size_t n;

	if (code && !code->starts_tried) {
		code->starts_tried = true;
		code->starts = function_starts_open(mapping->module->image);
	}
	if (!code || !code->starts)
		return false;
	n = function_starts_rows(code->starts, c->ip - mapping->bias, &rows);
	for (size_t i = 0; i < n; i++) {
		uint64_t start = rows[i].start + mapping->bias;

		if (try_row(snapshot, space, rows[i].row, c, &next) ==
				TRUST_NONE ||
			return_to(snapshot, space, next.ip, start, &target) ==
				TRUST_NONE)
			continue;
		if (target == start || is_start_code(space, next.ip)) {
			*c = next;
			return true;
		}
		if (target || !(rows[i].how & START_TAKEN))
			continue;
		if (found && (next.sp != best.sp || next.fp != best.fp))
			return false;
		found = true;
		best = next;
	}
	if (found)
		*c = best;
	return found;
}

/* The next word from C outward that is a return address outside of C's code. */
static bool next_return_address(struct snapshot *snapshot,
	const struct address_space *space, struct unwind_cursor *c)
{
	uint64_t word;
	enum return_trust trust;

	for (unsigned i = 0; i < START_WORDS; i++) {
		if (!in_copy(snapshot, c->sp + 8 * i) ||
			!snapshot_read(snapshot, c->sp + 8 * i, &word))
			return false;
		trust = return_to(snapshot, space, word, c->ip, NULL);
		if (trust == TRUST_NONE)
			continue;
		c->ip = word;
		c->sp += 8 * i + 8;
		return trust != TRUST_OTHER;
	}
	return false;
}

/*
 * In a statically linked program, main() and its callers may end in calls of
 * exit(): no instruction tells where their return addresses are.  But they are
 * near the end of the stack: the next words there that are return addresses are
 * accepted if they lead to the start code in a few frames.
 */
static bool below_start(struct snapshot *snapshot,
	const struct address_space *space, const struct mapping *mapping,
	struct unwind_cursor *c)
{
	struct module *module = mapping->module;
	struct unwind_cursor at = *c, first = {0}, next;
	uint64_t entry;

	if (!module->image || !module->image->entry)
		return false;
	entry = module->image->entry + mapping->bias;
	for (unsigned frames = 0; frames < START_FRAMES; frames++) {
		struct row row = {.kind = ROW_UNKNOWN};

		if (frames)
			row = unwind_row(module, at.ip - mapping->bias - 1);
		if (row.kind == ROW_SP || row.kind == ROW_FP) {
			if (try_row(snapshot, space, row, &at, &next) ==
				TRUST_NONE)
				return false;
			at = next;
		} else if (!next_return_address(snapshot, space, &at)) {
			return false;
		}
		if (!frames)
			first = at;
		if (at.ip - entry < START_CODE) {
			*c = first;
			c->exact = false;
			return true;
		}
		if (at.ip < mapping->start || at.ip >= mapping->end)
			return false;
	}
	return false;
}

/*
 * Whether a return address is the first of a function, behind no call:
 * makecontext() has put it there.
 */
static bool is_planted(const struct snapshot *snapshot,
	const struct address_space *space, const struct mapping *mapping,
	const struct unwind_cursor *c)
{
	struct code_at code = {mapping, snapshot->pid};

	if (!c->exact && code_at_is_goexit(&code, c->ip))
		return true;
	return !c->exact &&
	       unwind_row(mapping->module, c->ip - mapping->bias).kind !=
		       ROW_UNKNOWN &&
	       return_to(snapshot, space, c->ip, c->ip, NULL) == TRUST_NONE;
}

enum no_cfi_result unwind_no_cfi(struct snapshot *snapshot,
	const struct address_space *space, const struct mapping *mapping,
	struct unwind_cursor *c)
{
	const struct row framed = {.kind = ROW_FP, .fp = -16, .cfa = 16};
	const struct row nothing_pushed = {
		.kind = ROW_SP, .fp = ROW_FP_SAME, .cfa = 8};
	const struct code_at code = {mapping, snapshot->pid};
	const bool generated = !mapping->module->image;
	const struct analysed *slot;
	enum no_cfi_result result;
	struct unwind_cursor next;

	if (is_planted(snapshot, space, mapping, c)) {
		c->exact = true; /* no call stands before it */
		return NO_CFI_END;
	}
	if (!c->exact && code_at_is_interpreter(&code, c->ip) &&
		unwind_interpreted(snapshot, space, c))
		return NO_CFI_CALLER;
	if (generated && unwind_entered(snapshot, space, c))
		return NO_CFI_CALLER;
	slot = rows_by_code(snapshot, mapping, c->ip);
	if (slot && slot->n) {
		result = by_code(snapshot, space, slot, c);
		if (result != NO_CFI_NONE)
			return result;
	} else if (c->exact && try_row(snapshot, space, nothing_pushed, c,
				       &next) == TRUST_TARGET) {
		*c = next;
		return NO_CFI_CALLER;
	}
	if (generated && in_generated(snapshot, space, slot, c))
		return NO_CFI_CALLER;
	if (c->fp % 8 == 0 &&
		try_row(snapshot, space, framed, c, &next) != TRUST_NONE) {
		if (generated)
			next.sp = unwind_sender(snapshot, c->fp, next.fp);
		*c = next;
		return NO_CFI_CALLER;
	}
	if (generated && unwind_called(snapshot, space, c))
		return NO_CFI_CALLER;
	if (generated ? by_entry(snapshot, space, mapping, c)
		      : by_start(snapshot, space, mapping, c))
		return NO_CFI_CALLER;
	if (!c->exact && below_start(snapshot, space, mapping, c))
		return NO_CFI_CALLER;
	return NO_CFI_NONE;
}
