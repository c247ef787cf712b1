/*
 * resource.h - the resources that can be profiled, one row each.
 *
 * The table drives the monitor, `--resource`, help, completion and the manual's
 * list.  A row says what a resource is and how each family of timers can count
 * it; the timers say what this machine and user can have (timer.h, choose.h).
 */
#ifndef CPPROF_RESOURCE_H
#define CPPROF_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/text.h"
#include "monitor/base/limits.h"
#include "monitor/perf/source.h"
#include "monitor/resource/syscalls.h"

/*
 * What happens to a thread that a resource counts; a row can have several. Each
 * kind of timer knows which of them it can count.
 */
enum {
	COUNTS_USER = 1 << 0,    /* time: in the program's own code, */
	COUNTS_SYSTEM = 1 << 1,  /* in the kernel on its behalf, */
	COUNTS_IN_LINE = 1 << 2, /* in line for a processor, */
	COUNTS_WAITING = 1 << 3, /* waiting for an event */
	COUNTS_CPU = COUNTS_USER | COUNTS_SYSTEM,
	COUNTS_TIME = COUNTS_CPU | COUNTS_IN_LINE | COUNTS_WAITING,
	COUNTS_SYSCALLS = 1 << 4, /* entries of those in request->syscalls */
	COUNTS_READS = 1 << 5,    /* bytes that system calls move in, */
	COUNTS_WRITES = 1 << 6,   /* out; with both, a call's bytes once */
	COUNTS_IOTIME = 1 << 7, /* time in the calls that move bytes, or sync */
	COUNTS_SWITCHES = 1 << 8,     /* those of request->switches */
	COUNTS_SIGNALS = 1 << 9,      /* those of request->signals */
	COUNTS_CALLS = 1 << 10,       /* arrivals at resource_function() */
	COUNTS_ALLOCATED = 1 << 11,   /* bytes requested from allocators */
	COUNTS_ALLOCATIONS = 1 << 12, /* how often */
	COUNTS_MAPPED = 1 << 13,      /* bytes that system calls map */
	COUNTS_RECORDS = 1 << 14,     /* events of the kernel's tracepoint */
	COUNTS_AMOUNT = 1 << 15,      /* ... or a number in each of those */
	COUNTS_EXCEPTIONS = 1 << 16,  /* those of request->exceptions */
	COUNTS_FREED = 1 << 17,       /* the bytes of blocks that are freed, */
	COUNTS_FREES = 1 << 18,       /* how many are */
	COUNTS_ARCS = 1 << 19, /* calls of many functions, by who calls */
	COUNTS_INSTRUMENTED = 1
			      << 20, /* calls of functions that tell of them */
	COUNTS_REQUESTS = COUNTS_ALLOCATED | COUNTS_ALLOCATIONS,
	COUNTS_ENDS = COUNTS_FREED | COUNTS_FREES,
	COUNTS_HEAP = COUNTS_REQUESTS | COUNTS_ENDS,
};

/* What may follow the name and "=". */
enum resource_argument {
	ARGUMENT_NONE,
	ARGUMENT_SYSCALLS,   /* "openat+read" */
	ARGUMENT_SWITCHES,   /* "voluntary" or "involuntary" */
	ARGUMENT_SIGNALS,    /* "SIGSEGV" or "SIGSEGV+SIGBUS" */
	ARGUMENT_EXCEPTIONS, /* "invalid" or "invalid+overflow" */
	ARGUMENT_FUNCTION,   /* "FUNC" or "LIB:FUNC"; must be there */
	/* For these the name is complete in itself: */
	ARGUMENT_RAW,        /* "r1a8": PERF_TYPE_RAW */
	ARGUMENT_PMU,        /* "cpu/event=0x3c,umask=1/": pmu.h */
	ARGUMENT_TRACEPOINT, /* "tracepoint:block:block_rq_issue.bytes" */
	ARGUMENT_USDT,       /* "usdt:python:gc__start.arg1" */
};

/*
 * Which timers may count: the best, those of a family, or the kernel's of one
 * kind.
 */
enum timer_choice {
	TIMER_AUTO,
	TIMER_KERNEL,
	TIMER_STOP,
	TIMER_PERCPU,
	TIMER_PERTASK,
	TIMER_CHOICES,
};

struct resource {
	const char *name;  /* "pagefaults" */
	const char *title; /* "Page Faults" */
	const char *gtick; /* "fault" */
	enum text_unit unit;
	uint64_t interval;     /* default, gticks */
	uint64_t min_interval; /* the least that a timer can have */
	uint64_t rate;    /* gticks a second that one processor consumes at the
			     most; sizes the buffers */
	const char *help; /* one line */
	const struct perf_source
		*perf;   /* how perf counts it; NULL: it cannot */
	unsigned counts; /* COUNTS_...; 0: only its perf event counts it */
	enum resource_argument argument;
	const char *ends; /* of the blocks that the samples of this resource
			     stand for it counts the ends; or NULL */
	bool grouped;  /* one of many like the row above; lists may omit it */
	bool of_calls; /* readers see system calls as functions that have it */
	/* by the timers' family, how much slower it makes which program that
	   does little else ("1.3x dd"), by `make bench`; NULL: not at all */
	const char *slows[TIMER_CHOICES];
};

