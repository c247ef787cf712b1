/*
 * fde.h - where functions begin and end as the unwind tables have it.
 *
 * Collects the [start, end) of every FDE of .eh_frame (found by its section,
 * or through PT_GNU_EH_FRAME) and .debug_frame.  Broken tables give what
 * could be read up to the break.
 */
#ifndef CPPROF_SYM_FDE_H
#define CPPROF_SYM_FDE_H

#include "analyzer/symbol/image.h"
#include "analyzer/symbol/span.h"

struct fde {
	uint64_t lo, hi;
	bool signal; /* a signal frame's entry starts one byte early, so that
			pc - 1 finds it */
};

struct fdes {
	VEC(struct fde) all;
	struct spans spans; /* id: index in all */
};

/*
 * From IMAGE, and from the .debug_frame of DEBUG, a separate file's Elf with
 * its sections already decompressed, or NULL.  -1 when out of memory.
 */
int fdes_init(struct fdes *fdes, const struct image *image, Elf *debug);
void fdes_fini(struct fdes *fdes);

/* The entry that covers ADDR, or NULL. */
const struct fde *fdes_find(const struct fdes *fdes, uint64_t addr);

#endif
