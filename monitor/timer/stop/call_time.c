/* Takes from the time between two stops of a call what the stops cost. */
#include "monitor/timer/stop/call_time.h"

#include "lib/clock.h"
#include "lib/sum.h"
#include "monitor/timer/stop/thread_times.h"

#define MEAN_OF 16 /* the latest calls, about */

void call_time_begin(struct call_time *time, pid_t pid, pid_t tid)
{
	struct thread_times times = {0};

	thread_times_read(pid, tid, &times);
	time->ran = times.cpu;
	time->turns = times.turns;
	time->since = clock_now();
}

uint64_t call_time_end(const struct call_time *time, uint64_t *around,
	pid_t pid, pid_t tid, uint64_t now)
{
	uint64_t passed = minus(now, time->since), ran, waited;
	struct thread_times times;

	if (!time->turns || !thread_times_read(pid, tid, &times) ||
		times.turns == time->turns)
		return passed;
	ran = minus(times.cpu, time->ran);
	if (times.turns == time->turns + 1) {
		*around += minus(passed, ran) / MEAN_OF;
		*around -= *around / MEAN_OF;
		return ran;
	}
	waited = minus(passed, *around);
	return waited > ran ? waited : ran;
}
