/*
 * writer.h - writes a cpprofdata file, front to back.
 *
 * Records go into chunks that are written when they are full, when
 * cpd_writer_flush() is called and at the end; nothing is ever rewritten, so
 * the file may be a pipe, and what has been flushed stays readable whatever
 * happens to the writer.  A file is created with mode 0600 under a temporary
 * name beside PATH and takes its name in cpd_writer_publish(), when an older
 * file of that name is kept as PATH.old.
 *
 * Order: head, resources, then anything, each id announced before its use;
 * functions and addresses last; cpd_writer_close() ends it.  The writer
 * remembers modules, nodes and processes that live, and tells them again.  The
 * first error sticks: every later call returns -1 and cpd_writer_close()
 * reports it.  A record that no reader would take (lib/cpprofdata/format.h) is
 * such an error and is not written.  A string of more than CPD_STRING_MAX bytes
 * is cut and ends in "...".
 *
 * A pipe that nobody reads and the limit on file sizes are errors like others:
 * SIGPIPE and SIGXFSZ are held back from the calling thread during a write.
 *
 * Not thread safe.  Out of memory is an error like any other.
 */
#ifndef CPPROF_CPPROFDATA_WRITER_H
#define CPPROF_CPPROFDATA_WRITER_H

#include <stdbool.h>

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/err.h"

struct cpd_writer;

/*
 * Opens the temporary file for PATH, or with PATH "-" (or /dev/stdout,
 * /dev/fd/N) standard output.  PATH that is an existing pipe or character
 * device is written directly, a link to a file is followed.  NULL on error
 * (not writable: the hint says what to do).
 */
struct cpd_writer *cpd_writer_open(const char *path, struct err *err);

/*
 * Flushes and gives the file its name.  To be called once, when the head and
 * the resources are written and the target runs.
 */
int cpd_writer_publish(struct cpd_writer *w);

/*
 * Records.  Those with an id return it, 0 on error; the id field of the
 * argument is ignored.  The others return 0 or -1.
 */
int cpd_write_head(struct cpd_writer *w, const struct cpd_head *head);
uint32_t cpd_write_resource(
	struct cpd_writer *w, const struct cpd_resource *resource);
uint32_t cpd_write_process(
	struct cpd_writer *w, const struct cpd_process *process);
uint32_t cpd_write_thread(
	struct cpd_writer *w, const struct cpd_thread *thread);
int cpd_write_rename(struct cpd_writer *w, const struct cpd_rename *rename);
int cpd_write_exit(struct cpd_writer *w, const struct cpd_exit *exit);
uint32_t cpd_write_module(
	struct cpd_writer *w, const struct cpd_module *module);
int cpd_write_map(struct cpd_writer *w, const struct cpd_map *map);

/*
 * The number of the node (parent, module, addr, flags): the same for the same
 * four.  It is written at its first appearance.  This is the hot path: a hash
 * lookup, and no allocation for a known node.
 */
uint32_t cpd_node(struct cpd_writer *w, uint32_t parent, uint32_t module,
	uint64_t addr, uint32_t flags);

/*
 * The nodes of a path below PARENT, outermost first: as cpd_node() for each, in
 * less time.  Fills in STEPS[].node; returns the last one's number (with N 0:
 * PARENT), or 0 on error.
 */
struct cpd_step {
	uint64_t addr;
	uint32_t module, flags;
	uint32_t node;
};
uint32_t cpd_node_path(struct cpd_writer *w, uint32_t parent,
	struct cpd_step *steps, size_t n);

int cpd_write_sample(struct cpd_writer *w, const struct cpd_sample *sample);
int cpd_write_total(struct cpd_writer *w, const struct cpd_total *total);
int cpd_write_usage(struct cpd_writer *w, const struct cpd_usage *usage);
int cpd_write_loss(struct cpd_writer *w, const struct cpd_loss *loss);
uint32_t cpd_write_function(
	struct cpd_writer *w, const struct cpd_function *function);
int cpd_write_addr(struct cpd_writer *w, const struct cpd_addr *addr);
int cpd_write_note(struct cpd_writer *w, const struct cpd_note *note);

/* Writes the buffered records, as whole chunks. */
int cpd_writer_flush(struct cpd_writer *w);

/* The first error, or NULL.  Lent until close. */
const struct err *cpd_writer_error(const struct cpd_writer *w);

/* What was written so far, for resolving names. */
uint32_t cpd_writer_modules(const struct cpd_writer *w); /* highest id */
const struct cpd_module *cpd_writer_module(
	const struct cpd_writer *w, uint32_t id);

/*
 * The process with that number has ended: nothing more will be written of it.
 * It is forgotten, unless its pid helps to name code: it has made some in
 * memory without a file.
 */
void cpd_writer_end_process(struct cpd_writer *w, uint32_t process);

/*
 * The pid of the process with that number; 0: there is none, or it is
 * forgotten.  *FROM is the process whose code it began with, as a fork does, or
 * 0.
 */
int32_t cpd_writer_pid(
	const struct cpd_writer *w, uint32_t process, uint32_t *from);

/* The highest number of a node, and the nodes from 1 to it. */
uint32_t cpd_writer_nodes(const struct cpd_writer *w);
struct cpd_node cpd_writer_node(const struct cpd_writer *w, uint32_t id);

/*
 * Of a node in memory without a file (CPD_MODULE_ANON): the time of the first
 * sample that was written with it, or after it; 0: none was.
 */
uint64_t cpd_writer_node_time(const struct cpd_writer *w, uint32_t id);

/*
 * Writes the end record, publishes if that was not done, and closes.  0, or -1
 * with the first error in the life of W: then PATH.partial keeps what could be
 * written, and an older file gets its name back.  W is freed either way.
 */
int cpd_writer_close(
	struct cpd_writer *w, const struct cpd_end *end, struct err *err);

/* Removes the temporary file (a published one stays).  Frees W. */
void cpd_writer_abandon(struct cpd_writer *w);

/*
 * Closes W or, if what wrote it went BAD, abandons it, with -1; but where W
 * failed the file keeps what could be written.  W may be NULL, which is BAD.
 */
int cpd_writer_end(struct cpd_writer *w, bool bad, const struct cpd_end *end,
	struct err *err);

#endif
