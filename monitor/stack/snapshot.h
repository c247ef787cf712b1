/*
 * snapshot.h - a thread's registers and stack at the moment of a sample.
 *
 * What every timer hands to the unwinder, wherever it got it: the kernel's copy
 * in a ring, or a stopped thread's live memory.  The bytes of the stack are
 * lent for the time of the call.  What lies beyond them may be in a mirror of
 * the same moment; else it is asked of `beyond`, which may read the live
 * process; it answers only what is sure to be still as it was at the sample,
 * and then sets read_later.
 */
#ifndef CPPROF_STACK_SNAPSHOT_H
#define CPPROF_STACK_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "monitor/arch/arch.h"
#include "monitor/stack/mirror.h"

struct snapshot {
	bool has_regs; /* false: the thread had no user mode (any more) */
	pid_t pid;     /* whose memory it is, for code without a file */
	uint64_t regs[SNAPSHOT_REGS];
	const uint8_t *stack; /* the bytes from address `base` on */
	uint64_t base;
	size_t size;
	size_t room; /* bytes asked for: where less came, a page was absent */
	bool fits;   /* as many were asked for as the stack has */
	/* What there is beyond, of the same moment, or NULL. */
	const struct stack_mirror *mirror;
	uint64_t last; /* where in the copy was read last; 0: nowhere yet */
	/* N bytes at ADDR, outside of the copy; false: not to be had. */
	bool (*beyond)(
		struct snapshot *snapshot, uint64_t addr, void *buf, size_t n);
	/* N bytes at ADDR as they are in the process by now. */
	bool (*peek)(
		struct snapshot *snapshot, uint64_t addr, void *buf, size_t n);
	void *live;      /* of the two above */
	bool running;    /* the thread ran on since: see unwind.c, crosses() */
	bool read_later; /* an answer of beyond was used */
};

static inline bool snapshot_has(const struct snapshot *snapshot, uint64_t addr)
{
	uint64_t at = addr - snapshot->base, value;

	return (at < snapshot->size && snapshot->size - at >= sizeof value) ||
	       (snapshot->mirror && stack_mirror_read(snapshot->mirror, addr,
					    &value, sizeof value));
}

static inline bool snapshot_read(
	struct snapshot *snapshot, uint64_t addr, uint64_t *value)
{
	uint64_t at = addr - snapshot->base;

	if (at < snapshot->size && snapshot->size - at >= sizeof *value) {
		memcpy(value, snapshot->stack + at, sizeof *value);
		snapshot->last = addr;
		return true;
	}
	if (snapshot->mirror &&
		stack_mirror_read(snapshot->mirror, addr, value, sizeof *value))
		return true;
	return snapshot->beyond &&
	       snapshot->beyond(snapshot, addr, value, sizeof *value);
}

#endif
