/*
 * snapshot.h - a thread's registers and stack at the moment of a sample.
 *
 * Every timer gives one to the unwinder: from the kernel's copy in a ring, or
 * from a stopped thread's live memory.  The bytes of the stack are lent for the
 * call.  For what lies beyond them `read_memory` is called, which may read the
 * live process: it returns only what is surely unchanged since the sample, and
 * then sets read_later.
 */
#ifndef CPPROF_STACK_SNAPSHOT_H
#define CPPROF_STACK_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "monitor/arch/arch.h"

struct interpreted_stack;

struct snapshot {
	bool has_regs; /* false: the thread had no user mode, or no longer */
	pid_t pid; /* the process whose memory it is, for code without a file */
	uint64_t regs[SNAPSHOT_REGS];
	const uint8_t *stack; /* the bytes from address `base` on */
	uint64_t base;
	size_t size;
	size_t room; /* bytes asked for: if it has fewer, a page was absent */
	bool fits;   /* the whole stack was asked for */
	const uint8_t *tail; /* its outermost bytes, which may be apart */
	uint64_t tail_base;
	size_t tail_size;
	/* where a goroutine left off, that the thread works for on this stack;
	   0: none is known (left_goroutine.h) */
	uint64_t left_sp, left_ip;
	/* what is known of its interpreter's frames; NULL: it told none */
	struct interpreted_stack *interpreted;
	bool no_fp;       /* its frame pointer is unknown, and 0 here */
	uint32_t call;    /* the system call that it is in: syscall_place() */
	uint64_t address; /* of memory, where the event is; 0: none */
	uint64_t below;   /* the word before the copy; 0: unknown */
	uint64_t last; /* where in the copy the last read was; 0: nowhere yet */
	/* Reads N bytes at ADDR, outside of the copy; false: it cannot. */
	bool (*read_memory)(
		struct snapshot *snapshot, uint64_t addr, void *buf, size_t n);
	/* Reads N bytes at ADDR as they are in the process now. */
	bool (*peek)(
		struct snapshot *snapshot, uint64_t addr, void *buf, size_t n);
	/* Whether the thread still is where it was; NULL: it stands still. */
	bool (*still)(const struct snapshot *snapshot);
	void *live;      /* for the above */
	bool running;    /* the thread ran on since: see unwind.c, crosses() */
	bool read_later; /* `read_memory` has returned something */
	/* Behind so many frames `read_memory` may return what has changed since
	   the sample; they count only as the start code of the thread.  0: it
	   may not. */
	size_t unverified;
};

/* The word at ADDR in the copy, in what was taken with it, or NULL. */
static inline const void *snapshot_word(
	const struct snapshot *snapshot, uint64_t addr)
{
	uint64_t at = addr - snapshot->base, in_tail;

	if (at < snapshot->size && snapshot->size - at >= sizeof addr)
		return snapshot->stack + at;
	in_tail = addr - snapshot->tail_base;
	if (in_tail < snapshot->tail_size &&
		snapshot->tail_size - in_tail >= sizeof addr)
		return snapshot->tail + in_tail;
	return snapshot->below && addr + sizeof addr == snapshot->base
		       ? &snapshot->below
		       : NULL;
}

static inline bool snapshot_has(const struct snapshot *snapshot, uint64_t addr)
{
	return snapshot_word(snapshot, addr);
}

#define LARGE_FRAME 4096

/*
 * Whether the end of the copy is all of one frame, at SP, or the copy ends in
 * that frame at a page that was never touched: then nothing there tells about
 * its caller.
 */
static inline bool frame_exceeds_copy(
	const struct snapshot *snapshot, uint64_t sp)
{
	uint64_t at = sp - snapshot->base;

	return at < snapshot->size && (snapshot->size - at >= LARGE_FRAME ||
					      snapshot->size < snapshot->room);
}

static inline bool snapshot_read(
	struct snapshot *snapshot, uint64_t addr, uint64_t *value)
{
	const void *word = snapshot_word(snapshot, addr);

	if (word) {
		memcpy(value, word, sizeof *value);
		if (addr - snapshot->base < snapshot->size)
			snapshot->last = addr;
		return true;
	}
	return snapshot->read_memory &&
	       snapshot->read_memory(snapshot, addr, value, sizeof *value);
}

/*
 * Makes the sample its caller's: it was taken at the first instruction of a
 * function that is no part of the program.
 */
static inline void snapshot_return(struct snapshot *snapshot)
{
	if (snapshot->size < sizeof(uint64_t))
		return;
	memcpy(&snapshot->regs[REG_IP_], snapshot->stack, sizeof(uint64_t));
	snapshot->regs[REG_SP_] += sizeof(uint64_t);
}

#endif
