#include "monitor/unwind/cfi_eh_frame.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST (256u << 20)
#define NESTED 8 /* remembered states */

enum { RBP = 6, RSP = 7, RIP = 16 }; /* DWARF's numbers of registers */

/* .eh_frame_hdr: then COUNT pairs of (function, entry), relative to it. */
struct header {
	uint8_t version, eh_frame_enc, count_enc, table_enc;
	int32_t eh_frame;
	uint32_t count;
};

struct pair {
	int32_t function, entry;
};

struct eh_frame {
	uint64_t header; /* link-time address */
	struct pair *table;
	size_t n;
	/* by address from the first function's, shifted: the number of the
	   first pair behind its first byte; a binary search in a large table
	   would miss the cache at each step */
	uint32_t *index;
	size_t nindex;
	unsigned shift;
	uint8_t *bytes; /* the section */
	uint64_t addr, size;
};

/* Bytes that are read one after the other; running over the end is noted. */
struct in {
	const uint8_t *at, *end;
	bool bad;
};

static const uint8_t *take(struct in *in, uint64_t n)
{
	const uint8_t *at = in->at;

	if (n > (uint64_t)(in->end - at)) {
		in->bad = true;
		in->at = in->end;
		return NULL;
	}
	in->at += n;
	return at;
}

static uint64_t fixed(struct in *in, unsigned size)
{
	const uint8_t *at = take(in, size);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, size);
	return value;
}

