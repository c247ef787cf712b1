/* Tags, varints and fields of a message. */
#include "lib/protobuf.h"

#define NUMBER_MAX ((1u << 29) - 1) /* of a field, says the format */

static void put_tag(struct bytes *to, unsigned field, enum pb_kind kind)
{
	bytes_varint(to, (uint64_t)field << 3 | (unsigned)kind);
}

void pb_number(struct bytes *to, unsigned field, uint64_t value)
{
	if (!value)
		return;
	put_tag(to, field, PB_VARINT);
	bytes_varint(to, value);
}

void pb_bytes(struct bytes *to, unsigned field, const void *data, size_t n)
{
	put_tag(to, field, PB_BYTES);
	bytes_varint(to, n);
	if (n)
		bytes_put(to, data, n);
}

static bool refuse(struct cursor *message)
{
	message->bad = true;
	return false;
}

bool pb_next(struct cursor *message, struct pb_field *field)
{
	uint64_t tag, len;
	const uint8_t *p;

	if (message->bad || !cursor_left(message))
		return false;
	tag = cursor_varint(message);
	if (tag >> 3 == 0 || tag >> 3 > NUMBER_MAX)
		return refuse(message);
	*field = (struct pb_field){
		.number = (unsigned)(tag >> 3), .kind = tag & 7};
	switch (field->kind) {
	case PB_VARINT:
		field->value = cursor_varint(message);
		break;
	case PB_64:
		field->value = cursor_fixed(message, 8);
		break;
	case PB_32:
		field->value = cursor_fixed(message, 4);
		break;
	case PB_BYTES:
		len = cursor_varint(message);
		p = len <= cursor_left(message) ? cursor_bytes(message, len)
						: NULL;
		if (!p)
			return refuse(message);
		field->inside = cursor_of(p, len);
		break;
	default: /* groups are of a time before these profiles */
		return refuse(message);
	}
	return !message->bad;
}
