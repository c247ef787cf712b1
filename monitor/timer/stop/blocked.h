/*
 * blocked.h - the stack of a thread that waits, read without stopping it.
 *
 * /proc tells where a thread that is not running stands (its program counter
 * and stack pointer), process_vm_readv reads its memory.  Nothing is sent to
 * it, so that no call of it can return early.  It may wake at any moment: what
 * was read counts only if blocked_still() holds afterwards.  Other registers
 * than those two and the arguments of its system call are not known, so that a
 * frame described by its frame pointer ends the stack.
 *
 * Allowed for whom ptrace would be (ptrace(2), "access mode checking").
 */
#ifndef CPPROF_STOP_BLOCKED_H
#define CPPROF_STOP_BLOCKED_H

#include "monitor/timer/stop/tracee.h"

struct blocked_times { /* of a thread, ns; exact when it is off its processor */
	uint64_t cpu;  /* it has run for */
	uint64_t queue; /* it could have run, but others did; 0: not known */
	uint64_t turns; /* on a processor; 0: not known */
};

struct blocked_modes { /* the kernel's estimate, ns, in steps of 10 ms */
	uint64_t user, system;
};

enum blocked_state {
	QUIET_GONE,    /* or this may not be known */
	QUIET_RUNNING, /* on a processor, or about to be */
	QUIET_WAITING,
};

struct quiet {
	pid_t pid, tid;
	char where[256]; /* what /proc says of it */
	struct blocked_times times;
};

/* What the thread does now; QUIET has what the others need. */
enum blocked_state blocked_read(struct quiet *quiet, pid_t pid, pid_t tid);

/*
 * Its registers and stack; false: it has none in user mode.  QUIET and STACK
 * are borrowed by the snapshot.
 */
bool blocked_snapshot(struct quiet *quiet, struct tracee_stack *stack,
	struct snapshot *snapshot);

/* It has not run since the look. */
bool blocked_still(const struct quiet *quiet);

/* False: it is gone, and TIMES (or MODES) is as it was. */
bool blocked_times(pid_t pid, pid_t tid, struct blocked_times *times);
bool blocked_modes(pid_t pid, pid_t tid, struct blocked_modes *modes);

#endif
