/* Accounts for each thread's time at each poll, and takes the samples due. */
#include "monitor/timer/stop/poller.h"

#include <stdlib.h>

#include "lib/clock.h"
#include "lib/sum.h"
#include "monitor/base/collection.h"
#include "monitor/space/address_space.h"

/* All polls together take at most one part in this many of the time. */
#define SPARING 10

/* A poll is delayed so often in a row at the most. */
#define DELAYS_MOST 8

static unsigned counts(const struct timer *timer)
{
	return timer->request->resource->counts;
}

/* The thread's times by the records of switches. */
static void times_by_records(const struct poller *p,
	const struct thread *thread, uint64_t time, struct thread_times *times)
{
	times->cpu = thread->on_ns;
	if (thread->on_since && time > thread->on_since)
		times->cpu += collection_collected(
			p->collection, thread->on_since, time);
	times->pushed = thread->pushed_ns;
	if (thread->pushed_since && time > thread->pushed_since)
		times->pushed += collection_collected(
			p->collection, thread->pushed_since, time);
	if (times->queue < times->pushed) /* it still is in line */
		times->queue = times->pushed;
}

/* The thread's times; unchanged where they are unknown. */
static struct thread_times times_of(
	const struct poller *p, const struct thread *thread, uint64_t time)
{
	struct thread_times times = {0};

	if (thread->poller)
		times = thread->poller->at;
	thread_times_read(thread->process->pid, thread->tid, &times);
	if (!p->traced)
		times_by_records(p, thread, time, &times);
	return times;
}

/*
 * Begins to account for a thread; one from before the start counts from now on.
 */
static int track_new(struct poller *p, struct thread *thread, uint64_t time)
{
	bool before = thread->time <= p->start;

	if (thread->poller)
		return 0;
	thread->poller = calloc(1, sizeof *thread->poller);
	if (!thread->poller)
		return task_table_starved(&p->sampler->tasks);
	thread->poller->time = before ? time : thread->time;
	if (before) {
		thread->poller->at = times_of(p, thread, time);
		p->before += thread->poller->at.cpu;
		thread_modes_read(thread->process->pid, thread->tid,
			&thread->poller->modes);
	}
	return 0;
}

/* The timer counts waits only; its perf clock, if it has one, counts the rest.
 */
static bool is_wait(const struct timer *t)
{
	return !(counts(t) & COUNTS_CPU) || t->kind->needs & TIMER_NEEDS_PERF;
}

/* The part of WALL, with ON of it on a processor, that the timer counts. */
static uint64_t share(const struct timer *t, uint64_t wall, uint64_t on)
{
	if (is_wait(t))
		return minus(wall, on);
	return counts(t) & COUNTS_WAITING ? wall : on;
}

/* Whether every system call is seen, at its entry and its exit. */
static bool traces_calls(const struct poller *p)
{
	return p->traced && p->traced->syscalls;
}

static struct tracee *tracee_of(
	const struct poller *p, const struct thread *thread)
{
	return p->traced ? tracees_find(&p->traced->tracees, thread->tid)
			 : NULL;
}

/* Where the time that passes for the thread now is accounted. */
static struct poller_pool *pool_of(
	const struct poller *p, const struct thread *thread)
{
	const struct tracee *tracee =
		traces_calls(p) ? tracee_of(p, thread) : NULL;

	return tracee && tracee->in_call ? &thread->poller->inside
					 : &thread->poller->outside;
}

/*
 * Accounts for the time up to TIME, when the thread had these times.  Between
 * two STOPS outside of a call a thread is off its processor because of the
 * tracer: that is no wait of the program's.
 */