static uint64_t leb(struct in *in, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	if (!is_signed && in->at < in->end && *in->at < 0x80)
		return *in->at++;
	do {
		byte = (uint8_t)fixed(in, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !in->bad);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= -(uint64_t)1 << shift;
	return value;
}

static uint64_t uleb(struct in *in)
{
	return leb(in, false);
}

static int64_t sleb(struct in *in)
{
	return (int64_t)leb(in, true);
}

static bool read_header(struct eh_frame *eh, struct elf_image *image)
{
	struct header header;

	eh->header = image->eh_frame_hdr;
	if (!eh->header ||
		!elf_image_read(image, eh->header, &header, sizeof header) ||
		header.version != 1 ||
		header.eh_frame_enc != (DW_EH_PE_pcrel | DW_EH_PE_sdata4) ||
		header.count_enc != DW_EH_PE_udata4 ||
		header.table_enc != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
		header.count > image->eh_frame_hdr_size / sizeof *eh->table ||
		header.count > image->size / sizeof *eh->table)
		return false;
	eh->n = header.count;
	eh->addr = eh->header + 4 + (uint64_t)(int64_t)header.eh_frame;
	eh->table = malloc(eh->n * sizeof *eh->table + 1);
	return eh->table && elf_image_read(image, eh->header + sizeof header,
				    eh->table, eh->n * sizeof *eh->table);
}

/* The section, or without section headers all that follows in its segment. */
static bool read_section(struct eh_frame *eh, struct elf_image *image)
{
	uint64_t addr;

	if (!elf_image_section(image, ".eh_frame", &addr, &eh->size) ||
		addr != eh->addr) {
		eh->size = 0;
		for (size_t i = 0; i < image->nsegments; i++) {
			const struct elf_segment *s = &image->segments[i];

			if (eh->addr - s->vaddr < s->filesz)
				eh->size = s->filesz - (eh->addr - s->vaddr);
		}
	}
	if (!eh->size || eh->size > LARGEST || eh->size > image->size)
		return false;
	eh->bytes = malloc(eh->size);
	return eh->bytes &&
	       elf_image_read(image, eh->addr, eh->bytes, eh->size);
}

static bool make_index(struct eh_frame *eh)
{
	uint64_t first, span;
	size_t at = 0;

	if (!eh->n)
		return false;
	for (size_t i = 1; i < eh->n; i++)
		if (eh->table[i].function < eh->table[i - 1].function)
			return false;
	first = (uint64_t)(int64_t)eh->table[0].function;
	span = (uint64_t)(int64_t)eh->table[eh->n - 1].function - first;
	while (span >> eh->shift >= eh->n)
		eh->shift++;
	eh->nindex = (span >> eh->shift) + 2;
	eh->index = malloc(eh->nindex * sizeof *eh->index);
	if (!eh->index)
		return false;
	for (size_t i = 0; i < eh->nindex; i++) {
		uint64_t start = first + ((uint64_t)i << eh->shift);

		while (at < eh->n &&
			(int64_t)eh->table[at].function <= (int64_t)start)
			at++;
		eh->index[i] = (uint32_t)at;
	}
	return true;
}

struct eh_frame *eh_frame_open(struct elf_image *image)
{
	struct eh_frame *eh = calloc(1, sizeof *eh);

	if (eh && read_header(eh, image) && read_section(eh, image) &&
		make_index(eh))
		return eh;
	eh_frame_close(eh);
	return NULL;
}

void eh_frame_close(struct eh_frame *eh)
{
	if (!eh)
		return;
	free(eh->table);
	free(eh->index);
	free(eh->bytes);
	free(eh);
}

uint64_t *eh_frame_entries(const struct eh_frame *eh,
	const struct elf_image *image, size_t *n, uint64_t *offset)
{
	uint64_t *entries = malloc(eh->n * sizeof *entries + 1);

	*n = eh->n;
	*offset = 0;
	for (size_t i = 0; entries && i < eh->n; i++)
		entries[i] = eh->header +
			     (uint64_t)(int64_t)eh->table[i].entry - eh->addr;
	for (size_t i = 0; i < image->nsegments; i++) {
		const struct elf_segment *s = &image->segments[i];

		if (eh->addr - s->vaddr < s->filesz)
			*offset = eh->addr - s->vaddr + s->offset;
	}
	return entries;
}

bool eh_frame_no_table(struct elf_image *image)
{
	struct header header;

	return !image->eh_frame_hdr ||
	       (elf_image_read(
			image, image->eh_frame_hdr, &header, sizeof header) &&
		       (header.table_enc == DW_EH_PE_omit ||
			       header.count_enc == DW_EH_PE_omit));
}

/* The entry at link-time ADDR, behind its length. */
static struct in entry_at(const struct eh_frame *eh, uint64_t addr)
{
	struct in in = {.bad = true};
	uint64_t length;

	if (addr - eh->addr >= eh->size)
		return in;
	in.at = eh->bytes + (addr - eh->addr);
	in.end = eh->bytes + eh->size;
	in.bad = false;
	length = fixed(&in, 4);
	if (length >= 0xfffffff0 || length > (uint64_t)(in.end - in.at))
		in.bad = true;
	else
		in.end = in.at + length;
	return in;
}

struct cie {
	uint64_t code_align;
	int64_t data_align;
	bool augmented; /* entries have a length of augmentation data */
	struct in program;
};

static void skip_personality(struct in *in)
{
	uint8_t encoding = (uint8_t)fixed(in, 1);

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		take(in, 8);
		break;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		take(in, 4);
		break;
	default:
		in->bad = true;
	}
}

