/* Reads /proc and the memory of a waiting thread, and /proc once more. */
#include "monitor/timer/stop/blocked.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "monitor/base/proc.h"

#define RUNNING "running" /* or in line */

bool blocked_is(pid_t pid, pid_t tid)
{
	char where[sizeof RUNNING];

	return proc_thread_file(pid, tid, "syscall", where, sizeof where) > 0 &&
	       strncmp(where, RUNNING, strlen(RUNNING)) != 0;
}

enum blocked_state blocked_read(struct blocked *q, pid_t pid, pid_t tid)
{
	q->pid = pid;
	q->tid = tid;
	if (proc_thread_file(pid, tid, "syscall", q->where, sizeof q->where) <=
		0)
		return BLOCKED_GONE;
	if (strncmp(q->where, RUNNING, strlen(RUNNING)) == 0)
		return BLOCKED_RUNNING;
	return thread_times_read(pid, tid, &q->times) ? BLOCKED_WAITING
						      : BLOCKED_GONE;
}

/* Whether it has not run since blocked_read(). */
static bool still(const void *blocked)
{
	const struct blocked *q = blocked;
	char where[sizeof q->where];
	struct thread_times times;

	return proc_thread_file(
		       q->pid, q->tid, "syscall", where, sizeof where) > 0 &&
	       strcmp(where, q->where) == 0 &&
	       thread_times_read(q->pid, q->tid, &times) &&
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

static uint32_t call_of(const char *where, uint32_t interrupted)
{
	uint64_t nr, args[2];

	if (sscanf(where, "%" SCNu64 " %" SCNx64 " %" SCNx64, &nr, &args[0],
		    &args[1]) != 3)
		return 0;
	return nr == SYS_restart_syscall && interrupted
		       ? interrupted
		       : syscall_place(nr, args[1]);
}

bool blocked_snapshot(struct blocked *q, struct tracee_stack *stack,
	uint32_t interrupted, struct snapshot *snapshot)
{
	uint64_t regs[SNAPSHOT_REGS];

	if (!read_where(q->where, regs))
		return false;
	tracee_stack_take(stack, q->tid, regs, snapshot);
	snapshot->call = call_of(q->where, interrupted);
	snapshot->no_fp = true;
	stack->still = still;
	stack->of = q;
	return still(q);
}
