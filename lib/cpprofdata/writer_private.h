/*
 * writer_private.h - the parts of the writer: lib/cpprofdata/writer.c makes
 * records and chunks, lib/cpprofdata/writer_records.c has the rare records,
 * lib/cpprofdata/writer_samples.c those of the hot path: nodes and samples.
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
	struct cpd_delta last;
	struct cpd_known known;
	struct cpd_nodes nodes;
	struct strings *strings;
	VEC(uint32_t) numbers; /* of strings in the file */
	struct cpd_name *names;
	uint32_t nstrings;              /* written */
	VEC(uint64_t) intervals;        /* [resource - 1] */
	VEC(struct cpd_module) modules; /* [module - 1] */
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

/* Writes the chunk, if there is anything in it. */
int cpd_writer_chunk(struct cpd_writer *w);

/*
 * Begins a record of that kind, if it may stand here (WHY is NULL).  Returns
 * the bytes for its body, or NULL if not, or after an error.
 */
struct bytes *cpd_writer_record(
	struct cpd_writer *w, enum cpd_kind kind, const char *why);
/* Writes that record. */
int cpd_writer_record_end(struct cpd_writer *w, enum cpd_kind kind);

/*
 * The number of S, which is written if it is new.  That may end the chunk, so a
 * record's strings come before anything that refers back.  A string that is too
 * long is cut and ends in "...".
 */
uint32_t cpd_writer_string(struct cpd_writer *w, const char *s);

/* Such a string by its number, as long as the writer lives. */
const char *cpd_writer_kept_string(const struct cpd_writer *w, uint32_t number);

/* The number of the name of a thread or a process. */
uint32_t cpd_writer_name(struct cpd_writer *w, const char *s);

/* After each record: checks for lost memory, and writes a full chunk. */
static inline int cpd_writer_record_done(struct cpd_writer *w)
{
	if (w->chunk.failed)
		return cpd_writer_no_memory(w);
	return w->chunk.n < CPD_CHUNK_FULL ? 0 : cpd_writer_chunk(w);
}

static inline void cpd_writer_put_time(
	struct cpd_writer *w, struct bytes *b, uint64_t time)
{
	bytes_signed(b, (int64_t)(time - w->last.time));
	w->last.time = time;
}

#endif
