/* Decodes each stop once into an event; each event has a handler. */
#include "monitor/timer/stop/tracer.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "monitor/base/proc.h"
#include "monitor/timer/stop/give_up.h"
#include "monitor/timer/stop/poller.h"
#include "monitor/timer/stop/stop_timer.h"

/* Stops that are handled before the rings are read again. */
#define BURST 512

static bool stops_a_group(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
	       signal == SIGTTOU;
}

/* Of a stop's status: the signal, and above it the ptrace event. */
static enum trace_event event_of(int status)
{
	int signal = status & 0xff;

	switch (status >> 8) {
	case 0:
		return signal == (SIGTRAP | 0x80) ? TRACE_SYSCALL
						  : TRACE_SIGNAL;
	case PTRACE_EVENT_STOP:
		return stops_a_group(signal) ? TRACE_GROUP_STOP : TRACE_STOP;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		return TRACE_BIRTH;
	case PTRACE_EVENT_EXEC:
		return TRACE_EXEC;
	case PTRACE_EVENT_EXIT:
		return TRACE_EXITING;
	default: /* of options that were not set */
		return TRACE_STOP;
	}
}

static struct trace_stop next_event(void)
{
	struct trace_stop stop = {TRACE_NONE, 0, 0, 0};
	siginfo_t info = {0};

	if (waitid(P_ALL, 0, &info,
		    WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL) ||
		info.si_pid == 0)
		return stop;
	stop.tid = info.si_pid;
	stop.time = clock_now();
	if (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED ||
		info.si_code == CLD_DUMPED) {
		stop.event = TRACE_EXITED;
	} else {
		stop.event = event_of(info.si_status);
		stop.signal = info.si_status & 0x7f;
	}
	return stop;
}

static bool is_refused(const struct tracer *t)
{
	return t->refused.reason[0];
}

/* Notes the first request that the kernel has refused, by errno. */
static void note_refusal(struct tracer *t, const char *request)
{
	if (!is_refused(t))
		err_sys(&t->refused, "ptrace", request);
}

/* Takes a thread's event, so that it is not reported again. */
static void ignore(pid_t tid)
{
	siginfo_t info;

	waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOHANG | __WALL);
}

/* Adds a thread's last name and its end to the tasks. */
static int announce_exit(
	struct tracer *t, const struct tracee *tracee, uint64_t time)
{
	pid_t pid = tracee->process->pid;
	struct thread *thread;
	char name[16];

	if (!t->traced->own_sideband || !t->begun || t->unobserved)
		return 0;
	thread = task_table_thread(
		&t->traced->sampler->tasks, pid, tracee->tid, time);
	if (!thread)
		return -1;
	if (proc_comm(tracee->tid, name) && strcmp(name, thread->name) != 0 &&
		task_table_comm(&t->traced->sampler->tasks, pid, tracee->tid,
			name, false, time))
		return -1;
	if (task_table_exit(&t->traced->sampler->tasks, pid, tracee->tid, time))
		return -1;
	task_table_end(&t->traced->sampler->tasks, tracee->tid, time);
	return 0;
}

/* Lets a stopped thread go on, traced. */
static void go_on(struct tracer *t, struct tracee *tracee, int signal)
{
	bool on = t->begun && !t->unobserved;
	bool calls = on && t->traced->syscalls;

	exceptions_set(&t->timers->exceptions, tracee, on && !t->timers->off);
	if (tracee->stepping) {
		if (tracee_step(tracee))
			note_refusal(t, "PTRACE_SINGLESTEP");
		return;
	}
	if (tracee_resume(tracee, calls, signal))
		note_refusal(t, calls ? "PTRACE_SYSCALL" : "PTRACE_CONT");
}

/* A thread has been let go or has ended: the one that waits for it goes on. */
static void end_wait(struct tracer *t, pid_t waiter)
{
	struct tracee *o = tracees_find(&t->traced->tracees, waiter);

	if (!o || !o->waits)
		return;
	o->waits = false;
	go_on(t, o, 0);
}