/* The augmentation: false for what is not the usual. */
static bool read_augmentation(struct cie *cie, struct in *in, const char *text)
{
	struct in data = *in;
	uint64_t size;

	if (!*text)
		return false; /* addresses are not relative */
	if (*text++ != 'z')
		return false;
	cie->augmented = true;
	size = uleb(in);
	data = *in;
	if (!take(in, size))
		return false;
	data.end = in->at;
	data.at = in->at - size;
	for (; *text; text++) {
		if (*text == 'P')
			skip_personality(&data);
		else if (*text == 'L')
			take(&data, 1);
		else if (*text != 'R' ||
			 fixed(&data, 1) != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
			return false; /* S, a signal frame, too */
	}
	return !data.bad;
}

static bool read_cie(const struct eh_frame *eh, uint64_t addr, struct cie *cie)
{
	struct in in = entry_at(eh, addr);
	const char *text;
	uint8_t version;

	if (fixed(&in, 4) != 0 || in.bad)
		return false;
	version = (uint8_t)fixed(&in, 1);
	text = (const char *)in.at;
	if ((version != 1 && version != 3) ||
		!memchr(text, '\0', (size_t)(in.end - in.at)))
		return false;
	take(&in, strlen(text) + 1);
	cie->code_align = uleb(&in);
	cie->data_align = sleb(&in);
	if ((version == 1 ? fixed(&in, 1) : uleb(&in)) != RIP ||
		!read_augmentation(cie, &in, text))
		return false;
	cie->program = in;
	return !in.bad;
}

enum rule { SAME, UNDEFINED, AT_CFA, OTHER };

struct saved { /* where a register is */
	enum rule rule;
	int64_t offset; /* from the CFA */
};

struct state {
	bool other; /* the CFA is no register and number */
	uint64_t reg;
	int64_t offset;
	struct saved rbp, ra;
};

struct machine {
	const struct cie *cie;
	struct state now, initial, kept[NESTED];
	unsigned nkept;
	uint64_t loc;
};

static void set_rule(
	struct machine *m, uint64_t reg, enum rule rule, int64_t offset)
{
	if (reg == RBP)
		m->now.rbp = (struct saved){rule, offset};
	else if (reg == RIP)
		m->now.ra = (struct saved){rule, offset};
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg == RBP)
		m->now.rbp = m->initial.rbp;
	else if (reg == RIP)
		m->now.ra = m->initial.ra;
}

static void define_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	m->now.other = false;
	m->now.reg = reg;
	m->now.offset = offset;
}

/* The operations without an operand in their byte, but those that advance;
   false: not known here. */
static bool extended(struct machine *m, uint8_t op, struct in *in)
{
	int64_t align = m->cie->data_align;
	uint64_t reg;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_def_cfa:
		reg = uleb(in);
		define_cfa(m, reg, (int64_t)uleb(in));
		return true;
	case DW_CFA_def_cfa_register:
		m->now.reg = uleb(in);
		return !m->now.other;
	case DW_CFA_def_cfa_offset:
		m->now.offset = (int64_t)uleb(in);
		return !m->now.other;
	case DW_CFA_def_cfa_expression:
		m->now.other = true;
		return take(in, uleb(in)) != NULL;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		set_rule(m, uleb(in), OTHER, 0);
		return take(in, uleb(in)) != NULL;
	case DW_CFA_offset_extended:
		reg = uleb(in);
		set_rule(m, reg, AT_CFA, (int64_t)uleb(in) * align);
		return true;
	case DW_CFA_offset_extended_sf:
		reg = uleb(in);
		set_rule(m, reg, AT_CFA, sleb(in) * align);
		return true;
	case DW_CFA_restore_extended:
		restore(m, uleb(in));
		return true;
	case DW_CFA_undefined:
		set_rule(m, uleb(in), UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_rule(m, uleb(in), SAME, 0);
		return true;
	case DW_CFA_remember_state:
		if (m->nkept == NESTED)
			return false;
		m->kept[m->nkept++] = m->now;
		return true;
	case DW_CFA_restore_state:
		if (!m->nkept)
			return false;
		m->now = m->kept[--m->nkept];
		return true;
	case DW_CFA_GNU_args_size:
		uleb(in);
		return true;
	default:
		return false;
	}
}

/* Whether an operation advances to another instruction, and how far. */
static bool is_advance(uint8_t byte, struct in *in, uint64_t *by)
{
	if ((byte & 0xc0) == DW_CFA_advance_loc)
		*by = byte & 0x3f;
	else if (byte == DW_CFA_advance_loc1)
		*by = fixed(in, 1);
	else if (byte == DW_CFA_advance_loc2)
		*by = fixed(in, 2);
	else if (byte == DW_CFA_advance_loc4)
		*by = fixed(in, 4);
	else
		return false;
	return true;
}

