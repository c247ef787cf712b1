/* frame_entry.c - the entries of .eh_frame and .debug_frame. */
#include <dwarf.h>

#include "lib/elf/frame_private.h"

#define LETTERS 16 /* of an augmentation, at most */

static uint64_t encoded(struct cursor *c, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cursor_fixed(c, 8);
	case DW_EH_PE_udata2:
		return cursor_fixed(c, 2);
	case DW_EH_PE_udata4:
		return cursor_fixed(c, 4);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)cursor_fixed(c, 2);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)cursor_fixed(c, 4);
	case DW_EH_PE_uleb128:
		return cursor_varint(c);
	case DW_EH_PE_sleb128:
		return (uint64_t)cursor_sleb(c);
	default:
		c->bad = true;
		return 0;
	}
}

uint64_t frame_pointer(
	const struct frame_section *s, struct cursor *c, uint8_t encoding)
{
	uint64_t at = s->addr + (uint64_t)(c->p - s->bytes);
	uint64_t value = encoded(c, encoding);

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return value + at;
	default:
		c->bad = true;
		return 0;
	}
}

/* Reads the length of the entry at AT, and whether it is 64-bit DWARF. */
static bool begin(const struct frame_section *s, uint64_t at, struct cursor *c,
	bool *wide)
{
	uint64_t length;

	*c = cursor_of(s->bytes + at, s->size - at);
	length = cursor_fixed(c, 4);
	*wide = length == UINT32_MAX;
	if (*wide)
		length = cursor_fixed(c, 8);
	if (c->bad || length > cursor_left(c))
		return false;
	c->end = c->p + length;
	return true;
}

static void augmentation(
	struct cursor *c, const char *letters, struct frame_cie *cie)
{
	uint64_t size = cursor_varint(c);
	const uint8_t *from = cursor_bytes(c, size);
	struct cursor data = cursor_of(from, from ? size : 0);

	for (; *letters && !c->bad; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = (uint8_t)cursor_fixed(&data, 1);
			break;
		case 'P':
			encoded(&data, (uint8_t)cursor_fixed(&data, 1));
			break;
		case 'L':
			cursor_fixed(&data, 1);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* of other processors */
		case 'G':
			break;
		default:
			c->bad = true;
		}
		c->bad |= data.bad;
	}
}

static bool read_cie(
	const struct frame_section *s, uint64_t at, struct frame_cie *cie)
{
	struct cursor c;
	const char *letters;
	uint8_t version;
	uint64_t id, ra;
	bool wide;

	*cie = (struct frame_cie){.encoding = DW_EH_PE_absptr};
	if (at >= s->size || !begin(s, at, &c, &wide))
		return false;
	wide = wide && s->debug_frame;
	id = cursor_fixed(&c, wide ? 8 : 4);
	if (id != (s->debug_frame ? wide ? UINT64_MAX : UINT32_MAX : 0))
		return false;
	version = (uint8_t)cursor_fixed(&c, 1);
	letters = (const char *)c.p;
	if (c.bad || version == 0 || version == 2 || version > 4 ||
		!memchr(letters, '\0',
			cursor_left(&c) < LETTERS ? cursor_left(&c) : LETTERS))
		return false;
	cursor_bytes(&c, strlen(letters) + 1);
	if (version == 4 && cursor_fixed(&c, 2) != 8)
		return false; /* size of addresses; of segments: none */
	cie->code_align = cursor_varint(&c);
	cie->data_align = cursor_sleb(&c);
	ra = version == 1 ? cursor_fixed(&c, 1) : cursor_varint(&c);
	cie->augmented = *letters == 'z';
	if (cie->augmented)
		augmentation(&c, letters + 1, cie);
	cie->program = c;
	return !c.bad && ra == FRAME_RA && (cie->augmented || !*letters);
}

enum frame_read frame_entry_read(const struct frame_section *s, uint64_t at,
	struct frame_cached *cached, struct frame_entry *entry, uint64_t *next)
{
	struct cursor c;
	uint64_t id_at, id;
	bool wide;

	if (at >= s->size || !begin(s, at, &c, &wide))
		return FRAME_AT_END;
	*next = (uint64_t)(c.end - s->bytes);
	if (c.p == c.end)
		return s->open_ended ? FRAME_AT_END : FRAME_NOT_READ;
	id_at = (uint64_t)(c.p - s->bytes);
	wide = wide && s->debug_frame;
	id = cursor_fixed(&c, wide ? 8 : 4);
	if (c.bad ||
		id == (s->debug_frame ? wide ? UINT64_MAX : UINT32_MAX : 0))
		return FRAME_NOT_READ; /* a CIE */
	if (!s->debug_frame)
		id = id_at - id;
	if (cached->at != id) {
		cached->at = id;
		cached->good = read_cie(s, id, &cached->cie);
	}
	if (!cached->good)
		return FRAME_NOT_READ;
	entry->cie = cached->cie;
	entry->lo = frame_pointer(s, &c, entry->cie.encoding);
	entry->hi = entry->lo + encoded(&c, entry->cie.encoding & 0x0f);
	if (entry->cie.augmented)
		cursor_bytes(&c, cursor_varint(&c));
	entry->program = c;
	return c.bad || entry->hi < entry->lo ? FRAME_NOT_READ : FRAME_READ;
}
