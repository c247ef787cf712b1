/*
 * exceptions.h - the floating point exceptions of a stopped thread's vector
 * unit: those that it has flagged, and those that it hides.
 */
#ifndef CPPROF_MONITOR_ARCH_EXCEPTIONS_H
#define CPPROF_MONITOR_ARCH_EXCEPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In the order of the processor's bits. */
enum {
	EXCEPTION_INVALID = 1 << 0,
	EXCEPTION_DENORMAL = 1 << 1,
	EXCEPTION_DIVBYZERO = 1 << 2,
	EXCEPTION_OVERFLOW = 1 << 3,
	EXCEPTION_UNDERFLOW = 1 << 4,
	EXCEPTION_INEXACT = 1 << 5,
	EXCEPTION_ALL = (1 << 6) - 1,
};

struct float_state {
	unsigned flags;  /* raised since the program cleared them */
	unsigned masked; /* give a result and no signal; all, by default */
	/* Those that the program itself has unmasked: feenableexcept(3) does so
	   in the older unit (x87), too, which is left alone. */
	unsigned own;
};

/*
 * Whether an unmasked exception stops a thread here: an emulator's processor
 * may go on.  For a moment SIGFPE is handled.
 */
bool exceptions_stop(void);

/* Reads the state of a stopped tracee; false: it is gone. */
bool float_state_read(pid_t tid, struct float_state *state);

/* Sets flags and masks. */
bool float_state_write(pid_t tid, const struct float_state *state);

/* Where a stopped tracee is; 0: it is gone. */
uint64_t tracee_ip(pid_t tid);

#endif
