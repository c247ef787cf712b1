#include "monitor/timer/stop/blocked.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "monitor/target/proc.h"

static bool read_of(
	pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid,
		name);
	return proc_read(path, text, size) > 0;
}

bool blocked_modes(pid_t pid, pid_t tid, struct blocked_modes *modes)
{
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t user, system;
	char text[1024];
	const char *behind; /* the name, which can have any characters */

	if (!read_of(pid, tid, "stat", text, sizeof text))
		return false;
	behind = strrchr(text, ')');
	if (!behind || sscanf(behind,
			       ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
			       "%" SCNu64 " %" SCNu64,
			       &user, &system) != 2)
		return false;
	*modes = (struct blocked_modes){user * tick, system * tick};
	return true;
}

bool blocked_times(pid_t pid, pid_t tid, struct blocked_times *times)
{
	struct blocked_times found;
	struct blocked_modes modes;
	char text[256];

	if (read_of(pid, tid, "schedstat", text, sizeof text) &&
		sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &found.cpu,
			&found.queue, &found.turns) == 3) {
		*times = found;
		return true;
	}
	if (!blocked_modes(pid, tid, &modes))
		return false;
	*times = (struct blocked_times){.cpu = modes.user + modes.system};
	return true;
}

enum blocked_state blocked_read(struct blocked *q, pid_t pid, pid_t tid)
{
	q->pid = pid;
	q->tid = tid;
	if (!read_of(pid, tid, "syscall", q->where, sizeof q->where))
		return BLOCKED_GONE;
	if (strncmp(q->where, "running", 7) == 0)
		return BLOCKED_RUNNING;
	return blocked_times(pid, tid, &q->times) ? BLOCKED_WAITING
						  : BLOCKED_GONE;
}

/* Whether it has not run since blocked_read(). */
static bool still(const void *blocked)
{
	const struct blocked *q = blocked;
	char where[sizeof q->where];
	struct blocked_times times;

	return read_of(q->pid, q->tid, "syscall", where, sizeof where) &&
	       strcmp(where, q->where) == 0 &&
	       blocked_times(q->pid, q->tid, &times) &&
	       times.cpu == q->times.cpu;
}

/* "NUMBER ARGUMENTS... SP PC", or outside of a call "-1 SP PC" */
static bool read_where(const char *where, uint64_t regs[SNAPSHOT_REGS])
{
	uint64_t v[8];
	int at = 0;

	memset(regs, 0, SNAPSHOT_REGS * sizeof *regs);
	if (sscanf(where, "-1 %" SCNx64 " %" SCNx64, &regs[REG_SP_],
		    &regs[REG_IP_]) == 2)
		return regs[REG_IP_] != 0;
	if (sscanf(where, "%*d%n", &at) < 0 || !at ||
		sscanf(where + at,
			"%" SCNx64 "%" SCNx64 "%" SCNx64 "%" SCNx64 "%" SCNx64
			"%" SCNx64 "%" SCNx64 "%" SCNx64,
			&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
			&v[7]) != 8)
		return false;
	registers_in_call(v, v[6], v[7], regs);
	return regs[REG_IP_] != 0;
}

bool blocked_snapshot(struct blocked *q, struct tracee_stack *stack,
	struct snapshot *snapshot)
{
	uint64_t regs[SNAPSHOT_REGS];

	if (!read_where(q->where, regs))
		return false;
	tracee_stack_take(stack, q->tid, regs, snapshot);
	stack->still = still;
	stack->of = q;
	return still(q);
}
