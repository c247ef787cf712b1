/*
 * fde.c - reads the headers of .eh_frame and .debug_frame entries.
 *
 * Formats: Linux Standard Base, "Exception Frames"; DWARF 5, section 6.4.1.
 */
#include "config.h"

#include <dwarf.h>
#include <string.h>

#include "analyzer/symbol/fde.h"

#define AUGMENTATION_MAX 16

/* A table being read; POS stays within SIZE. */
struct table {
	const unsigned char *data;
	uint64_t size, pos;
	uint64_t addr; /* of data[0] */
	bool bad;      /* ran off the end or met what cannot be */
};

struct cie {
	uint64_t pos; /* in the table; UINT64_MAX: none read yet */
	uint8_t encoding;
	bool signal, good;
};

static uint64_t fixed(struct table *t, unsigned size)
{
	uint64_t value = 0;

	if (t->bad || t->size - t->pos < size) {
		t->bad = true;
		return 0;
	}
	memcpy(&value, t->data + t->pos, size);
	t->pos += size;
	return value;
}

static uint64_t leb(struct table *t, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (;;) {
		uint64_t byte = fixed(t, 1);

		if (t->bad || shift > 63) {
			t->bad = true;
			return 0;
		}
		value |= (byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (is_signed && byte & 0x40 && shift < 64)
			value |= UINT64_MAX << shift;
		return value;
	}
}

static uint64_t encoded(struct table *t, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return fixed(t, 8);
	case DW_EH_PE_udata2:
		return fixed(t, 2);
	case DW_EH_PE_udata4:
		return fixed(t, 4);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)fixed(t, 2);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)fixed(t, 4);
	case DW_EH_PE_uleb128:
		return leb(t, false);
	case DW_EH_PE_sleb128:
		return leb(t, true);
	default:
		t->bad = true;
		return 0;
	}
}

/* A pointer with its base; only the bases that x86-64 uses. */
static uint64_t pointer(struct table *t, uint8_t encoding)
{
	uint64_t at = t->addr + t->pos, value;

	if (encoding & DW_EH_PE_indirect) {
		t->bad = true;
		return 0;
	}
	value = encoded(t, encoding);
	switch (encoding & 0x70) {
	case 0:
		return value;
	case DW_EH_PE_pcrel:
		return value + at;
	default:
		t->bad = true;
		return 0;
	}
}

static void augmentation(struct table *t, const char *letters, struct cie *cie)
{
	leb(t, false);
	for (const char *c = letters + 1; *c && !t->bad; c++) {
		uint8_t encoding;

		switch (*c) {
		case 'R':
			cie->encoding = (uint8_t)fixed(t, 1);
			break;
		case 'P':
			encoding = (uint8_t)fixed(t, 1);
			encoded(t, encoding);
			break;
		case 'L':
			fixed(t, 1);
			break;
		case 'S':
			cie->signal = true;
			break;
		default:
			return; /* 'B', and what is not for us */
		}
	}
}

/* Reads the CIE whose length field is at POS. */
static void read_cie(const struct table *whole, uint64_t pos, bool debug_frame,
	struct cie *cie)
{
	struct table t = *whole;
	char letters[AUGMENTATION_MAX] = "";
	size_t n = 0;
	uint64_t length;
	uint8_t version;

	*cie = (struct cie){.pos = pos};
	t.pos = pos;
	length = fixed(&t, 4);
	if (length == UINT32_MAX)
		fixed(&t, 8);
	if (fixed(&t, debug_frame && length == UINT32_MAX ? 8 : 4) !=
		(debug_frame ? length == UINT32_MAX ? UINT64_MAX : UINT32_MAX
			     : 0))
		return;
	version = (uint8_t)fixed(&t, 1);
	while (n < sizeof letters && (letters[n] = (char)fixed(&t, 1)))
		n++;
	if (t.bad || n == sizeof letters || strncmp(letters, "eh", 2) == 0)
		return;
	if (version >= 4)
		fixed(&t, 2); /* sizes of address and segment selector */
	leb(&t, false);
	leb(&t, true);
	if (version == 1)
		fixed(&t, 1);
	else
		leb(&t, false);
	if (letters[0] == 'z')
		augmentation(&t, letters, cie);
	cie->good = !t.bad;
}

static int add(struct fdes *fdes, uint64_t lo, uint64_t len, bool is_signal)
{
	struct fde *fde;

	if (len == 0 || lo == 0 || lo + len < lo)
		return 0; /* of a function the linker has dropped */
	fde = vec_push(&fdes->all);
	if (!fde)
		return -1;
	*fde = (struct fde){lo, lo + len, is_signal};
	return spans_push(
		&fdes->spans, lo, lo + len, (uint32_t)(fdes->all.n - 1));
}

