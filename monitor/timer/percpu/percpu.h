/*
 * percpu.h - kernel timers on per-CPU events: BPF programs that count.
 *
 * With CAP_BPF and CAP_PERFMON the events of a run are on the whole machine
 * (one per processor, for any number of threads).  BPF programs keep only the
 * events of the target, add up in each thread, and emit a sample with registers
 * and stack when an interval has passed.  Only the programs know the target's
 * threads: they follow fork and exit.  When the monitor ends, even suddenly,
 * the kernel closes everything.
 *
 * In a build without libbpf can() of the kinds fails (none.c).
 */
#ifndef CPPROF_PERCPU_H
#define CPPROF_PERCPU_H

#include "monitor/contract/timer.h"

/* The kinds of the family; impl: struct percpu. */
extern const struct timer_kind percpu_timer, uprobe_timer, report_timer;

/*
 * Loads the programs of N requests, and leaves nothing behind: then MACHINE
 * knows of each whether the kernel takes them.
 */
void percpu_try(const struct resource_request *requests, size_t n,
	struct timer_machine *machine);

/* Which requests the kinds count at all: percpu_timer, and the other two. */
bool percpu_counts(const struct resource_request *request);
bool percpu_probes(const struct resource_request *request);

/*
 * A number below TIMER_PROGRAMS for the programs that count a resource: what
 * the kernel says of one, it says of all that these count.
 */
size_t percpu_programs(const struct resource *r);

#endif
