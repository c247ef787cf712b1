/*
 * summary_facts.h - what a summary says of a run and of its resources, before
 * it is text or JSON.
 */
#ifndef CPPROF_REPORT_RUN_SUMMARY_FACTS_H
#define CPPROF_REPORT_RUN_SUMMARY_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/report/report.h"
#include "analyzer/data/dataset.h"

struct run_facts {
	bool wall_known, cpu_known, faults_known;
	bool attached; /* to a process that ran already */
	/* wall and CPU are known and of the same time: one run, and all of it
	   was collected */
	bool comparable;
	uint64_t wall, cpu; /* us */
	/* us in which no thread had a sample of CPU time, in spans that are
	   long beside its interval; at least what CPU time leaves of wall, for
	   others may have had the processors again and again */
	uint64_t rest;
	bool rest_known;
	/* us that threads waited for events, and for processors */
	uint64_t blocked, queued;
	bool blocked_known, queued_known;
	uint64_t faults;
};

/* From the kernel's counts and the clock. */
struct run_facts summary_facts(const struct dataset *data);

/* The name of the program that was run, without its folder; "": not known. */
const char *summary_program(const struct dataset *data);

/* The command line that was run, ends with NULL; NULL: there was not one. */
const char *const *summary_command(const struct dataset *data);

/* What is in no stack, of all kinds, in the resource's unit. */
uint64_t summary_losses(const struct books *books);

/* Samples and losses beside what was consumed. */
enum balance {
	BALANCE_UNKNOWN, /* the total is unknown */
	BALANCE_HOLDS,   /* within an interval for each thread and the noise of
			    sampling */
	BALANCE_UNSEEN,  /* the kernel tells of more that the timers missed */
	BALANCE_STRANGE, /* the timers have more than the program used */
	BALANCE_MISSING, /* less in samples and losses */
	BALANCE_EXCESS   /* more */
};

enum balance summary_balance(const struct dataset *data, uint32_t resource);

/* If the file's count of the resource is cpprof's own and lacks what threads
   did that the program traced itself: a sentence on these, else NULL. */
const char *summary_given_up(const struct dataset *data, uint32_t resource);

/* A resource and its books as an object of facts; NULL: no memory. */
struct json_t *summary_resource_facts(
	const struct dataset *data, uint32_t resource);

/* What to ask about a program that mostly did not run, or was in the kernel,
   beside RESOURCE. */
void summary_leads(FILE *out, const struct dataset *data,
	const struct run_facts *facts, uint32_t resource,
	const struct report_options *options);

/* The run that shows what this one waited for. */
const char *summary_again(const struct dataset *data, char *buf, size_t size);

/* If the resource is "blocked": a line on the waits of who has nothing to do,
   and one where goroutines wait; of "real", too, one on those of asyncio's
   event loop; -1: no memory. */
int summary_idle(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options);

/*
 * Writes a line about the first interpreter among the programs that ran, if it
 * did not name the functions that it runs, or not all: how it does, or why they
 * are not known.  Whether there was one that can.  If the resource is memory
 * that was allocated, also what of its own is not in it.
 */
bool summary_runtime(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options);

/* A line on samples whose innermost frame has no name, or where these are few,
   on most stacks that have such frames.  TOLD: how generated code is named was
   said.  -1: no memory. */
int summary_nameless(FILE *out, const struct dataset *data, uint32_t resource,
	bool told, const struct report_options *options);

#endif
