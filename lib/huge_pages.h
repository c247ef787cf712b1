/*
 * huge_pages.h - zeroed memory for large hash tables.
 *
 * A probe of a large table misses the cache, and with pages of 4 KiB the TLB as
 * well, whose walk misses it again: the kernel is asked for huge pages.
 */
#ifndef CPPROF_HUGE_PAGES_H
#define CPPROF_HUGE_PAGES_H

#include <stddef.h>

/* SIZE bytes of zeros; NULL: no memory. */
void *huge_new(size_t size);

/* Frees what huge_new(SIZE) gave, or NULL. */
void huge_free(void *memory, size_t size);

#endif
