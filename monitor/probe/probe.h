/*
 * probe.h - finds the functions whose calls a run counts, before it begins.
 *
 * "FUNC[+FUNC...]", each "NAME" or "LIB:NAME", becomes points: the first bytes
 * of functions in files.  NAME is searched for in the target's own executable,
 * and if that has none in the libraries it will load.  LIB is a library by its
 * name or stem (libc.so.6, libc), or any ELF file by its path, for example
 * another program that the target will run.
 *
 * Points of the executable can be hardware breakpoints, which the kernel keeps
 * for each thread; all can be uprobes (breakpoint_timer and uprobe_timer).
 */
#ifndef CPPROF_PROBE_H
#define CPPROF_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/elf/debug_file.h"
#include "lib/err.h"
#include "lib/vec.h"

struct probe_point {
	char *file;
	uint64_t offset;        /* in the file */
	uint64_t addr;          /* link-time */
	bool program;           /* in the target's executable */
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
	uint32_t run;  /* the number that the counting object has, one of the
			  points being its reports; 0: there is none */
	bool crowded;  /* others have the registers that it needs */
	char *inlined; /* one of the functions that is inlined somewhere */
};

/*
 * Finds FUNCTIONS, or if USDT the probe "[LIB:]PROVIDER:NAME[.argN]", for a run
 * of ARGV, or if that is NULL for process PID.  -1 with the error: an unknown
 * name (with the nearest), a variable, a file that cannot be read.  CALLS must
 * be freed in either case.
 */
int probe_find(struct calls *calls, const char *functions, bool usdt,
	char *const *argv, pid_t pid, struct err *err);

/*
 * The first step of it: finds the executable.  0, also if there is none and
 * calls->program stays NULL; -1 with the error.
 */
int probe_target(
	struct calls *calls, char *const *argv, pid_t pid, struct err *err);

void probe_free(struct calls *calls);

/*
 * The distance of process PID's executable from its link-time addresses; false:
 * it runs another one than CALLS has, or this user may not know.
 */
bool probe_bias(const struct calls *calls, pid_t pid, uint64_t *bias);

#endif
