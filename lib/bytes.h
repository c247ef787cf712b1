/*
 * bytes.h - numbers in bytes: what a cpprofdata payload is made of.
 *
 * A struct bytes is a growing buffer to write to.  It remembers a failed
 * allocation, and later calls do nothing: a record is put together first and
 * checked once.  A struct cursor reads from bytes it does not own.  It
 * remembers a read past the end, or a number too big for its type, and yields
 * zeros from then on.
 *
 * A varint has seven bits to a byte, lowest first, all bytes but the last with
 * bit 7 set (LEB128); signed numbers are numbered 0, -1, 1, -2, ...
 */
#ifndef CPPROF_BYTES_H
#define CPPROF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/leb128.h"

struct bytes {
	uint8_t *v;
	size_t n, cap;
	bool failed; /* out of memory */
};

/* Makes room for N more; false when out of memory. */
bool bytes_room(struct bytes *b, size_t n);
void bytes_put(struct bytes *b, const void *data, size_t n);
void bytes_u8(struct bytes *b, uint8_t value);
void bytes_le16(struct bytes *b, uint16_t value);
void bytes_le32(struct bytes *b, uint32_t value);
void bytes_varint(struct bytes *b, uint64_t value);
void bytes_signed(struct bytes *b, int64_t value);
void bytes_free(struct bytes *b);

uint16_t bytes_get_le16(const uint8_t *p);
uint32_t bytes_get_le32(const uint8_t *p);
void bytes_set_le32(uint8_t *p, uint32_t value);

struct cursor {
	const uint8_t *start, *p, *end;
	bool bad;
};

struct cursor cursor_of(const void *data, size_t n);
uint8_t cursor_u8(struct cursor *c);
int32_t cursor_signed32(struct cursor *c);
int64_t cursor_sleb(struct cursor *c); /* DWARF's form of a signed number */
uint64_t cursor_bad(struct cursor *c); /* makes it bad; 0 */

/* Those that a file has by the million: */

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* The next N bytes, or NULL if there are not so many. */
static inline const uint8_t *cursor_bytes(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (n > cursor_left(c)) {
		cursor_bad(c);
		return NULL;
	}
	c->p += n;
	return p;
}

/* A number of N bytes, lowest first; N is 8 at most. */
static inline uint64_t cursor_fixed(struct cursor *c, size_t n)
{
	const uint8_t *p = cursor_bytes(c, n);
	uint64_t value = 0;

	if (p)
		memcpy(&value, p, n);
	return le64toh(value);
}

static inline uint64_t cursor_varint(struct cursor *c)
{
	uint64_t value;

	return leb128_unsigned(&c->p, c->end, &value) ? value : cursor_bad(c);
}

static inline uint32_t cursor_varint32(struct cursor *c)
{
	uint64_t value = cursor_varint(c);

	return value <= UINT32_MAX ? (uint32_t)value : (uint32_t)cursor_bad(c);
}

static inline int64_t cursor_signed(struct cursor *c)
{
	uint64_t value = cursor_varint(c);

	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

#endif
