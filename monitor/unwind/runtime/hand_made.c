/*
 * Stacks made by hand, and whether a frame that nothing called is the outermost
 * one.
 *
 * Programs make stacks by hand: for coroutines, and as a runtime's start code
 * does.  There the outermost function was jumped to, and where its return
 * address should be stands a zero, or the address of code behind no call. Wrong
 * unwind information leads to such words as well, in the middle of a stack.  So
 * one of two proofs is asked for.  Without them 88 % of the samples of a Ruby
 * program in fibers and 80 % of one of Perl's Coro were [truncated].
 */
#include "monitor/unwind/runtime/hand_made.h"

#include <string.h>
#include <unistd.h>

#include "lib/arch/arch.h"
#include "lib/sys/process_memory.h"
#include "lib/sys/procmap.h"

#define FARTHEST (256u << 10) /* Ruby's own stack is outside of a fiber's */

/* The key of what was found about an address. */
#define DEAD_END (1ull << 63)

/* Not by the snapshot's peek: that what is here changes soon is not to fear. */
static bool read_now(
	const struct snapshot *snapshot, uint64_t addr, void *buf, size_t n)
{
	return process_memory(snapshot->pid, addr, buf, n) == n;
}

/* Some bytes at ADDR, from the copy or as they are now. */
static bool read_piece(
	const struct snapshot *snapshot, uint64_t addr, void *buf, size_t n)
{
	uint64_t at = addr - snapshot->base;

	if (at < snapshot->size && snapshot->size - at >= n) {
		memcpy(buf, snapshot->stack + at, n);
		return true;
	}
	return read_now(snapshot, addr, buf, n);
}

/*
 * Whether what cannot be read at END is absent; the process may have ended, and
 * then only the kernel's copy tells, if it was cut there.
 */
static bool ends_at(
	const struct snapshot *snapshot, uint64_t end, uint64_t slot)
{
	uint64_t word;

	return (snapshot->size < snapshot->room &&
		       end >= snapshot->base + snapshot->size) ||
	       read_now(snapshot, slot, &word, sizeof word);
}

static bool may_return_to(const struct snapshot *snapshot,
	const struct address_space *space, uint64_t addr,
	const struct mapping *stack)
{
	const struct mapping *m =
		addr ? address_space_find(space, addr - 1) : NULL;

	/* generated code may push a return address without a call */
	return m && m != stack &&
	       (!m->module->image || return_to(snapshot, space, addr, addr,
					     NULL) != TRUST_NONE);
}

/* The end of the mapping that holds SLOT; 0: unknown. */
static uint64_t end_of(const struct snapshot *snapshot,
	const struct mapping *stack, uint64_t slot)
{
	struct procmap_query query;
	int fd = procmap_open(snapshot->pid);
	bool found = fd >= 0 && procmap_find(fd, slot, 0, &query, NULL, NULL);

	if (fd >= 0)
		close(fd);
	if (found)
		return query.vma_end;
	return stack ? stack->end : 0;
}

/*
 * Whether the memory ends soon outside of the slot, and has no return address
 * up to there: a caller would have left one.  Takes 1 to 100 us.
 */
static bool nothing_called(struct snapshot *snapshot,
	const struct address_space *space, uint64_t slot)
{
	/* an executable stack is among the mappings */
	const struct mapping *stack = address_space_find(space, slot);
	uint64_t end = end_of(snapshot, stack, slot), at = slot + 8;
	uint64_t words[PAGE_BYTES / 8];

	while (at - slot <= FARTHEST) {
		size_t n = PAGE_BYTES - at % PAGE_BYTES;

		if (at == end)
			return true;
		if (!read_piece(snapshot, at, words, n))
			return at % PAGE_BYTES == 0 &&
			       ends_at(snapshot, at, slot);
		for (size_t i = 0; i < n / 8; i++)
			if (may_return_to(snapshot, space, words[i], stack))
				return false;
		at += n;
	}
	return false;
}

/*
 * Whether the code at IP, behind no call and in the middle of a function, never
 * returns: then no frame outside of it goes on.  Boost.Context and what has its
 * code from there put such an address on a new stack.
 */
static bool code_is_a_dead_end(const struct snapshot *snapshot,
	const struct address_space *space, uint64_t ip)
{
	struct code_at code = {address_space_find(space, ip), snapshot->pid};
	struct code_analysis_code source = {code_at_read, &code};
	struct analysed *known;

	if (!code.mapping || !code.mapping->module->image)
		return false;
	known = unwind_analysed(
		code.mapping->module, (ip - code.mapping->bias) | DEAD_END);
	if (known && !known->made) {
		known->made = true;
		known->n = !unwind_begins_function(space, ip) &&
			   code_analysis_never_returns(&source, ip);
	}
	return known && known->n;
}

bool hand_made_ends_at(struct snapshot *snapshot,
	const struct address_space *space, const struct sentinel *sentinel)
{
	uint64_t word = sentinel->word;
	bool called = word && return_to(snapshot, space, word, sentinel->ip,
				      NULL) != TRUST_NONE;

	/* a function can begin behind the last call of another */
	if (called && !sentinel->calls_another)
		return false;
	return (word && !called && code_is_a_dead_end(snapshot, space, word)) ||
	       nothing_called(snapshot, space, sentinel->slot);
}

/*
 * A return address that is the first of a function, behind no call:
 * makecontext() has put it there.
 */
enum no_cfi_result hand_made_begins(struct no_cfi_frame *f)
{
	const struct code_at code = {f->mapping, f->snapshot->pid};
	const uint64_t ip = f->c->ip;

	if (!code_at_is_goexit(&code, ip) &&
		(unwind_row(f->mapping->module, ip - f->mapping->bias).kind ==
				ROW_UNKNOWN ||
			return_to(f->snapshot, f->space, ip, ip, NULL) !=
				TRUST_NONE))
		return NO_CFI_NONE;
	f->c->exact = true; /* no call stands before it */
	return NO_CFI_END;
}
