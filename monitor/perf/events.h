/*
 * events.h - the perf events of a run, and the rings they write to.
 *
 * Each processor has a ring for the side events (mmap, comm, fork, exit,
 * switch), which tell of address spaces and threads, and one for the samples of
 * each tag, a resource: a flood in one ring must not push out the others.  Tags
 * share a ring only where this user may lock too little memory.  A ring of
 * samples belongs to an event that counts nothing, the holder, so that the
 * sampling events can be moved to another.  They are on one task and inherited
 * by all its threads and children; there is one for each processor, since rings
 * are per processor; they are off until the task's next exec.
 *
 * Inherited events make each fork slower.  Where only BPF programs sample, the
 * side events are the machine's: they tell of all processes, and the sideband
 * ignores the others (sideband.h).
 *
 * Calls in this order: open, add..., start, (drain the rings), read, close.
 */
#ifndef CPPROF_PERF_EVENTS_H
#define CPPROF_PERF_EVENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "lib/sys/processors.h"
#include "lib/vec.h"
#include "monitor/perf/source.h"
#include "monitor/perf/ring.h"

#define PERF_NO_TAG UINT32_MAX /* of the side events */

struct perf_fd {
	int fd;
	int cpu;
	pid_t tid; /* attached: the thread that joined; 0: none */
	uint64_t id;
	uint32_t tag;
	uint32_t type; /* what it counts, as in perf_event_attr */
	uint64_t config;
	uint64_t sample_type;
	uint32_t stack; /* the most bytes that a sample's copy takes */
	bool output;    /* a BPF program writes them, with data of its own */
	bool mark;      /* the last that a thread is given */
};

/* A hardware breakpoint on an instruction. */
struct perf_breakpoint {
	uint64_t addr; /* link-time */
	/* Moves *ADDR to its place in thread TID; false: it has none. */
	bool (*place)(const void *arg, pid_t tid, uint64_t *addr);
	const void *arg;
};

struct perf_added {
	struct perf_event_attr attr;
	struct perf_breakpoint point; /* PERF_TYPE_BREAKPOINT */
	uint32_t tag;
};

/* The rings of a tag. */
struct perf_share {
	uint32_t owner; /* the tag whose rings it writes to */
	bool mapped;
	size_t pages; /* of each: mapped, or wanted */
};

/*
 * A larger ring that is being made, or to which events are being moved.  The
 * kernel takes up to 40 ms to make it and 20 ms for each event: a thread waits,
 * and the rings are read on.
 */
struct perf_growth {
	bool busy;
	const struct ring *before;
	struct ring *ring; /* NULL: it is in use */
	size_t pages;
	int holder;
	VEC(int) moving;
	pthread_t thread;
	bool done; /* atomic: the thread has nothing more to do */
	bool end;  /* atomic: nor shall it */
};

/*
 * A new thread inherits the state of its maker's events, too.  The kernel may
 * turn them on or off in between, when the new thread is not in its list yet:
 * then that thread, and all that it makes, stay as they were.  So it is told
 * again, a few times.
 */
struct perf_again {
	bool on;
	uint64_t since, next; /* ns; next 0: no more */
};

struct perf_events {
	pid_t pid;         /* attached: 0, cpprof itself */
	bool user_only;    /* this user may see user mode only */
	bool attached;     /* to a task that runs; else from its exec on */
	bool joining;      /* attached: threads are still given events */
	bool machine;      /* the side events are those of all processes */
	bool has_lost;     /* the kernel counts lost samples by event */
	bool has_build_id; /* mmap records carry build ids */
	bool switches;     /* switch records were asked for */
	bool objects;      /* and of all mappings */
	bool paused;       /* sampling events stay off at the exec */
	struct perf_again again;
	size_t side_pages;
	VEC(struct perf_share) shares; /* by tag */
	processor_list cpus;
	VEC(struct perf_fd) fds;  /* by id */
	VEC(struct ring *) rings; /* sides, then samples */
	VEC(int) wake;            /* the events that they belong to, to poll */
	VEC(struct perf_added)
	added; /* attached: the events that each thread gets */
	struct merge merge;
	struct perf_growth growth;
};

/* The samples of a counter: one each PERIOD events, with STACK bytes of stack.
 */
struct perf_sampling {
	const char *name; /* for errors */
	uint64_t period;
	uint32_t stack;
	uint32_t tag;
};

struct perf_open {
	pid_t pid;
	/* wanted for the samples of each tag, per processor; 0: the tag has no
	   ring */
	const size_t *ring_bytes;
	size_t ntags;
	bool switches; /* switch records wanted */
	bool objects;  /* records of all mappings, and not of code alone */
	bool paused;   /* nothing is sampled before perf_events_collect() */
	bool attach;   /* its threads run already, and join later */
	bool machine;  /* only outputs will be added; needs CAP_PERFMON */
};

/*
 * Whether this user can have events of SOURCE at all: opens one on the calling
 * thread and closes it.  *USER_ONLY: kernel mode stays hidden.
 */
int perf_events_probe(const char *name, const struct perf_source *source,
	bool *user_only, struct err *err);

/* The same for a hardware breakpoint. */
int perf_events_probe_breakpoint(const char *name, struct err *err);

/*
 * Whether thread TID (0: the calling one) can have N of them at once; false
 * only if others have the registers.
 */
bool perf_events_breakpoints_free(pid_t tid, size_t n);

