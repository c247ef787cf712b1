/*
 * features.h - the features of the running kernel that the BPF programs may
 * use.
 *
 * They are read from the kernel's description of its types (BTF), so a test can
 * provide another one.
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
