/*
 * timer.h - the generalized interval timer.
 *
 * A timer belongs to one resource of a run and counts it for the target and all
 * its descendants.  Each time a whole interval has passed in a thread, a sample
 * is due: a kernel timer leaves it in a ring, a stop timer takes it in the
 * stopped thread; both end in sampler_take().  The timer's total can be read at
 * any time, and is exact when the target has ended.
 *
 * A kind of timer is one row of functions; the rest of the monitor does not
 * know which kind it has.
 */
#ifndef CPPROF_CONTRACT_TIMER
#define CPPROF_CONTRACT_TIMER

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "lib/sys/random.h"
#include "monitor/perf/events.h"
#include "monitor/resource/resource.h"
#include "monitor/contract/family.h"

struct calls; /* monitor/probe/probe.h */
struct due;   /* monitor/sample/sampler.h */
struct thread;

struct timer_count {
	uint64_t gticks;      /* consumed, by the kernel's counter */
	uint64_t lost;        /* samples there was no room for */
	uint64_t lost_gticks; /* they stood for; 0: an interval each */
};

#define TIMER_PROGRAMS 13 /* that count for a family, refused one by one */

/*
 * What was found out about the machine while a run's timers are chosen: zeros
 * at first.
 */
struct timer_machine {
	bool asked;  /* whether the kernel takes any program of the family: */
	int refusal; /* errno; 0: it does */
	struct err refused[TIMER_PROGRAMS]; /* why not these; no reason: it
					       does */
	size_t breakpoints; /* that the timers chosen so far take */
};

/* From now on can() of all kinds of the family fails for that reason. */
void timer_refuse_all(struct timer_machine *machine, const struct err *why);

struct timer {
	const struct timer_kind *kind;
	const struct resource_request *request;
	uint32_t index;     /* among the run's timers */
	uint32_t resource;  /* id in the file */
	unsigned randomize; /* percent that the interval varies by */
	/* whose clock it goes by: it is not armed, and that one's samples count
	   for it too where they are of its mode; NULL: it has its own */
	const struct timer *clock;
	struct calls *calls; /* COUNTS_CALLS, COUNTS_HEAP, COUNTS_ARCS: which;
				else NULL */
	/* COUNTS_ENDS: whose samples' blocks it counts the ends of */
	const struct timer *ends;
	void *impl; /* of the kind */
};

/* The next interval: the timer's own, or one around it. */
static inline uint64_t timer_draw(const struct timer *timer)
{
	uint64_t mean = timer->request->interval, drawn = mean;

	if (timer->randomize)
		drawn = random_around(mean, mean * timer->randomize / 100);
	return drawn ? drawn : 1;
}

/*
 * Takes the whole intervals off *LEFT, in the units of resource_scale(): the
 * one in force, *STEP, then mean ones, and where they vary the last of them as
 * they are drawn; draws the next one.  How many; *WEIGHT: with what they stand
 * for added, gticks.
 */
uint64_t timer_settle(const struct timer *timer, uint64_t *left, uint64_t *step,
	uint64_t *weight);

/* What a kind needs of the monitor before its timers can be armed. */
enum {
	TIMER_NEEDS_PERF = 1 << 0,     /* the rings, struct perf_events */
	TIMER_NEEDS_SWITCHES = 1 << 1, /* switch records in them */
	TIMER_NEEDS_TRACE = 1 << 2,    /* the target under ptrace */
	TIMER_NEEDS_EXEC = 1 << 3, /* something is done at the target's exec */
	TIMER_NEEDS_POLLER = 1 << 4, /* its threads are polled */
};

struct timer_kind {
	const char *name; /* "kernel, per-task"; for people alone */
	/* what an event takes the program that is in no sample; by make bench
	   and the manual's figures; NULL: no timer of this build */
	const char *costs;
	const char *loses; /* what the per-CPU timers have before it; or NULL */
	unsigned families; /* bits of enum timer_choice: the choices that it
			      belongs to */
	/* what its timers share (family.h); NULL: nothing */
	const struct timer_family *family;
	unsigned needs;
	bool randomizes;   /* intervals can vary */
	bool shares_clock; /* one can be the clock of others */
	bool traps;        /* it sets traps in the target's code */
	bool ends_at_exec; /* in a process that runs another program */
	/* What the target may notice of it; NULL: nothing. */
	const char *(*warns)(const struct resource_request *request);
	/* Whether timers of this kind can count the request at all. */
	bool (*counts)(const struct resource_request *request);
	/*
	 * Whether they can on this machine, for this user: 0, or -1 with the
	 * reason and the way out.  Cheap, leaves nothing behind; asked only
	 * where counts() is true.
	 */
	int (*can)(const struct resource_request *request,
		struct timer_machine *machine, struct err *why);
	/* Makes the timer count from the target's exec on. */
	int (*arm)(struct timer *timer, struct err *err);
	/* TIMER_NEEDS_EXEC: the target PID has done its exec; counts from now
	   on unless COLLECT is false. */
	int (*place)(
		struct timer *timer, pid_t pid, bool collect, struct err *err);
	/* A sample of its perf event is due: changes what it stands for.  NULL:
	   an interval, as it is. */
	void (*weigh)(struct due *due);
	/* What THREAD consumed and no sample has, gticks; negative: samples
	   have more.  NULL: the kind does not know. */
	int64_t (*left)(const struct timer *timer, const struct thread *thread);
	/* Fills COUNT, zeros, with its count so far; -1 with the reason in
	   ERR. */
	int (*read)(const struct timer *timer, struct timer_count *count,
		struct err *err);
};

/* The count of the timer, or of the one whose clock it shares; as `read`. */
int timer_read(
	const struct timer *timer, struct timer_count *count, struct err *err);

/* Whether the timer's intervals can vary: 0, or -1 with the error. */
int timer_can_vary(const struct timer *timer, struct err *err);

/* The bytes of stack that a kernel timer copies with each sample. */
uint32_t perf_sample_stack(const struct resource_request *request);

/* The samples of a timer whose perf event counts SCALE to a gtick. */
struct perf_sampling timer_sampling(const struct timer *timer, uint32_t scale);

/*
 * For ring sizes: the most bytes a second that samples of this request can
 * take, per processor.
 */
uint64_t perf_sample_rate(const struct resource_request *request);

#endif
