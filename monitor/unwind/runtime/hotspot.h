/*
 * hotspot.h - frames of generated code whose return address is behind no call.
 *
 * HotSpot's interpreter enters a method by a jump, and the method returns to
 * where the interpreter continues (98 % of the stacks of java -Xint ended
 * there).  Its frames all keep the frame pointer, so a chain of these takes the
 * place of the call: each frame's saved frame pointer leads outward to another
 * frame, whose return address is in generated code again, for several frames or
 * until one is behind a call of a file's code.
 */
#ifndef CPPROF_UNWIND_HOTSPOT_H
#define CPPROF_UNWIND_HOTSPOT_H

#include "monitor/unwind/runtime/frame.h"

/*
 * The thread is on its way into the interpreter: an adapter moves the
 * arguments, or the interpreter makes room for variables.  A register has the
 * return address, another one the caller's stack pointer.
 */
enum no_cfi_result hotspot_entered(struct no_cfi_frame *f);

/* By the only row that leads to a frame which begins a chain; else by the chain
   that this frame begins. */
enum no_cfi_result hotspot_chain(struct no_cfi_frame *f);

/*
 * The stack pointer of the caller of the frame at FP, whose caller's frame is
 * at SAVED: an interpreted method's own variables may lie just outside of its
 * frame.
 */
uint64_t hotspot_sender(struct snapshot *snapshot, uint64_t fp, uint64_t saved);

#endif
