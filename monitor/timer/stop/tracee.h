/*
 * tracee.h - the threads under ptrace.
 *
 * A thread is seized, not attached to: that sends it nothing and does not stop
 * it. All calls must come from one thread of the monitor, the tracer; when that
 * thread ends the kernel lets all tracees go on.
 *
 * A tracee can end at any moment (SIGKILL): every request may then fail with
 * ESRCH, which is no error: its end will be reported.
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
#include "monitor/timer/stop/thread_times.h"

/*
 * Whether a process may have new executable mappings, as its system calls tell;
 * zeros where it is new, or runs another program.  They are read when a sample
 * needs them; where that takes long, for at most half of the time: before Linux
 * 6.11 each reading takes 15 ms of a process with 30 000 mappings.
 */
struct traced_maps {
	bool fresh;     /* read, and no call could have changed them since */
	uint64_t at;    /* when they were last read, */
	uint64_t pause; /* and not again for that long, ns */
};

/* What a process keeps of its threads that have ended. */
struct trace_process {
	pid_t pid;
	unsigned threads; /* that have not reached their exit */
	struct traced_maps maps;
	int64_t left[RESOURCES_MAX]; /* remainders, in the timers' units */
	bool excepted; /* from the counting of exceptions: see exceptions.h */
	unsigned refs;
};

struct tracee {
	pid_t tid;
	struct trace_process *process;
	bool born;      /* while its maker was traced */
	bool seen;      /* has stopped for the first time */
	bool engaged;   /* resumed by us: its calls are seen */
	bool exiting;   /* has come to its exit */
	bool listening; /* in a group-stop */
	bool polled;    /* is being stopped for the poller */
	bool in_call;   /* between the two stops of a system call */
	bool waits;   /* held at the entry of ptrace() until the thread that it
			 asks for has been let go */
	pid_t wanted; /* by this thread, as a tracee; 0: by none */
	uint64_t nr, args[6]; /* of that call */
	struct call_time call;
	bool unmasked;     /* exceptions stop it, */
	bool stepping;     /* and it is to step over one, */
	bool stepped;      /* for which a SIGTRAP will come */
	unsigned flags;    /* EXCEPTION_..., raised before it */
	uint64_t at;       /* the instruction that has it; 0: none */
	uint64_t counting; /* where the counting object keeps its state; 0: none
			    */
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
/* Gives it another number: an exec by a thread that was not the leader. */
void tracees_rename(struct tracees *tracees, struct tracee *tracee, pid_t tid);

/* Whether a stopped thread is our tracee; also if requests are refused. */
bool tracee_is_ours(pid_t tid);

/* Begins to trace a thread; -1 with errno. */
int tracee_seize(pid_t tid);

/*
 * The next five return -1 with errno if the kernel refuses (a filter of system
 * calls, say).  Then a stopped thread stays so until the tracer's thread ends.
 */

/* Lets a stopped thread go on; SIGNAL is delivered, 0: none. */
int tracee_resume(const struct tracee *tracee, bool to_syscall, int signal);

/* Has it execute one instruction. */
int tracee_step(const struct tracee *tracee);

/* Lets a stopped thread go on, no longer traced. */
int tracee_release(const struct tracee *tracee, int signal);

/* Leaves it in its group-stop. */
int tracee_listen(const struct tracee *tracee);

/* Stops a running thread; the stop is then reported. */
void tracee_interrupt(const struct tracee *tracee);

enum tracee_call_stop { CALL_NONE, CALL_ENTRY, CALL_EXIT };

struct tracee_call { /* of a thread at a system call stop */
	enum tracee_call_stop
		stop; /* CALL_NONE: it has ended, or is elsewhere */
	uint64_t nr;  /* CALL_ENTRY; or SYSCALL_FOREIGN */
	uint64_t args[6];
	int64_t result; /* CALL_EXIT; -1 for every error */
};

/* CALL is set also after a failure. */
int tracee_call(const struct tracee *tracee, struct tracee_call *call);

/* The message of a thread in a group-stop, an exec or its exit. */
unsigned long tracee_message(const struct tracee *tracee);

/* The system call that it is in, or was in last; as syscall_place(). */
static inline uint32_t tracee_place(const struct tracee *tracee)
{
	return syscall_place(tracee->nr, tracee->args[1]);
}

/* Memory for stacks, kept from one snapshot to the next. */
struct tracee_stack {
	uint8_t *copy;
	uint8_t *window; /* the part beyond the copy */
	uint64_t start;
	size_t size, room;
	struct tracee_pages *pages;
	pid_t tid;
	/* Whether what was read beyond the copy is valid; NULL: it is. */
	bool (*still)(const void *of);
	const void *of;
};

/* A snapshot of thread TID, which does not run, with these registers. */
void tracee_stack_take(struct tracee_stack *stack, pid_t tid,
	const uint64_t regs[], struct snapshot *snapshot);

/*
 * Registers and stack of a stopped thread.  The snapshot is valid until the
 * thread is resumed or the next one is taken; it has no registers if the thread
 * has none, or none left.
 */
void tracee_snapshot(const struct tracee *tracee, struct tracee_stack *stack,
	struct snapshot *snapshot);
void tracee_stack_fini(struct tracee_stack *stack);

#endif
