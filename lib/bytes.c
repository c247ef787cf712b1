/* Numbers into bytes and back, lowest byte first. */
#include <string.h>

#include "lib/bytes.h"
#include "lib/vec.h"

enum { VARINT_MAX = 10 };

bool bytes_room(struct bytes *b, size_t n)
{
	if (b->failed)
		return false;
	if (n <= b->cap - b->n)
		return true;
	if (n > SIZE_MAX - b->n || !vec_reserve(b, b->n + n))
		b->failed = true;
	return !b->failed;
}

void bytes_put(struct bytes *b, const void *data, size_t n)
{
	if (!n || !bytes_room(b, n))
		return;
	memcpy(b->v + b->n, data, n);
	b->n += n;
}

void bytes_u8(struct bytes *b, uint8_t value)
{
	if (bytes_room(b, 1))
		b->v[b->n++] = value;
}

void bytes_le16(struct bytes *b, uint16_t value)
{
	bytes_u8(b, (uint8_t)value);
	bytes_u8(b, (uint8_t)(value >> 8));
}

void bytes_set_le32(uint8_t *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

void bytes_le32(struct bytes *b, uint32_t value)
{
	if (!bytes_room(b, 4))
		return;
	bytes_set_le32(b->v + b->n, value);
	b->n += 4;
}

void bytes_varint(struct bytes *b, uint64_t value)
{
	if (!bytes_room(b, VARINT_MAX))
		return;
	for (; value > 0x7f; value >>= 7)
		b->v[b->n++] = (uint8_t)(value | 0x80);
	b->v[b->n++] = (uint8_t)value;
}

void bytes_signed(struct bytes *b, int64_t value)
{
	bytes_varint(b, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

void bytes_free(struct bytes *b)
{
	vec_free(b);
	b->failed = false;
}

uint16_t bytes_get_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

uint32_t bytes_get_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

struct cursor cursor_of(const void *data, size_t n)
{
	const uint8_t *p = data;

	/* of nothing it may be NULL, to which not even 0 may be added */
	return (struct cursor){p, p, n ? p + n : p, false};
}

uint64_t cursor_bad(struct cursor *c)
{
	c->bad = true;
	c->p = c->end;
	return 0;
}

uint8_t cursor_u8(struct cursor *c)
{
	return c->p < c->end ? *c->p++ : (uint8_t)cursor_bad(c);
}

int64_t cursor_sleb(struct cursor *c)
{
	int64_t value;

	return leb128_signed(&c->p, c->end, &value) ? value
						    : (int64_t)cursor_bad(c);
}

int32_t cursor_signed32(struct cursor *c)
{
	int64_t value = cursor_signed(c);

	return value >= INT32_MIN && value <= INT32_MAX
		       ? (int32_t)value
		       : (int32_t)cursor_bad(c);
}
