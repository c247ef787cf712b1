/* Unmasks exceptions, steps over them, and masks them again. */
#include "monitor/timer/stop/exceptions.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/base/proc.h"

#define THREADS_MAX (1u << 22) /* the kernel's numbers are below */
#define WORDS (THREADS_MAX / 64)

struct exceptions_shared {
	unsigned wanted;
	uint64_t threads[WORDS]; /* a bit for each that is unmasked */
};

static void mark(struct exceptions *e, pid_t tid, bool unmasked)
{
	uint64_t bit = 1ull << (unsigned)tid % 64;
	uint64_t *word = &e->shared->threads[(unsigned)tid / 64 % WORDS];

	*word = unmasked ? *word | bit : *word & ~bit;
}

/*
 * The masks without those that the thread was given: what it has unmasked in
 * the older unit it has here, too; masks of its own making stay.
 */
static unsigned remasked(unsigned wanted, const struct float_state *state)
{
	return state->own || state->masked == (EXCEPTION_ALL & ~wanted)
		       ? state->masked | (wanted & ~state->own)
		       : state->masked;
}

/* --- the guard --- */

/*
 * A thread that is seized and interrupted executes nothing more of its own: it
 * stops when it gets a processor.
 */
static void seize_thread(pid_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0)
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
}

/* Masks the exceptions of each as it stops, and lets it go. */
static void mask_seized(unsigned wanted)
{
	struct float_state state;
	int status, signal;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			continue;
		signal = status >> 16 ? 0 : WSTOPSIG(status);
		if (float_state_read(tid, &state)) {
			state.masked = remasked(wanted, &state);
			float_state_write(tid, &state);
		}
		ptrace(PTRACE_DETACH, tid, NULL,
			(void *)(uintptr_t)(unsigned)(signal == SIGFPE
							      ? 0
							      : signal));
	}
}

/* The next thread with a bit, behind N; 0: there is none. */
static unsigned next_thread(const struct exceptions_shared *shared, unsigned n)
{
	while (++n < THREADS_MAX)
		if (!shared->threads[n / 64])
			n |= 63;
		else if (shared->threads[n / 64] >> n % 64 & 1)
			return n;
	return 0;
}

/* Masks all that have a bit, and those that they have made since. */
static void mask_all(const struct exceptions_shared *shared)
{
	unsigned n;

	for (n = 0; (n = next_thread(shared, n));)
		seize_thread((pid_t)n);
	mask_seized(shared->wanted);
	for (n = 0; (n = next_thread(shared, n));) {
		proc_list list = {0};

		proc_threads((pid_t)n, &list);
		for (size_t i = 0; i < list.n; i++)
			seize_thread(list.v[i]);
		mask_seized(shared->wanted);
		vec_free(&list);
	}
}

/*
 * Neither its session nor its files are the run's.  The kernel sends it the
 * signal as soon as the tracer's thread has ended and all that it traced goes
 * on: a pidfd tells tens of ms later on a busy machine.
 */
__attribute__((noreturn)) static void guard(
	const struct exceptions_shared *shared, pid_t monitor)
{
	const struct sched_param first = {.sched_priority = 1};
	sigset_t all;
	int signal;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "cpprof-guard");
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	syscall(SYS_close_range, 0u, ~0u, 0u);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		setpriority(PRIO_PROCESS, 0, -20);
	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	if (getppid() == monitor)
		sigwait(&all, &signal);
	mask_all(shared);
	_exit(0);
}

int exceptions_begin(struct exceptions *e, unsigned wanted, const char *name,
	struct err *err)
{
	pid_t monitor = getpid();

