/*
 * percpu.h - the per-CPU timers of kernel timers: BPF programs that count.
 *
 * With CAP_BPF and CAP_PERFMON the events of a run are on the whole machine
 * (one per processor, no matter how many threads), and BPF programs keep only
 * what is the target's, add up in each thread, and emit a sample with
 * registers and stack when an interval has passed.  The target's threads are
 * known to the programs alone: they follow fork and exit.  Nothing outlives
 * the monitor: its end, however sudden, closes all.
 *
 * A counter is one resource of the run.  Calls in this order: open; counter and
 * config for each; load; start, once the perf events are open; adopt; (read);
 * stop; read; close.  Without libbpf at build time percpu_can() says so and the
 * others are not to be called.
 */
#ifndef CPPROF_PERCPU_H
#define CPPROF_PERCPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "monitor/resource/resource.h"
#include "monitor/perf/events.h"
#include "monitor/timer/family.h"
#include "monitor/timer/percpu/abi.h"

struct percpu;

/*
 * Whether this kernel takes programs from this user, and those of the request
 * have not been refused before: 0, or -1 with the reason and what would have to
 * change.  Asks the kernel once and remembers.
 */
int percpu_can(const struct resource_request *request, struct err *err);

/* perf_event_attr.type of uprobes; -1: the kernel has none. */
int percpu_uprobe_type(void);

/*
 * Makes percpu_can() fail from now on for what counts as REQUEST does, or for
 * all where that is NULL, for the reason that percpu_load() gave: the least
 * program may be taken where these are not.
 */
void percpu_refuse(
	const struct resource_request *request, const struct err *why);

/* NULL with the reason in ERR. */
struct percpu *percpu_open(struct err *err);

/* What the programs do with a counter that is not by system calls or switches.
 */
enum percpu_source {
	PERCPU_BY_TRACEPOINT, /* config says all */
	PERCPU_BY_EVENT,      /* each event of type and event counts */
	PERCPU_BY_CLOCK,      /* a processor's clock samples */
	PERCPU_BY_CALL,    /* each arrival at one of the calls' points counts */
	PERCPU_BY_REQUEST, /* what is asked for at the points; in all such
			    counters they are the same */
};

struct percpu_counter {
	enum percpu_source source;
	uint32_t type; /* perf_event_attr.type and .config, PERCPU_BY_EVENT */
	uint64_t event;
	uint64_t also;             /* a second event that counts for it, or 0 */
	const struct calls *calls; /* PERCPU_BY_CALL, PERCPU_BY_REQUEST */
	uint64_t interval;  /* in the unit of the counter: ns for times */
	unsigned randomize; /* percent that intervals vary by */
	uint32_t stack;     /* bytes of stack with each sample */
	uint32_t tag;       /* of its samples in the stream */
};

/*
 * Takes a counter; its number, or -1 when PERCPU_COUNTERS are taken.  The
 * caller then sets the counter's bit in the masks of percpu_config().
 */
int percpu_add(struct percpu *percpu, const struct percpu_counter *counter);

struct percpu_config *percpu_config(struct percpu *percpu);

/* The same for counters PERCPU_BY_REQUEST: their bits, and the points. */
struct percpu_allocators *percpu_allocators(struct percpu *percpu);

/*
 * Loads the programs for the counters, puts them on tracepoints and perf events
 * and lets them wait for adopted threads.  An older kernel, its verifier, a
 * limit of memory or files or a security module may refuse: all that can be
 * refused for such a reason is asked for here, where others can still take
 * over.
 */
int percpu_load(struct percpu *percpu, struct err *err);

/* Connects the programs with EVENTS (open, not started). */
int percpu_start(
	struct percpu *percpu, struct perf_events *events, struct err *err);

/*
 * All threads of process PID, and all they make from now on, are the target's.
 * ARMED: they count from the process's next exec on.  Returns how many threads
 * there were; -1 with errno.
 */
int percpu_track_existing(struct percpu *percpu, pid_t pid, bool armed);

/* Counts, or does not (the threads are followed all the same). */
void percpu_collect(struct percpu *percpu, bool on);

/*
 * When collecting is over, for each thread that waits and each counter that
 * counts waits: calls TAKE with the counter's tag.  -1 with errno, or as soon
 * as TAKE returns that.
 */
int percpu_end_waits(struct percpu *percpu,
	int (*take)(void *arg, uint32_t tag, const struct percpu_waiting *said),
	void *arg);

struct percpu_count {
	uint64_t count;  /* consumed in all; clocks: ns on processors */
	uint64_t weight; /* of all samples, lost ones included */
	uint64_t lost, lost_weight;
};

/*
 * What the counter with that tag has come to so far: of threads that ended and
 * that live.  -1 with errno.
 */
int percpu_read(
	struct percpu *percpu, uint32_t tag, struct percpu_count *count);

/* Programs that have ended and made no request, where requests are counted. */
uint64_t percpu_silent(const struct percpu *percpu);

/* NULL is ignored. */
void percpu_close(struct percpu *percpu);

/* What such timers have in common: one struct percpu. */
extern const struct timer_family percpu_family;

/* The kinds of the family; impl: struct percpu. */
extern const struct timer_kind percpu_timer, uprobe_timer;

/* `attempt` of both. */
int percpu_try(const struct resource_request *request, struct err *why);

/*
 * Loads the programs of all resources at once.  Where that goes percpu_try()
 * need not load them one by one, which takes ten times as long.
 */
void percpu_try_all(void);

#endif
