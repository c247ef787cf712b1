/*
 * pprof_private.h - a profile.proto while it is read.
 */
#ifndef CPPROF_IMPORT_PPROF_PRIVATE_H
#define CPPROF_IMPORT_PPROF_PRIVATE_H

#include "analyzer/import/build.h"
#include "lib/arena.h"
#include "lib/pprof_fields.h"
#include "lib/protobuf.h"
#include "lib/set.h"

struct proto_type { /* of samples */
	uint64_t name, unit_name;
	struct build_unit unit;
	uint64_t interval;
	uint32_t resource;
	bool odd;               /* build_is_odd() has some value */
	uint64_t hits, samples; /* that there were; 0: not known */
};

struct proto_mapping {
	uint64_t id, start, offset, filename, build_id;
	uint32_t module; /* 0: not made yet */
};

struct proto_function {
	uint64_t id, name, system_name, filename, line;
	uint64_t lo; /* the lowest address seen */
};

struct proto_location {
	uint64_t id, mapping, addr;
	struct cursor message;
	const char *pseudo; /* its one function, if it has no mapping */
	uint32_t place;
};

struct proto_span { /* of the bytes: a string */
	uint32_t at, n;
};

struct proto_text { /* a string that is in use */
	uint64_t id;
	const char *made; /* with a NUL */
	uint32_t n;
};

struct proto_labels {
	char process[256], thread[256];
	const char *exe;
	int32_t pid, tid;
	bool whole; /* cpprof's own: HITS and SAMPLES, too, where they are not
		       what the value says */
	uint64_t hits, samples;
};

typedef VEC(uint64_t) proto_numbers;

struct proto_reader {
	const struct import *im;
	struct build *b;
	struct bytes bytes; /* all of it, unpacked */
	struct arena arena; /* strings of it, with a NUL */
	VEC(struct proto_span) strings;
	SET_OF(struct proto_text) texts;
	VEC(struct proto_type) types;
	SET_OF(struct proto_mapping) mappings;
	SET_OF(struct proto_function) functions;
	SET_OF(struct proto_location) locations;
	uint64_t parts, parts_max; /* functions and the like, so far */
	uint64_t text; /* bytes of strings, each time that one was asked for */
	uint32_t last_node;
	SET_OF(uint64_t) comments; /* strings */
	proto_numbers locations_of, values;
	VEC(struct build_comment) ours_of; /* comments that are cpprof's */
	struct cursor period_type;
	uint64_t period, start;
	size_t counted; /* the type that counts samples, plus 1; 0: none */
	const char *program, *program_path;
	bool ours;          /* cpprof wrote it */
	bool counted_alone; /* samples have no labels but HITS and SAMPLES */
	bool other_labels, estimated;
};

/* An error about what lies AT that place. */
int pprof_error(const struct proto_reader *r, const uint8_t *at,
	struct err *err, const char *what);

/* Calls TAKE for each field NUMBER of the profile. */
int pprof_each(struct proto_reader *r, unsigned number,
	int (*take)(struct proto_reader *, struct cursor, struct err *),
	struct err *err);

/* Counts one more thing that takes memory; false: there are too many, which is
   told at the end. */
bool pprof_part(struct proto_reader *r);

/* String ID of the profile, "" if there is none; lent until the end. */
const char *pprof_text(struct proto_reader *r, uint64_t id);

/* Reads all but the samples. */
int pprof_tables(struct proto_reader *r, struct err *err);

/* Writes the head and the resources, once the samples were looked at, and makes
 * places of the locations. */
int pprof_resources(struct proto_reader *r, struct err *err);

/* The location of that number, or NULL. */
const struct proto_location *pprof_location(
	const struct proto_reader *r, uint64_t id);

void pprof_tables_end(struct proto_reader *r);

#endif
