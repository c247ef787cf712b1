/* Counts what a thread did at each stop, and takes the samples due. */
#include "monitor/timer/stop/stop_timer.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "lib/sys/process_memory.h"
#include "monitor/base/collection.h"
#include "monitor/base/proc.h"
#include "monitor/inprocess/counting.h"
#include "monitor/probe/probe.h"

/* Accumulators are in ns for times, else in gticks. */
static uint32_t units(const struct timer *timer)
{
	return resource_scale(timer->request->resource);
}

static uint64_t interval(const struct timer *timer)
{
	return timer->request->interval * units(timer);
}

/*
 * A new thread starts anywhere in its first interval, on account of what ended
 * threads have left (REST, negative: of what others got): if that is much, a
 * little later there, and else a little earlier, at every moment of its life
 * alike.
 */
static uint64_t start(uint64_t step, int64_t *rest)
{
	uint64_t tilt = (uint64_t)(*rest < 0 ? -*rest : *rest) / 8;
	uint64_t at = 0;

	if (tilt > step / 2)
		tilt = step / 2;
	if (*rest > 0)
		at = tilt + random_below(step - tilt);
	else if (random_below(step) >= tilt)
		at = random_below(step);
	*rest -= (int64_t)at;
	return at;
}

/* Adds N units, and whole intervals to the hits: one, then mean ones. */
static void count(struct stop_timers *timers, const struct timer *timer,
	struct tracee *tracee, uint64_t n)
{
	size_t i = timer->index;
	uint64_t *left = &tracee->left[i], *step = &tracee->step[i];

	if (timers->off)
		return;
	timers->total[i] += n;
	if (!*step) {
		*step = timer_draw(timer) * units(timer);
		if (tracee->born)
			*left = start(
				*step, tracee->tid == tracee->process->pid
					       ? &timers->left[i]
					       : &tracee->process->left[i]);
	}
	*left += n;
	timers->hits[i] += timer_settle(timer, left, step, &timers->weight[i]);
}

/* Whether its samples are taken at a system call's entry or exit. */
static bool counts_calls(const struct timer *timer)
{
	return timer->request->resource->counts &
	       (COUNTS_SYSCALLS | COUNTS_READS | COUNTS_WRITES | COUNTS_IOTIME);
}

/* Takes the samples that are due, all from one stop of the thread; of its
   caller where the function that it is in is not the program's. */
static int take_due(struct stop_timers *timers, struct tracee *tracee,
	uint64_t time, bool of_caller)
{
	struct sampler *sampler = timers->traced->sampler;
	struct snapshot snapshot = {0};
	struct thread *thread = NULL;

	for (size_t i = 0; i < timers->n; i++) {
		struct timer *timer = timers->all[i];
		uint64_t *hits = &timers->hits[timer->index];
		struct due due = {.timer = timer,
			.time = time,
			.hits = *hits < UINT32_MAX ? (uint32_t)*hits
						   : UINT32_MAX,
			.weight = timers->weight[timer->index],
			.block = timers->block};

		if (!*hits)
			continue;
		*hits = timers->weight[timer->index] = 0;
		if (!thread) {
			if (traced_fresh_maps(timers->traced, tracee, time))
				return -1;
			tracee_snapshot(
				tracee, &timers->traced->stack, &snapshot);
			if (of_caller)
				snapshot_return(&snapshot);
			if (tracee->at)
				snapshot.regs[REG_IP_] = tracee->at;
			thread = task_table_thread(&sampler->tasks,
				tracee->process->pid, tracee->tid, time);
		}
		if (!thread)
			return -1;
		due.thread = thread;
		snapshot.call = counts_calls(timer) ? tracee_place(tracee) : 0;
		if (sampler_take(sampler, &due, &snapshot))
			return -1;
	}
	return 0;
}

/* --- what the counting object has counted --- */

static bool is_report(const struct tracee *tracee)
{
	return tracee->nr == SYS_read && tracee->args[0] == UINT64_MAX &&
	       tracee->args[2] == COUNTING_STOP;
}

static enum counting counted_by(const struct timer *timer)
{
	return timer->request->resource->counts & COUNTS_ALLOCATED
		       ? COUNTING_BYTES
		       : COUNTING_REQUESTS;
}

static bool counts_requests(const struct timer *timer)
{
	return timer->request->resource->counts & COUNTS_REQUESTS;
}