/* Lets a stopped thread go, untraced: for the run it ends here. */
static int give_up(struct tracer *t, struct tracee *tracee, int signal)
{
	uint64_t time = clock_now();
	pid_t waiter = tracee->wanted;
	int bad = 0;

	if (t->begun && !t->unobserved)
		bad = announce_exit(t, tracee, time);
	stop_timers_exit(t->timers, tracee);
	exceptions_set(&t->timers->exceptions, tracee, false);
	if (tracee_release(tracee, signal))
		note_refusal(t, "PTRACE_DETACH");
	tracees_remove(&t->traced->tracees, tracee);
	t->traced->given_up += waiter != 0;
	end_wait(t, waiter);
	return bad;
}

/* After this the tracee may be gone. */
static int resume(struct tracer *t, struct tracee *tracee, int signal)
{
	if (!tracee->exiting &&
		(tracee->wanted || give_up_to_end(tracee, signal)))
		return give_up(t, tracee, signal);
	go_on(t, tracee, signal);
	return 0;
}

/*
 * At the entry of ptrace(): has the thread that it asks for stop to be let go.
 * Whether the caller has to wait for that.
 */
static bool make_wait(struct tracer *t, struct tracee *tracee)
{
	struct tracee *wanted = give_up_wanted(&t->traced->tracees, tracee);

	if (!wanted || wanted->wanted)
		return false;
	wanted->wanted = tracee->tid;
	if (wanted == tracee || wanted->waits)
		return false;
	tracee_interrupt(wanted);
	/* its stop is to be reported no more */
	tracee->waits = true;
	ignore(tracee->tid);
	return true;
}

/* Makes the tracee of a thread that one of ours has made. */
static struct tracee *add_born(struct tracer *t, pid_t tid, pid_t pid)
{
	struct tracee *tracee = tracees_add(&t->traced->tracees, tid, pid);

	if (tracee)
		tracee->born = true;
	else
		task_table_starved(&t->traced->sampler->tasks);
	return tracee;
}

/* The same, at its first stop. */
static struct tracee *track_new(struct tracer *t, pid_t tid)
{
	struct proc_status status;

	if (!proc_status(tid, &status))
		status.tgid = tid;
	return add_born(t, tid, status.tgid);
}

/*
 * Not the target's: a child that cpprof had before its exec, as another
 * program. A thread of the target's that ends before its first stop is ignored,
 * too.
 */
static bool is_stranger(const struct trace_stop *stop)
{
	return stop->event == TRACE_EXITED || !tracee_is_ours(stop->tid);
}

/* Adds a new thread to the tasks, where no records do. */
static int announce(
	struct tracer *t, const struct tracee *tracee, uint64_t time)
{
	struct fork_record fork = {
		.pid = tracee->process->pid, .tid = tracee->tid};
	struct proc_status status;

	if (!t->traced->own_sideband || !t->begun || t->unobserved)
		return 0;
	fork.parent_pid = fork.parent_tid = fork.pid;
	if (fork.pid == fork.tid && proc_status(fork.tid, &status))
		fork.parent_pid = fork.parent_tid = status.parent;
	return task_table_fork(&t->traced->sampler->tasks, &fork, time);
}

/*
 * A thread that was interrupted for a poll has stopped, here or for another
 * reason: the kernel drops the interrupt if another stop comes first.
 */
static int poll_here(
	struct tracer *t, struct tracee *tracee, const struct trace_stop *stop)
{
	bool polled = tracee->polled;

	tracee->polled = false;
	if (!polled || t->unobserved)
		return 0;
	return poller_stopped(t->poller, tracee, POLLER_POLL, stop->time);
}

static int on_stop(
	struct tracer *t, struct tracee *tracee, const struct trace_stop *stop)
{
	int bad = 0;

	if (tracee->listening) {
		tracee->listening = false;
		t->traced->tracees.listening--;
	}
	if (!tracee->seen)
		bad = announce(t, tracee, stop->time);
	tracee->seen = true;
	if (!bad)
		bad = poll_here(t, tracee, stop);
	return resume(t, tracee, 0) || bad ? -1 : 0;
}

static int on_birth(
	struct tracer *t, struct tracee *tracee, const struct trace_stop *stop)
{
	pid_t child = (pid_t)tracee_message(tracee);
	struct proc_status status;
	int bad = poll_here(t, tracee, stop);

	/* it is known before its first stop: if its maker stops now, not all
	   threads have */
	if (!tracees_find(&t->traced->tracees, child) &&
		proc_status(child, &status) && !proc_is_dead(&status) &&
		status.tracer == gettid() && !add_born(t, child, status.tgid))
		bad = -1;
	return resume(t, tracee, 0) || bad ? -1 : 0;
}

