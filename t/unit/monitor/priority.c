/*
 * The monitor's priority: it ends by itself in a thread that spins, comes back
 * when that is over, leaves half of a processor to others, and leaves nothing
 * behind.
 */
#include "monitor/run/priority.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "lib/clock.h"
#include "t/lib/tap.h"

static int policy(void)
{
	return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Never sleeps, for so much CPU time; without its end by the kernel, less. */
static void spin(uint64_t ns)
{
	uint64_t from = cpu_time();

	while (policy() == SCHED_FIFO && cpu_time() - from < ns)
		;
}

int main(void)
{
	struct sched_param param = {.sched_priority = 1};
	struct rlimit before, after;
	struct sigaction action;
	struct priority priority;
	uint64_t from, used;

	if (sched_setscheduler(0, SCHED_FIFO, &param)) {
		priority_raise(&priority);
		ok(policy() == SCHED_OTHER, "nothing where it is not allowed");
		priority_rest(&priority);
		priority_drop(&priority);
		return done_testing();
	}
	param.sched_priority = 0;
	sched_setscheduler(0, SCHED_OTHER, &param);
	getrlimit(RLIMIT_RTTIME, &before);

	priority_raise(&priority);
	ok(policy() == SCHED_FIFO, "raised");
	spin(2000000000);
	ok(policy() == SCHED_OTHER, "a spin ends it");
	from = clock_now();
	while (policy() == SCHED_OTHER && clock_now() - from < 20000000000)
		priority_rest(&priority);
	ok(policy() == SCHED_FIFO, "it comes back when the loop does");
	spin(2000000000);
	ok(policy() == SCHED_OTHER, "and ends again");
	priority_drop(&priority);

	priority_raise(&priority);
	from = clock_now();
	used = cpu_time();
	while (cpu_time() - used < 200000000)
		priority_rest(&priority);
	ok(clock_now() - from > 350000000, "a loop that has always work rests");
	ok(policy() == SCHED_FIFO, "and keeps its priority");
	priority_drop(&priority);

	ok(policy() == SCHED_OTHER, "dropped");
	getrlimit(RLIMIT_RTTIME, &after);
	ok(before.rlim_cur == after.rlim_cur &&
			before.rlim_max == after.rlim_max,
		"the limit is as it was");
	sigaction(SIGXCPU, NULL, &action);
	ok(action.sa_handler == SIG_DFL, "and the signal");
	return done_testing();
}
