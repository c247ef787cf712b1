#include "monitor/unwind/cfi_check.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "lib/elf/elf_image.h"

#define REGISTERS 256 /* x86-64 has numbers for some 150 */
#define NESTED 64     /* remembered states */
#define LARGEST (256u << 20)

/* What follows an instruction's byte, in order. */
#define REG "r"
#define ULEB "u"
#define BLOCK "b"
static const char *const operands[0x40] = {
	[DW_CFA_nop] = "",
	[DW_CFA_advance_loc1] = "1",
	[DW_CFA_advance_loc2] = "2",
	[DW_CFA_advance_loc4] = "4",
	[DW_CFA_offset_extended] = REG ULEB,
	[DW_CFA_restore_extended] = REG,
	[DW_CFA_undefined] = REG,
	[DW_CFA_same_value] = REG,
	[DW_CFA_register] = REG REG,
	[DW_CFA_remember_state] = "",
	[DW_CFA_restore_state] = "",
	[DW_CFA_def_cfa] = REG ULEB,
	[DW_CFA_def_cfa_register] = REG,
	[DW_CFA_def_cfa_offset] = ULEB,
	[DW_CFA_def_cfa_expression] = BLOCK,
	[DW_CFA_expression] = REG BLOCK,
	[DW_CFA_offset_extended_sf] = REG ULEB,
	[DW_CFA_def_cfa_sf] = REG ULEB,
	[DW_CFA_def_cfa_offset_sf] = ULEB,
	[DW_CFA_val_offset] = REG ULEB,
	[DW_CFA_val_offset_sf] = REG ULEB,
	[DW_CFA_val_expression] = REG BLOCK,
	[DW_CFA_MIPS_advance_loc8] = "8",
	[DW_CFA_GNU_window_save] = "",
	[DW_CFA_GNU_args_size] = ULEB,
	[DW_CFA_GNU_negative_offset_extended] = REG ULEB,
};

