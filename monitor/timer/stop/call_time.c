/* Takes from the time between two stops of a call what the stops cost. */
#include "monitor/timer/stop/call_time.h"

#include "lib/clock.h"
#include "monitor/resource/syscalls.h"
#include "monitor/timer/stop/thread_times.h"

#define CALLS_TO_LEARN 64
#define MEAN_OF 16 /* the latest calls, about */

/* Calls that take a part of a microsecond, when they need not wait. */
static bool is_cheap(uint64_t nr)
{
	static const char *const names[] = {"brk", "close", "fcntl", "fstat",
		"getegid", "geteuid", "getgid", "getpid", "getppid", "gettid",
		"getuid", "lseek", "prlimit64", "rt_sigaction",
		"rt_sigprocmask", "set_robust_list", "set_tid_address"};
	static uint8_t cheap[SYSCALLS_MAX];
	static bool made;

	for (size_t i = 0; !made && i < sizeof names / sizeof *names; i++)
		syscall_mark(cheap, names[i], 1);
	made = true;
	return nr < SYSCALLS_MAX && cheap[nr];
}

bool call_costs_want(const struct call_costs *costs, uint64_t nr)
{
	return costs->calls < CALLS_TO_LEARN && is_cheap(nr);
}

void call_time_begin(struct call_time *time, uint64_t nr, pid_t pid, pid_t tid)
{
	struct thread_times times = {0};

	time->nr = nr;
	time->told = thread_times_read(pid, tid, &times) && times.turns;
	time->ran = times.cpu;
	time->turns = times.turns;
	time->since = clock_now();
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* A call without a wait: all but its turn is the stops' doing. */
static void learn(
	struct call_costs *costs, uint64_t nr, uint64_t ran, uint64_t around)
{
	if (is_cheap(nr)) {
		if (!costs->calls || ran < costs->least)
			costs->least = ran;
		costs->calls++;
	}
	if (!costs->around)
		costs->around = around;
	costs->around += around / MEAN_OF;
	costs->around -= costs->around / MEAN_OF;
}

uint64_t call_time_end(const struct call_time *time, struct call_costs *costs,
	pid_t pid, pid_t tid, uint64_t now)
{
	uint64_t passed = minus(now, time->since), ran, waited;
	struct thread_times times;

	if (!time->told || !thread_times_read(pid, tid, &times) ||
		times.turns == time->turns)
		return passed;
	ran = minus(times.cpu, time->ran);
	if (times.turns == time->turns + 1) {
		learn(costs, time->nr, ran, minus(passed, ran));
		return minus(ran, costs->least);
	}
	waited = minus(passed, costs->around);
	return minus(waited > ran ? waited : ran, costs->least);
}