/* The entry from t->pos (behind its length) to END. */
static int read_fde(struct fdes *fdes, struct table *t, uint64_t end,
	bool debug_frame, bool wide, struct cie *cie)
{
	uint64_t id_pos = t->pos, id, cie_pos, lo, len;
	struct table body = *t;

	id = fixed(&body, wide && debug_frame ? 8 : 4);
	if (id == (debug_frame ? wide ? UINT64_MAX : UINT32_MAX : 0))
		return 0; /* a CIE */
	cie_pos = debug_frame ? id : id_pos - id;
	if (cie_pos >= t->size)
		return 0;
	if (cie_pos != cie->pos)
		read_cie(t, cie_pos, debug_frame, cie);
	if (!cie->good)
		return 0;
	body.size = end;
	lo = pointer(&body, cie->encoding);
	len = encoded(&body, cie->encoding);
	if (body.bad)
		return 0;
	return add(fdes, lo, len, cie->signal);
}

/* STOP: a zero length ends the table, its true size being unknown. */
static int read_table(struct fdes *fdes, const unsigned char *data,
	uint64_t size, uint64_t addr, bool debug_frame, bool stop)
{
	struct table t = {.data = data, .size = size, .addr = addr};
	struct cie cie = {.pos = UINT64_MAX};

	while (t.size - t.pos >= 4) {
		uint64_t length = fixed(&t, 4);
		bool wide = length == UINT32_MAX;

		if (wide)
			length = fixed(&t, 8);
		if (t.bad || length > t.size - t.pos || (length == 0 && stop))
			return 0;
		if (length == 0)
			continue;
		if (read_fde(fdes, &t, t.pos + length, debug_frame, wide,
			    &cie) < 0)
			return -1;
		t.pos += length;
	}
	return 0;
}

/* .eh_frame of a file without section headers. */
static int by_header(struct fdes *fdes, const struct image *image)
{
	struct table t = {.addr = image->eh_frame_hdr};
	const unsigned char *data;
	uint64_t frame, size;
	uint8_t encoding;

	t.data = image_at(image, image->eh_frame_hdr, &t.size);
	if (!t.data || fixed(&t, 1) != 1)
		return 0;
	encoding = (uint8_t)fixed(&t, 1);
	fixed(&t, 2);
	frame = pointer(&t, encoding);
	if (t.bad)
		return 0;
	data = image_at(image, frame, &size);
	return data ? read_table(fdes, data, size, frame, false, true) : 0;
}

static int by_sections(struct fdes *fdes, const struct image *image)
{
	const struct image_section *s = image_section(image, ".eh_frame");

	if (s && s->data) {
		if (read_table(fdes, s->data, s->size, s->addr, false, false) <
			0)
			return -1;
	} else if (image->eh_frame_hdr && by_header(fdes, image) < 0) {
		return -1;
	}
	s = image_section(image, ".debug_frame");
	if (!s || !s->data)
		return 0;
	return read_table(fdes, s->data, s->size, s->addr, true, false);
}

static int of_debug_file(struct fdes *fdes, Elf *debug)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(debug, &names) < 0)
		return 0;
	while ((scn = elf_nextscn(debug, scn))) {
		GElf_Shdr shdr;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS ||
			shdr.sh_flags & SHF_COMPRESSED)
			continue;
		name = elf_strptr(debug, names, shdr.sh_name);
		if (!name || strcmp(name, ".debug_frame") != 0)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			return read_table(fdes, data->d_buf, data->d_size,
				shdr.sh_addr, true, false);
	}
	return 0;
}

int fdes_init(struct fdes *fdes, const struct image *image, Elf *debug)
{
	*fdes = (struct fdes){0};
	if (!image->native)
		return 0;
	if (by_sections(fdes, image) < 0 ||
		(debug && debug != image->elf &&
			of_debug_file(fdes, debug) < 0) ||
		spans_flatten(&fdes->spans) < 0) {
		fdes_fini(fdes);
		return -1;
	}
	return 0;
}

void fdes_fini(struct fdes *fdes)
{
	vec_free(&fdes->all);
	vec_free(&fdes->spans);
}

const struct fde *fdes_find(const struct fdes *fdes, uint64_t addr)
{
	const struct span *span = spans_find(&fdes->spans, addr);

	return span ? &fdes->all.v[span->id] : NULL;
}
