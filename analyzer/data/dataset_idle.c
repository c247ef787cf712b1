/*
 * dataset_idle.c - which waits are those of who has nothing to do.
 *
 * A wait for any of several events, for the end of a child or thread, for a
 * signal or a client is one, whoever waits.  A condition or a semaphore is what
 * somebody else brings about, as work for a pool: a thread has nothing to do,
 * but what main waits for holds up the run.  And who sleeps of his own will, or
 * wants a lock that is made of these, has something to do; so has an event loop
 * where its wait is a coroutine's (run --asyncio), or in what it calls.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset.h"

enum {
	EVENT = 1,
	CONDITION = 2,
	MAIN = 4,
	BUSY = 8,
	LOCK = 16, /* Python's, which is made of a semaphore, */
	WORK = 32, /* and of which its conditions are made */
	LOOP = 64, /* asyncio's event loop, which itself waits in */
	SELECT = 128,
	OF_LOOP = 256,  /* ... if it calls that */
	EVAL = 512,     /* Python's loop, and such of its functions without a */
	NAMELESS = 1024 /* name as the loop itself calls */
};

static const struct {
	const char *name;
	uint16_t what;
} waits[] = {{"[wait4]", EVENT}, {"[waitid]", EVENT}, {"wait4", EVENT},
	{"waitid", EVENT}, {"waitpid", EVENT}, {"pthread_join", EVENT},
	{"__pthread_clockjoin_ex", EVENT}, {"Thread.join", EVENT},
	{"[rt_sigsuspend]", EVENT}, {"sigsuspend", EVENT}, {"[pause]", EVENT},
	{"pause", EVENT}, {"[rt_sigtimedwait]", EVENT}, {"sigwait", EVENT},
	{"sigwaitinfo", EVENT}, {"[accept]", EVENT}, {"accept", EVENT},
	{"[accept4]", EVENT}, {"accept4", EVENT}, {"[epoll_wait]", EVENT},
	{"epoll_wait", EVENT}, {"[epoll_pwait]", EVENT}, {"epoll_pwait", EVENT},
	{"[epoll_pwait2]", EVENT}, {"epoll_pwait2", EVENT}, {"[select]", EVENT},
	{"[pselect6]", EVENT}, {"select", EVENT}, {"__select", EVENT},
	{"pselect", EVENT}, {"pthread_cond_wait", CONDITION},
	{"pthread_cond_timedwait", CONDITION},
	{"pthread_cond_clockwait", CONDITION},
	{"___pthread_cond_wait", CONDITION},
	{"___pthread_cond_timedwait64", CONDITION},
	{"___pthread_cond_clockwait64", CONDITION},
	{"__pthread_cond_wait", CONDITION},
	{"__pthread_cond_wait_common", CONDITION},
	{"__pthread_cond_timedwait", CONDITION}, {"sem_wait", CONDITION},
	{"sem_timedwait", CONDITION}, {"sem_clockwait", CONDITION},
	{"__new_sem_wait", CONDITION}, {"__new_sem_wait_slow64", CONDITION},
	{"Condition.wait", CONDITION | WORK}, {"BaseEventLoop._run_once", LOOP},
	{"EpollSelector.select", SELECT}, {"SelectSelector.select", SELECT},
	{"_PollLikeSelector.select", SELECT},
	{"_queue_SimpleQueue_get", CONDITION | WORK},
	{"_queue_SimpleQueue_get_impl", CONDITION | WORK},
	{"runtime.stopm", CONDITION}, {"runtime.sysmon", CONDITION},
	{"runtime.netpoll", CONDITION}, {"runtime.templateThread", CONDITION},
	{"<std::thread::thread::Thread>::park", CONDITION},
	{"<std::sync::mpmc::context::Context>::wait_until", CONDITION},
	{"std::sync::mpmc::context::Context::wait_until", CONDITION},
	{"lock_PyThread_acquire_lock", LOCK}, {"rlock_acquire", LOCK},
	{"PyThread_acquire_lock_timed", LOCK}, {"_PyMutex_LockTimed", LOCK},
	{"java.util.concurrent.locks.ReentrantLock.lock", BUSY},
	{"java.util.concurrent.locks.ReentrantLock$Sync.lock", BUSY},
	{"java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire", BUSY},
	{"take_gil", BUSY}, /* Python's lock, and who takes it */
	{"PyEval_RestoreThread", BUSY}, {"PyEval_AcquireThread", BUSY},
	{"PyGILState_Ensure", BUSY}, {"_PyEval_EvalFrameDefault", EVAL},
	{"ObjectMonitor::enter", BUSY},           /* Java's */
	{"JVM_Sleep", BUSY}, {"ProcSleep", BUSY}, /* PostgreSQL's, by events */
	{"pg_sleep", BUSY}};

