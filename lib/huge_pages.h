/*
 * huge_pages.h - zeroed memory for large hash tables.
 *
 * A probe of a large table misses the cache, and with pages of 4 KiB the TLB as
 * well, whose walk misses it again: the kernel is asked for huge pages.
 */
#ifndef CPPROF_BIG_H
#define CPPROF_BIG_H

#include <stddef.h>

/* SIZE bytes of zeros; NULL: no memory. */
void *big_new(size_t size);

/* Frees what big_new(SIZE) gave, or NULL. */
void big_free(void *memory, size_t size);

#endif
