/*
 * The BPF programs of the per-CPU timers (monitor/timer/percpu/percpu.h says
 * what that is).
 *
 * Whatever belongs to the target has a struct thread in its task storage;
 * nothing else has, and costs one lookup.  A new thread gets its own from the
 * thread that makes it.  Each counter counts in the thread and is due when
 * `next` is reached.
 *
 * A new thread starts anywhere in its first interval, on account; what it
 * leaves when it ends, less than an interval, goes to its process and what a
 * process leaves to the run, the account settled.  What has come together there
 * makes samples in the next threads more likely, what is owed less.  So many
 * threads that each consume too little are sampled as one that consumes as
 * much, to within a few intervals, and not in step with what they all do.
 */
#include "monitor/timer/percpu/core.bpf.h"

#include "monitor/timer/percpu/allocations.bpf.h"
#include "monitor/timer/percpu/syscalls.bpf.h"
#include "monitor/timer/percpu/events.bpf.h"
#include "monitor/timer/percpu/functions.bpf.h"
#include "monitor/timer/percpu/own.bpf.h"
#include "monitor/timer/percpu/processors.bpf.h"
#include "monitor/timer/percpu/tasks.bpf.h"

char LICENSE[] SEC("license") = "GPL";