/* The object is the interval timer, unless it is that of another cpprof. */
static void take_report(struct stop_timers *timers, const struct timer *timer,
	struct tracee *tracee, const struct counting_report *report)
{
	enum counting which = counted_by(timer);
	uint64_t hits = report->hits[which];
	size_t i = timer->index;

	if (report->run != timer->calls->run) {
		count(timers, timer, tracee, report->consumed[which]);
		return;
	}
	if (timers->off)
		return;
	timers->total[i] += report->consumed[which];
	timers->hits[i] += hits;
	timers->weight[i] += hits * interval(timer);
}

/* A block has ended, also while nothing counts. */
static int end_block(struct stop_timers *timers, struct tracee *tracee,
	uint64_t time, const struct counting_report *report)
{
	for (size_t i = 0; i < timers->n; i++) {
		struct timer *timer = timers->all[i];
		struct due due = {.timer = timer, .time = time};

		if (!(timer->request->resource->counts & COUNTS_ENDS) ||
			report->run != timer->calls->run)
			continue;
		due.thread = task_table_thread(&timers->traced->sampler->tasks,
			tracee->process->pid, tracee->tid, time);
		if (!due.thread || sampler_end(timers->traced->sampler, &due,
					   report->block))
			return -1;
	}
	return 0;
}

static int take_reports(
	struct stop_timers *timers, struct tracee *tracee, uint64_t time)
{
	struct counting_report report;
	int failed;

	tracee->nr = SYSCALL_FOREIGN; /* it is not the program's */
	if (process_memory(tracee->tid, tracee->args[1], &report,
		    sizeof report) != sizeof report)
		return 0;
	if (report.ended)
		return end_block(timers, tracee, time, &report);
	for (size_t i = 0; i < timers->n; i++) {
		const struct timer *timer = timers->all[i];

		if (timer->request->resource->counts & COUNTS_FREES &&
			!timers->off)
			timers->total[i] += report.frees;
		if (!counts_requests(timer))
			continue;
		if (report.run == timer->calls->run)
			timers->block = report.block;
		take_report(timers, timer, tracee, &report);
	}
	tracee->counting = tracee->args[1];
	failed = take_due(timers, tracee, time, true);
	timers->block = 0;
	return failed;
}

/* The thread ends: what it consumed after its last report. */
static void take_rest(struct stop_timers *timers, struct tracee *tracee)
{
	struct counting_state state;
	uint64_t at = tracee->counting;

	tracee->counting = 0;
	if (!at || timers->off ||
		process_memory(tracee->tid, at, &state, sizeof state) !=
			sizeof state)
		return;
	for (size_t i = 0; i < timers->n; i++) {
		const struct timer *timer = timers->all[i];
		enum counting which = counted_by(timer);

		if (timer->request->resource->counts & COUNTS_FREES)
			timers->total[timer->index] += counting_freed(&state);
		if (counts_requests(timer) &&
			state.report.run == timer->calls->run)
			timers->total[timer->index] +=
				(uint64_t)(state.from[which] -
					   state.report.left[which]);
	}
}

/* --- the stops --- */

int stop_timers_enter(
	struct stop_timers *timers, struct tracee *tracee, uint64_t time)
{
	if (is_report(tracee))
		return take_reports(timers, tracee, time);
	for (size_t i = 0; i < timers->n; i++) {
		const struct timer *timer = timers->all[i];
		const struct resource_request *request = timer->request;

		if (request->resource->counts & COUNTS_SYSCALLS &&
			syscall_set_has(&request->syscalls, tracee->nr))
			count(timers, timer, tracee, 1);
	}
	return take_due(timers, tracee, time, false);
}

void stop_timers_go(const struct stop_timers *timers, struct tracee *tracee)
{
	tracee->call = (struct call_time){0};
	if (timers->times_calls &&
		syscall_transfer(tracee->nr) != TRANSFER_NONE)
		call_time_begin(
			&tracee->call, tracee->process->pid, tracee->tid);
}

/* The time of the call that the thread leaves at TIME, while collecting. */
static uint64_t call_ns(
	struct stop_timers *timers, const struct tracee *tracee, uint64_t time)
{
	uint64_t ns, most;

