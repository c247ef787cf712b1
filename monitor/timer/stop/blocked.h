/*
 * blocked.h - reads the stack of a thread that waits, without stopping it.
 *
 * /proc tells the program counter and the stack pointer of a thread that does
 * not run, process_vm_readv reads its memory.  Nothing is sent to it, so none
 * of its calls can return early.  It may wake at any moment: what was read is
 * valid only if the stack is `still' afterwards (tracee.h).  Its other
 * registers are unknown, except the arguments of its system call; what needs
 * the frame pointer is found without it (monitor/unwind/lost_fp.h).
 *
 * Allowed wherever ptrace is (ptrace(2), "access mode checking").
 */
#ifndef CPPROF_STOP_BLOCKED_H
#define CPPROF_STOP_BLOCKED_H

#include "monitor/timer/stop/thread_times.h"
#include "monitor/timer/stop/tracee.h"

enum blocked_state {
	BLOCKED_GONE,    /* or this user may not know */
	BLOCKED_RUNNING, /* on a processor, or about to be */
	BLOCKED_WAITING,
};

struct blocked {
	pid_t pid, tid;
	char where[256]; /* what /proc says of it */
	struct thread_times times;
};

/* Whether the thread waits for an event. */
bool blocked_is(pid_t pid, pid_t tid);

/* What the thread does now; fills BLOCKED for the other calls. */
enum blocked_state blocked_read(struct blocked *blocked, pid_t pid, pid_t tid);

/*
 * Its registers and stack; false: it has none in user mode.  The call that was
 * INTERRUPTED, as syscall_place() has it, is what a restart goes on with.  The
 * snapshot borrows BLOCKED and STACK.
 */
bool blocked_snapshot(struct blocked *blocked, struct tracee_stack *stack,
	uint32_t interrupted, struct snapshot *snapshot);

#endif
