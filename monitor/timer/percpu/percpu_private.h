/*
 * percpu_private.h - the per-CPU timers's own: the BPF programs
 * (monitor/timer/percpu/percpu.c), their perf events
 * (monitor/timer/percpu/attach_events.c), and what stands for both in a build
 * without libbpf (monitor/timer/percpu/none.c).
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

/* Forgets what libbpf said last, so that percpu_error() has what it says next.
 */
void percpu_begin_complaint(void);

/* The error of OPERATION, by errno and what libbpf said; -1. */
int percpu_error(const char *operation, struct err *err);

/* A map of the programs, by its name. */
struct bpf_map *percpu_map(const struct percpu *percpu, const char *name);

/* Puts the programs on what the counters count: each processor's perf events.
 */
int percpu_attach_counters(struct percpu *percpu, struct err *err);

/*
 * One perf event of a counter on a processor, with its program.  Its
 * descriptor, which becomes percpu's; -1.
 */
int percpu_attach_event(struct percpu *percpu, const char *program,
	struct perf_event_attr *attr, int cpu, uint64_t cookie,
	struct err *err);

/* Before the programs are loaded: how the uprobes will be attached. */
void percpu_choose_uprobes(struct percpu *percpu);

/* The probes of counter I; requests of all counters that have them, once. */
int percpu_attach_uprobes(
	struct percpu *percpu, uint32_t i, int cpu, struct err *err);

/* LINK is closed with the rest; -1: it is NULL, or no memory. */
int percpu_keep_link(struct percpu *percpu, struct bpf_link *link);

#endif

#endif
