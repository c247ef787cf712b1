/*
 * decode.h - from a chunk's payload to records; the reader's inner half.
 *
 * A decoder keeps what later records refer back to: strings, intervals, the
 * number of each kind.  It takes the chunks in the order of the file, checks
 * each record and passes it to its handler.
 */
#ifndef CPPROF_CPPROFDATA_DECODE_H
#define CPPROF_CPPROFDATA_DECODE_H

#include "lib/arena.h"
#include "lib/bytes.h"
#include "lib/cpprofdata/format.h"
#include "lib/cpprofdata/handlers.h"
#include "lib/vec.h"

struct cpd_decoder {
	const struct cpd_handlers *on;
	void *arg;
	const char *name; /* of the file, for errors */
	struct cpd_known known;
	struct cpd_delta last;
	struct arena arena;        /* strings */
	VEC(const char *) strings; /* [number - 1] */
	struct {
		void *v;
		size_t cap; /* bytes */
	} lists[2];         /* of the record at hand */
};

/* The size of the chunk with that header; 0: longer than any may be. */
size_t cpd_chunk_size(const uint8_t header[CPD_CHUNK_HEADER_SIZE]);

/*
 * Decodes one chunk of SIZE bytes, header and checksum, at OFFSET of the file.
 * -1: an error in it (with the offset), no memory, or a handler's error.
 */
int cpd_decode(struct cpd_decoder *d, const uint8_t *chunk, size_t size,
	uint64_t offset, struct err *err);

/* Sets an error at OFFSET of the file NAME; -1. */
int cpd_at_offset(
	struct err *err, const char *name, uint64_t offset, const char *what);

void cpd_decoder_fini(struct cpd_decoder *d);

#endif
