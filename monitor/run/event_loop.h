/*
 * event_loop.h - the loop between the target's start and its end.
 *
 * A call that fails returns -1; then loop_failed() tells why.
 */
#ifndef CPPROF_RUN_EVENT_LOOP
#define CPPROF_RUN_EVENT_LOOP

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"

struct err;
struct monitor;

struct loop {
	VEC(struct pollfd) polled;
	bool behind;    /* the rings have more to read */
	bool cut;       /* a signal ended the last reading of them, */
	bool starved;   /* or memory ran out */
	unsigned asked; /* how often, when that began */
	uint64_t told,
		sized; /* when it last reported, and noted sizes of maps */
	uint64_t flush, flush_every; /* when next, and how often, ns */
};

/* To be called once the timers are armed. */
int loop_prepare(struct monitor *m);

/*
 * Handles all records and stops to the end of the run.  Where the kernel
 * refuses to trace on, it returns before that with m->rest set, to be called
 * again when the thread has ended.
 */
int loop_to_end(struct monitor *m);

/* -1; ERR becomes that of the call of the run that has just failed. */
int loop_failed(const struct monitor *m, struct err *err);

/* Handles what the rings have by now.  MONITOR is a struct monitor. */
int loop_catch_up(void *monitor);

/*
 * The file cannot be written: lets the target end as if it were alone.  Returns
 * early like loop_to_end().
 */
void loop_nothing(struct monitor *m);

void loop_fini(struct loop *loop);

#endif