	if (!tracee->call.since)
		return 0;
	ns = call_time_end(&tracee->call, &timers->around, tracee->process->pid,
		tracee->tid, time);
	most = collection_collected(
		timers->collection, tracee->call.since, time);
	return ns < most ? ns : most;
}

/* The bytes of the messages that recvmmsg or sendmmsg says it moved. */
static uint64_t message_bytes(const struct tracee *tracee, int64_t messages)
{
	uint64_t sum = 0;

	for (int64_t i = 0; i < messages; i++) {
		struct mmsghdr one;
		uint64_t at = tracee->args[1] + (uint64_t)i * sizeof one;

		if (process_memory(tracee->tid, at, &one, sizeof one) !=
			sizeof one)
			break;
		sum += one.msg_len;
	}
	return sum;
}

struct moved {
	uint64_t in, out, either;
};

static struct moved moved_by(const struct tracee *tracee, int64_t result)
{
	enum transfer how = syscall_transfer(tracee->nr);
	uint64_t n = (uint64_t)result;
	bool in, out;

	if (how == TRANSFER_READ_MESSAGES || how == TRANSFER_WRITE_MESSAGES)
		n = message_bytes(tracee, result);
	if (how == TRANSFER_PAGES)
		how = proc_fd_read_only(tracee->tid, (int)tracee->args[0])
			      ? TRANSFER_READ
			      : TRANSFER_WRITE;
	in = how != TRANSFER_WRITE && how != TRANSFER_WRITE_MESSAGES;
	out = how != TRANSFER_READ && how != TRANSFER_READ_MESSAGES;
	return (struct moved){in ? n : 0, out ? n : 0, n};
}

/* What the call that a thread leaves is for a resource. */
static uint64_t amount(unsigned counts, const struct moved *moved, uint64_t ns)
{
	if (counts & COUNTS_IOTIME)
		return ns;
	if (!(counts & COUNTS_WRITES))
		return moved->in;
	return counts & COUNTS_READS ? moved->either : moved->out;
}

int stop_timers_leave(struct stop_timers *timers, struct tracee *tracee,
	int64_t result, uint64_t time)
{
	struct moved moved = {0};
	uint64_t ns;

	traced_call(tracee);
	if (syscall_transfer(tracee->nr) == TRANSFER_NONE)
		return 0;
	ns = call_ns(timers, tracee, time);
	if (result > 0)
		moved = moved_by(tracee, result);
	for (size_t i = 0; i < timers->n; i++) {
		const struct timer *timer = timers->all[i];
		unsigned counts = timer->request->resource->counts;

		if (counts & (COUNTS_IOTIME | COUNTS_READS | COUNTS_WRITES))
			count(timers, timer, tracee,
				amount(counts, &moved, ns));
	}
	return take_due(timers, tracee, time, false);
}

/*
 * Whether the program gets the signal.  Under ptrace ignored signals stop the
 * thread, too; without it they would not be delivered.
 */
static bool is_delivered(const struct tracee *tracee, int signal)
{
	uint64_t bit = 1ull << (signal - 1);
	struct proc_status status;

	if (!proc_status(tracee->tid, &status))
		return true;
	if (status.caught & bit)
		return true;
	return !(status.ignored & bit) && signal != SIGCHLD &&
	       signal != SIGCONT && signal != SIGURG && signal != SIGWINCH;
}

int stop_timers_signal(struct stop_timers *timers, struct tracee *tracee,
	int signal, uint64_t time)
{
	int delivered = -1; /* unknown */

	for (size_t i = 0; i < timers->n; i++) {
		const struct timer *timer = timers->all[i];

		if (!(timer->request->resource->counts & COUNTS_SIGNALS) ||
			!(timer->request->signals >> (signal - 1) & 1))
			continue;
		if (delivered < 0)
			delivered = is_delivered(tracee, signal);
		if (delivered)
			count(timers, timer, tracee, 1);
	}
	return take_due(timers, tracee, time, false);
}

int stop_timers_stepped(
	struct stop_timers *timers, struct tracee *tracee, uint64_t time)
{
	unsigned raised = exceptions_stepped(&timers->exceptions, tracee);
	int bad;

	for (size_t i = 0; i < timers->n; i++)
		if (timers->all[i]->request->exceptions & raised)
			count(timers, timers->all[i], tracee, 1);
	bad = take_due(timers, tracee, time, false);
	tracee->at = 0;
	return bad;
}

