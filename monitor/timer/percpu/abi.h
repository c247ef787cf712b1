/*
 * abi.h - the interface of the per-CPU timers' BPF programs and the monitor.
 *
 * Included by both sides: fixed sizes only, no pointers.  A counter is one
 * resource of the run; amounts are in the counter's unit (ns for times, else
 * gticks).
 */
#ifndef CPPROF_PERCPU_ABI_H
#define CPPROF_PERCPU_ABI_H

#include <linux/types.h>

#include "monitor/inprocess/counting.h"
#include "monitor/interpreter/abi.h"
#include "monitor/probe/allocation.h"

#define PERCPU_PAGE 4096ull
#define PERCPU_COUNTERS 16
#define PERCPU_BLOCKS (1 << 18) /* that probes follow at a time */
#define PERCPU_ARCS (1 << 18)   /* of all threads at a time */
#define PERCPU_CALLS 512        /* system call numbers of the 64-bit ABI */
#define PERCPU_SIGNALS 65       /* signal numbers from 1 on */
#define PERCPU_MESSAGES 1024    /* a recvmmsg has no more (UIO_MAXIOV) */

/*
 * A sample has the smallest copy that holds all of its stack.  Copy 0 has the
 * counter's own size, which is small enough for each sample at its rate, the
 * others these.  Each is an event on each processor.
 */
#define PERCPU_COPIES 3
#define PERCPU_COPY_LEAST 2048
#define PERCPU_COPY_MIDDLE 8192

/*
 * With copy 0 the outermost bytes of the stack follow, in pieces: what is
 * between the two is mostly one large frame, or part of one that the program
 * has not touched, at which the kernel's copy ends.  Both and the record's
 * other parts are within its limit of 64 KiB.
 */
#define PERCPU_STACK_MOST 57344
#define PERCPU_TAIL 7168
#define PERCPU_PIECE 1024

/* Which bytes a system call moves; values of enum transfer (syscalls.h). */
enum percpu_transfer {
	PERCPU_TRANSFER_NONE,
	PERCPU_TRANSFER_READ,
	PERCPU_TRANSFER_WRITE,
	PERCPU_TRANSFER_BOTH,
	PERCPU_TRANSFER_READ_MESSAGES,
	PERCPU_TRANSFER_WRITE_MESSAGES,
	PERCPU_TRANSFER_PAGES,
};

/*
 * Before the programs are loaded; constants to them.  The masks have a bit for
 * each counter.
 */
struct percpu_config {
	__u32 ncounters;
	__u32 ncpus;     /* outputs: PERCPU_OUTPUT() * ncpus + processor */
	__u32 clocks;    /* counters that a clock samples */
	__u32 waits;     /* counters that add up time off the processor: */
	__u32 events;    /* of them those that do until the event comes, */
	__u32 queues;    /* and from then on, until the thread runs */
	__u32 voluntary; /* counters that count such switches */
	__u32 involuntary;
	__u32 reads;  /* counters that add up bytes read */
	__u32 writes; /* and bytes written; a counter in both counts a call once
		       */
	__u32 io_time;
	__u32 maps; /* counters that add up the bytes that calls map */
	__u32 mmap, mremap, brk; /* these calls' numbers */
	__u32 page;              /* its size */
	__u32 uprobes;
	__u32 arcs; /* counters whose calls are counted by who calls */
	__u64 interval[PERCPU_COUNTERS];
	__u32 spread[PERCPU_COUNTERS];     /* percent that intervals vary by, in
					      1/1024 */
	__u32 call_counters[PERCPU_CALLS]; /* counters that count the call */
	__u8 transfer[PERCPU_CALLS];
	__u32 signal_counters[PERCPU_SIGNALS];
};

/*
 * Calls of one function from one place, in one thread's time with one program.
 */
struct percpu_arc {
	__u64 back;   /* where the function returns to */
	__u32 point;  /* its number */
	__u32 thread; /* given to each at its first call */
};

/* What a probe has in its cookie for it, beside the counter. */
#define PERCPU_ARC(point, depth) ((__u64)(point) << 32 | (__u64)(depth) << 8)
#define PERCPU_ARC_POINT(cookie) ((__u32)((cookie) >> 32))
/* bytes of stack that the function has taken before the probe */
#define PERCPU_ARC_DEPTH(cookie) ((__u32)(cookie) >> 8)

struct percpu_point {
	__u64 addr;       /* link-time */
	__u16 first, end; /* ranges of its file */
	__u32 request;    /* enum allocation */
};

struct percpu_range {
	__u64 from; /* link-time */
	__u64 size;
};

/* The functions that allocate; constants as struct percpu_config. */
struct percpu_allocators {
	__u32 bytes;    /* counters that add up the requested bytes */
	__u32 requests; /* counters that count the requests */
	__u32 ends;     /* counters whose samples are the ends of blocks */
	__u32 frees;    /* of them those that count all ends */
	__u32 follows;  /* there are points for that */
	__u32 run;      /* of the counting object's reports */
	struct percpu_point points[ALLOCATION_POINTS];
	struct percpu_range ranges[ALLOCATION_RANGES];
};

/* Whether the target runs on a processor, and whether its clocks tick. */
struct percpu_use {
	__u32 used;  /* set by the programs, taken back by the monitor */
	__u32 rests; /* enum percpu_rests */
};

enum percpu_rests {
	PERCPU_TICKS,
	PERCPU_RESTS,  /* set by the monitor alone, as the one before */
	PERCPU_CALLED, /* it rests, and the target runs there */
};

