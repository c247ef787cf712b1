/*
 * packer.h - bytes, packed by gzip and written as base64.
 *
 * For binary data in a page.  The packer borrows the stream; its caller finds
 * write errors by ferror().  All that was put in is written only at
 * packer_end(), which also frees the packer.
 */
#ifndef CPPROF_EXPORT_PACKER_H
#define CPPROF_EXPORT_PACKER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct packer;

/* NULL when out of memory. */
struct packer *packer_begin(FILE *out);

void packer_bytes(struct packer *packer, const void *bytes, size_t n);

/* An unsigned LEB128 number. */
void packer_number(struct packer *packer, uint64_t n);

/* Ends the data; -1 when memory was out on the way. */
int packer_end(struct packer *packer);

#endif