extern const struct resource resources[]; /* ends with name NULL */

/* The last rows of those, where a number in each event is added up. */
extern const struct resource resource_amounts[];

enum { SWITCH_VOLUNTARY = 1 << 0, SWITCH_INVOLUNTARY = 1 << 1 };

#define RESOURCE_NAME_MAX 256

/* A resource as the user requested it. */
struct resource_request {
	const struct resource *resource;
	uint64_t interval;
	bool given;                   /* the interval was */
	char name[RESOURCE_NAME_MAX]; /* complete: "syscalls=openat+read" */
	char title[RESOURCE_NAME_MAX + 32]; /* "System Calls openat+read" */
	struct syscall_set syscalls; /* ARGUMENT_SYSCALLS; default: all */
	uint64_t signals;    /* ARGUMENT_SIGNALS: bit n - 1 is signal n; all */
	unsigned switches;   /* ARGUMENT_SWITCHES: SWITCH_...; both */
	unsigned exceptions; /* ARGUMENT_EXCEPTIONS: EXCEPTION_...; else 0 */
	/* ARGUMENT_RAW, ARGUMENT_PMU, ARGUMENT_TRACEPOINT */
	struct perf_source event;
	uint64_t amount; /* of a tracepoint, COUNTS_AMOUNT: see amount.h */
};

/*
 * Reads "NAME[=ARGUMENT][:INTERVAL][,...]" and appends to REQUESTS (*N of at
 * most RESOURCES_MAX used).  perf's names of the same events are accepted, too
 * ("page-faults").  Errors: an unknown name (with the list and the nearest), a
 * wrong or missing argument, a bad or zero interval, the same request twice.
 */
int resource_parse(const char *spec, struct resource_request *requests,
	size_t *n, struct err *err);

/*
 * Adds what requests need: with one that counts ends the other resource, with
 * the same interval.  Errors: they have different ones; too many resources.
 */
int resource_complete(
	struct resource_request *requests, size_t *n, struct err *err);

/* Whether a clock samples it; else every gtick counts. */
static inline bool resource_is_time(const struct resource *r)
{
	return r->counts & COUNTS_TIME;
}

/* Whether its every event is counted, by who calls, and none is sampled. */
static inline bool resource_counts_each(const struct resource *r)
{
	return r->counts & (COUNTS_ARCS | COUNTS_INSTRUMENTED);
}

/* CPU time, or a part of it. */
static inline bool resource_is_cpu(const struct resource *r)
{
	return r->counts && !(r->counts & ~COUNTS_CPU);
}

/* `user` and `system`: parts of CPU time, which only samples tell apart. */
static inline bool resource_is_part(const struct resource *r)
{
	return resource_is_cpu(r) && r->counts != COUNTS_CPU;
}

/*
 * The units per gtick of counters without a scale of their own: ns for times.
 */
uint32_t resource_scale(const struct resource *r);

/* The row of that name (perf's names too), or NULL. */
const struct resource *resource_find(const char *name);

/*
 * The row for an event of a cache, by perf's name: "L1-dcache-load-misses",
 * "l1d-read-miss", "LLC".  Accepts all of perf's words for cache, operation and
 * result, in any case; the last two in any order.  If omitted they are loads
 * and accesses.
 */
const struct resource *resource_find_cache(const char *name);

/* How perf counts the request; NULL: it cannot. */
const struct perf_source *resource_perf(const struct resource_request *request);

/* Makes a request of row R: no argument, its default interval. */
void resource_default(
	const struct resource *r, struct resource_request *request);

/*
 * "=NAMES", what may follow R's name; "..." for more of the same kind; "" if
 * nothing may.
 */
const char *resource_argument_form(const struct resource *r);

/* Reads TEXT, the part after "=", into a request of its resource. */
int resource_argument(
	struct resource_request *request, const char *text, struct err *err);

/* Whether a row's name stands for names that are complete in themselves. */
static inline bool resource_is_named_whole(const struct resource *r)
{
	return r->argument >= ARGUMENT_RAW;
}

/* Reads a complete NAME of such a row. */
int resource_event(
	struct resource_request *request, const char *name, struct err *err);

/*
 * ARGUMENT_FUNCTION: the part after "="; ARGUMENT_USDT: after the first ":"; ""
 * without.
 */
const char *resource_function(const struct resource_request *request);

#endif
