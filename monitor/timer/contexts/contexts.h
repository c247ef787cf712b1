/*
 * contexts.h - the calls of instrumented functions, which the target counts by
 * context (monitor/inprocess/context_memory.h), as samples in the file.
 *
 * Each context of a thread is one sample, when the thread has ended or the run
 * is over, with as many hits as it had calls.  Processes and threads that no
 * record tells of are made known by what they have written themselves.
 *
 * All calls of one thread, in this order: new; the timer's arm(); set, at each
 * change; collect, now and then and at the end; free.  NULL is a run that
 * counts no contexts: then they do nothing.
 */
#ifndef CPPROF_CONTEXTS_CONTEXTS
#define CPPROF_CONTEXTS_CONTEXTS

#include "monitor/contract/timer.h"
#include "monitor/sample/sampler.h"

struct contexts;

/* NULL: the memory cannot be had. */
struct contexts *contexts_new(struct err *err);
void contexts_free(struct contexts *contexts);

/* The descriptor of the memory, for the run of that NUMBER. */
int contexts_fd(struct contexts *contexts, uint64_t number);

/* Calls count, or not. */
void contexts_set(struct contexts *contexts, bool on);

/*
 * Writes what has ended; ALL: also what goes on.  TOLD: records tell of
 * processes and threads.
 */
int contexts_collect(struct contexts *contexts, struct sampler *sampler,
	bool all, bool told);

/* Notes a run in which nothing was counted. */
int contexts_note(const struct contexts *contexts, struct cpd_writer *writer);

/* Its impl is a struct contexts. */
extern const struct timer_kind context_timer;

#endif
