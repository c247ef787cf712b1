/*
 * give_up.h - threads of the target that another of its threads wants to trace.
 *
 * A thread has one tracer.  A debugger or a tracer in the target could trace
 * nothing there, so its ptrace() is seen before it is made, and the thread that
 * it asks for is let go.  Only where system calls are traced anyway: no stop
 * tells of ptrace() alone.
 */
#ifndef CPPROF_STOP_GIVE_UP_H
#define CPPROF_STOP_GIVE_UP_H

#include "monitor/timer/stop/tracee.h"

/*
 * The tracee that CALLER, at the entry of a system call, asks the kernel to
 * trace: itself for PTRACE_TRACEME.  NULL: it asks for none, for one that is
 * not traced here, or would have cpprof as its tracer all the same.
 */
struct tracee *give_up_wanted(
	const struct tracees *tracees, struct tracee *caller);

/*
 * Whether TRACEE, about to get SIGNAL, has to be let go to end of it: the
 * kernel spares the first process of a PID namespace a fault's signal while it
 * is traced, so that it would meet the same fault for ever.
 */
bool give_up_to_end(const struct tracee *tracee, int signal);

#endif
