/*
 * percpu.h - kernel timers on per-CPU events: BPF programs that count.
 *
 * With CAP_BPF and CAP_PERFMON the events of a run are on the whole machine
 * (one per processor, for any number of threads).  BPF programs keep only the
 * events of the target, add up in each thread, and emit a sample with registers
 * and stack when an interval has passed.  Only the programs know the target's
 * threads: they follow fork and exit.  When the monitor ends, even suddenly,
 * the kernel closes everything.
 *
 * A counter is one resource of the run.  Calls in this order: open; add and
 * config for each; load; start, once the perf events are open; track_existing;
 * (read); collect off; read; close.  Without libbpf at build time percpu_can()
 * fails and the others must not be called.
 */
#ifndef CPPROF_PERCPU_H
#define CPPROF_PERCPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "monitor/resource/resource.h"
#include "monitor/perf/events.h"
#include "monitor/contract/family.h"
#include "monitor/timer/percpu/abi.h"

struct percpu;

/*
 * Whether this kernel takes programs from this user, and has not refused those
 * of the request before: 0, or -1 with the reason and the way out.  Asks the
 * kernel once and remembers.
 */
int percpu_can(const struct resource_request *request, struct err *err);

/* perf_event_attr.type of uprobes; -1: the kernel has none. */
int percpu_uprobe_type(void);

/*
 * From now on percpu_can() fails with that reason for all.  percpu_load() and
 * percpu_start() do so for what they were refused, if they know: the kernel may
 * take a minimal program and refuse others.
 */
void percpu_refuse_all(const struct err *why);

/*
 * A number for the programs that count a resource: what the kernel says of one,
 * it says of all that these count.
 */
#define PERCPU_PROGRAMS 11
size_t percpu_programs(const struct resource *r);

/* NULL with the reason in ERR. */
struct percpu *percpu_open(struct err *err);

/* What makes a counter count. */
enum percpu_source {
	PERCPU_BY_TRACEPOINT, /* a tracepoint, as config says */
	PERCPU_BY_EVENT,      /* each event of type and event */
	PERCPU_BY_CLOCK,      /* a processor's clock */
	PERCPU_BY_CALL,       /* each arrival at one of the calls' points */
	PERCPU_BY_REQUEST,    /* requests to allocators at the points; all such
				 counters have the same ones */
};

struct percpu_counter {
	enum percpu_source source;
	size_t programs; /* that count it */
	uint32_t type;   /* perf_event_attr.type and .config, PERCPU_BY_EVENT */
	uint64_t event;
	uint64_t also;             /* a second event that counts for it, or 0 */
	const struct calls *calls; /* PERCPU_BY_CALL, PERCPU_BY_REQUEST */
	uint64_t interval;  /* in the unit of the counter: ns for times */
	unsigned randomize; /* percent that intervals vary by */
	uint32_t stack;     /* bytes of stack with each sample */
	uint32_t tag;       /* of its samples in the stream */
};

/*
 * Adds a counter; returns its number, or -1 when there are PERCPU_COUNTERS.
 * The caller then sets the counter's bit in the masks of percpu_config().
 */
int percpu_add(struct percpu *percpu, const struct percpu_counter *counter);

struct percpu_config *percpu_config(struct percpu *percpu);

/* The same for counters PERCPU_BY_REQUEST: their bits, and the points. */
struct percpu_allocators *percpu_allocators(struct percpu *percpu);

/*
 * Loads the programs for the counters and attaches them to tracepoints and perf
 * events, where they wait for tracked threads.  An older kernel, its verifier,
 * a limit of memory or files or a security module may refuse.  All that can be
 * refused is tried here, where other timers can still take over.
 */
int percpu_load(struct percpu *percpu, struct err *err);

/* Connects the programs with EVENTS (open, not started). */
int percpu_start(
	struct percpu *percpu, struct perf_events *events, struct err *err);

/*
 * All threads of process PID, and all they make from now on, are the target's,
 * if it began by BEGUN (clock_now()).  ARMED: they count from the process's
 * next exec on.  Returns how many threads there were; -1 with errno.
 */
int percpu_track_existing(
	struct percpu *percpu, pid_t pid, uint64_t begun, bool armed);

/* Counts, or not (the threads are tracked all the same). */
void percpu_collect(struct percpu *percpu, bool on);

/*
 * When collecting is over: calls TAKE with the counter's tag, for each thread
 * that waits and each counter that counts waits.  -1 with errno, or as soon as
 * TAKE returns that.
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
 * The total of the counter with that tag so far, of ended and living threads.
 * -1 with errno.
 */
int percpu_read(
	struct percpu *percpu, uint32_t tag, struct percpu_count *count);

/* How many programs ended without a request, where requests are counted. */
uint64_t percpu_silent(const struct percpu *percpu);

/* NULL is ignored. */
void percpu_close(struct percpu *percpu);

/* The family: one struct percpu. */
extern const struct timer_family percpu_family;

/* The kinds of the family; impl: struct percpu. */
extern const struct timer_kind percpu_timer, uprobe_timer, report_timer;

/*
 * Loads the programs of N requests, and leaves nothing behind: then
 * percpu_can() knows of each whether the kernel takes them.
 */
void percpu_try(const struct resource_request *requests, size_t n);

#endif
