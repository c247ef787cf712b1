/*
 * row.h - how to get from a frame to its caller, in eight bytes.
 *
 * For one address of code a row says where the canonical frame address (CFA) is
 * and where the caller's frame pointer (fp) was saved; the return address lies
 * just below the CFA.  These few shapes cover nearly all code that compilers
 * make; for the rest a row says that it cannot.  rows.h keeps them.
 */
#ifndef CPPROF_UNWIND_ROW_H
#define CPPROF_UNWIND_ROW_H

#include <stddef.h>
#include <stdint.h>

enum row_kind {
	ROW_UNKNOWN,  /* no unwind information for this address */
	ROW_COMPLEX,  /* there is, in none of the shapes below */
	ROW_SP,       /* CFA = sp + cfa */
	ROW_FP,       /* CFA = fp + cfa */
	ROW_FP_DEREF, /* CFA = *(fp + cfa): realigned stacks */
	ROW_SIGNAL,   /* a signal frame: registers in the ucontext at sp */
	ROW_END,      /* the outermost frame: return address undefined; or
			 that of a stack which a function has switched to,
			 and cfa tells from where */
	ROW_SP_DEREF, /* CFA = *(sp + cfa) + 8 * words; in code without
			  unwind information */
};

#define ROW_FP_SAME INT16_MIN        /* fp is still the caller's */
#define ROW_FP_AT_FP (INT16_MIN + 1) /* fp points to it */

/* cfa of ROW_END, where it is not 0 */
#define ROW_FROM_GOROUTINE 8 /* what that left off at is its caller */
#define ROW_FROM_FRAME 16    /* fp points to its frame on the other stack */

struct unwind_row {
	uint8_t kind;
	uint8_t words; /* of ROW_SP_DEREF, else 0 */
	int16_t fp;    /* where the caller's fp is saved, from the CFA */
	int32_t cfa;
};

#endif
