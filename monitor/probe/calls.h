/*
 * calls.h - where a run has its probes: points in files, with what each is for.
 *
 * The searches in probe.h, patterns.h and allocators.h fill it in; probe_free()
 * frees it.
 */
#ifndef CPPROF_PROBE_CALLS_H
#define CPPROF_PROBE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/elf/debug_file.h"
#include "lib/vec.h"

struct probe_point {
	char *file;
	uint64_t offset; /* in the file */
	uint64_t addr;   /* link-time */
	uint64_t from;   /* see place.h */
	uint64_t entry; /* of a function that a pattern named: its first byte */
	uint32_t depth; /* ... what it has on its stack at the point */
	char *name;     /* ... and its name; else NULL */
	bool stepped;   /* ... the kernel stops twice there */
	bool refused;   /* ... it takes no probe there */
	size_t at;      /* ... where the timer has its descriptors */
	uint64_t calls; /* ... counted in threads that have ended */
	uint64_t left;  /* ... how many calls it had when it was left alone */
	bool program;   /* in the target's executable */
	uint64_t semaphore;     /* of a probe for tracers: see usdt.h */
	uint64_t amount;        /* what counts: monitor/arch/amount.h */
	uint32_t request;       /* of allocators: enum allocation */
	uint32_t first, ranges; /* of allocators: their file's */
};

/* Code that belongs to an allocator, link-time. */
struct probe_range {
	uint64_t from, size;
};

struct calls {
	struct debug_search debug_files;
	VEC(struct probe_point) points;
	VEC(struct probe_range) ranges; /* of allocators */
	char *program;      /* the executable; NULL: there is none, and the exec
			       will say why */
	uint64_t entry;     /* its first instruction, link-time */
	const char *beyond; /* what breakpoints do not serve for; or NULL */
	pid_t pid;          /* the process attached to; 0: none */
	uint32_t run;   /* the number that the counting object has, one of the
			   points being its reports; 0: there is none */
	bool crowded;   /* others have the registers that it needs */
	char *inlined;  /* one of the functions that is inlined somewhere */
	uint64_t limit; /* a function with more calls is left alone; 0: none */
};

#endif