/* Too large ones are cut to UINT64_MAX. */
static bool uleb(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	unsigned shift = 0;

	for (*value = 0; *at < end; shift += 7) {
		uint64_t byte = *(*at)++;

		if (shift > 56 && byte & 0x7f)
			*value = UINT64_MAX;
		else if (shift <= 56)
			*value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Passes over an operand; false: it runs over the end, where libdw stops. */
static bool operand(
	char kind, const uint8_t **at, const uint8_t *end, bool *harmless)
{
	uint64_t value = 0;

	if (kind >= '1' && kind <= '8') {
		value = (uint64_t)(kind - '0');
	} else if (!uleb(at, end, &value)) {
		return false;
	} else if (kind == *REG) {
		*harmless = value < REGISTERS;
		return *harmless;
	} else if (kind != *BLOCK) {
		return true;
	}
	if (value > (uint64_t)(end - *at))
		return false;
	*at += value;
	return true;
}

/* What cannot be read on is not run on: that much is harmless. */
static bool check_program(const uint8_t *at, const uint8_t *end)
{
	unsigned kept = 0;
	bool harmless = true;

	while (at < end) {
		uint8_t byte = *at++;
		const char *form = byte & 0xc0 ? "" : operands[byte];

		if ((byte & 0xc0) == DW_CFA_offset)
			form = ULEB;
		else if (byte == DW_CFA_set_loc) /* no compiler's, any length */
			return false;
		else if (byte == DW_CFA_remember_state && ++kept > NESTED)
			return false;
		else if (byte == DW_CFA_restore_state && kept)
			kept--;
		for (; form && *form; form++)
			if (!operand(*form, &at, end, &harmless))
				return harmless;
		if (!form)
			return true;
	}
	return true;
}

/* An entry that others share: how long the addresses of these are. */
struct shared {
	uint64_t offset;
	unsigned width;
	bool sized; /* they have augmentation data */
};

struct check {
	const unsigned char *ident;
	Elf_Data *data;
	bool eh;
	VEC(struct shared) shared; /* both ascending */
	VEC(uint64_t) offsets;
};

/* 0: none that is usual. */
static unsigned pointer_width(uint8_t encoding)
{
	if ((encoding & 0x70) > DW_EH_PE_datarel)
		return 0;
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	default:
		return 0;
	}
}

/* False for letters that compilers of x86-64 do not use. */
static bool read_augmentation(const Dwarf_CIE *cie, struct shared *shared)
{
	const uint8_t *at = cie->augmentation_data;
	const uint8_t *end = at + cie->augmentation_data_size;
	const char *letter = cie->augmentation;

	shared->width = 8;
	shared->sized = *letter == 'z';
	for (letter += shared->sized; *letter; letter++) {
		unsigned width = 0;

		if (*letter == 'S')
			continue;
		if (!strchr("RPL", *letter) || !shared->sized || at >= end)
			return false;
		if (*letter != 'L' && !(width = pointer_width(*at)))
			return false;
		at++;
		if (*letter == 'R')
			shared->width = width;
		if (*letter != 'P')
			continue;
		if (width > end - at)
			return false;
		at += width;
	}
	return true;
}

/* Notes where entries are, and reads those that others share. */
static bool read_shared(struct check *c)
{
	Dwarf_Off at = 0, next;
	Dwarf_CFI_Entry entry;

	for (; dwarf_next_cfi(c->ident, c->data, c->eh, at, &next, &entry) == 0;
		at = next) {
		struct shared shared = {.offset = at}, *to;
		uint64_t *offset = vec_push(&c->offsets);

		if (!offset)
			return false;
		*offset = at;
		if (!dwarf_cfi_cie_p(&entry))
			continue;
		if (!read_augmentation(&entry.cie, &shared) ||
			!check_program(entry.cie.initial_instructions,
				entry.cie.initial_instructions_end) ||
			!(to = vec_push(&c->shared)))
			return false;
		*to = shared;
	}
	return true;
}

static int by_offset(const void *va, const void *vb)
{
	const struct shared *a = va, *b = vb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int by_number(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* The program of an entry for a function, behind two addresses. */
static bool check_function(const Dwarf_FDE *fde, const struct shared *shared)
{
	const uint8_t *at = fde->start;
	uint64_t skip = 0;

	if (fde->end - at < 2 * (ptrdiff_t)shared->width)
		return true;
	at += 2 * shared->width;
	if (shared->sized && (!uleb(&at, fde->end, &skip) ||
				     skip > (uint64_t)(fde->end - at)))
		return true;
	return check_program(at + skip, fde->end);
}

static bool check_functions(const struct check *c)
{
	const struct shared *shared = NULL;
	Dwarf_Off at = 0, next;
	Dwarf_CFI_Entry entry;

	for (; dwarf_next_cfi(c->ident, c->data, c->eh, at, &next, &entry) == 0;
		at = next) {
		struct shared key;

		if (dwarf_cfi_cie_p(&entry))
			continue;
		key.offset = entry.fde.CIE_pointer;
		if (!shared || shared->offset != key.offset)
			shared = c->shared.n ? bsearch(&key, c->shared.v,
						       c->shared.n, sizeof key,
						       by_offset)
					     : NULL;
		if (!shared || !check_function(&entry.fde, shared))
			return false;
	}
	return true;
}

bool cfi_check(struct Elf *elf, const char *name, uint64_t offset,
	const uint64_t *entries, size_t n)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_section(elf, name, &shdr);
	struct check c = {
		.ident = (const unsigned char *)elf_getident(elf, NULL),
		.eh = strcmp(name, ".eh_frame") == 0};
	bool harmless;
	size_t size;

	if (scn && !(shdr.sh_flags & SHF_COMPRESSED))
		c.data = elf_getdata(scn, NULL);
	else if (!scn && offset && elf_rawfile(elf, &size) && offset < size)
		c.data = elf_getdata_rawchunk(
			elf, (int64_t)offset, size - offset, ELF_T_BYTE);
	harmless = c.data && c.data->d_buf && c.data->d_size <= LARGEST &&
		   read_shared(&c) && check_functions(&c);
	for (size_t i = 0; harmless && i < n; i++)
		harmless = c.offsets.n &&
			   bsearch(&entries[i], c.offsets.v, c.offsets.n,
				   sizeof *entries, by_number);
	vec_free(&c.shared);
	vec_free(&c.offsets);
	return harmless;
}

bool cfi_check_leave_frames(struct Elf *elf)
{
	Elf_Scn *scn = NULL;
	bool any = false;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr))
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (!name || (strncmp(name, ".debug_", 7) != 0 &&
				     strncmp(name, ".zdebug_", 8) != 0 &&
				     strncmp(name, ".gnu.debuglto_", 14) != 0))
			continue;
		if (!any && strcmp(name, ".debug_frame") == 0) {
			any = true;
			continue;
		}
		shdr.sh_type = SHT_NOBITS;
		gelf_update_shdr(scn, &shdr);
	}
	return any;
}
