/*
 * reader.h - reads a cpprofdata file, front to back.
 *
 * cpd_read() hands each record to its handler in the order of the file.  The
 * file is not trusted: lengths, numbers, ids and strings are checked before a
 * handler sees them (an id was announced, a node's parent is smaller than it,
 * a module-0 node is a known pseudo node below the root, hits and weight are
 * not 0, a string has no NUL and at most CPD_STRING_MAX bytes), and memory
 * use is bounded by the file's length.  An error names the offset.
 *
 * A file that ends in the middle of a chunk, as after a crash or a full disk,
 * gives all its whole chunks and then sets result->truncated; that is no
 * error.
 */
#ifndef CPPROF_CPPROFDATA_READER_H
#define CPPROF_CPPROFDATA_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cpprofdata/handlers.h"

struct cpd_result {
	bool truncated;   /* cut in the middle of a chunk */
	bool complete;    /* the end record was there */
	uint64_t bytes;   /* of whole chunks */
	uint64_t dropped; /* bytes of the cut chunk that were ignored */
	uint32_t minor;   /* version */
};

/*
 * Reads PATH ("-": standard input).  0, or -1: not a cpprofdata file, a newer
 * version, broken contents (with the offset), no such file, a handler's error.
 */
int cpd_read(const char *path, const struct cpd_handlers *handlers, void *arg,
	struct cpd_result *result, struct err *err);

#endif
