/*
 * percpu_private.h - shared by the files of the per-CPU timers.
 *
 *   percpu.c         the family: its BPF programs at work
 *   percpu_timer.c   the kind that counts events, calls and time
 *   uprobe_timer.c   the kinds that count at probes
 *   programs.c       which programs count a resource
 *   load.c           how they are loaded
 *   can.c            whether the kernel takes them
 *   attach_events.c  the perf events that they are attached to
 *   clocks.c         when the processors' clocks tick
 *   uprobes.c        the uprobes
 *   arcs.c           calls that are counted by who calls
 *   links.c          what the three of them stand on
 *   decode.c         what the programs write
 *   none.c           the build without libbpf: it and programs.c alone
 *
 * A counter is one resource of the run.
 */
#ifndef CPPROF_PERCPU_PRIVATE_H
#define CPPROF_PERCPU_PRIVATE_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "monitor/timer/percpu/abi.h"
#include "monitor/timer/percpu/percpu.h"

/* What makes a counter count. */
enum percpu_source {
	PERCPU_BY_TRACEPOINT, /* a tracepoint, as config says */
	PERCPU_BY_EVENT,      /* each event of type and event */
	PERCPU_BY_CLOCK,      /* a processor's clock */
	PERCPU_BY_RECORD,     /* the same, by a tracepoint's record */
	PERCPU_BY_CALL,       /* each arrival at one of the calls' points */
	PERCPU_BY_REQUEST,    /* requests to allocators at the points; all such
				 counters have the same ones */
};

struct percpu_counter {
	enum percpu_source source;
	size_t programs; /* that count it */
	/* perf_event_attr.type and .config, PERCPU_BY_EVENT and _BY_RECORD */
	uint32_t type;
	uint64_t event;
	uint64_t also;   /* a second event that counts for it, or 0 */
	uint64_t amount; /* what counts of a record: monitor/arch/amount.h */
	struct calls *calls; /* PERCPU_BY_CALL, PERCPU_BY_REQUEST */
	unsigned randomize;  /* percent that intervals vary by */
	uint64_t interval;   /* in the unit of the counter: ns for times */
	uint32_t stack;      /* bytes of stack with each sample */
	uint32_t tag;        /* of its samples in the stream */
};

struct percpu_clock { /* a perf event of a link's */
	int fd, cpu;
};

struct percpu_rest {    /* of processors that share a struct percpu_use */
	uint64_t since; /* it was seen used, or has rested */
	uint64_t after; /* it rests when it has not been used for so long */
};

struct percpu_loaded {    /* a program or map */
	const char *name; /* the object's */
	int fd;
};

#define PERCPU_LOADED 32 /* programs, or maps, at most */

struct percpu {
	struct timer_machine *machine;
	struct bpf_object *object;
	struct percpu_config config;
	struct percpu_allocators allocators;
	struct percpu_shared *shared;
	struct percpu_counter counters[PERCPU_COUNTERS];
	struct percpu_loaded loaded[PERCPU_LOADED]; /* in the object's order */
	struct percpu_loaded maps[PERCPU_LOADED];
	size_t nloaded, nmaps;
	char log[16384]; /* of libbpf */
	VEC(int)
	fds; /* what is closed with it: perf events, then their links */
	VEC(struct percpu_clock) clocks;
	struct percpu_rest rests[PERCPU_USES];
	struct ring_buffer *bell; /* NULL: no clock rests */
	uint64_t watch;    /* when limits of calls are looked after next */
	bool uprobe_links; /* one link has all uprobes of a file */
	bool stateless;    /* see on_stateless_switch */
	bool records;      /* see on_enter_record */
};

extern const struct timer_family percpu_family;

/* As of all kinds of the family. */
int percpu_arm(struct timer *timer, struct err *err);
int percpu_read(
	const struct timer *timer, struct timer_count *count, struct err *err);

/*
 * Whether this kernel takes programs from this user, and has not refused those
 * of the request before: 0, or -1 with the reason and the way out.  Asks the
 * kernel once for a MACHINE.
 */
int percpu_can(const struct resource_request *request,
	struct timer_machine *machine, struct err *err);

/* perf_event_attr.type of uprobes; -1: the kernel has none. */
int percpu_uprobe_type(void);

/*
 * Loads the programs for the counters and attaches them to tracepoints and perf
 * events, where they wait for tracked threads.  An older kernel, its verifier,
 * a limit of memory or files or a security module may refuse.  All that can be
 * refused is tried here, where other timers can still take over.
 */
int percpu_load(struct percpu *percpu, struct err *err);

/* As of the family. */
int percpu_start(void *percpu, struct perf_events *events, struct err *err);

/* The counter whose samples have the tag. */
uint32_t percpu_counter(const struct percpu *percpu, uint32_t tag);

/* The way out of every such error. */
#define PERCPU_OTHERS                                                          \
	"'cpprof resources --timer=per-task' and '--timer=stop' list what "    \
	"can be counted without BPF"

/*
 * Before calls of libbpf, which say nothing then; the program that the first
 * one to fail was about, by name, or "".
 */
void percpu_begin_complaint(void);
const char *percpu_refused_program(void);

/* The error of OPERATION, by errno; -1. */
int percpu_error(const char *operation, struct err *err);

#define PERCPU_EACH (~0u) /* all counters that there can be */

/*
 * From now on percpu_can() fails on that machine for what the COUNTERS, a mask,
 * count, with that reason; -1.
 */
int percpu_refuse(
	const struct percpu *percpu, uint32_t counters, const struct err *why);

/* The counters that need the program NAME, as a mask. */
uint32_t percpu_needed_by(const struct percpu *percpu, const char *name);

/*
 * Loads the programs that the counters need, and the maps: percpu->object,
 * which names them.  -1 with errno.
 */
int percpu_load_object(struct percpu *percpu);

/* The descriptor of a program or map that is loaded; -1: it is not. */
int percpu_program(const struct percpu *percpu, const char *name);
int percpu_map(const struct percpu *percpu, const char *name);

/*
 * Opens one perf event of a counter on a processor, with its program.  Its
 * descriptor, which percpu closes; -1.
 */
int percpu_attach_event(struct percpu *percpu, const char *program,
	struct perf_event_attr *attr, int cpu, uint64_t cookie,
	struct err *err);

/* Closes FD with the rest, also if there is no memory; -1 then, or FD is. */
int percpu_keep(struct percpu *percpu, int fd);

/*
 * Attaches the programs to what the counters count: perf events of each
 * processor.  On failure *REFUSED is the counter, as a mask.
 */
int percpu_attach_counters(
	struct percpu *percpu, uint32_t *refused, struct err *err);

/* Before the programs are loaded: how the uprobes will be attached. */
void percpu_choose_uprobes(struct percpu *percpu);

/* The probes of counter I; requests of all counters that have them, once. */
int percpu_attach_uprobes(
	struct percpu *percpu, uint32_t i, int cpu, struct err *err);

/* Closes descriptors of uprobes, which takes long for one after the other. */
void percpu_close(const int *fds, size_t n);

/* As of the family. */
uint64_t percpu_take_arc(void *percpu, const struct arc_key *key);
void percpu_watch_arcs(struct percpu *percpu, uint64_t now);

/*
 * Clocks tick where the target runs.  From start() on they do while it is
 * collected.
 */
void percpu_start_clocks(struct percpu *percpu);
void percpu_collect_clocks(struct percpu *percpu, bool on);
void percpu_watch_clocks(struct percpu *percpu, uint64_t now);

#endif
