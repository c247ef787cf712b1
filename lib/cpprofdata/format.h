/*
 * format.h - the numbers of the cpprofdata format, and when a record is valid;
 * only for the writer and the reader.  man/cpprofdata.5 says it in words.
 */
#ifndef CPPROF_CPPROFDATA_FORMAT_H
#define CPPROF_CPPROFDATA_FORMAT_H

#include <stdbool.h>

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/vec.h"

enum {
	CPD_HEADER_SIZE = 12,      /* magic, major, minor */
	CPD_CHUNK_HEADER_SIZE = 8, /* type, payload length */
	CPD_CHUNK_CRC_SIZE = 4,
	CPD_CHUNK_FULL = 64 * 1024,      /* a writer ends a chunk here */
	CPD_CHUNK_MAX = 16 * 1024 * 1024 /* payload; a reader accepts no more */
};

/* Whether a file that begins with the N bytes at P is one, or what is left. */
static inline bool cpd_is_ours(const void *p, size_t n)
{
	return !memcmp(p, CPD_MAGIC, n < 8 ? n : 8);
}

#define CPD_CHUNK_TYPE(a, b, c, d)                                             \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 |            \
		(uint32_t)(d) << 24)

/* The one chunk type of version 1.0: records. */
#define CPD_CHUNK_RECORDS CPD_CHUNK_TYPE('R', 'E', 'C', 'S')

/*
 * A record begins with a byte: a sample (0x80 and bits), a node (0x40 and
 * bits), or one of these, followed by the length of its body and the body.
 * X(number, name); a test compares the list with the manual's.
 */
#define CPD_RECORD_KINDS(X)                                                    \
	X(1, string)                                                           \
	CPD_RECORDS(X)                                                         \
	CPD_FIELDS(X)

#define CPD_RECORDS(X)                                                         \
	X(2, head)                                                             \
	X(3, resource)                                                         \
	X(4, process)                                                          \
	X(5, thread)                                                           \
	X(6, rename)                                                           \
	X(7, exit)                                                             \
	X(8, module)                                                           \
	X(9, map)                                                              \
	X(10, total)                                                           \
	X(11, loss)                                                            \
	X(12, function)                                                        \
	X(13, addr)                                                            \
	X(14, note)                                                            \
	X(15, end)                                                             \
	X(16, usage)

/* Fields of the sample that follows. */
#define CPD_FIELDS(X)                                                          \
	X(17, life)                                                            \
	X(18, page)

enum cpd_kind {
#define X(number, name) CPD_KIND_##name = number,
	CPD_RECORD_KINDS(X)
#undef X
		CPD_KINDS,   /* the highest so far, and one */
	CPD_KIND_MAX = 0x3f, /* higher ones are nodes and samples */
	CPD_KIND_NODE = 0x40,
	CPD_KIND_SAMPLE = 0x80,
};

enum {                                /* bits of a node's first byte */
	CPD_NODE_BIT_CHILD = 1 << 0,  /* of the node before; else its distance
					 follows */
	CPD_NODE_BIT_MODULE = 1 << 1, /* that of the node before */
	CPD_NODE_BIT_EXACT = 1 << 2,
	CPD_NODE_BIT_FLAGS = 1 << 3, /* flags above CPD_NODE_EXACT follow */
	CPD_NODE_BITS = 0xf,
};

enum {                                    /* bits of a sample's first byte */
	CPD_SAMPLE_BIT_THREAD = 1 << 0,   /* that of the sample before */
	CPD_SAMPLE_BIT_RESOURCE = 1 << 1, /* likewise */
	CPD_SAMPLE_BIT_ONE = 1 << 2,      /* 1 hit */
	CPD_SAMPLE_BIT_WEIGHT = 1 << 3,   /* hits times interval */
	CPD_SAMPLE_BIT_FLAGS = 1 << 4,    /* flags follow */
	CPD_SAMPLE_BITS = 0x1f,
};

/* What a chunk's records refer back to; all zero at the start of a chunk. */
struct cpd_delta {
	uint64_t life, page;             /* of the next sample */
	uint64_t paged;                  /* page of a sample that had one */
	uint64_t time;                   /* of any record with one */
	uint64_t addr;                   /* of a node */
	uint32_t module;                 /* of a node */
	uint32_t thread, resource, node; /* of a sample */
};

/* The records so far. */
struct cpd_known {
	uint32_t n[CPD_KINDS]; /* of each kind */
	uint32_t nodes;
	bool samples;
	VEC(uint64_t) intervals; /* [resource - 1] */
};

/*
 * Why the record cannot follow those before it, a static string; NULL: it can.
 * records.h checks the records of other kinds.
 */
const char *cpd_check_order(const struct cpd_known *k, int kind);
const char *cpd_check_node(const struct cpd_known *, const struct cpd_node *);
const char *cpd_check_sample(
	const struct cpd_known *, const struct cpd_sample *);

/* Whether ID is one of COUNT; 0 is "none" and does not count. */
static inline bool cpd_is_known(uint32_t id, uint32_t count)
{
	return id && id <= count;
}

#endif
