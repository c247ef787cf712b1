/* image.c - segments, sections and relocated slots of an ELF file. */
#include "config.h"

#include <string.h>

#include "analyzer/symbol/table/image.h"
#include "lib/arch/arch.h"

#define SECTIONS_MAX 65536
#define SEGMENTS_MAX 256 /* looked through for every address */

static bool in_file(size_t file_size, uint64_t offset, uint64_t size)
{
	return offset <= file_size && size <= file_size - offset;
}

static int add_segment(struct image *image, const GElf_Phdr *phdr,
	const unsigned char *raw, size_t raw_size)
{
	struct image_segment *s;

	if (phdr->p_memsz == 0 || phdr->p_vaddr + phdr->p_memsz < phdr->p_vaddr)
		return 0;
	s = vec_push(&image->segments);
	if (!s)
		return -1;
	s->lo = phdr->p_vaddr;
	s->hi = phdr->p_vaddr + phdr->p_memsz;
	s->exec = phdr->p_flags & PF_X;
	s->size =
		phdr->p_filesz < phdr->p_memsz ? phdr->p_filesz : phdr->p_memsz;
	if (raw && phdr->p_offset < raw_size) {
		s->data = raw + phdr->p_offset;
		if (s->size > raw_size - phdr->p_offset)
			s->size = raw_size - phdr->p_offset;
	} else {
		s->size = 0;
	}
	return 0;
}

static int load_segments(struct image *image, const unsigned char *raw,
	size_t raw_size, bool *interp)
{
	size_t n = 0;

	if (elf_getphdrnum(image->elf, &n) < 0)
		return 0;
	for (size_t i = 0; i < n && i < SEGMENTS_MAX; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(image->elf, (int)i, &phdr))
			break;
		if (phdr.p_type == PT_LOAD &&
			add_segment(image, &phdr, raw, raw_size) < 0)
			return -1;
		if (phdr.p_type == PT_DYNAMIC) {
			image->dynamic = phdr.p_vaddr;
			image->dynamic_size = phdr.p_filesz;
		}
		if (phdr.p_type == PT_INTERP)
			*interp = true;
	}
	return 0;
}

static int load_sections(
	struct image *image, const unsigned char *raw, size_t raw_size)
{
	size_t names = 0, n = 0;

	if (elf_getshdrnum(image->elf, &n) < 0 ||
		elf_getshdrstrndx(image->elf, &names) < 0)
		return 0;
	for (size_t i = 0; i < n && i < SECTIONS_MAX; i++) {
		Elf_Scn *scn = elf_getscn(image->elf, i);
		struct image_section *s;
		GElf_Shdr shdr;

		if (!scn || !gelf_getshdr(scn, &shdr))
			break;
		s = vec_push(&image->sections);
		if (!s)
			return -1;
		s->name = elf_strptr(image->elf, names, shdr.sh_name);
		if (!s->name)
			s->name = "";
		s->addr = shdr.sh_addr;
		s->size = shdr.sh_size;
		s->type = shdr.sh_type;
		s->link = shdr.sh_link;
		s->info = shdr.sh_info;
		s->flags = shdr.sh_flags;
		s->entsize = shdr.sh_entsize;
		if (raw && shdr.sh_type != SHT_NOBITS &&
			!(shdr.sh_flags & SHF_COMPRESSED) &&
			in_file(raw_size, shdr.sh_offset, shdr.sh_size))
			s->data = raw + shdr.sh_offset;
	}
	return 0;
}

/* Soname and the mark of position independent programs. */
static void load_dynamic(struct image *image, bool *pie)
{
	for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= image->dynamic_size;
		at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn dyn;

		if (!image_read(image, image->dynamic + at, &dyn, sizeof dyn) ||
			dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag == DT_SONAME)
			image->shared = true;
		if (dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE)
			*pie = true;
	}
}

