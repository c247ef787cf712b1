/*
 * resource.h - the resources that can be profiled, one row each.
 *
 * The table drives the monitor, `--resource`, help, completion and the
 * manual's list.  A row says what a resource is and how each family of timers
 * can count it; whether this machine and user can have such a timer is asked of
 * the timers (timer.h, choose.h).
 */
#ifndef CPPROF_RESOURCE_H
#define CPPROF_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/text.h"
#include "monitor/perf/source.h"
#include "monitor/resource/syscalls.h"

/* What timers that do their own counting (BPF, stops) have to count. */
enum counted {
	COUNT_NONE, /* nothing: perf events alone count it */
	COUNT_REAL,
	COUNT_BLOCKED,
	COUNT_CPU,
	COUNT_USER,
	COUNT_SYSTEM,
	COUNT_SYSCALLS, /* at the call's entry, those of request->syscalls */
	COUNT_BYTES_READ,
	COUNT_BYTES_WRITTEN,
	COUNT_BYTES,
	COUNT_IOTIME,
	COUNT_SWITCHES,    /* of request->switches */
	COUNT_SIGNALS,     /* of request->signals */
	COUNT_CALLS,       /* of resource_function() */
	COUNT_ALLOCATED,   /* bytes asked of malloc and its like */
	COUNT_ALLOCATIONS, /* how often they are asked */
	COUNT_KINDS,
};

/* What may stand behind the name and "=". */
enum resource_argument {
	ARGUMENT_NONE,
	ARGUMENT_SYSCALLS, /* "openat+read" */
	ARGUMENT_SWITCHES, /* "voluntary" or "involuntary" */
	ARGUMENT_SIGNALS,  /* "SIGSEGV" or "SIGSEGV+SIGBUS" */
	ARGUMENT_FUNCTION, /* "FUNC" or "LIB:FUNC"; must be there */
	/* The name itself says it: */
	ARGUMENT_RAW, /* "r1a8": PERF_TYPE_RAW */
	ARGUMENT_PMU, /* "cpu/event=0x3c,umask=1/": pmu.h */
};

struct resource {
	const char *name;  /* "pagefaults" */
	const char *title; /* "Page Faults" */
	const char *gtick; /* "fault" */
	enum text_unit unit;
	uint64_t interval;     /* default, gticks */
	uint64_t min_interval; /* the least a timer can do */
	uint64_t rate;         /* gticks a second that one processor consumes
				  at the most; for the size of buffers */
	const char *help;      /* one line */
	bool clock;            /* sampled by a clock; else every gtick counts */
	const struct perf_source
		*perf;        /* how perf counts it, NULL: it cannot */
	enum counted counted; /* for the timers that count */
	enum resource_argument argument;
	bool grouped; /* one of many like the row above; lists may leave it out
		       */
};

extern const struct resource resources[]; /* ends with name NULL */

enum { SWITCH_VOLUNTARY = 1 << 0, SWITCH_INVOLUNTARY = 1 << 1 };

#define RESOURCE_NAME_MAX 256

/* A resource as a user asked for it. */
struct resource_request {
	const struct resource *resource;
	uint64_t interval;
	char name[RESOURCE_NAME_MAX]; /* in full: "syscalls=openat+read" */
	char title[RESOURCE_NAME_MAX + 32]; /* "System Calls openat+read" */
	struct syscall_set syscalls; /* ARGUMENT_SYSCALLS; default: all */
	uint64_t signals;  /* ARGUMENT_SIGNALS: bit n - 1 is signal n; all */
	unsigned switches; /* ARGUMENT_SWITCHES: SWITCH_...; both */
	struct perf_source event; /* ARGUMENT_RAW, ARGUMENT_PMU */
};

/*
 * Which timers may count: the best there is, those of a family, or the kernel's
 * of one kind.
 */
enum timer_choice {
	TIMER_AUTO,
	TIMER_KERNEL,
	TIMER_STOP,
	TIMER_PERCPU,
	TIMER_PERTASK,
};

#define RESOURCES_MAX 32 /* in one run */

/*
 * Reads "NAME[=ARGUMENT][:INTERVAL][,...]" and appends to REQUESTS (*N of at
 * most RESOURCES_MAX used).  perf's names of the same events are taken too
 * ("page-faults").  Errors: an unknown name (with the list and the nearest), a
 * wrong or missing argument, a bad or zero interval, the same request twice.
 */
int resource_parse(const char *spec, struct resource_request *requests,
	size_t *n, struct err *err);

/* The units per gtick of counters that do not say theirs: ns for times. */
uint32_t resource_scale(const struct resource *r);

/* The row of that name (perf's names too), or NULL. */
const struct resource *resource_find(const char *name);

/*
 * The same for what perf calls a cache's event: "L1-dcache-load-misses",
 * "l1d-read-miss", "LLC".  Cache, operation and result by all of perf's words,
 * in any case, the last two in any order or left out: loads, accesses.
 */
const struct resource *resource_find_cache(const char *name);

/* How perf counts what was asked for; NULL: it cannot. */
const struct perf_source *resource_perf(const struct resource_request *request);

/* Row R by itself: no argument, its default interval. */
void resource_default(
	const struct resource *r, struct resource_request *request);

/*
 * "=NAMES", what may stand behind R's name; "..." where others follow that are
 * like it; "" where nothing may.
 */
const char *resource_argument_form(const struct resource *r);

/* Takes TEXT, what stood behind "=", into a request of its resource. */
int resource_argument(
	struct resource_request *request, const char *text, struct err *err);

/* Takes a NAME that says all itself: ARGUMENT_RAW, ARGUMENT_PMU. */
int resource_event(
	struct resource_request *request, const char *name, struct err *err);

/* ARGUMENT_FUNCTION: what stood behind "="; "" without. */
const char *resource_function(const struct resource_request *request);

#endif
