#include "lib/elf/elf_image.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/arch/arch.h"
#include "lib/regular.h"

#define PAGE_SLOTS 256 /* direct mapped by page number */

struct page {
	uint64_t number; /* plus 1; 0: empty */
	uint32_t valid;  /* bytes */
	uint8_t bytes[PAGE_BYTES];
};

static void read_build_id(struct elf_image *image, const GElf_Phdr *ph)
{
	Elf_Data *data = elf_getdata_rawchunk(
		image->elf, (int64_t)ph->p_offset, ph->p_filesz, ELF_T_NHDR);
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	while (data && (next = gelf_getnote(data, at, &note, &name, &desc))) {
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			!memcmp((char *)data->d_buf + name, "GNU", 4) &&
			note.n_descsz <= sizeof image->build_id) {
			memcpy(image->build_id, (char *)data->d_buf + desc,
				note.n_descsz);
			image->build_id_len = note.n_descsz;
			return;
		}
		at = next;
	}
}

static bool read_headers(struct elf_image *image)
{
	GElf_Ehdr ehdr;
	size_t n;

	if (elf_kind(image->elf) != ELF_K_ELF ||
		!gelf_getehdr(image->elf, &ehdr) ||
		ehdr.e_machine != ARCH_MACHINE ||
		ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
		elf_getphdrnum(image->elf, &n) ||
		n > image->size / sizeof(Elf64_Phdr))
		return false;
	image->entry = ehdr.e_entry;
	image->segments = calloc(n ? n : 1, sizeof *image->segments);
	if (!image->segments)
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(image->elf, (int)i, &ph))
			continue;
		if (ph.p_type == PT_LOAD) {
			image->segments[image->nsegments++] =
				(struct elf_segment){ph.p_offset, ph.p_filesz,
					ph.p_vaddr, ph.p_flags & PF_X};
		} else if (ph.p_type == PT_GNU_EH_FRAME) {
			image->eh_frame_hdr = ph.p_vaddr;
			image->eh_frame_hdr_size = ph.p_filesz;
		} else if (ph.p_type == PT_NOTE && !image->build_id_len &&
			   ph.p_filesz < (1 << 20)) {
			read_build_id(image, &ph);
		}
	}
	return true;
}

static struct elf_image *finish(struct elf_image *image)
{
	if (image->elf && read_headers(image))
		return image;
	elf_image_free(image);
	return NULL;
}

struct elf_image *elf_image_open(int fd)
{
	struct elf_image *image = calloc(1, sizeof *image);

	if (!image) {
		close(fd);
		return NULL;
	}
	elf_version(EV_CURRENT);
	image->fd = fd;
	image->size = (uint64_t)lseek(fd, 0, SEEK_END);
	image->elf = (struct Elf *)elf_begin(fd, ELF_C_READ, NULL);
	return finish(image);
}

struct elf_image *elf_image_memory(const void *bytes, size_t size)
{
	struct elf_image *image = calloc(1, sizeof *image);

	if (!image)
		return NULL;
	elf_version(EV_CURRENT);
	image->fd = -1;
	image->size = size;
	image->elf = (struct Elf *)elf_memory((char *)(uintptr_t)bytes, size);
	return finish(image);
}

void elf_image_free(struct elf_image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	free(image->segments);
	free(image->pages);
	free(image);
}

struct elf_image *elf_image_debug(const struct elf_image *image)
{
	char path[2 * sizeof image->build_id + 64];
	int n = sprintf(path, "/usr/lib/debug/.build-id/");
	struct elf_image *debug;
	int fd;

	if (image->build_id_len < 2)
		return NULL;
	for (uint32_t i = 0; i < image->build_id_len; i++)
		n += sprintf(path + n, i == 1 ? "/%02x" : "%02x",
			image->build_id[i]);
	strcpy(path + n, ".debug");
	fd = regular_open(AT_FDCWD, path, 0, NULL, NULL);
	debug = fd < 0 ? NULL : elf_image_open(fd);
	if (debug && (debug->build_id_len != image->build_id_len ||
			     memcmp(debug->build_id, image->build_id,
				     image->build_id_len) != 0)) {
		elf_image_free(debug);
		return NULL;
	}
	return debug;
}

