/*
 * protobuf.h - the wire format of protocol buffers, as far as messages of
 * numbers, strings and messages need it.
 *
 * A message is a row of fields, in any order: a varint (tag) with the field's
 * number and kind, then the value.  Fields of a repeated kind follow each other
 * or stand in one packed run of bytes.  So a long message can be written field
 * by field, and read so, without its whole in memory.
 *
 * Writing fills a struct bytes, whose `failed' tells of memory that was out.
 */
#ifndef CPPROF_PROTOBUF_H
#define CPPROF_PROTOBUF_H

#include "lib/bytes.h"

enum pb_kind { PB_VARINT = 0, PB_64 = 1, PB_BYTES = 2, PB_32 = 5 };

/* A number; 0, the default, is left out. */
void pb_number(struct bytes *to, unsigned field, uint64_t value);

/* A string, a message or a packed run; it is written where it is empty, too. */
void pb_bytes(struct bytes *to, unsigned field, const void *data, size_t n);

struct pb_field {
	unsigned number;
	enum pb_kind kind;
	uint64_t value;       /* but of PB_BYTES */
	struct cursor inside; /* of PB_BYTES */
};

/*
 * The next field of a message.  False at its end, or where it is no message:
 * then the cursor is bad.
 */
bool pb_next(struct cursor *message, struct pb_field *field);

#endif
