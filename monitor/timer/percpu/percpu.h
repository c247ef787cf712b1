/*
 * percpu.h - the wide arrangement of kernel timers: BPF programs that count.
 *
 * With CAP_BPF and CAP_PERFMON the events of a run are on the whole machine
 * (one per processor, no matter how many threads), and BPF programs keep only
 * what is the target's, add up in each thread, and emit a sample with
 * registers and stack when an interval has passed.  The target's threads are
 * known to the programs alone: they follow fork and exit.  Nothing outlives
 * the monitor: its end, however sudden, closes all.
 *
 * A slot is one resource of the run.  Calls in this order: open; slot and
 * config for each; load; start, once the perf events are open; adopt; (read);
 * stop; read; close.  Without libbpf at build time wide_can() says so and the
 * others are not to be called.
 */
#ifndef CPPROF_WIDE_H
#define CPPROF_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "monitor/resource/resource.h"
#include "monitor/perf/events.h"
#include "monitor/timer/percpu/abi.h"

struct wide;

/*
 * Whether this kernel takes programs from this user, and those of the request
 * have not been refused before: 0, or -1 with the reason and what would have to
 * change.  Asks the kernel once and remembers.
 */
int wide_can(const struct resource_request *request, struct err *err);

/* perf_event_attr.type of uprobes; -1: the kernel has none. */
int wide_uprobe_type(void);

/*
 * Makes wide_can() fail from now on for what counts as REQUEST does, or for all
 * where that is NULL, for the reason that wide_load() gave: the least program
 * may be taken where these are not.
 */
void wide_refuse(const struct resource_request *request, const struct err *why);

/* NULL with the reason in ERR. */
struct wide *wide_open(struct err *err);

/* What the programs do with a slot that is not by system calls or switches. */
enum wide_source {
	WIDE_BY_TRACEPOINT, /* config says all */
	WIDE_BY_EVENT,      /* each event of type and event counts */
	WIDE_BY_CLOCK,      /* a processor's clock samples */
	WIDE_BY_CALL,    /* each arrival at one of the calls' points counts */
	WIDE_BY_REQUEST, /* what is asked for at the points; in all such
			    slots they are the same */
};

struct wide_slot {
	enum wide_source source;
	uint32_t type; /* perf_event_attr.type and .config, WIDE_BY_EVENT */
	uint64_t event;
	uint64_t also;             /* a second event that counts for it, or 0 */
	const struct calls *calls; /* WIDE_BY_CALL, WIDE_BY_REQUEST */
	uint64_t interval;  /* in the unit of the counter: ns for times */
	unsigned randomize; /* percent that intervals vary by */
	uint32_t stack;     /* bytes of stack with each sample */
	uint32_t tag;       /* of its samples in the stream */
};

/*
 * Takes a slot; its number, or -1 when WIDE_SLOTS are taken.  The caller then
 * sets the slot's bit in the masks of wide_config().
 */
int wide_add(struct wide *wide, const struct wide_slot *slot);

struct wide_config *wide_config(struct wide *wide);

/* The same for slots WIDE_BY_REQUEST: their bits, and the points. */
struct wide_allocators *wide_allocators(struct wide *wide);

/*
 * Loads the programs for the slots, puts them on tracepoints and perf events and
 * lets them wait for adopted threads.  An older kernel, its verifier, a limit of
 * memory or files or a security module may refuse: all that can be refused for
 * such a reason is asked for here, where others can still take over.
 */
int wide_load(struct wide *wide, struct err *err);

/* Connects the programs with EVENTS (open, not started). */
int wide_start(struct wide *wide, struct perf_events *events, struct err *err);

/*
 * All threads of process PID, and all they make from now on, are the target's.
 * ARMED: they count from the process's next exec on.  Returns how many threads
 * there were; -1 with errno.
 */
int wide_adopt(struct wide *wide, pid_t pid, bool armed);

/* Counts, or does not (the threads are followed all the same). */
void wide_collect(struct wide *wide, bool on);

/*
 * When collecting is over, for each thread that waits and each slot that counts
 * waits: calls TAKE with the slot's tag.  -1 with errno, or as soon as TAKE
 * returns that.
 */
int wide_end_waits(struct wide *wide,
	int (*take)(void *arg, uint32_t tag, const struct wide_waiting *said),
	void *arg);

struct wide_count {
	uint64_t count;  /* consumed in all; clocks: ns on processors */
	uint64_t weight; /* of all samples, lost ones included */
	uint64_t lost, lost_weight;
};

/*
 * What the slot with that tag has come to so far: of threads that ended and
 * that live.  -1 with errno.
 */
int wide_read(struct wide *wide, uint32_t tag, struct wide_count *count);

/* Threads that could not be followed, for want of memory. */
uint64_t wide_missed(const struct wide *wide);

/* Programs that have ended and made no request, where requests are counted. */
uint64_t wide_silent(const struct wide *wide);

/* NULL is ignored. */
void wide_close(struct wide *wide);

#endif
