/*
 * tracee.h - the threads under ptrace.
 *
 * A thread is seized, never attached to: nothing is sent to it and it is not
 * stopped by that.  All calls must come from one thread of the monitor, the
 * tracer; when that thread ends the kernel lets all tracees go on as they are.
 * A tracee can be gone at any moment (SIGKILL): every request may then fail
 * with ESRCH, which is no error but means that its end will be reported.
 */
#ifndef CPPROF_STOP_TRACEE_H
#define CPPROF_STOP_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "lib/id_map.h"
#include "monitor/resource/resource.h"
#include "monitor/stack/snapshot.h"
#include "monitor/timer/stop/stale_maps.h"

/* What a process's threads that have ended leave behind. */
struct trace_process {
	pid_t pid;
	unsigned threads;             /* that have not come to their exit */
	struct stale_maps stale;      /* which of its mappings may be others */
	uint64_t left[RESOURCES_MAX]; /* remainders, in the timers' units */
	unsigned refs;
};

struct tracee {
	pid_t tid;
	struct trace_process *process;
	bool seen;      /* has stopped for the first time */
	bool engaged;   /* has been resumed by us: its calls are seen */
	bool exiting;   /* has come to its exit */
	bool listening; /* in a group-stop */
	bool looked;    /* is being stopped for monitor/timer/stop/poller.h */
	bool in_call;   /* between the two stops of a system call */
	uint64_t nr, args[6], since; /* of that call; since: ns */
	uint64_t left[RESOURCES_MAX];
	uint64_t step[RESOURCES_MAX]; /* the interval in force; 0: none yet */
};

struct tracees {
	struct id_map threads, processes;
	size_t listening;
};

void tracees_fini(struct tracees *tracees);
struct tracee *tracees_find(const struct tracees *tracees, pid_t tid);
/* Makes it; NULL: no memory. */
struct tracee *tracees_add(struct tracees *tracees, pid_t tid, pid_t pid);
void tracees_remove(struct tracees *tracees, struct tracee *tracee);
/* Moves it to another number: an exec by a thread that was not the leader. */
void tracees_rename(struct tracees *tracees, struct tracee *tracee, pid_t tid);

/* Whether a thread that is stopped is so for us. */
bool tracee_is_ours(pid_t tid);

/* Begins to trace a thread; -1 with errno. */
int tracee_seize(pid_t tid);

/* Lets a stopped thread go on; SIGNAL is delivered, 0: none. */
void tracee_resume(const struct tracee *tracee, bool to_syscall, int signal);

/* Lets a stopped thread go on, never to be traced again. */
void tracee_release(const struct tracee *tracee);

/* Stops a running thread, which is then reported. */
void tracee_interrupt(const struct tracee *tracee);

/* Leaves it in its group-stop, as the signal that stopped it wants. */
void tracee_listen(const struct tracee *tracee);

enum tracee_call_stop { CALL_NONE, CALL_ENTRY, CALL_EXIT };

struct tracee_call { /* of a thread that stands at a system call */
	enum tracee_call_stop stop; /* CALL_NONE: it is gone, or elsewhere */
	uint64_t nr;                /* CALL_ENTRY; UINT64_MAX: of another ABI */
	uint64_t args[6];
	int64_t result; /* CALL_EXIT; -1 for every error */
};

void tracee_call(const struct tracee *tracee, struct tracee_call *call);

/*
 * What the call returned that a thread on its way to its exit was in: where it
 * was killed it stops there no more, though the call has moved bytes.  False:
 * it has not returned.
 */
bool tracee_returned(const struct tracee *tracee, int64_t *result);

/* A thread that is in a group-stop, an exec or its exit tells more. */
unsigned long tracee_message(const struct tracee *tracee);

/* It was stopped on its way out of a system call. */
bool tracee_in_kernel(const struct tracee *tracee);

/* N bytes of its memory at ADDR; false if not all are there. */
bool tracee_read(pid_t tid, uint64_t addr, void *buf, size_t n);

/* Room for stacks, kept from one snapshot to the next. */
struct tracee_stack {
	uint8_t *copy;
	uint8_t *window; /* what lies beyond the copy */
	uint64_t start;
	size_t size, room;
	pid_t tid;
	/* Whether what was read beyond the copy holds; NULL: it does. */
	bool (*still)(const void *of);
	const void *of;
};

/* A snapshot of thread TID, which does not run, with these registers. */
void tracee_stack_take(struct tracee_stack *stack, pid_t tid,
	const uint64_t regs[], struct snapshot *snapshot);

/*
 * Registers and stack of a stopped thread.  The snapshot is good until the
 * thread is resumed or the next one is taken; without registers where the
 * thread has none (any more).
 */
void tracee_snapshot(const struct tracee *tracee, struct tracee_stack *stack,
	struct snapshot *snapshot);
void tracee_stack_fini(struct tracee_stack *stack);

#endif
