/*
 * left_goroutine.h - the goroutine that a thread works for on another stack.
 *
 * Go's runtime does its larger work, and C's functions, on a stack of the
 * thread (systemstack, morestack, asmcgocall: src/runtime/asm_amd64.s).  Where
 * the goroutine left off is then in its g, which the thread's m names.  The
 * fields' places (src/runtime/runtime2.go) are those of Go 1.9 and later; that
 * of curg has moved once, and the right one is found by what it leads to.
 *
 * The BPF programs include it, and the unwinder for threads that stand still.
 * GOROUTINE_READ(arg, to, n, addr), of the includer, reads N bytes at ADDR; 0:
 * it did.
 */
#ifndef CPPROF_STACK_LEFT_GOROUTINE_H
#define CPPROF_STACK_LEFT_GOROUTINE_H

#define GOROUTINE_M 0x30     /* in a g; the bounds of its stack are at 0 */
#define GOROUTINE_SCHED 0x38 /* its stack and instruction pointer */
#define M_CURG_FIRST 0xb8
#define M_CURG_LAST 0xc0

/* Where it left off, and the bounds of its stack. */
struct left_goroutine {
	unsigned long long sp, ip, start, end;
};

/*
 * Of the thread whose control block is at BLOCK, the word before which is its
 * g, and whose stack pointer is SP.  False: it works on the goroutine's stack,
 * or for none.  A function that calls the vDSO on another stack keeps its own
 * in the frame pointer: then sp and ip are 0.
 */
static inline __attribute__((always_inline)) bool goroutine_left(void *arg,
	unsigned long long block, unsigned long long sp,
	struct left_goroutine *left)
{
	unsigned long long g = 0, m = 0, of = 0, curg = 0;

	(void)arg;
	if (GOROUTINE_READ(arg, &g, sizeof g, block - sizeof g) ||
		GOROUTINE_READ(arg, &m, sizeof m, g + GOROUTINE_M))
		return false;
	for (unsigned at = M_CURG_FIRST; at <= M_CURG_LAST; at += 8)
		if (of != m &&
			(GOROUTINE_READ(arg, &curg, sizeof curg, m + at) ||
				GOROUTINE_READ(arg, &of, sizeof of,
					curg + GOROUTINE_M)))
			of = 0;
	if (!m || of != m ||
		GOROUTINE_READ(arg, &left->start, 2 * sizeof g, curg) ||
		sp - left->start < left->end - left->start ||
		GOROUTINE_READ(
			arg, &left->sp, 2 * sizeof g, curg + GOROUTINE_SCHED))
		return false;
	if (left->sp - left->start >= left->end - left->start)
		left->sp = left->ip = 0;
	return left->sp || curg == g;
}

#endif
