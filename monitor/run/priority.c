/* Asks for a real-time priority, and watches what the thread does with it. */
#include "monitor/run/priority.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "lib/clock.h"

/* CPU time of a thread that does not sleep; then its priority is dropped. */
#define SLEEPLESS_US 50000

#define WINDOW_NS 20000000
#define INSTANT_NS                                                             \
	50000   /* a shorter sleep would take longer than it should            \
		 */
#define SHARE 2 /* a thread may use one part in this many of a window */

/* For this long a priority that the kernel dropped is not asked for again. */
#define PENANCE_NS 500000000

static int policy(void)
{
	return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

/*
 * Children do not inherit the priority.  The flag stays when the priority is
 * dropped: only privileged threads may clear it.
 */
static int become(int class, int level)
{
	struct sched_param param = {.sched_priority = level};

	return sched_setscheduler(0, class | SCHED_RESET_ON_FORK, &param);
}

/* The kernel counts from the last wake-up with this priority. */
static int become_awake(void)
{
	const struct timespec instant = {.tv_nsec = INSTANT_NS};

	return become(SCHED_FIFO, 1) || nanosleep(&instant, NULL) ? -1 : 0;
}

/* The thread has not slept for long, or its limit of CPU time is reached. */
static void on_limit(int signal)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	int error = errno;

	if (policy() == SCHED_FIFO) {
		become(SCHED_OTHER, 0);
	} else { /* RLIMIT_CPU ends cpprof as it would end any program */
		sigaction(signal, &action, NULL);
		raise(signal);
	}
	errno = error;
}

/* The kernel adds a second to the limit whenever it is reached. */
static int limit(const struct priority *priority)
{
	struct rlimit limit = {SLEEPLESS_US, priority->limit.rlim_max};

	if (limit.rlim_cur >= limit.rlim_max) {
		errno = EPERM; /* the kernel would kill the process */
		return -1;
	}
	return setrlimit(RLIMIT_RTTIME, &limit);
}

void priority_raise(struct priority *priority)
{
	struct sigaction action = {
		.sa_handler = on_limit, .sa_flags = SA_RESTART};
	sigset_t set;

	*priority =
		(struct priority){.from = clock_now(), .used = clock_thread()};
	if (policy() != SCHED_OTHER ||
		getrlimit(RLIMIT_RTTIME, &priority->limit) || limit(priority))
		return;
	sigaction(SIGXCPU, &action, &priority->action);
	sigemptyset(&set);
	sigaddset(&set, SIGXCPU);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	priority->raised = true;
	if (become_awake())
		priority_drop(priority);
}

/* Asks for the priority again, some time after the kernel has dropped it. */
static void recover(struct priority *priority, uint64_t time)
{
	if (policy() == SCHED_FIFO)
		return;
	if (!priority->ended)
		priority->ended = time;
	if (time - priority->ended < PENANCE_NS)
		return;
	priority->ended = 0;
	if (limit(priority) == 0)
		become_awake();
}

void priority_rest(struct priority *priority)
{
	uint64_t now, used, window, rest = INSTANT_NS;

	if (!priority->raised)
		return;
	now = clock_now();
	window = now - priority->from;
	if (window < WINDOW_NS)
		return;
	used = clock_thread() - priority->used;
	if (used * SHARE > window + rest)
		rest = used * SHARE - window;
	/* sleeps for an instant at least: the kernel counts anew from there */
	nanosleep(&(struct timespec){.tv_nsec = rest < WINDOW_NS ? (long)rest
								 : WINDOW_NS},
		NULL);
	recover(priority, now);
	priority->from = clock_now();
	priority->used += used;
}

void priority_drop(struct priority *priority)
{
	if (!priority->raised)
		return;
	become(SCHED_OTHER, 0);
	setrlimit(RLIMIT_RTTIME, &priority->limit);
	sigaction(SIGXCPU, &priority->action, NULL);
	priority->raised = false;
}