static void advance(struct poller *p, const struct thread *of, uint64_t time,
	const struct thread_times *at, bool stops)
{
	struct polled_thread *thread = of->poller;
	struct poller_pool *pool = pool_of(p, of);
	uint64_t wall = minus(time, thread->time);
	uint64_t on = minus(at->cpu, thread->at.cpu);
	uint64_t queue = minus(at->queue, thread->at.queue);
	uint64_t pushed = minus(at->pushed, thread->at.pushed);

	if (!p->traced)
		wall = collection_collected(p->collection, thread->time, time);
	else if (p->off)
		wall = on = 0;
	queue = least(queue, minus(wall, on)); /* the rest comes later */
	pushed = least(pushed, queue);
	thread->time = time;
	thread->at.cpu = at->cpu;
	thread->at.turns = at->turns;
	thread->at.queue += queue;
	thread->at.pushed += pushed;
	for (size_t i = 0; i < p->n; i++) {
		uint64_t n = share(p->all[i], wall, on);
		uint64_t queued = is_wait(p->all[i]) ? pushed : 0;

		if (counts(p->all[i]) == COUNTS_WAITING) {
			n = stops ? 0 : n - queue; /* in line it could run */
			queued = 0;
		} else if (counts(p->all[i]) == COUNTS_IN_LINE) {
			n = queue;
		}
		p->total[p->all[i]->index] += n;
		pool->left[p->all[i]->index] += n - queued;
		pool->queued[p->all[i]->index] += queued;
	}
}

static void advance_now(
	struct poller *p, struct thread *thread, uint64_t time, bool stops)
{
	struct thread_times at = times_of(p, thread, time);

	advance(p, thread, time, &at, stops);
}

/* What a thread is found in decides for which timers it is a sample. */
enum thread_state { RUNNING_USER, RUNNING_KERNEL, IN_LINE, WAITING };

static bool concerns(
	const struct poller *p, const struct timer *t, enum thread_state found)
{
	if (p->traced && counts(t) == COUNTS_IN_LINE)
		return found == IN_LINE;
	if (is_wait(t))
		return true;
	return found < IN_LINE || counts(t) & COUNTS_WAITING;
}

/* The time that a sample of a thread in this state is taken from: of a wait
   samples of running threads have their own part. */
static uint64_t *due_of(const struct poller *p, const struct thread *thread,
	const struct timer *t, enum thread_state found)
{
	struct poller_pool *of = pool_of(p, thread);

	return is_wait(t) && found != WAITING ? &of->queued[t->index]
					      : &of->left[t->index];
}

/* The interval in force: the timer's own, or one around it. */
static uint64_t *step_of(const struct poller *p, const struct thread *thread,
	const struct timer *t)
{
	uint64_t *step = &pool_of(p, thread)->step[t->index];

	if (!*step)
		*step = timer_draw(t) * 1000;
	return step;
}

static bool is_due(const struct poller *p, const struct thread *thread,
	enum thread_state found)
{
	for (size_t i = 0; i < p->n; i++)
		if (concerns(p, p->all[i], found) &&
			*due_of(p, thread, p->all[i], found) >=
				*step_of(p, thread, p->all[i]))
			return true;
	return false;
}

/* `user` and `system` share CPU time: a sample counts for one of them. */
static bool in_mode(struct poller *p, const struct timer *t,
	enum thread_state found, uint64_t hits)
{
	struct tally *tally = &p->sampler->tally[t->index];

	if (found >= IN_LINE || is_wait(t))
		return true;
	if (found == RUNNING_USER)
		tally->user += hits;
	else
		tally->system += hits;
	return counts(t) &
	       (found == RUNNING_USER ? COUNTS_USER : COUNTS_SYSTEM);
}

/* What is due for a timer: hits, and their weight; both 0: nothing. */
static void settle(const struct poller *p, struct thread *thread,
	const struct timer *t, enum thread_state found, struct due *due)
{
	uint64_t hits;

	due->weight = 0;
	hits = timer_settle(t, due_of(p, thread, t, found),
		step_of(p, thread, t), &due->weight);
	due->hits = hits < UINT32_MAX ? (uint32_t)hits : UINT32_MAX;
}