/* The error if others have the registers (ENOSPC).  Returns -1. */
int perf_events_no_breakpoint(const char *name, struct err *err);

/* Opens the side events.  The error names the sysctl that forbids it. */
int perf_events_open(struct perf_events *events, const struct perf_open *how,
	struct err *err);

/* Adds the counters of one source on every processor. */
int perf_events_add(struct perf_events *events,
	const struct perf_source *source, const struct perf_sampling *sampling,
	struct err *err);

/*
 * Adds a breakpoint at POINT of the task, which has done its exec; an event is
 * a thread that comes there.  It ends in a process that runs another program.
 * Unlike the others it can be added after start, to rings that are mapped; it
 * is off then.
 */
int perf_events_add_breakpoint(struct perf_events *events,
	const struct perf_breakpoint *point,
	const struct perf_sampling *sampling, struct err *err);

/*
 * Adds events that BPF programs write samples to, one for each processor, in
 * the order of events->cpus: the last ones of events->fds afterwards.  The
 * samples have raw data; with STACK 0 neither registers nor a stack.
 */
int perf_events_add_output(struct perf_events *events, const char *name,
	uint32_t stack, uint32_t tag, struct err *err);

/*
 * Gives samples a larger ring where theirs was full or nearly: later bursts
 * lose fewer.  Their records are left in the old one, which is read to
 * its end. One ring is made at a time, and is in use from the first call on
 * that finds it ready; it is the last one then, and may be polled when this
 * says true: nothing is being made or moved.
 *
 * A flood of 100 000 faults with stacks of 40 KB lost 53 % in rings of 64 MiB,
 * 0 to 24 % in such as grew.
 */
bool perf_events_grow(struct perf_events *events);

/* Whether this user may lock little memory for rings. */
bool perf_events_limited(void);

/*
 * The samples a second of one resource that do not get lost, for a limited
 * user: half of a processor's rings holds a tenth of a second of them.  So long
 * a busy machine lets a monitor without priority wait.
 */
uint64_t perf_events_take(void);

/*
 * One descriptor per event and processor can pass the usual limit: raises it as
 * far as this user may.
 */
void perf_events_raise_limit(void);

/*
 * Opens ATTR for all that runs on one processor, for a BPF program to be
 * attached; not part of any struct perf_events.  The descriptor, or -1 with
 * errno.
 */
int perf_events_machine(struct perf_event_attr *attr, int cpu);

/*
 * Lets such an event report (the kernel throttles clocks) in the side ring of
 * its processor.  -1 with errno.
 */
int perf_events_tell(const struct perf_events *events, int fd, int cpu);

/* To be called once, when all are added and before the task's exec. */
int perf_events_start(struct perf_events *events, struct err *err);

/* Nothing is written to the rings any more. */
void perf_events_stop(const struct perf_events *events);

/*
 * Turns the sampling events on or off; the others stay on.  With `paused` the
 * sampling events are off until this.
 */
void perf_events_collect(struct perf_events *events, bool on);

/*
 * Reaches threads that were being made at that moment.  To be called now and
 * then, NOW in ns; at events->again.next it has something to do.
 */
void perf_events_collect_again(struct perf_events *events, uint64_t now);

/* The event with that id, or NULL. */
const struct perf_fd *perf_events_find(
	const struct perf_events *events, uint64_t id);

/*
 * Attached, after start: gives a running thread its events; those opened before
 * count nothing.  0, also when it has ended, or -1 with errno.  Threads
 * it makes afterwards inherit them; those it makes during the call inherit only
 * some.
 */
int perf_events_join(struct perf_events *events, pid_t tid);

/* Takes them away again, also from threads that inherited them; with 0 the
   marks of all. */
void perf_events_leave(struct perf_events *events, pid_t tid);

/*
 * Attached, while threads join: the thread that the event with that id was
 * given; 0: it was taken away.  Else PARENT.
 */
pid_t perf_events_giver(
	const struct perf_events *events, uint64_t id, pid_t parent);

/*
 * Whether it is a mark: the last event that a thread is given.  A thread that
 * inherits one has inherited the others; the switch record of its first run
 * shows this.  Marks are closed when all threads have joined.
 */
bool perf_events_is_mark(const struct perf_events *events, uint64_t id);

/*
 * Attached, when all have joined: the events begin to count, or with `paused`
 * wait for perf_events_collect().
 */
void perf_events_enable(struct perf_events *events);

/* The sample_type of the event with that id; 0 if unknown. */
uint64_t perf_events_type(const struct perf_events *events, uint64_t id);

/*
 * How often a ring of the tag's events had an impossible record, and its
 * contents were dropped.
 */
uint64_t perf_events_dropped(const struct perf_events *events, uint32_t tag);

/*
 * The tag of the sample of EVENT that the merge lends now.  If two events of a
 * task count the same thing, the kernel (6.2 and later) gives both samples one
 * id, since both use one perf_sample_data (do_perf_sw_event()): then the ring
 * tells them apart.
 */
uint32_t perf_events_lent_tag(
	const struct perf_events *events, const struct perf_fd *event);

/*
 * The sum of a tag's counters over all processors, and how many samples the
 * kernel had no room for (0 where it does not count them).
 */
int perf_events_read(const struct perf_events *events, uint32_t tag,
	uint64_t *count, uint64_t *lost);

void perf_events_close(struct perf_events *events);

#endif