	if (!e->shared) {
		void *memory =
			mmap(NULL, sizeof *e->shared, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return err_sys(err, name, "guard");
		e->shared = memory;
		e->guard = fork();
		if (e->guard == 0)
			guard(memory, monitor);
		if (e->guard < 0)
			return err_sys(err, name, "guard");
	}
	e->wanted |= wanted;
	e->shared->wanted = e->wanted;
	return 0;
}

void exceptions_end(struct exceptions *e)
{
	/* it ends with the tracer's thread by itself */
	if (e->guard > 0 && waitpid(e->guard, NULL, WNOHANG | __WALL) == 0) {
		kill(e->guard, SIGKILL);
		waitpid(e->guard, NULL, __WALL);
	}
	if (e->shared)
		munmap(e->shared, sizeof *e->shared);
	*e = (struct exceptions){0};
}

/* --- the threads --- */

/* The masks that the thread has are not those that it was given. */
static bool has_own(const struct exceptions *e, const struct tracee *tracee,
	const struct float_state *state)
{
	return state->own ||
	       (tracee->unmasked &&
		       state->masked != (EXCEPTION_ALL & ~e->wanted) &&
		       state->masked != EXCEPTION_ALL);
}

static void leave_alone(struct exceptions *e, struct tracee *tracee)
{
	e->left += !tracee->process->excepted;
	tracee->process->excepted = true;
}

void exceptions_set(struct exceptions *e, struct tracee *tracee, bool on)
{
	struct float_state state;
	unsigned masked;

	on &= !tracee->process->excepted && !tracee->exiting;
	/* a new thread has the masks of the one that made it */
	if (!e->wanted || tracee->stepping ||
		(!on && !tracee->unmasked && !tracee->born))
		return;
	if (on) /* before it can meet one */
		mark(e, tracee->tid, true);
	if (!tracee->exiting && float_state_read(tracee->tid, &state)) {
		if (on && has_own(e, tracee, &state)) {
			leave_alone(e, tracee);
			on = false;
		}
		masked = on ? EXCEPTION_ALL & ~e->wanted
			    : remasked(e->wanted, &state);
		if (masked != state.masked) {
			state.masked = masked;
			float_state_write(tracee->tid, &state);
		}
	}
	mark(e, tracee->tid, on);
	tracee->unmasked = on;
	tracee->born &= on;
}

/* Whether the processor sent the signal, for one of these reasons. */
static bool is_of_processor(pid_t tid, int first, int last)
{
	siginfo_t info = {0};

	return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 &&
	       info.si_code >= first && info.si_code <= last;
}

/* A stop that is not reaped tells its signal to a thread that is let go. */
static void forget_signal(pid_t tid)
{
	waitpid(tid, NULL, WNOHANG | __WALL);
}

static bool catches(pid_t tid, int signal)
{
	struct proc_status status;

	return proc_status(tid, &status) && status.caught >> (signal - 1) & 1;
}

bool exceptions_hides(struct exceptions *e, struct tracee *tracee, int signal)
{
	struct float_state state;

	if (signal == SIGTRAP && tracee->stepped) {
		tracee->stepped = false;
		if (!is_of_processor(tracee->tid, TRAP_TRACE, TRAP_TRACE))
			return false;
		forget_signal(tracee->tid);
		return true;
	}
	if (signal != SIGFPE || !tracee->unmasked ||
		!is_of_processor(tracee->tid, FPE_FLTDIV, FPE_FLTSUB))
		return false;
	forget_signal(tracee->tid);
	if (!float_state_read(tracee->tid, &state))
		return true;
	if (has_own(e, tracee, &state) || catches(tracee->tid, SIGFPE))
		leave_alone(e, tracee);
	/* executed again, the instruction has the program's own alone */
	if (tracee->process->excepted)
		return true;
	tracee->flags = state.flags;
	tracee->at = tracee_ip(tracee->tid);
	state.flags = 0;
	state.masked = EXCEPTION_ALL;
	tracee->stepping = tracee->stepped =
		float_state_write(tracee->tid, &state);
	return true;
}

unsigned exceptions_stepped(struct exceptions *e, struct tracee *tracee)
{
	struct float_state state;
	unsigned raised;

	tracee->stepping = false;
	if (!float_state_read(tracee->tid, &state))
		return 0;
	raised = state.flags;
	state.flags |= tracee->flags;
	state.masked = EXCEPTION_ALL & ~e->wanted;
	float_state_write(tracee->tid, &state);
	if (tracee_ip(tracee->tid) != tracee->at)
		return raised;
	tracee->stepped = false; /* another signal came first */
	return 0;
}

int exceptions_leave(struct exceptions *e, struct tracee *tracee, int signal)
{
	if (tracee->stepping)
		exceptions_stepped(e, tracee);
	if (exceptions_hides(e, tracee, signal))
		signal = 0;
	if (tracee->stepping)
		exceptions_stepped(e, tracee);
	exceptions_set(e, tracee, false);
	return signal;
}