static bool is_idle(uint16_t at)
{
	bool lock = at & BUSY || (at & (LOCK | WORK)) == LOCK;

	return at & EVENT ? !(at & BUSY)
			  : (at & (CONDITION | MAIN)) == CONDITION && !lock;
}

static bool is_of_loop(uint16_t at)
{
	return at & OF_LOOP;
}

static uint16_t what_is(const struct function *f)
{
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
		if (!strcmp(f->name, waits[i].name) ||
			!strcmp(f->short_name, waits[i].name))
			return waits[i].what;
	if (f->interpreter && (f->source == CPD_NAME_NONE ||
				      !strcmp(f->name, "[unknown]"))) /* perf */
		return NAMELESS;
	if (!strncmp(f->module, "_queue.cpython-", 15)) /* SimpleQueue's */
		return CONDITION | WORK;
	return f->is_main ? MAIN : 0;
}

bool dataset_tells_wait(const struct function *f)
{
	return what_is(f) & (BUSY | LOCK);
}

/* What a frame that is WHAT makes of the frames OUTSIDE of it. */
static uint16_t called_by(uint16_t outside, uint16_t what)
{
	if (outside & LOOP)
		outside |= what & SELECT ? OF_LOOP : BUSY;
	if (outside & EVAL && what & CONDITION) /* for its lock */
		outside |= BUSY;
	if (what != NAMELESS)
		outside &= (uint16_t)~EVAL;
	return (uint16_t)(outside & ~LOOP) | what;
}

/* The same of all frames at TO, OF by function; what left by a tail call waits
   in those that it went on to. */
static uint16_t called_at(const struct dataset *data, const struct location *to,
	const uint16_t *of, uint16_t outside)
{
	uint32_t lost = 0;

	while (dataset_lost(data, to, lost))
		lost++;
	while (lost--)
		outside = called_by(outside, of[dataset_lost(data, to, lost)]);
	for (uint32_t k = to->nframes; k--;)
		outside = called_by(outside, of[to->frames[k].function]);
	return outside;
}

/* By node, whether what it and its callers are IS; NULL: no memory. */
static bool *mark(const struct dataset *data, bool (*is)(uint16_t at))
{
	uint16_t *of = calloc((size_t)data->nfunctions + 1, sizeof *of);
	uint16_t *at = calloc((size_t)data->nnodes + 1, sizeof *at);
	bool *marks = calloc((size_t)data->nnodes + 1, sizeof *marks);

	for (uint32_t f = FN_FIRST_REAL; of && f <= data->nfunctions; f++)
		of[f] = what_is(&data->functions[data->functions[f].base]);
	for (uint32_t i = 1; of && at && marks && i <= data->nnodes; i++) {
		const struct location *to = dataset_location(data, i);

		at[i] = called_at(data, to, of, at[data->nodes[i].parent]);
		marks[i] = is(at[i]);
	}
	if (!of || !at) {
		free(marks);
		marks = NULL;
	}
	free(of);
	free(at);
	return marks;
}

/* The part of RESOURCE that is in the nodes with MARKS. */
static double share_of(
	const struct dataset *data, uint32_t resource, const bool *marks)
{
	uint64_t sum = 0, all = data->books[resource].weight;

	for (int k = 0; k < CPD_LOSS_KINDS; k++)
		all += data->books[resource].loss[k];
	for (size_t i = 0; i < data->naggregates; i++) {
		const struct aggregate *a = &data->aggregates[i];

		if (a->resource == resource &&
			marks[a->leaf ? a->leaf : a->node])
			sum += a->weight;
	}
	return all ? (double)sum / (double)all : 0;
}

bool *dataset_idle(const struct dataset *data, double *share)
{
	uint32_t blocked = dataset_named(data, "blocked");
	bool *idle = mark(data, is_idle);

	*share = idle ? share_of(data, blocked, idle) : 0;
	return idle;
}

int dataset_in_loops(
	const struct dataset *data, uint32_t resource, double *share)
{
	bool *loops = mark(data, is_of_loop);

	if (loops)
		*share = share_of(data, resource, loops);
	free(loops);
	return loops ? 0 : -1;
}
