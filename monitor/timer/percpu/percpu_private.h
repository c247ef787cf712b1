/*
 * percpu_private.h - shared by the files of the per-CPU timers.
 *
 *   percpu.c         the BPF programs
 *   load.c           how they are loaded
 *   can.c            whether the kernel takes them
 *   attach_events.c  the perf events that they are attached to
 *   uprobes.c        the uprobes
 *   links.c          what the three of them stand on
 *   none.c           the build without libbpf
 */
#ifndef CPPROF_PERCPU_PRIVATE_H
#define CPPROF_PERCPU_PRIVATE_H

#include "config.h"

#include "monitor/timer/percpu/percpu.h"

#ifdef HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

struct percpu_clock { /* a perf event of a link's */
	int fd, cpu;
};

struct percpu_loaded {    /* a program or map */
	const char *name; /* the object's */
	int fd;
};

#define PERCPU_LOADED 32 /* programs, or maps, at most */

struct percpu {
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
	bool uprobe_links; /* one link has all uprobes of a file */
	bool stateless;    /* see on_stateless_switch */
};

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
 * From now on percpu_can() fails for what the COUNTERS, a mask, count, with
 * that reason; -1.
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

#endif

#endif
