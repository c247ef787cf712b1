/*
 * live.h - the part of a stack that a sample's copy did not reach.
 *
 * The kernel copies at most 64 KiB of stack.  What lies beyond, and a stack
 * that a handler on an alternate signal stack interrupted, is read from the
 * live process a little later.  It is accepted only if the part of the copy
 * that the unwinder read last is still the same there: then the frames around
 * it have not returned, and those outside of them cannot have changed.
 */
#ifndef CPPROF_STACK_LIVE_H
#define CPPROF_STACK_LIVE_H

#include <sys/types.h>

#include "monitor/stack/snapshot.h"

struct live {
	pid_t pid;
	uint8_t *window; /* what was read last */
	uint64_t start;
	size_t size, room, chunk;
	bool asked;   /* for the current stack */
	bool refused; /* gone, changed or forbidden: do not ask again */
};

/* Lets SNAPSHOT read from its process what it lacks.  LIVE keeps its memory. */
void live_attach(struct live *live, struct snapshot *snapshot);
/*
 * The kernel's copy of a stack ends at a page that was never touched: a large
 * buffer in a frame can leave one.  The copies of all later samples would end
 * there, too.  Reading the page makes the kernel map its page of zeros: nothing
 * is written, and the program's first write faults as it would have.
 */
void live_fill_hole(const struct live *live, const struct snapshot *snapshot);

/*
 * The stack of a thread that waits in a system call, with the registers of
 * SNAPSHOT: reads up to SIZE bytes to BUF.  False: it no longer waits there,
 * and its stack is unknown.
 */
bool live_waiting(struct snapshot *snapshot, pid_t pid, pid_t tid, uint8_t *buf,
	size_t size);

void live_fini(struct live *live);

#endif
