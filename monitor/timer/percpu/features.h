/*
 * features.h - what the running kernel has of what the BPF programs can use.
 *
 * By the kernel's own description of its types (BTF), so that a test can show
 * another one.
 */
#ifndef CPPROF_PERCPU_FEATURES_H
#define CPPROF_PERCPU_FEATURES_H

struct btf;

/* What the tracepoint sched_switch tells; its arguments changed in 5.18. */
enum percpu_switch {
	PERCPU_SWITCH_UNKNOWN,   /* no such tracepoint, or another order */
	PERCPU_SWITCH_STATELESS, /* (preempt, prev, next) */
	PERCPU_SWITCH_STATE,     /* (preempt, prev, next, state of prev) */
};

enum percpu_switch percpu_switch_of(const struct btf *btf);

#endif
