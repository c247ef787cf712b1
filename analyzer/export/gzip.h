/*
 * gzip.h - packs bytes.
 */
#ifndef CPPROF_EXPORT_GZIP_H
#define CPPROF_EXPORT_GZIP_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/bytes.h"

/*
 * Writes FROM to OUT, packed by gzip, and with BASE64 so encoded (RFC 4648).
 * LEVEL: zlib's.  -1: no memory, or FROM failed.  Errors of OUT are left to its
 * owner.
 */
int gzip_write(FILE *out, const struct bytes *from, int level, bool base64);

#endif