bool elf_image_vaddr(
	const struct elf_image *image, uint64_t offset, uint64_t *vaddr)
{
	/* The kernel maps whole pages: an offset may lie a little before. */
	for (size_t i = 0; i < image->nsegments; i++) {
		const struct elf_segment *s = &image->segments[i];
		uint64_t from = s->offset & ~(PAGE_BYTES - 1);

		if (s->exec && offset >= from &&
			offset < s->offset + s->filesz) {
			*vaddr = offset - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

static const struct page *page_at(struct elf_image *image, uint64_t number)
{
	struct page *pages, *p;
	ssize_t n;

	if (!image->pages)
		image->pages = calloc(PAGE_SLOTS, sizeof *pages);
	pages = image->pages;
	if (!pages)
		return NULL;
	p = &pages[number % PAGE_SLOTS];
	if (p->number == number + 1)
		return p;
	n = pread(
		image->fd, p->bytes, PAGE_BYTES, (off_t)(number * PAGE_BYTES));
	p->number = number + 1;
	p->valid = n > 0 ? (uint32_t)n : 0;
	return p;
}

static bool read_offset(
	struct elf_image *image, uint64_t offset, uint8_t *buf, size_t n)
{
	if (image->fd < 0) {
		const char *raw = elf_rawfile(image->elf, NULL);

		if (!raw || offset > image->size || n > image->size - offset)
			return false;
		memcpy(buf, raw + offset, n);
		return true;
	}
	while (n) {
		const struct page *p = page_at(image, offset / PAGE_BYTES);
		size_t at = offset % PAGE_BYTES, part = PAGE_BYTES - at;

		if (part > n)
			part = n;
		if (!p || at + part > p->valid)
			return false;
		memcpy(buf, p->bytes + at, part);
		buf += part;
		offset += part;
		n -= part;
	}
	return true;
}

bool elf_image_read(
	struct elf_image *image, uint64_t vaddr, void *buf, size_t n)
{
	for (size_t i = 0; i < image->nsegments; i++) {
		const struct elf_segment *s = &image->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->filesz &&
			n <= s->filesz - (vaddr - s->vaddr))
			return read_offset(
				image, vaddr - s->vaddr + s->offset, buf, n);
	}
	return false;
}

size_t elf_image_read_some(
	struct elf_image *image, uint64_t vaddr, void *buf, size_t n)
{
	while (n && !elf_image_read(image, vaddr, buf, n))
		n /= 2;
	return n;
}

/* The section of that name, or of the type if NAME is NULL, behind AFTER. */
static Elf_Scn *find_section(Elf *elf, Elf_Scn *after, const char *name,
	uint32_t type, GElf_Shdr *sh)
{
	Elf_Scn *scn = after;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *found;

		if (!gelf_getshdr(scn, sh))
			continue;
		found = elf_strptr(elf, names, sh->sh_name);
		if (name ? found && strcmp(found, name) == 0
			 : sh->sh_type == type)
			return scn;
	}
	return NULL;
}

Elf_Scn *elf_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	return find_section(elf, NULL, name, 0, header);
}

bool elf_image_section(const struct elf_image *image, const char *name,
	uint64_t *addr, uint64_t *size)
{
	GElf_Shdr sh;

	if (!find_section(image->elf, NULL, name, 0, &sh) || !sh.sh_addr ||
		sh.sh_type == SHT_NOBITS)
		return false;
	*addr = sh.sh_addr;
	*size = sh.sh_size;
	return true;
}

struct relocations {
	Elf_Scn *scn;
	Elf_Data *data;
	int next;
};

/* The next relocation by the bias alone; false: no more. */
static bool next_relocation(
	const struct elf_image *image, struct relocations *at, GElf_Rela *rela)
{
	GElf_Shdr sh;

	for (;;) {
		while (at->data && gelf_getrela(at->data, at->next, rela)) {
			at->next++;
			if (GELF_R_TYPE(rela->r_info) == ARCH_RELATIVE)
				return true;
		}
		at->scn =
			find_section(image->elf, at->scn, NULL, SHT_RELA, &sh);
		if (!at->scn)
			return false;
		at->data = elf_getdata(at->scn, NULL);
		at->next = 0;
	}
}

bool elf_image_relocated(
	const struct elf_image *image, uint64_t vaddr, uint64_t *value)
{
	struct relocations at = {0};
	GElf_Rela rela;

	while (next_relocation(image, &at, &rela))
		if (rela.r_offset == vaddr) {
			*value = (uint64_t)rela.r_addend;
			return true;
		}
	return false;
}

void elf_image_relocations(const struct elf_image *image,
	void (*found)(void *arg, uint64_t value), void *arg)
{
	struct relocations at = {0};
	GElf_Rela rela;

	while (next_relocation(image, &at, &rela))
		found(arg, (uint64_t)rela.r_addend);
}
