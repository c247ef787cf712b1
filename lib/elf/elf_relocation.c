/* elf_relocation.c - relocations and dynamic symbols of an ELF image. */

#include "lib/arch/arch.h"
#include "lib/elf/elf_image.h"

bool elf_relocation_next(
	const struct elf_image *image, struct elf_relocation *at)
{
	GElf_Shdr sh;

	for (;;) {
		if (at->data && gelf_getrela(at->data, at->next, &at->rela)) {
			at->next++;
			return true;
		}
		at->scn = elf_nextscn(image->elf, at->scn);
		if (!at->scn)
			return false;
		at->data = NULL;
		if (!gelf_getshdr(at->scn, &sh) || sh.sh_type != SHT_RELA ||
			sh.sh_flags & SHF_COMPRESSED)
			continue;
		at->data = elf_getdata(at->scn, NULL);
		at->symbols = sh.sh_link;
		at->next = 0;
	}
}

const char *elf_relocation_symbol(const struct elf_image *image,
	const struct elf_relocation *at, GElf_Sym *sym)
{
	Elf_Scn *scn = elf_getscn(image->elf, at->symbols);
	uint64_t index = GELF_R_SYM(at->rela.r_info);
	Elf_Data *data;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) ||
		(sh.sh_type != SHT_DYNSYM && sh.sh_type != SHT_SYMTAB) ||
		index > INT32_MAX)
		return NULL;
	data = elf_getdata(scn, NULL);
	if (!data || !gelf_getsym(data, (int)index, sym))
		return NULL;
	return elf_strptr(image->elf, sh.sh_link, sym->st_name);
}

static enum elf_slot slot_by(const struct elf_image *image,
	const struct elf_relocation *at, uint64_t *addr, const char **symbol)
{
	GElf_Sym sym;

	switch (GELF_R_TYPE(at->rela.r_info)) {
	case ARCH_RELATIVE:
	case ARCH_IRELATIVE:
		*addr = (uint64_t)at->rela.r_addend;
		return ELF_SLOT_ADDR;
	case ARCH_GLOB_DAT:
	case ARCH_JUMP_SLOT:
	case ARCH_ABS64:
		*symbol = elf_relocation_symbol(image, at, &sym);
		if (!*symbol || !**symbol)
			return ELF_SLOT_UNKNOWN;
		*addr = sym.st_shndx != SHN_UNDEF ? sym.st_value : 0;
		return ELF_SLOT_SYMBOL;
	default:
		return ELF_SLOT_UNKNOWN;
	}
}

enum elf_slot elf_image_slot(const struct elf_image *image, uint64_t slot,
	uint64_t *addr, const char **symbol)
{
	struct elf_relocation at = {0};

	*addr = 0;
	*symbol = NULL;
	while (elf_relocation_next(image, &at))
		if (at.rela.r_offset == slot)
			return slot_by(image, &at, addr, symbol);
	return ELF_SLOT_UNKNOWN;
}

int elf_each_dynsym(Elf *elf,
	int (*each)(void *arg, const GElf_Sym *sym, const char *name),
	void *arg)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int rc = 0;

	while (rc == 0 && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_DYNSYM)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 1; data && rc == 0 && gelf_getsym(data, i, &sym);
			i++)
			rc = each(arg, &sym,
				elf_strptr(elf, shdr.sh_link, sym.st_name));
	}
	return rc;
}