#define PERCPU_USES 512 /* processors with equal remainders share one */

/* Memory that both share, while the programs run. */
struct percpu_shared {
	__u32 collecting; /* 0: nothing counts; written by the monitor */
	__u32 turns;      /* how often that was changed */
	__u64 skipped;    /* ns that did not count, before the last start */
	__u64 stopped;    /* the counted time at the last stop */
	__u32 stack[PERCPU_COUNTERS]
		   [PERCPU_COPIES]; /* bytes of each copy; 0: none */
	__u32 track_existing; /* process whose threads the iterator program is
				 to track */
	__u32 track_armed;    /* it counts only from its exec on */
	__u64 track_begun;    /* it began before: a later one is another */
	__u32 tracked;        /* threads that were new to it */
	__u32 last_block;     /* that probes follow */
	__u64 missed;         /* threads without memory for their counts */
	__u64 silent; /* programs that ended without a request to a probed
			 allocator */
	__u64 unread; /* calls whose bytes could not be read */
	__u64 count[PERCPU_COUNTERS];   /* of threads that have ended */
	__u64 emitted[PERCPU_COUNTERS]; /* weight of samples, lost ones included
					 */
	__u64 lost[PERCPU_COUNTERS];    /* samples there was no room for */
	__u64 lost_weight[PERCPU_COUNTERS];
	__u64 on_cpu;                  /* ns, of threads that have ended */
	__u64 on_wall;                 /* the same by the clock */
	__u64 living[PERCPU_COUNTERS]; /* of living threads; an iterator program
					  adds it up */
	__u64 living_on_cpu, living_on_wall;
	__u32 counting;        /* threads that count, until their last event */
	__u32 living_counting; /* of them those that the iterator found */
	__s64 rest[PERCPU_COUNTERS]; /* of processes that have ended */
	__s64 clock_rest[PERCPU_COUNTERS];
	__u32 arc_threads;  /* that had calls to count, so far */
	__u32 goroutines;   /* there was a stack of one */
	__u64 interpreters; /* that there were so far */
	__u32 untold;       /* losses of what was told of them */
	struct percpu_use uses[PERCPU_USES];
};

/* The last ones, without a stack, are of samples that need none; by counter. */
#define PERCPU_OUTPUTS(ncounters) ((ncounters) * (PERCPU_COPIES + 1))
#define PERCPU_BARE_OUTPUT(ncounters, counter)                                 \
	((ncounters)*PERCPU_COPIES + (counter))

/* The output of samples of SLOT with copy number COPY. */
#define PERCPU_OUTPUT(counter, copy) ((counter)*PERCPU_COPIES + (copy))

enum percpu_what {
	PERCPU_DUE,     /* hits and weight of a sample, taken now */
	PERCPU_REPORT,  /* the same, in the counting object, which is no part of
			   the program */
	PERCPU_OFF_CPU, /* the stack of a thread that begins to wait; no weight
			   yet */
	PERCPU_SETTLE,  /* hits and weight for the thread's last PERCPU_OFF_CPU
			   stack */
	PERCPU_END,     /* the end of a block, of a sample before it */
	PERCPU_PROBE,   /* a clock's, for time in the programs themselves */
	PERCPU_FRAMES,  /* of an interpreter, for a sample that follows; with
			   items (monitor/interpreter/abi.h) behind it, and in
			   hits enum interpreter_end */
	PERCPU_FAULT,   /* as PERCPU_DUE, at an address, whose halves tid and
			   pid have; of memory that a call has mapped, with its
			   pages in block */
	PERCPU_ARC_BEGINS, /* the first call of an arc: weight and below have
			      its return address and instruction pointer, hits
			      and block its thread and point */
	PERCPU_MOVED, /* memory: weight and below have where it was and is, hits
			 and block how many pages it had and has */
};

/* The raw part of a sample (PERF_SAMPLE_RAW). */
struct percpu_sample {
	__u32 what; /* enum percpu_what */
	__u64 weight __attribute__((packed));
	__u32 hits;
	__u32 counter;
	__u32 call; /* the system call that it is in; see syscall_place() */
	__u32 tid;  /* PERCPU_SETTLE: of the thread that waited; else of the one
		     */
	__u32 pid;  /* that runs, whose number perf no longer has at its end */
	/* The word just outside of the copy, below the stack pointer; 0:
	   unknown. */
	__u64 below __attribute__((packed));
	__u8 whole;   /* the copy and the tail are all of the stack */
	__u8 gone;    /* the thread ends and has given its memory back */
	__u16 frames; /* number of the thread's PERCPU_FRAMES; 0: none */
	__u32 block;  /* as in struct counting_state */
};

#define PERCPU_FRAMES_AT 48 /* of their items in it */

/* The same with the outermost bytes of the stack, or with those of the stack
   that a goroutine has left at left_sp and left_ip; else both are 0. */
struct percpu_tailed {
	struct percpu_sample sample;
	__u32 size; /* the last so many */
	__u64 end, left_sp, left_ip;
	__u8 tail[PERCPU_TAIL];
};

#define PERCPU_REGS 17 /* perf's general registers, in its order */

/* The time so far of a wait that has not ended. */
struct percpu_waiting {
	__u32 pid, tid;
	__u32 counter;
	__u32 hits;
	__u64 weight;
	__u32 off_cpu_sent; /* its stack was a PERCPU_OFF_CPU; else it is found
			       by these registers */
	__u32 call;
	__u64 regs[PERCPU_REGS];
};

#endif
