/*
 * abi.h - what the BPF programs of the wide arrangement and the monitor
 * tell each other.
 *
 * Included by both sides: fixed sizes only, no pointers.  A slot is one
 * resource of the run; amounts are in the unit of the slot's counter (ns for
 * times, else gticks).
 */
#ifndef CPPROF_WIDE_ABI_H
#define CPPROF_WIDE_ABI_H

#include <linux/types.h>

#define WIDE_SLOTS 16
#define WIDE_CALLS 512     /* system call numbers of the 64-bit ABI */
#define WIDE_SIGNALS 65    /* signal numbers from 1 on */
#define WIDE_MESSAGES 1024 /* a recvmmsg has no more (UIO_MAXIOV) */

#define WIDE_CHUNK_PAGES 14 /* of stack in a record, whose size is 16 bits */
#define WIDE_CHUNK_BYTES (WIDE_CHUNK_PAGES * 4096)
#define WIDE_MARKS 65 /* places by which an old copy is known to hold */
/*
 * The largest copy that comes with a sample: what a record can have less what
 * else is in it, so that the programs know where the copy ends.
 */
#define WIDE_STACK_MOST 64512
/*
 * A sample comes with the smallest copy that has all of its stack: of a slot's
 * own size, which is number 0, and as many powers of two as are less.
 */
#define WIDE_COPIES 5
#define WIDE_COPY_LEAST 2048

/* Which bytes a system call moves; values of enum transfer (syscalls.h). */
enum wide_transfer {
	WIDE_TRANSFER_NONE,
	WIDE_TRANSFER_READ,
	WIDE_TRANSFER_WRITE,
	WIDE_TRANSFER_BOTH,
	WIDE_TRANSFER_READ_MESSAGES,
	WIDE_TRANSFER_WRITE_MESSAGES,
	WIDE_TRANSFER_PAGES,
};

/*
 * Before the programs are loaded; constants to them.  The masks have a bit for
 * each slot.
 */
struct wide_config {
	__u32 nslots;
	__u32 ncpus;     /* outputs: WIDE_OUTPUT() * ncpus + processor */
	__u32 clocks;    /* slots that a clock samples */
	__u32 waits;     /* slots that add up time off the processor */
	__u32 voluntary; /* slots that count such switches */
	__u32 involuntary;
	__u32 reads;  /* slots that add up bytes read */
	__u32 writes; /* and bytes written; once where both say so */
	__u32 io_time;
	__u32 chunks; /* stacks beyond the copy are sent */
	__u64 interval[WIDE_SLOTS];
	__u32 spread[WIDE_SLOTS];     /* intervals vary by so much, 1/1024 */
	__u32 call_slots[WIDE_CALLS]; /* slots that count the call */
	__u8 transfer[WIDE_CALLS];
	__u32 signal_slots[WIDE_SIGNALS];
};

#define WIDE_POINTS 128     /* functions that allocate, in all files */
#define WIDE_RANGES 160     /* and pieces of code that belong to them */
#define WIDE_FILE_RANGES 40 /* of one file */
/* More than any address space has: no such request is ever granted. */
#define WIDE_REQUEST_MOST (1ull << 47)

/* What a function that allocates is called with. */
enum wide_request {
	WIDE_MALLOC,       /* (size) */
	WIDE_PAGES,        /* (size): valloc, pvalloc */
	WIDE_CALLOC,       /* (n, size) */
	WIDE_REALLOC,      /* (old, size) */
	WIDE_REALLOCARRAY, /* (old, n, size) */
	WIDE_ALIGNED,      /* (alignment, size) */
	WIDE_POSIX,        /* (result, alignment, size) */
	WIDE_NEW,          /* (size): C++'s operator new */
};

struct wide_point {
	__u64 addr;       /* link-time */
	__u16 first, end; /* ranges of its file */
	__u32 request;    /* enum wide_request */
};

struct wide_range {
	__u64 from; /* link-time */
	__u64 size;
};

/* The functions that allocate; constants as struct wide_config. */
struct wide_allocators {
	__u32 bytes;    /* slots that add up what is asked for */
	__u32 requests; /* slots that count how often */
	struct wide_point points[WIDE_POINTS];
	struct wide_range ranges[WIDE_RANGES];
};

