/* frame.c - finds the sections of call frame information, and looks up rows. */
#include "lib/elf/frame.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>

#include "lib/elf/elf_image.h"
#include "lib/elf/frame_private.h"

#define LARGEST (256u << 20)
#define RATIO 64 /* compressed sections may not grow by more */

struct frames {
	Elf *elf, *debug;
	struct frame_section eh;
	/* .debug_frame, read when something is not in .eh_frame: most programs
	   never need it */
	struct frame_section of_elf, of_debug;
	bool tried;
	/* What was found last: a caller asks for a function and then a row, or
	   for one address after the other. */
	uint64_t addr, same; /* it holds for so many bytes from there on */
	enum frame_found found;
	struct frame_entry entry;
	const struct frame_section *section;
};

/* A section states its own size when decompressed: limit it. */
static bool decompress(Elf_Scn *scn, const GElf_Shdr *shdr)
{
	GElf_Chdr chdr;

	return gelf_getchdr(scn, &chdr) && chdr.ch_size <= LARGEST &&
	       chdr.ch_size / RATIO <= shdr->sh_size &&
	       elf_compress(scn, 0, 0) == 1;
}

static bool read_section(Elf *elf, const char *name, struct frame_section *s)
{
	Elf_Data *data = NULL;
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_find_section(elf, name, &shdr);

	if (!scn || shdr.sh_type == SHT_NOBITS)
		return false;
	if (!(shdr.sh_flags & SHF_COMPRESSED) || decompress(scn, &shdr))
		data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size > LARGEST)
		return false;
	s->bytes = data->d_buf;
	s->size = data->d_size;
	s->addr = shdr.sh_addr;
	return true;
}

/*
 * Reads from address ADDR to the end of its segment, in a file without
 * sections.
 */
static bool read_segment(Elf *elf, uint64_t addr, struct frame_section *s)
{
	Elf_Data *data;
	GElf_Phdr ph;

	for (int i = 0; gelf_getphdr(elf, i, &ph); i++) {
		uint64_t at = addr - ph.p_vaddr;

		if (ph.p_type != PT_LOAD || at >= ph.p_filesz ||
			ph.p_filesz - at > LARGEST)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)(ph.p_offset + at),
			ph.p_filesz - at, ELF_T_BYTE);
		if (!data || !data->d_buf)
			return false;
		s->bytes = data->d_buf;
		s->size = data->d_size;
		s->addr = addr;
		s->open_ended = true;
		return true;
	}
	return false;
}

/*
 * .eh_frame_hdr (LSB): version, encodings, the address of .eh_frame, a count.
 */
struct frame_table {
	struct frame_section bytes;
	uint64_t eh_frame;
	const uint8_t *table; /* NULL: there is none to search */
	size_t n;
};

static bool read_header(Elf *elf, struct frame_table *header)
{
	struct cursor c;
	Elf_Data *data = NULL;
	uint8_t version, encoding, count, table;
	uint64_t n;
	GElf_Phdr ph;

	for (int i = 0; !data && gelf_getphdr(elf, i, &ph); i++)
		if (ph.p_type == PT_GNU_EH_FRAME && ph.p_filesz <= LARGEST)
			data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset,
				ph.p_filesz, ELF_T_BYTE);
	if (!data || !data->d_buf)
		return false;
	header->bytes = (struct frame_section){
		.bytes = data->d_buf, .size = data->d_size, .addr = ph.p_vaddr};
	c = cursor_of(data->d_buf, data->d_size);
	version = (uint8_t)cursor_fixed(&c, 1);
	encoding = (uint8_t)cursor_fixed(&c, 1);
	count = (uint8_t)cursor_fixed(&c, 1);
	table = (uint8_t)cursor_fixed(&c, 1);
	header->eh_frame = frame_pointer(&header->bytes, &c, encoding);
	if (c.bad || version != 1)
		return false;
	n = cursor_fixed(&c, 4);
	if (!c.bad && n && count == DW_EH_PE_udata4 &&
		table == (DW_EH_PE_datarel | DW_EH_PE_sdata4) &&
		n <= cursor_left(&c) / 8) {
		header->table = c.p;
		header->n = n;
	}
	return true;
}

