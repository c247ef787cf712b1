/*
 * cost.h - which samples are of time that a run's own probes take.
 *
 * A thread that hits a probe spends 10 us in the kernel, there and back, where
 * the function itself may need ten nanoseconds.  A clock finds it there, with
 * its user-mode registers still at the probed address.  Such samples are not
 * the function's but go to [probes].
 */
#ifndef CPPROF_PROBE_COST_H
#define CPPROF_PROBE_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"
#include "monitor/probe/probe.h"
#include "monitor/space/address_space.h"

struct probe_trap {
	uint64_t addr; /* link-time */
	uint32_t file; /* index */
	bool kernel;   /* only if the kernel was interrupted */
	uint64_t word; /* only if the stack begins with this address, too; 0:
			  any */
};

struct probe_file {
	uint64_t dev, inode;
};

struct probe_cost {
	VEC(struct probe_trap) at; /* sorted by address */
	VEC(struct probe_file) files;
	VEC(uint32_t)
	modules;      /* [id]: 1 + the index of its file; 0: unknown yet */
	bool uprobes; /* else breakpoints, which leave no copies */
};

/* The probes of CALLS are armed, as UPROBES or not.  -1: no memory. */
int probe_cost_add(
	struct probe_cost *cost, const struct calls *calls, bool uprobes);

/*
 * Whether a thread that a clock interrupted is at a probe and not in its own
 * code: IP is of its user-mode registers, USER tells whether it was in user
 * mode, WORD is the first word of its stack (0: unknown).
 */
bool probe_cost_is(struct probe_cost *cost, const struct address_space *space,
	uint64_t ip, bool user, uint64_t word);

void probe_cost_fini(struct probe_cost *cost);

#endif