/* Takes the samples that are due, all with this stack. */
static int take(struct poller *p, struct thread *thread,
	const struct taken_stack *stack, enum thread_state found, uint64_t time)
{
	for (size_t i = 0; i < p->n; i++) {
		struct timer *t = p->all[i];
		struct due due = {.timer = t, .thread = thread, .time = time};

		if (!concerns(p, t, found))
			continue;
		settle(p, thread, t, found, &due);
		if (due.hits && in_mode(p, t, found, due.hits) &&
			sampler_put(p->sampler, &due, stack))
			return -1;
	}
	return 0;
}

/*
 * Reads the process's mappings as they are now; for threads that wait, once in
 * each poll.
 */
static int catch_up(struct poller *p, const struct thread *thread,
	enum thread_state found, uint64_t time)
{
	struct tracee *tracee;

	if (!p->traced)
		return 0; /* the records have been read up to now */
	tracee = tracee_of(p, thread);
	if (!tracee ||
		(found == WAITING && tracee->process->maps.at >= p->polled))
		return 0;
	return traced_fresh_maps(p->traced, tracee, time);
}

/*
 * Whether it stands at the entry of a system call whose stop was not handled
 * yet: then the time since the last call did not pass there.
 */
static bool is_unheard(const struct poller *p, const struct thread *thread,
	const struct blocked *q)
{
	const struct tracee *tracee =
		traces_calls(p) ? tracee_of(p, thread) : NULL;

	return tracee && tracee->engaged && !tracee->in_call &&
	       !tracee->listening && q->where[0] != '-';
}

static int poll_waiting(
	struct poller *p, struct thread *thread, struct blocked *blocked)
{
	struct polled_thread *of = thread->poller;
	struct snapshot snapshot;
	uint64_t time = clock_now();
	struct thread_times at =
		p->traced ? blocked->times : times_of(p, thread, time);

	advance(p, thread, time, &at, false);
	if (!p->waits || !is_due(p, thread, WAITING) ||
		is_unheard(p, thread, blocked))
		return 0;
	if (catch_up(p, thread, WAITING, time))
		return -1;
	if (!blocked_snapshot(blocked, &p->stack, of->call, &snapshot))
		return 0; /* it moved: another time */
	if (sampler_unwind(p->sampler, thread, &snapshot, &of->waits))
		return -1;
	if (thread->process->place.runtime && !snapshot.interpreted &&
		!snapshot.still(&snapshot))
		return 0;
	of->turns = thread->stack.told.drawn ? 0 : blocked->times.turns;
	return take(p, thread, &of->waits, WAITING, time);
}

/* It has not run since it was last found to wait, and is not in line: it still
   waits there. */
static bool waits_still(const struct thread *thread, struct thread_times *times)
{
	const struct polled_thread *of = thread->poller;
	pid_t pid = thread->process->pid;

	return of->turns && blocked_is(pid, thread->tid) &&
	       thread_times_read(pid, thread->tid, times) &&
	       times->turns == of->turns;
}

static int poll_again(struct poller *p, struct thread *thread,
	const struct thread_times *times)
{
	uint64_t time = clock_now();
	struct thread_times at = p->traced ? *times : times_of(p, thread, time);

	advance(p, thread, time, &at, false);
	return take(p, thread, &thread->poller->waits, WAITING, time);
}

/*
 * Stops it for an instant, if its stack is wanted.  In a traced system call it
 * is left alone: the stop at the call's end will do.  What takes long is done
 * before the stop, and at it where a call that was seen has changed it since.
 */
static int poll_running(struct poller *p, const struct thread *thread)
{
	struct tracee *tracee = p->stops ? tracee_of(p, thread) : NULL;

	if (!tracee || tracee->polled || tracee->listening || tracee->exiting ||
		tracee->in_call)
		return 0;
	if (catch_up(p, thread, RUNNING_USER, clock_now()))
		return -1;
	thread_times_read(
		thread->process->pid, thread->tid, &thread->poller->polled);
	tracee->polled = true;
	p->interrupted = clock_now();
	tracee_interrupt(tracee);
	return 0;
}

static int poll_one(
	struct poller *p, struct thread *thread, uint64_t time, bool last)
{
	struct thread_times times;
	struct blocked blocked;

