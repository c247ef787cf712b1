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

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/err.h"

#define CPD_STRING_MAX 65536

/*
 * Handlers may be NULL.  One that returns other than 0 ends the reading;
 * cpd_read() then returns -1 and leaves ERR as the handler set it.  Strings
 * are lent until cpd_read() returns; arrays until the handler does.
 */
struct cpd_handlers {
	int (*head)(void *arg, const struct cpd_head *, struct err *);
	int (*resource)(void *arg, const struct cpd_resource *, struct err *);
	int (*process)(void *arg, const struct cpd_process *, struct err *);
	int (*thread)(void *arg, const struct cpd_thread *, struct err *);
	int (*rename)(void *arg, const struct cpd_rename *, struct err *);
	int (*exit)(void *arg, const struct cpd_exit *, struct err *);
	int (*module)(void *arg, const struct cpd_module *, struct err *);
	int (*map)(void *arg, const struct cpd_map *, struct err *);
	int (*node)(void *arg, const struct cpd_node *, struct err *);
	int (*sample)(void *arg, const struct cpd_sample *, struct err *);
	int (*total)(void *arg, const struct cpd_total *, struct err *);
	int (*loss)(void *arg, const struct cpd_loss *, struct err *);
	int (*function)(void *arg, const struct cpd_function *, struct err *);
	int (*addr)(void *arg, const struct cpd_addr *, struct err *);
	int (*note)(void *arg, const struct cpd_note *, struct err *);
	int (*end)(void *arg, const struct cpd_end *, struct err *);
};

struct cpd_result {
	bool truncated;   /* cut in the middle of a chunk */
	bool complete;    /* the end record was there */
	uint64_t bytes;   /* of whole chunks */
	uint64_t dropped; /* bytes of the cut chunk that were left out */
	uint32_t minor;   /* version */
};

/*
 * Reads PATH ("-": standard input).  0, or -1: not a cpprofdata file, a newer
 * version, broken contents (with the offset), no such file, a handler's error.
 */
int cpd_read(const char *path, const struct cpd_handlers *handlers, void *arg,
	struct cpd_result *result, struct err *err);

/* The same from SIZE bytes of memory; NAME stands in errors. */
int cpd_read_memory(const char *name, const void *data, size_t size,
	const struct cpd_handlers *handlers, void *arg,
	struct cpd_result *result, struct err *err);

#endif
