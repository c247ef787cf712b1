/*
 * go.h - names and lines from the function table of Go programs.
 */
#ifndef CPPROF_SYMBOL_GO_H
#define CPPROF_SYMBOL_GO_H

#include "lib/elf/go_table.h"
#include "lib/elf/elf_image.h"

/* Finds IMAGE's table.  False where there is none that can be read. */
bool sym_go_open(struct go_table *go, struct elf_image *image);

/*
 * The place in the source of ADDR in FUNCTION, lent by the image; *FILE is NULL
 * where it is unknown.
 */
void sym_go_line(const struct go_table *go, const struct go_function *function,
	uint64_t addr, const char **file, uint32_t *line);

#endif
