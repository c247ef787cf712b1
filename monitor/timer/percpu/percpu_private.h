/*
 * percpu_private.h - shared by the files of the per-CPU timers.
 *
 *   percpu.c         the BPF programs
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

struct percpu {
	struct bpf_object *object;
	struct percpu_config config;
	struct percpu_allocators allocators;
	struct percpu_shared *shared;
	struct percpu_counter counters[PERCPU_COUNTERS];
	VEC(struct bpf_link *) links;
	VEC(int) fds; /* of perf events with a program */
	VEC(struct percpu_clock) clocks;
	bool uprobe_links; /* one link has all uprobes of a file */
};

/* Forgets libbpf's last message, so that percpu_error() has the next one. */
void percpu_begin_complaint(void);

/* The error of OPERATION, by errno and libbpf's message; -1. */
int percpu_error(const char *operation, struct err *err);

/* A map of the programs, by its name. */
struct bpf_map *percpu_map(const struct percpu *percpu, const char *name);

/*
 * Opens one perf event of a counter on a processor, with its program.  Its
 * descriptor, which percpu closes; -1.
 */
int percpu_attach_event(struct percpu *percpu, const char *program,
	struct perf_event_attr *attr, int cpu, uint64_t cookie,
	struct err *err);

/* Closes LINK with the rest; -1: it is NULL, or no memory. */
int percpu_keep_link(struct percpu *percpu, struct bpf_link *link);

/*
 * Attaches the programs to what the counters count: perf events of each
 * processor.
 */
int percpu_attach_counters(struct percpu *percpu, struct err *err);

/* Before the programs are loaded: how the uprobes will be attached. */
void percpu_choose_uprobes(struct percpu *percpu);

/* The probes of counter I; requests of all counters that have them, once. */
int percpu_attach_uprobes(
	struct percpu *percpu, uint32_t i, int cpu, struct err *err);

#endif

#endif