	if (!thread->id)
		return 0;
	if (track_new(p, thread, time))
		return -1;
	if (!last && minus(time, thread->poller->seen) < p->period / 2)
		return 0;
	thread->poller->seen = time;
	if (waits_still(thread, &times))
		return poll_again(p, thread, &times);
	thread->poller->turns = 0;
	switch (blocked_read(&blocked, thread->process->pid, thread->tid)) {
	case BLOCKED_WAITING:
		return poll_waiting(p, thread, &blocked);
	case BLOCKED_RUNNING:
		return last ? 0 : poll_running(p, thread);
	default:
		return 0;
	}
}

static int poll_all(struct poller *p, bool last)
{
	const struct id_map *threads = &p->sampler->tasks.threads;
	uint64_t time = p->polled = clock_now();

	for (size_t i = 0; i < threads->n; i++)
		if (poll_one(p, threads->v[i].thing, time, last))
			return -1;
	return 0;
}

/* Sets the time of the next poll: later if polls take long, and at random. */
static void plan(struct poller *p, uint64_t from, uint64_t to)
{
	uint64_t period = p->period;

	if (p->randomize)
		period = random_around(period, period * p->randomize / 100);
	if (period < (to - from) * SPARING)
		period = (to - from) * SPARING;
	p->next = to + period;
}

/*
 * Whether to delay the poll, because stops of the target have just been
 * handled: now threads would be found where they begin to run again, more often
 * than they are there.  The new time is random; after some delays it is polled
 * all the same.
 */
static bool delay(struct poller *p, uint64_t now)
{
	if (!traces_calls(p) || !p->traced->busy || p->delays == DELAYS_MOST) {
		p->delays = 0;
		return false;
	}
	p->delays++;
	p->next = now + random_below(p->period);
	return true;
}

int poller_poll(struct poller *p, bool last)
{
	uint64_t from = clock_now();

	if (!p->n || !p->start)
		return 0;
	if (!last && (from < p->next || delay(p, from)))
		return 0;
	/* handle the records of switches and mappings up to now */
	if (!p->traced && p->sync(p->arg))
		return -1;
	if (!p->off && poll_all(p, last))
		return -1;
	plan(p, from, clock_now());
	return 0;
}

int poller_start(struct poller *p, uint64_t time)
{
	const struct id_map *threads = &p->sampler->tasks.threads;

	if (!p->n || p->start)
		return 0;
	p->start = time;
	for (size_t i = 0; i < threads->n; i++)
		if (track_new(p, threads->v[i].thing, time))
			return -1;
	p->next = time + p->period;
	return 0;
}

int poller_collect(struct poller *p, bool on)
{
	const struct id_map *threads = &p->sampler->tasks.threads;
	uint64_t time = clock_now();

	if (!p->n || !p->start)
		p->off = !on;
	if (p->off == !on)
		return 0;
	for (size_t i = 0; i < threads->n; i++) {
		if (track_new(p, threads->v[i].thing, time))
			return -1;
		advance_now(p, threads->v[i].thing, time, false);
	}
	p->off = !on;
	return 0;
}

/*
 * The mode in which the thread has run for ON ns since this was last asked.  A
 * stop does not tell: it happens on the way back to user mode, from a fault or
 * an interrupt alike.  The kernel's own estimate does, a little late.
 */
static enum thread_state mode_of(const struct poller *p, struct thread *thread,
	enum poller_stop stop, uint64_t on)
{
	struct polled_thread *of = thread->poller;
	struct thread_modes modes = of->modes;
	bool system = stop == POLLER_EXIT;

	if (!p->modes)
		return RUNNING_USER;
	thread_modes_read(thread->process->pid, thread->tid, &modes);
	of->user += (int64_t)(modes.user - of->modes.user);
	of->system += (int64_t)(modes.system - of->modes.system);
	of->modes = modes;
	if (!system) {
		on += of->unjudged;
		of->unjudged = 0;
		system = of->system > of->user;
		if (of->user == of->system && stop == POLLER_POLL)
			system = of->call;
	}
	*(system ? &of->system : &of->user) -= (int64_t)on;
	return system ? RUNNING_KERNEL : RUNNING_USER;
}

