/*
 * The BPF programs of the per-CPU timers (see monitor/timer/percpu/percpu.h).
 *
 * Each thread of the target has a struct thread_counts in its task storage;
 * other threads have none, and cost one lookup.  A new thread gets its own from
 * the thread that makes it.  Each counter counts in the thread and is due when
 * `next` is reached.
 *
 * A new thread starts at a random point of its first interval, on account.  Its
 * remainder at its end, less than an interval, goes to its process, and a
 * process's to the run, with the account settled.  Remainders make samples in
 * the next threads more likely, debts less.  So many threads that each consume
 * too little are sampled as one that consumes as much, to within a few
 * intervals, and not in step with what they all do.
 */
#include "monitor/timer/percpu/bpf/core.bpf.h"

#include "monitor/timer/percpu/bpf/allocations.bpf.h"
#include "monitor/timer/percpu/bpf/syscalls.bpf.h"
#include "monitor/timer/percpu/bpf/events.bpf.h"
#include "monitor/timer/percpu/bpf/functions.bpf.h"
#include "monitor/timer/percpu/bpf/reports.bpf.h"
#include "monitor/timer/percpu/bpf/own.bpf.h"
#include "monitor/timer/percpu/bpf/processors.bpf.h"
#include "monitor/timer/percpu/bpf/tasks.bpf.h"

char LICENSE[] SEC("license") = "GPL";