/* Shared memory of both, while the programs run. */
struct wide_shared {
	__u32 collecting; /* 0: nothing counts; written by the monitor */
	__u32 turns;      /* how often that was changed */
	__u64 skipped;    /* ns that did not count, before the last start */
	__u64 stopped;    /* where the counted time stands while none does */
	__u32 stack[WIDE_SLOTS][WIDE_COPIES]; /* bytes of each copy; 0: none */
	__u64 room[WIDE_SLOTS]; /* bytes of stack that may be sent at once */
	__u32 adopt;       /* process that the adopting program takes in */
	__u32 adopt_armed; /* it waits for its exec before it counts */
	__u32 adopted;     /* threads that were new to it */
	__u64 missed;      /* threads there was no memory for */
	__u64 silent;      /* programs that ended and asked no allocator */
	__u64 unread;      /* calls whose bytes could not be read */
	__u64 count[WIDE_SLOTS];   /* of threads that have ended */
	__u64 emitted[WIDE_SLOTS]; /* weight of samples, lost ones included */
	__u64 lost[WIDE_SLOTS];    /* samples there was no room for */
	__u64 lost_weight[WIDE_SLOTS];
	__u64 on_cpu;             /* ns, of threads that have ended */
	__u64 on_wall;            /* the same by the clock */
	__u64 living[WIDE_SLOTS]; /* by the adding program: of the others */
	__u64 living_on_cpu, living_on_wall;
	__s64 rest[WIDE_SLOTS]; /* of processes that have ended */
	__s64 clock_rest[WIDE_SLOTS];
};

/* Outputs without a stack: of what waits come to, of chunks; by slot. */
#define WIDE_OUTPUTS(nslots) ((nslots) * (WIDE_COPIES + 2))
#define WIDE_PAID_OUTPUT(nslots, slot) ((nslots)*WIDE_COPIES + (slot))
#define WIDE_CHUNK_OUTPUT(nslots, slot) ((nslots) * (WIDE_COPIES + 1) + (slot))

/* The output of samples of SLOT with copy number COPY. */
#define WIDE_OUTPUT(slot, copy) ((slot)*WIDE_COPIES + (copy))

enum wide_what {
	WIDE_DUE,   /* hits and weight of a sample, taken now */
	WIDE_HELD,  /* the stack of a thread that begins to wait; no weight yet
		     */
	WIDE_PAID,  /* what the thread's last WIDE_HELD stack comes to */
	WIDE_CHUNK, /* a struct wide_chunk and bytes of the thread's stack */
};

/* What a sample carries beside registers and stack (PERF_SAMPLE_RAW). */
struct wide_sample {
	__u32 what; /* enum wide_what */
	__u64 weight __attribute__((packed));
	__u32 hits;
	__u32 slot;
	__u32 tid; /* WIDE_PAID: of the thread that waited; else of the one */
	__u32 pid; /* that runs, whose number perf no longer tells at its end */
	/*
	 * The stack beyond the copy, by the chunks of this image: it holds from
	 * address `from` on (0: there is none).  What was there at the thread's
	 * last sample with it is unchanged from `same` on; what lies below came
	 * in chunks just before this sample, and what did not is absent.
	 */
	__u64 from __attribute__((packed));
	__u64 same __attribute__((packed));
	__u32 image;
	__u32 copy; /* which of the slot's it comes with */
};

#define WIDE_REGS 17 /* perf's general registers, in its order */

/* What the last wait of a thread that still waits comes to so far. */
struct wide_waiting {
	__u32 pid, tid;
	__u32 slot;
	__u32 hits;
	__u64 weight;
	__u32 held; /* its stack was a WIDE_HELD; else by these registers */
	__u32 reserved;
	__u64 regs[WIDE_REGS];
};

/* Before the bytes of a chunk. */
struct wide_chunk {
	__u32 what;
	__u32 image; /* another number: what came with the old one is void */
	__u64 addr;  /* of the first byte */
	__u64 top;   /* where the image ends */
	__u32 size;
	__u32 reserved;
};

#endif