static int on_syscall(
	struct tracer *t, struct tracee *tracee, const struct trace_stop *stop)
{
	struct tracee_call call = {.stop = CALL_NONE};
	int bad = 0;

	/* a call that is not seen would be missing in the figures */
	if (!t->unobserved && tracee_call(tracee, &call))
		note_refusal(t, "PTRACE_GET_SYSCALL_INFO");
	t->traced->call_stops++;
	if (call.stop == CALL_ENTRY) {
		tracee->nr = call.nr;
		memcpy(tracee->args, call.args, sizeof tracee->args);
		bad = stop_timers_enter(t->timers, tracee, stop->time);
	} else if (call.stop == CALL_EXIT && tracee->in_call) {
		bad = stop_timers_leave(
			t->timers, tracee, call.result, stop->time);
	}
	if (!bad && call.stop != CALL_NONE)
		bad = poller_stopped(t->poller, tracee,
			call.stop == CALL_EXIT ? POLLER_EXIT : POLLER_ENTRY,
			stop->time);
	tracee->in_call = call.stop == CALL_ENTRY;
	tracee->polled = false;
	if (tracee->in_call)
		stop_timers_go(t->timers, tracee);
	if (call.stop == CALL_ENTRY && make_wait(t, tracee))
		return bad;
	return resume(t, tracee, 0) || bad ? -1 : 0;
}

static int on_signal(
	struct tracer *t, struct tracee *tracee, const struct trace_stop *stop)
{
	int bad = poll_here(t, tracee, stop);

	if (exceptions_hides(&t->timers->exceptions, tracee, stop->signal))
		return resume(t, tracee, 0) || bad ? -1 : 0;
	if (!bad && t->begun && !t->unobserved)
		bad = stop_timers_signal(
			t->timers, tracee, stop->signal, stop->time);
	return resume(t, tracee, stop->signal) || bad ? -1 : 0;
}

static int on_group_stop(
	struct tracer *t, struct tracee *tracee, const struct trace_stop *stop)
{
	if (!tracee->listening) {
		tracee->listening = true;
		t->traced->tracees.listening++;
	}
	tracee->polled = false;
	if (tracee->wanted)
		return give_up(t, tracee, 0);
	if (tracee_listen(tracee))
		note_refusal(t, "PTRACE_LISTEN");
	/* No traced thread is left running, so the tracer may stop. */
	if (t->traced->tracees.listening == t->traced->tracees.threads.n)
		control_stop(t->control, stop->signal);
	return 0;
}

/* An exec has ended all threads but the one that called it. */
static void drop_others(struct tracer *t, const struct tracee *kept)
{
	/* backwards: the last one takes the place of one that is removed */
	for (size_t i = t->traced->tracees.threads.n; i-- > 0;) {
		struct tracee *o = t->traced->tracees.threads.v[i].thing;

		if (o->process != kept->process || o == kept)
			continue;
		if (!o->exiting)
			stop_timers_exit(t->timers, o);
		tracees_remove(&t->traced->tracees, o);
	}
}

static int announce_exec(struct tracer *t, struct tracee *tracee, uint64_t time)
{
	pid_t pid = tracee->process->pid;
	char name[16] = "";

	if (!t->traced->own_sideband)
		return 0;
	proc_comm(pid, name);
	if (task_table_comm(
		    &t->traced->sampler->tasks, pid, pid, name, true, time))
		return -1;
	tracee->process->maps = (struct traced_maps){0};
	return traced_fresh_maps(t->traced, tracee, time);
}

/* The target goes on as if it had never been traced. */
static void leave(struct tracer *t, struct tracee *tracee)
{
	if (tracee_release(tracee, 0)) {
		note_refusal(t, "PTRACE_DETACH");
		return;
	}
	tracees_remove(&t->traced->tracees, tracee);
	t->control->traced = false;
}

static int on_exec(
	struct tracer *t, struct tracee *tracee, const struct trace_stop *stop)
{
	struct tracee *caller;
	pid_t former;
	int bad = 0;

	/* This stop alone is reaped: until then the kernel refuses requests to
	   a thread with a new number. */
	waitpid(stop->tid, NULL, WNOHANG | __WALL);
	former = (pid_t)tracee_message(tracee);
	caller = tracees_find(&t->traced->tracees, former);