/* Runs PROGRAM up to the row that holds at ADDR; false: not all is known. */
static bool run(struct machine *m, struct in program, uint64_t addr)
{
	while (program.at < program.end) {
		uint8_t byte = (uint8_t)fixed(&program, 1), low = byte & 0x3f;
		uint64_t by;

		if (is_advance(byte, &program, &by)) {
			m->loc += by * m->cie->code_align;
			if (m->loc > addr)
				return !program.bad;
		} else if ((byte & 0xc0) == DW_CFA_offset) {
			set_rule(m, low, AT_CFA,
				(int64_t)uleb(&program) * m->cie->data_align);
		} else if ((byte & 0xc0) == DW_CFA_restore) {
			restore(m, low);
		} else if (!extended(m, low, &program)) {
			return false;
		}
		if (program.bad)
			return false;
	}
	return true;
}

/* False: no row can say it, or libdw has to. */
static bool row_of(const struct state *state, struct row *row)
{
	*row = (struct row){.rbp = ROW_RBP_SAME};
	if (state->ra.rule == UNDEFINED) {
		row->kind = ROW_END;
		row->rbp = 0;
		return true;
	}
	if (state->other || state->ra.rule != AT_CFA ||
		state->ra.offset != -8 ||
		(state->reg != RSP && state->reg != RBP) ||
		state->offset != (int32_t)state->offset)
		return false;
	row->kind = state->reg == RSP ? ROW_RSP : ROW_RBP;
	row->cfa = (int32_t)state->offset;
	if (state->rbp.rule == OTHER)
		return false;
	if (state->rbp.rule != AT_CFA)
		return true;
	row->rbp = (int16_t)state->rbp.offset;
	return row->rbp == state->rbp.offset && row->rbp > ROW_RBP_AT_RBP;
}

/* The last pair whose function begins at or before ADDR; NULL: none. */
static const struct pair *pair_of(const struct eh_frame *eh, uint64_t addr)
{
	int64_t at = (int64_t)(addr - eh->header);
	uint64_t bucket = (uint64_t)(at - eh->table[0].function) >> eh->shift;
	size_t lo, hi;

	if (at < eh->table[0].function)
		return NULL;
	if (bucket > eh->nindex - 2)
		bucket = eh->nindex - 2;
	lo = eh->index[bucket];
	hi = bucket == eh->nindex - 2 ? eh->n : eh->index[bucket + 1];

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (eh->table[mid].function <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &eh->table[lo - 1] : NULL;
}

enum eh_frame_found eh_frame_row(
	const struct eh_frame *eh, uint64_t addr, struct row *row)
{
	const struct pair *pair = pair_of(eh, addr);
	struct machine m;
	struct cie cie = {0};
	struct row found;
	uint64_t entry, start;
	struct in in;

	if (!pair)
		return EH_FRAME_NONE;
	entry = eh->header + (uint64_t)(int64_t)pair->entry;
	in = entry_at(eh, entry);
	if (in.bad || !read_cie(eh, entry + 4 - fixed(&in, 4), &cie))
		return EH_FRAME_OTHER;
	start = entry + 8 + (uint64_t)(int64_t)(int32_t)fixed(&in, 4);
	if (start != eh->header + (uint64_t)(int64_t)pair->function)
		return EH_FRAME_OTHER;
	if (addr - start >= fixed(&in, 4))
		return in.bad ? EH_FRAME_OTHER : EH_FRAME_NONE;
	take(&in, uleb(&in)); /* the augmentation */
	m.cie = &cie;
	m.now = (struct state){0};
	m.initial = m.now;
	m.nkept = 0;
	m.loc = start;
	if (in.bad || !run(&m, cie.program, UINT64_MAX))
		return EH_FRAME_OTHER;
	m.initial = m.now;
	m.loc = start;
	if (!run(&m, in, addr) || !row_of(&m.now, &found))
		return EH_FRAME_OTHER;
	*row = found;
	return EH_FRAME_ROW;
}
