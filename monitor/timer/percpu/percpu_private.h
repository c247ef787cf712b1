/*
 * percpu_private.h - the wide arrangement's own: the BPF programs (monitor/timer/percpu/percpu.c), their
 * perf events (monitor/timer/percpu/attach_events.c), and what stands for both in a build without
 * libbpf (monitor/timer/percpu/none.c).
 */
#ifndef CPPROF_WIDE_PRIVATE_H
#define CPPROF_WIDE_PRIVATE_H

#include "config.h"

#include "monitor/timer/percpu/percpu.h"

#ifdef HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

struct wide_clock { /* a perf event of a link's */
	int fd, cpu;
};

struct wide {
	struct bpf_object *object;
	struct wide_config config;
	struct wide_allocators allocators;
	struct wide_shared *shared;
	struct wide_slot slots[WIDE_SLOTS];
	VEC(struct bpf_link *) links;
	VEC(int) fds; /* of perf events with a program */
	VEC(struct wide_clock) clocks;
	bool uprobe_links; /* one link has all uprobes of a file */
};

/* Forgets what libbpf said last, so that wide_error() has what it says next.
 */
void wide_begin_complaint(void);

/* The error of OPERATION, by errno and what libbpf said; -1. */
int wide_error(const char *operation, struct err *err);

/* A map of the programs, by its name. */
struct bpf_map *wide_map(const struct wide *wide, const char *name);

/* Puts the programs on what the slots count: each processor's perf events. */
int wide_attach_slots(struct wide *wide, struct err *err);

/*
 * One perf event of a slot on a processor, with its program.  Its descriptor,
 * which is wide's; -1.
 */
int wide_attach_event(struct wide *wide, const char *program,
	struct perf_event_attr *attr, int cpu, uint64_t cookie,
	struct err *err);

/* Before the programs are loaded: how the uprobes will be attached. */
void wide_choose_uprobes(struct wide *wide);

/* The probes of slot I; requests of all slots that have them, once. */
int wide_attach_uprobes(
	struct wide *wide, uint32_t i, int cpu, struct err *err);

/* LINK is closed with the rest; -1: it is NULL, or no memory. */
int wide_keep_link(struct wide *wide, struct bpf_link *link);

#endif

#endif
