/*
 * build.h - a cpprofdata file made of stacks of names.
 *
 * Inputs name functions and, at best, addresses of processes that are gone.
 * Here each function that holds code gets 4 GiB of addresses of its own in its
 * module, and a place in it (an offset, a line, a chain of inlined calls) one
 * of these.  So two call sites stay two, and one function is one.
 *
 * All calls take what they are given apart and keep copies.  Memory that was
 * out, like the writer's errors, is told at the end, by build_end().
 */
#ifndef CPPROF_IMPORT_BUILD_H
#define CPPROF_IMPORT_BUILD_H

#include "analyzer/import/import.h"

#define BUILD_FRAMES_MAX 64 /* of a place; a dataset has no more */
#define BUILD_NO_OFFSET UINT64_MAX

struct build;

struct build *build_new(const struct import *im, struct err *err);
void build_free(struct build *b);

/*
 * Comes first.  When the run began, by the time of day and by the clock of the
 * samples; 0: not known.
 */
void build_head(struct build *b, uint64_t start_unix, uint64_t start);

/*
 * Units as inputs name them ("nanoseconds", "bytes", "count"): UNIT and GTICK
 * of a resource, and by which factor a value has to be multiplied.  Nanoseconds
 * become microseconds only if WHOLE says that no value is odd; then *DIVIDE.
 */
struct build_unit {
	enum cpd_unit unit;
	const char *gtick; /* NULL: by the resource's name */
	uint64_t multiply, divide;
};
struct build_unit build_unit(const char *unit, bool whole);
/* Whether a thousandth or more of so many nanoseconds is lost then. */
bool build_is_odd(uint64_t nanoseconds);

/* A resource, before the first sample; 0: it failed. */
uint32_t build_resource(struct build *b, const char *name,
	const struct build_unit *unit, const char *gtick, uint64_t interval,
	uint32_t flags);

/* A thread and its process; each is told from others by its numbers and names.
   EXE may be "". */
struct build_task {
	int32_t pid, tid;
	const char *process, *exe, *name;
	uint64_t time;
};
uint32_t build_thread(struct build *b, const struct build_task *task);

/* The file of that name and build id (N bytes; 0: unknown). */
uint32_t build_module(
	struct build *b, const char *path, const uint8_t *id, uint32_t n);

struct build_frame { /* of a place, innermost first */
	const char *name, *linkage, *file;
	uint32_t declared; /* line of the declaration; 0: not known */
	uint32_t line;     /* 0: not known */
	const char *in;    /* the line's file, where it need not be the
			      function's; NULL: it is */
	uint64_t number;   /* tells functions apart that are alike otherwise */
};

/* A place in MODULE: its number, the same for the same. */
uint32_t build_place(struct build *b, uint32_t module,
	const struct build_frame *frames, size_t n, uint64_t offset);

/* The node of a place called from PARENT (0: the root). */
uint32_t build_node(struct build *b, uint32_t parent, uint32_t place);

/*
 * The node of a frame without a module that is no code ("[truncated]"), or 0;
 * only the outermost frame of a stack is one.
 */
uint32_t build_pseudo(struct build *b, const char *name);
uint32_t build_no_stack(struct build *b);

/* Whether a stack of that one frame is a loss, and which. */
bool build_is_loss(const char *name, enum cpd_loss_kind *kind);

/*
 * SAMPLE, of which HITS and the weight are of RECORDS samples alike: as many
 * records, or few where there would be too many of them in the file.
 */
void build_samples(struct build *b, const struct cpd_sample *sample,
	uint64_t hits, uint64_t records);
void build_loss(struct build *b, uint32_t resource, enum cpd_loss_kind kind,
	uint32_t thread, uint64_t gticks);

void build_note(struct build *b, const char *key, const char *text);

/* Some memory was out, or the writer failed: no need to go on. */
bool build_broken(const struct build *b);
/* For what is found to be out outside. */
void build_no_memory(struct build *b);
/* Figures that no file can hold: WHAT, a constant, is told at the end. */
void build_excess(struct build *b, const char *what);

/* Writes the names, and tells what failed. */
int build_end(struct build *b, struct err *err);

/*
 * "resource NAME: gtick G; interval I; hits H; samples S; ...", a comment of
 * cpprof's own exports, where I may be followed by " (varied)" and " (events)":
 * false, it is none.
 */
struct build_comment {
	char name[256], gtick[64];
	uint64_t interval, hits, samples;
	bool varied; /* the interval, around this mean */
	bool events; /* CPD_RESOURCE_EVENTS */
};
bool build_comment(const char *text, struct build_comment *comment);
uint32_t build_flags(const struct build_comment *comment); /* of the resource */

#endif
