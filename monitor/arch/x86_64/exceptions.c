/* The control register of SSE and AVX, MXCSR, by ptrace. */
#include "monitor/arch/exceptions.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <ucontext.h>
#include <xmmintrin.h>

#define MASKS_AT 7 /* in MXCSR, above the flags */

/* The instruction that it interrupted is executed again, masked. */
static void mask_all(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)signal, (void)info;
	interrupted->uc_mcontext.fpregs->mxcsr |= EXCEPTION_ALL << MASKS_AT;
}

bool exceptions_stop(void)
{
	struct sigaction handler = {
		.sa_sigaction = mask_all, .sa_flags = SA_SIGINFO};
	struct sigaction old;
	const unsigned control = _mm_getcsr();
	volatile float x = 0;
	sigset_t one, mask;
	bool stopped;

	sigemptyset(&one);
	sigaddset(&one, SIGFPE);
	sigaction(SIGFPE, &handler, &old);
	pthread_sigmask(SIG_UNBLOCK, &one, &mask);
	_mm_setcsr(control & ~(EXCEPTION_DIVBYZERO << MASKS_AT));
	x = 1 / x;
	stopped = _mm_getcsr() >> MASKS_AT & EXCEPTION_DIVBYZERO;
	_mm_setcsr(control);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGFPE, &old, NULL);
	return stopped;
}

static bool get(pid_t tid, struct user_fpregs_struct *regs)
{
	return ptrace(PTRACE_GETFPREGS, tid, NULL, regs) == 0;
}

bool float_state_read(pid_t tid, struct float_state *state)
{
	struct user_fpregs_struct regs;

	if (!get(tid, &regs))
		return false;
	state->flags = regs.mxcsr & EXCEPTION_ALL;
	state->masked = regs.mxcsr >> MASKS_AT & EXCEPTION_ALL;
	state->own = ~regs.cwd & EXCEPTION_ALL;
	return true;
}

bool float_state_write(pid_t tid, const struct float_state *state)
{
	struct user_fpregs_struct regs;

	if (!get(tid, &regs))
		return false;
	regs.mxcsr &= ~(EXCEPTION_ALL | EXCEPTION_ALL << MASKS_AT);
	regs.mxcsr |= state->flags | state->masked << MASKS_AT;
	return ptrace(PTRACE_SETFPREGS, tid, NULL, &regs) == 0;
}

uint64_t tracee_ip(pid_t tid)
{
	long ip;

	errno = 0;
	ip = ptrace(PTRACE_PEEKUSER, tid,
		(void *)offsetof(struct user_regs_struct, rip), NULL);
	return errno ? 0 : (uint64_t)ip;
}
