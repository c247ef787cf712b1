/*
 * build_private.h - the tables of a cpprofdata file that is being built.
 */
#ifndef CPPROF_IMPORT_BUILD_PRIVATE_H
#define CPPROF_IMPORT_BUILD_PRIVATE_H

#include "analyzer/import/build.h"
#include "lib/lists.h"
#include "lib/set.h"

/* Strings are numbers in `strings', things without id are numbered from 1. */

struct build_process {
	int32_t pid;
	uint32_t name, exe;
	uint32_t id;
};

struct build_thread {
	int32_t tid;
	uint32_t name, process;
	uint32_t id;
};

struct build_module { /* its number is that in the file */
	uint8_t id[CPD_BUILD_ID_MAX];
	uint32_t n, path;
	bool generated;
};

struct build_function {
	uint64_t number;
	uint32_t module, name, linkage, file, declared;
	uint32_t id;   /* in the file, at the end */
	uint64_t size; /* that is in use; 0: it is only inlined */
};

struct build_place {
	uint64_t asked; /* the offset that was given */
	uint32_t module;
	uint32_t frames; /* which of the lists of lines */
	uint64_t addr;
};

struct build_address {
	uint64_t addr;
	uint32_t module;
};

struct build_line { /* one of a place's frames, three numbers of a list */
	uint32_t function, line;
	uint32_t file; /* of the line */
};

struct build {
	struct cpd_writer *w;
	const struct import *im;
	struct imported *done;
	struct strings strings;
	SET_OF(struct build_process) processes;
	SET_OF(struct build_thread) threads;
	SET_OF(struct build_module) modules;
	SET_OF(struct build_function) functions;
	SET_OF(struct build_place) places;
	struct lists frames;
	SET_OF(struct build_address) addresses; /* of places */
	uint64_t spare;        /* places that had to go elsewhere */
	uint32_t records;      /* of samples that were taken apart */
	bool whole;            /* some were not, for there are too many */
	VEC(uint64_t) weights; /* of each resource, samples and losses */
	const char *excess;    /* what no file can hold; NULL: nothing */
	bool failed;           /* no memory */
};

/* Numbers of the N bytes S, and of all of S. */
uint32_t build_text(struct build *b, const char *s, size_t n);
uint32_t build_string(struct build *b, const char *s);

/* As set_add(); 0 where memory is out, which is told at the end. */
#define build_find(b, set, thing, key)                                         \
	({                                                                     \
		uint32_t found_ = set_add(set, thing, key);                    \
		(b)->failed |= found_ == HASH_NONE;                            \
		(b)->failed ? 0 : found_;                                      \
	})

#endif
