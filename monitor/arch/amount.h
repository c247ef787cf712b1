/*
 * amount.h - where an event keeps the number that is to be added up, in a word
 * that a BPF program gets as the cookie of what it is attached to.
 *
 * A tracepoint has it in its record; a probe of a program in a register, in
 * memory by registers, or it is a constant.  Zero but for the counter: an event
 * counts as one.
 */
#ifndef CPPROF_ARCH_AMOUNT_H
#define CPPROF_ARCH_AMOUNT_H

#include <linux/types.h>

enum amount_place {
	AMOUNT_ONE,
	AMOUNT_CONSTANT, /* the offset itself */
	AMOUNT_REGISTER, /* BASE */
	AMOUNT_MEMORY,   /* at BASE + INDEX << SHIFT + offset */
	AMOUNT_RECORD,   /* at the offset in the event's record */
};

/* Its parts; the counter is in the lowest byte, the offset in the upper half.
 */
#define AMOUNT_COUNTER(amount) ((__u8)(amount))
#define AMOUNT_PLACE(amount) ((amount) >> 8 & 7)
#define AMOUNT_BASE(amount) ((amount) >> 11 & 31)  /* word of struct pt_regs */
#define AMOUNT_INDEX(amount) ((amount) >> 16 & 31) /* that plus 1; 0: none */
#define AMOUNT_SHIFT(amount) ((amount) >> 21 & 3)
#define AMOUNT_SIZE(amount) ((amount) >> 23 & 15) /* 1, 2, 4 or 8 bytes */
#define AMOUNT_SIGNED(amount) ((amount) >> 27 & 1)
#define AMOUNT_OFFSET(amount) ((__s32)((amount) >> 32))

static inline __u64 amount_of_parts(enum amount_place place, unsigned size,
	unsigned is_signed, __s32 offset)
{
	return (__u64)place << 8 | (__u64)size << 23 | (__u64)is_signed << 27 |
	       (__u64)(__u32)offset << 32;
}

static inline __u64 amount_registers(
	unsigned base, unsigned index, unsigned shift)
{
	return (__u64)base << 11 | (__u64)index << 16 | (__u64)shift << 21;
}

#endif