	if (former != stop->tid && caller) {
		/* it takes the leader's number; the leader has ended */
		if (!tracee->exiting)
			stop_timers_exit(t->timers, tracee);
		tracees_remove(&t->traced->tracees, tracee);
		tracees_rename(&t->traced->tracees, caller, stop->tid);
		tracee = caller;
	}
	drop_others(t, tracee);
	if (stop->tid == t->control->pid && !t->begun) {
		t->begun = true;
		if (t->at_exec)
			t->at_exec(t->arg);
		if (t->leave) {
			leave(t, tracee);
			return bad;
		}
	}
	if (t->begun && !t->unobserved)
		bad |= announce_exec(t, tracee, stop->time) ||
		       poller_start(t->poller, stop->time);
	tracee->seen = true;
	tracee->unmasked = tracee->process->excepted = false;
	tracee->counting = 0;
	tracee->in_call = false;
	tracee->polled = false;
	return resume(t, tracee, 0) || bad ? -1 : 0;
}

static int on_exiting(
	struct tracer *t, struct tracee *tracee, const struct trace_stop *stop)
{
	int64_t result;
	int bad = 0;

	if (t->begun && !t->unobserved && !tracee->exiting)
		/* killed in a call it does not stop at its end, though the call
		   has moved bytes */
		bad = (tracee->in_call && tracee_result(tracee->tid, &result) &&
			      stop_timers_leave(
				      t->timers, tracee, result, stop->time)) ||
		      announce_exit(t, tracee, stop->time);
	if (!tracee->exiting) {
		stop_timers_exit(t->timers, tracee);
		tracee->process->threads--;
	}
	tracee->exiting = true;
	go_on(t, tracee, 0);
	end_wait(t, tracee->wanted);
	return bad ? -1 : 0;
}

static int on_exited(
	struct tracer *t, struct tracee *tracee, const struct trace_stop *stop)
{
	int bad = 0;

	if (!tracee->exiting) {
		stop_timers_exit(t->timers, tracee);
		if (t->begun && !t->unobserved)
			bad = announce_exit(t, tracee, stop->time);
	}
	tracee->exiting = true;
	exceptions_set(&t->timers->exceptions, tracee, false);
	end_wait(t, tracee->wanted);
	tracees_remove(&t->traced->tracees, tracee);
	if (stop->tid == t->control->pid)
		control_reap(t->control);
	else
		waitpid(stop->tid, NULL, WNOHANG | __WALL);
	return bad ? -1 : 0;
}

static int (*const handlers[TRACE_EVENTS])(struct tracer *t,
	struct tracee *tracee, const struct trace_stop *stop) = {
	[TRACE_SYSCALL] = on_syscall,
	[TRACE_SIGNAL] = on_signal,
	[TRACE_GROUP_STOP] = on_group_stop,
	[TRACE_STOP] = on_stop,
	[TRACE_BIRTH] = on_birth,
	[TRACE_EXEC] = on_exec,
	[TRACE_EXITING] = on_exiting,
	[TRACE_EXITED] = on_exited,
};

/* 1: handled, 0: nothing was there, -1: failed. */
static int dispatch(struct tracer *t, struct trace_stop stop)
{
	struct tracee *tracee;

	if (stop.event == TRACE_NONE)
		return 0;
	tracee = tracees_find(&t->traced->tracees, stop.tid);
	if (!tracee && is_stranger(&stop)) {
		/* the target, if another than this one traces it */
		if (stop.event == TRACE_EXITED && stop.tid == t->control->pid)
			control_reap(t->control);
		else
			ignore(stop.tid);
		return 1;
	}
	if (!tracee)
		tracee = track_new(t, stop.tid);
	if (tracee)
		tracee->engaged = true;
	if (tracee && tracee->stepping &&
		stop_timers_stepped(t->timers, tracee, stop.time))
		return -1;
	if (!tracee || handlers[stop.event](t, tracee, &stop))
		return -1;
	return 1;
}

int tracer_serve(struct tracer *t)
{
	t->traced->busy = false;
	/* once the target is left, its parent reaps it */
	for (unsigned n = 0; n < BURST; n++) {
		int handled = t->control->traced && !is_refused(t)
				      ? dispatch(t, next_event())
				      : 0;

		t->traced->busy |= handled > 0;
		if (handled <= 0)
			return handled;
	}
	return 1;
}