void stop_timers_exit(struct stop_timers *timers, struct tracee *tracee)
{
	struct trace_process *process = tracee->process;
	bool last = process->threads == 1;

	take_rest(timers, tracee);
	for (size_t i = 0; i < timers->n; i++) {
		size_t at = timers->all[i]->index;
		int64_t *left = &process->left[at];

		*left += (int64_t)tracee->left[at];
		tracee->left[at] = 0;
		if (!last)
			continue;
		timers->left[at] += *left;
		*left = 0;
	}
}

static bool can_count(const struct resource_request *request)
{
	return request->resource->counts &
	       (COUNTS_SYSCALLS | COUNTS_READS | COUNTS_WRITES | COUNTS_IOTIME |
		       COUNTS_SIGNALS);
}

int stop_timer_can(const struct resource_request *request,
	struct timer_machine *machine, struct err *why)
{
	char scope[16];

	(void)machine;
	/* there is no such thread: ESRCH means that ptrace is allowed */
	errno = 0;
	if (ptrace(PTRACE_SEIZE, INT_MAX, NULL, NULL) < 0 && errno != ESRCH) {
		err_sys(why, request->name, "ptrace");
		return err_hint(why, "a seccomp filter or a container's "
				     "profile forbids ptrace; allow it there, "
				     "or run outside of it");
	}
	if (proc_read("/proc/sys/kernel/yama/ptrace_scope", scope,
		    sizeof scope) > 0 &&
		scope[0] == '3')
		return err_say(why, request->name, "ptrace",
			"kernel.yama.ptrace_scope is 3: nobody may use ptrace",
			"it cannot be lowered before the next boot; kernel "
			"timers do without ptrace: --timer=kernel");
	return 0;
}

static int arm(struct timer *timer, struct err *err)
{
	struct stop_timers *timers = timer->impl;

	(void)err;
	timers->all[timers->n++] = timer;
	if (!(timer->request->resource->counts & COUNTS_SIGNALS))
		timers->traced->syscalls = true;
	if (timer->request->resource->counts & COUNTS_IOTIME)
		timers->times_calls = true;
	return 0;
}

static int read_count(
	const struct timer *timer, struct timer_count *counted, struct err *err)
{
	const struct stop_timers *timers = timer->impl;

	(void)err;
	counted->gticks = timers->total[timer->index] / units(timer);
	return 0;
}

static bool can_count_exceptions(const struct resource_request *request)
{
	return request->resource->counts & COUNTS_EXCEPTIONS;
}

static const char *warns_of_exceptions(const struct resource_request *request)
{
	(void)request;
	return "if cpprof is killed (SIGKILL), the program may die of SIGFPE "
	       "at its next exception";
}

static int can_stop(const struct resource_request *request,
	struct timer_machine *machine, struct err *why)
{
	if (stop_timer_can(request, machine, why))
		return -1;
	if (exceptions_stop())
		return 0;
	return err_say(why, request->name, NULL,
		"this processor does not stop at exceptions",
		"an emulator's does not: QEMU has to use KVM");
}

static int arm_exceptions(struct timer *timer, struct err *err)
{
	struct stop_timers *timers = timer->impl;

	timers->all[timers->n++] = timer;
	return exceptions_begin(&timers->exceptions, timer->request->exceptions,
		timer->request->name, err);
}

static bool can_count_requests(const struct resource_request *request)
{
	return request->resource->counts & COUNTS_HEAP;
}

#define STOPS(can_, arm_)                                                      \
	.families = 1u << TIMER_STOP, .needs = TIMER_NEEDS_TRACE,              \
	.randomizes = true, .can = (can_), .arm = (arm_), .read = read_count

const struct timer_kind stop_timer = {
	.name = "stop",
	.costs = "10-70 us",
	.loses = "the program is stopped at each event",
	.counts = can_count,
	STOPS(stop_timer_can, arm),
};

const struct timer_kind request_timer = {
	.name = "in-process, stop",
	.costs = "10-70 us",
	.loses = "the program is stopped at each system call",
	.counts = can_count_requests,
	STOPS(stop_timer_can, arm),
};

const struct timer_kind exception_timer = {
	.name = "stop, stepping",
	.costs = "50 us",
	.warns = warns_of_exceptions,
	.counts = can_count_exceptions,
	STOPS(can_stop, arm_exceptions),
};
