/* Reads a thread's schedstat, and its stat where the kernel has no other; takes
   from the time between two stops of a call what the stops cost. */
#include "monitor/timer/stop/thread_times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/sum.h"
#include "monitor/base/proc.h"

#define MEAN_OF 16  /* the latest calls, about */
#define ABOUT 50000 /* ns, between the monitor's turn and its poll */

bool thread_modes_read(pid_t pid, pid_t tid, struct thread_modes *modes)
{
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t user, system;
	char text[1024];
	const char *behind; /* the name, which can have any characters */

	if (proc_thread_file(pid, tid, "stat", text, sizeof text) <= 0)
		return false;
	behind = strrchr(text, ')');
	if (!behind || sscanf(behind,
			       ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
			       "%" SCNu64 " %" SCNu64,
			       &user, &system) != 2)
		return false;
	*modes = (struct thread_modes){user * tick, system * tick};
	return true;
}

bool thread_times_read(pid_t pid, pid_t tid, struct thread_times *times)
{
	struct thread_times found;
	struct thread_modes modes;
	char text[256];

	if (proc_thread_file(pid, tid, "schedstat", text, sizeof text) > 0 &&
		sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &found.cpu,
			&found.queue, &found.turns) == 3) {
		found.pushed = found.queue;
		*times = found;
		return true;
	}
	if (!thread_modes_read(pid, tid, &modes))
		return false;
	*times = (struct thread_times){.cpu = modes.user + modes.system};
	return true;
}

bool thread_was_in_line(pid_t pid, pid_t tid, const struct thread_times *times,
	uint64_t polled, uint64_t time)
{
	struct thread_times now = *times;
	uint64_t since;

	if (!thread_times_read(pid, tid, &now))
		return false;
	since = time - (now.queue - times->queue) - (now.cpu - times->cpu);
	return since + ABOUT < polled || since > polled + ABOUT / 5;
}

bool thread_has_slept(pid_t pid, pid_t tid, uint64_t *sleeps, uint64_t *stops)
{
	static const char name[] = "\nvoluntary_ctxt_switches:";
	uint64_t known = *sleeps + *stops;
	char text[4096];
	const char *at;

	*stops = 0;
	if (proc_thread_file(pid, tid, "status", text, sizeof text) <= 0 ||
		!(at = strstr(text, name)))
		return false;
	*sleeps = strtoull(at + sizeof name - 1, NULL, 10);
	return *sleeps > known;
}

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