static void open_eh_frame(struct frames *frames)
{
	struct frame_section *s = &frames->eh;
	struct frame_table header = {0};
	bool found = read_header(frames->elf, &header);

	if (!read_section(frames->elf, ".eh_frame", s) ||
		(found && s->addr != header.eh_frame)) {
		*s = (struct frame_section){0};
		if (!found || !read_segment(frames->elf, header.eh_frame, s))
			return;
	}
	if (!header.table ||
		!frame_index_from(s, header.bytes.addr, header.table, header.n))
		frame_index_make(s);
}

static void open_debug_frame(Elf *elf, struct frame_section *s)
{
	s->debug_frame = true;
	if (elf_is_native(elf) && read_section(elf, ".debug_frame", s))
		frame_index_make(s);
}

struct frames *frames_open(Elf *elf, Elf *debug)
{
	struct frames *frames = calloc(1, sizeof *frames);

	if (!frames)
		return NULL;
	frames->elf = elf;
	frames->debug = debug == elf ? NULL : debug;
	if (elf_is_native(elf))
		open_eh_frame(frames);
	return frames;
}

void frames_close(struct frames *frames)
{
	if (!frames)
		return;
	free(frames->eh.pairs);
	free(frames->of_elf.pairs);
	free(frames->of_debug.pairs);
	free(frames);
}

static void open_debug_frames(struct frames *frames)
{
	if (frames->tried)
		return;
	frames->tried = true;
	open_debug_frame(frames->elf, &frames->of_elf);
	open_debug_frame(frames->debug, &frames->of_debug);
}

/* *END: up to there it is the same for all addresses behind ADDR. */
static enum frame_found find(const struct frame_section *s, uint64_t addr,
	struct frame_entry *entry, uint64_t *end)
{
	struct frame_cached cached = {.at = UINT64_MAX};
	uint64_t at, next;

	if (!frame_index_find(s, addr, &at, end))
		return FRAME_NONE;
	if (frame_entry_read(s, at, &cached, entry, &next) != FRAME_READ)
		return FRAME_BAD;
	if (addr < entry->lo || addr >= entry->hi)
		return FRAME_NONE;
	if (*end > entry->hi)
		*end = entry->hi;
	return FRAME_ROW;
}

/* Finds the entry that covers ADDR, and its section. */
static enum frame_found find_any(struct frames *frames, uint64_t addr)
{
	const struct frame_section *sections[] = {
		&frames->eh, &frames->of_elf, &frames->of_debug};
	uint64_t end;

	if (frames->section && addr - frames->addr < frames->same)
		return frames->found;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		if (i)
			open_debug_frames(frames);
		frames->section = sections[i];
		frames->found = find(sections[i], addr, &frames->entry, &end);
		if (frames->found != FRAME_NONE)
			break;
	}
	frames->addr = addr;
	frames->same = frames->section == &frames->eh &&
				       frames->found == FRAME_ROW && end > addr
			       ? end - addr
			       : 1;
	return frames->found;
}

enum frame_found frames_row(
	struct frames *frames, uint64_t addr, struct frame_row *row)
{
	enum frame_found found = find_any(frames, addr);

	if (found == FRAME_ROW &&
		!frame_run(frames->section, &frames->entry, addr, row))
		return FRAME_BAD;
	return found;
}

bool frames_range(
	struct frames *frames, uint64_t addr, struct frame_range *range)
{
	const struct frame_entry *entry = &frames->entry;

	if (find_any(frames, addr) != FRAME_ROW)
		return false;
	*range = (struct frame_range){entry->lo, entry->hi, entry->cie.signal};
	return true;
}

uint64_t frames_next(struct frames *frames, uint64_t addr)
{
	const struct frame_section *sections[] = {
		&frames->eh, &frames->of_elf, &frames->of_debug};
	uint64_t first = UINT64_MAX, at, next;

	open_debug_frames(frames);
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		frame_index_find(sections[i], addr, &at, &next);
		if (next > addr && next < first)
			first = next;
	}
	return first;
}