int image_init(struct image *image, Elf *elf)
{
	bool interp = false, pie = false;
	const unsigned char *raw;
	size_t raw_size = 0;
	GElf_Ehdr ehdr;

	*image = (struct image){.elf = elf};
	if (!gelf_getehdr(elf, &ehdr))
		return -1;
	raw = (const unsigned char *)elf_rawfile(elf, &raw_size);
	image->native = ehdr.e_machine == ARCH_MACHINE &&
			ehdr.e_ident[EI_CLASS] == ELFCLASS64 &&
			ehdr.e_ident[EI_DATA] == ELFDATA2LSB;
	image->entry = ehdr.e_entry;
	if (load_segments(image, raw, raw_size, &interp) < 0 ||
		load_sections(image, raw, raw_size) < 0) {
		image_fini(image);
		return -1;
	}
	if (image->native)
		load_dynamic(image, &pie);
	image->executable =
		ehdr.e_type == ET_EXEC ||
		(ehdr.e_type == ET_DYN && (pie || (interp && !image->shared)));
	return 0;
}

void image_fini(struct image *image)
{
	vec_free(&image->segments);
	vec_free(&image->sections);
}

const unsigned char *image_at(
	const struct image *image, uint64_t addr, uint64_t *avail)
{
	for (size_t i = 0; i < image->segments.n; i++) {
		const struct image_segment *s = &image->segments.v[i];

		if (addr >= s->lo && addr - s->lo < s->size) {
			*avail = s->size - (addr - s->lo);
			return s->data + (addr - s->lo);
		}
	}
	*avail = 0;
	return NULL;
}

bool image_read(
	const struct image *image, uint64_t addr, void *buf, uint64_t size)
{
	uint64_t avail;
	const unsigned char *p = image_at(image, addr, &avail);

	if (!p || avail < size)
		return false;
	memcpy(buf, p, size);
	return true;
}

const struct image_segment *image_code(const struct image *image, uint64_t addr)
{
	for (size_t i = 0; i < image->segments.n; i++) {
		const struct image_segment *s = &image->segments.v[i];

		if (s->exec && addr >= s->lo && addr < s->hi)
			return s;
	}
	return NULL;
}

const struct image_section *image_section(
	const struct image *image, const char *name)
{
	for (size_t i = 0; i < image->sections.n; i++) {
		if (strcmp(image->sections.v[i].name, name) == 0)
			return &image->sections.v[i];
	}
	return NULL;
}

static const char *symbol_of(const struct image *image,
	const struct image_section *rela, uint64_t index, Elf64_Sym *sym)
{
	const struct image_section *table;

	if (rela->link >= image->sections.n)
		return NULL;
	table = &image->sections.v[rela->link];
	if (!table->data || index >= table->size / sizeof *sym)
		return NULL;
	memcpy(sym, table->data + index * sizeof *sym, sizeof *sym);
	return elf_strptr(image->elf, table->link, sym->st_name);
}

static enum image_slot slot_by(const struct image *image,
	const struct image_section *section, const Elf64_Rela *rela,
	uint64_t *addr, const char **symbol)
{
	Elf64_Sym sym;

	switch (ELF64_R_TYPE(rela->r_info)) {
	case ARCH_RELATIVE:
	case ARCH_IRELATIVE:
		*addr = (uint64_t)rela->r_addend;
		return SLOT_ADDR;
	case ARCH_GLOB_DAT:
	case ARCH_JUMP_SLOT:
	case ARCH_ABS64:
		*symbol = symbol_of(
			image, section, ELF64_R_SYM(rela->r_info), &sym);
		if (!*symbol || !**symbol)
			return SLOT_UNKNOWN;
		*addr = sym.st_shndx != SHN_UNDEF ? sym.st_value : 0;
		return SLOT_SYMBOL;
	default:
		return SLOT_UNKNOWN;
	}
}

enum image_slot image_slot(const struct image *image, uint64_t slot,
	uint64_t *addr, const char **symbol)
{
	*addr = 0;
	*symbol = NULL;
	for (size_t i = 0; i < image->sections.n; i++) {
		const struct image_section *s = &image->sections.v[i];
		Elf64_Rela rela;

		if (s->type != SHT_RELA || !s->data)
			continue;
		for (uint64_t at = 0; at + sizeof rela <= s->size;
			at += sizeof rela) {
			memcpy(&rela, s->data + at, sizeof rela);
			if (rela.r_offset == slot)
				return slot_by(image, s, &rela, addr, symbol);
		}
	}
	return SLOT_UNKNOWN;
}

int image_each_dynsym(Elf *elf,
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
