/*
 * writer_private.h - the parts of the writer: lib/cpprofdata/writer.c makes
 * records and chunks, lib/cpprofdata/writer_samples.c the records of the hot
 * path: nodes and samples.
 */
#ifndef CPPROF_CPPROFDATA_WRITER_PRIVATE_H
#define CPPROF_CPPROFDATA_WRITER_PRIVATE_H

#include "lib/arena.h"
#include "lib/bytes.h"
#include "lib/cpprofdata/file.h"
#include "lib/cpprofdata/format.h"
#include "lib/cpprofdata/nodes.h"
#include "lib/cpprofdata/reader.h"
#include "lib/cpprofdata/writer.h"
#include "lib/id_map.h"
#include "lib/vec.h"

struct cpd_node_time {
	uint32_t node;
	uint64_t time;
};

/* A process that lives, or whose pid will help to name code. */
struct cpd_kept_process {
	uint32_t id;
	int32_t pid;
	uint32_t from;  /* whose code it began with; 0: nobody's */
	uint32_t needs; /* it lives, owns memory, others began with its code */
	bool owns;      /* memory without a file, where code is made */
};

/*
 * Names of threads and processes: there may be as many as of these, and most
 * come once or soon again.  So only the latest are remembered, and an older one
 * is written again.
 */
#define CPD_NAMES 1024 /* a power of two */
struct cpd_name {
	char s[20]; /* longer than any that the kernel has */
	uint32_t number;
};

struct cpd_writer {
	struct cpd_file *file;
	struct bytes chunk; /* begins with room for the chunk's header */
	struct bytes body;  /* of the record being made */
	uint64_t time;      /* in it; the last before it */
	struct cpd_delta last;
	uint32_t chunks; /* begun so far */
	struct cpd_known known;
	struct cpd_nodes nodes;
	struct strings strings;
	VEC(uint32_t) numbers; /* of strings in the file */
	struct cpd_name *names;
	uint32_t nstrings;              /* written */
	VEC(struct cpd_module) modules; /* [module - 1] */
	struct arena modules_arena;     /* their paths */
	struct id_map processes;        /* struct cpd_kept_process */
	VEC(struct cpd_node_time) anon; /* of memory without a file */
	size_t anon_timed;              /* how many of them have a time */
	bool failed;
	struct err err;
};

/* Sets the error that stays; -1. */
int cpd_writer_no_memory(struct cpd_writer *w);
/* A record that a reader would refuse is not written. */
int cpd_writer_refuse(struct cpd_writer *w, const char *why);

/* Writes a record of that kind; -1 as cpd_write_exit(). */
int cpd_write_record(
	struct cpd_writer *w, enum cpd_kind kind, const void *record);

/*
 * The bytes of a record of that kind, lent until the next call; NULL: the error
 * is set, or will be.  Records without a time are equal if these are.
 */
const struct bytes *cpd_encode(
	struct cpd_writer *w, enum cpd_kind kind, const void *record);

/* After each record: checks for lost memory, and writes a full chunk. */
static inline int cpd_writer_record_done(struct cpd_writer *w)
{
	if (w->chunk.failed)
		return cpd_writer_no_memory(w);
	return w->chunk.n < CPD_CHUNK_FULL ? 0 : cpd_writer_flush(w);
}

#endif