int poller_stopped(struct poller *p, struct tracee *tracee,
	enum poller_stop stop, uint64_t time)
{
	struct thread *thread;
	struct snapshot snapshot;
	struct taken_stack stack;
	enum thread_state found = IN_LINE;
	struct polled_thread *of;
	bool mapped /* the code that it is in is known */, line, over;
	pid_t pid = tracee->process->pid, tid = tracee->tid;
	uint64_t on, nr, arg2;

	if (!p->n || !p->start || !p->traced)
		return 0;
	if (stop == POLLER_POLL)
		p->interrupted = 0;
	thread = task_table_thread(&p->sampler->tasks, pid, tid, time);
	if (!thread || track_new(p, thread, time))
		return -1;
	of = thread->poller;
	of->stops++;
	if (stop == POLLER_POLL)
		of->call = tracee_in_call(tid, &nr, &arg2)
				   ? syscall_place(nr, arg2)
				   : 0;
	on = of->at.cpu;
	advance_now(p, thread, time, traces_calls(p) && !tracee->in_call);
	line = stop == POLLER_POLL && of->polled.turns != of->at.turns &&
	       thread_was_in_line(pid, tid, &of->polled, p->polled, time);
	/* it only goes on if it has not run since its last stop, or if a wait
	   in a call was over */
	over = line && (of->polled.cpu == on ||
			       (of->call && thread_has_slept(pid, tid,
						    &of->sleeps, &of->stops)));
	on = minus(of->at.cpu, on);
	if (stop == POLLER_ENTRY || over)
		of->unjudged += on;
	else
		found = mode_of(p, thread, stop, on);
	if (stop == POLLER_ENTRY)
		return 0;
	if (stop != POLLER_EXIT)
		of->seen = time;
	if (!is_due(p, thread, found) &&
		!(line && is_due(p, thread, IN_LINE)) &&
		!(stop == POLLER_EXIT && is_due(p, thread, WAITING)))
		return 0;
	tracee_snapshot(tracee, &p->stack, &snapshot);
	mapped = snapshot.has_regs && address_space_find(thread->process->space,
					      snapshot.regs[REG_IP_]);
	if ((stop != POLLER_POLL || p->traced->syscalls || !mapped) &&
		catch_up(p, thread, found, time))
		return -1;
	snapshot.call = stop == POLLER_EXIT ? tracee_place(tracee) : 0;
	if (sampler_unwind(p->sampler, thread, &snapshot, &stack) ||
		take(p, thread, &stack, found, time) ||
		(line && take(p, thread, &stack, IN_LINE, time)))
		return -1;
	/* it still has the stack that it waited with in the call */
	return stop == POLLER_EXIT ? take(p, thread, &stack, WAITING, time) : 0;
}

void poller_ran(struct poller *p, struct due *due)
{
	struct polled_thread *of = due->thread->poller;
	struct due line = {0};

	if (!p->start || !of)
		return;
	if (due->time > of->time) {
		struct thread_times at = of->at;

		times_by_records(p, due->thread, due->time, &at);
		advance(p, due->thread, due->time, &at, false);
	}
	settle(p, due->thread, due->timer, RUNNING_USER, &line);
	due->hits += line.hits;
	due->weight += line.weight;
}

int64_t poller_left(const struct timer *timer, const struct thread *thread)
{
	const struct polled_thread *of = thread->poller;
	size_t i = timer->index;

	if (!of)
		return 0;
	return (int64_t)((of->outside.left[i] + of->outside.queued[i] +
				 of->inside.left[i] + of->inside.queued[i]) /
			 1000);
}

void poller_ended(struct poller *p, struct thread *thread, uint64_t time)
{
	if (!p->n || !p->start || !thread->id || track_new(p, thread, time))
		return;
	if (time > thread->poller->time)
		advance_now(p, thread, time, false);
}
