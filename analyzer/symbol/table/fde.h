/*
 * fde.h - bounds of functions by the unwind tables.
 *
 * Collects the [lo, hi) of every entry (FDE) of .eh_frame and .debug_frame
 * (lib/elf/frame.h). A broken table gives the entries before the break.
 */
#ifndef CPPROF_SYMBOL_FDE_H
#define CPPROF_SYMBOL_FDE_H

#include "lib/elf/elf_image.h"
#include "analyzer/symbol/table/span.h"
#include "lib/elf/frame.h"

struct fdes {
	VEC(struct frame_range) all;
	struct spans spans; /* id: index in all */
};

/*
 * From IMAGE, and from the .debug_frame of DEBUG, a separate file's Elf, or
 * NULL.  -1 when out of memory.
 */
int fdes_init(struct fdes *fdes, struct elf_image *image, Elf *debug);
void fdes_fini(struct fdes *fdes);

/* The entry that covers ADDR, or NULL. */
const struct frame_range *fdes_find(const struct fdes *fdes, uint64_t addr);

#endif
