/*
 * gzip.h - packs what is written, as it comes.
 */
#ifndef CPPROF_EXPORT_GZIP_H
#define CPPROF_EXPORT_GZIP_H

#include <stdio.h>
#include <zlib.h>

#include "lib/err.h"

struct gzip {
	z_stream stream;
	FILE *out;
	unsigned char room[1 << 16];
};

/*
 * LEVEL: zlib's.  -1: no memory.  OUT is borrowed; its errors are left to its
 * owner.
 */
int gzip_begin(struct gzip *z, FILE *out, int level, struct err *err);
void gzip_put(struct gzip *z, const void *data, size_t n);
/* Writes the rest, if WHOLE, and frees what Z holds. */
void gzip_end(struct gzip *z, int whole);

#endif
