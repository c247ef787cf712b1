/*
 * exceptions.h - has the threads of the target stop at floating point
 * exceptions, which it would not notice otherwise.
 *
 * In each thread the exceptions that a timer counts are unmasked.  Where one
 * comes the kernel sends SIGFPE, which the program never gets: the instruction
 * is executed once more, masked, in a single step, and the flags that it raises
 * tell which exceptions it has.  A process that handles SIGFPE, or has unmasked
 * exceptions itself, is left alone.
 *
 * A thread whose exceptions are unmasked and that nothing traces ends at the
 * next one.  So a process of our own (the guard) outlives the monitor, and
 * masks them again.
 *
 * As all of ptrace, from the tracer's thread alone.
 */
#ifndef CPPROF_STOP_EXCEPTIONS_H
#define CPPROF_STOP_EXCEPTIONS_H

#include "lib/err.h"
#include "monitor/arch/exceptions.h"
#include "monitor/timer/stop/tracee.h"

struct exceptions {
	unsigned wanted; /* EXCEPTION_..., by all timers; 0: none */
	struct exceptions_shared *shared; /* with the guard; NULL: none yet */
	pid_t guard;
	unsigned left; /* processes left alone */
};

/* A resource counts those WANTED, too; the first makes the guard. */
int exceptions_begin(struct exceptions *e, unsigned wanted, const char *name,
	struct err *err);
void exceptions_end(struct exceptions *e);

/* A stopped thread is about to go on: ON: its exceptions stop it, or not. */
void exceptions_set(struct exceptions *e, struct tracee *tracee, bool on);

/*
 * Whether SIGNAL, which has stopped a thread, is of an unmasked exception, or
 * of the step after one, and not for the program; then tracee->stepping tells
 * whether it has to go on by a single step.
 */
bool exceptions_hides(struct exceptions *e, struct tracee *tracee, int signal);

/*
 * Any stop of a thread that was stepping: the exceptions that its instruction
 * had; 0: it was not executed.
 */
unsigned exceptions_stepped(struct exceptions *e, struct tracee *tracee);

/*
 * A thread that has stopped by SIGNAL, or 0, is about to be let go: has it as
 * it was, and returns the signal that is left for it.
 */
int exceptions_leave(struct exceptions *e, struct tracee *tracee, int signal);

#endif
