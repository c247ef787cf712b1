/* Reads segments and pieces of ELF files. */
#include "lib/elf/elf_image.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/arch/arch.h"

#define SEGMENTS_MAX 256 /* each is searched for every address */
#define PIECE 512        /* bytes: most who read look at an instruction */
#define PIECES 512       /* kept, direct mapped by number */

struct file_piece {
	uint64_t number; /* plus 1; 0: empty */
	uint32_t valid;  /* bytes */
	uint8_t bytes[PIECE];
};

static int add_segment(struct elf_image *image, const GElf_Phdr *ph)
{
	struct elf_segment s = {.offset = ph->p_offset,
		.filesz = ph->p_filesz,
		.vaddr = ph->p_vaddr,
		.memsz = ph->p_memsz,
		.exec = ph->p_flags & PF_X};

	if (!s.memsz || s.vaddr + s.memsz < s.vaddr)
		return 0;
	if (s.offset > image->size)
		s.filesz = 0;
	else if (s.filesz > image->size - s.offset)
		s.filesz = image->size - s.offset;
	if (s.filesz > s.memsz)
		s.filesz = s.memsz;
	return vec_add(&image->segments, s) ? 0 : -1;
}

static int read_segments(struct elf_image *image)
{
	size_t n;

	if (elf_getphdrnum(image->elf, &n) < 0)
		return 0;
	for (size_t i = 0; i < n && i < SEGMENTS_MAX; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(image->elf, (int)i, &ph))
			break;
		if (ph.p_type == PT_LOAD && add_segment(image, &ph) < 0)
			return -1;
		if (ph.p_type == PT_GNU_EH_FRAME) {
			image->eh_frame_hdr = ph.p_vaddr;
			image->eh_frame_hdr_size = ph.p_filesz;
		} else if (ph.p_type == PT_DYNAMIC) {
			image->dynamic = ph.p_vaddr;
			image->dynamic_size = ph.p_filesz;
		} else if (ph.p_type == PT_INTERP) {
			image->interpreter = ph.p_vaddr;
		}
	}
	return 0;
}

bool elf_is_native(Elf *elf)
{
	GElf_Ehdr ehdr;

	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &ehdr) &&
	       ehdr.e_machine == ARCH_MACHINE &&
	       ehdr.e_ident[EI_CLASS] == ELFCLASS64 &&
	       ehdr.e_ident[EI_DATA] == ELFDATA2LSB;
}

static bool read_headers(struct elf_image *image)
{
	GElf_Ehdr ehdr;

	if (elf_kind(image->elf) != ELF_K_ELF ||
		!gelf_getehdr(image->elf, &ehdr))
		return false;
	image->native = elf_is_native(image->elf);
	image->entry = ehdr.e_entry;
	image->type = ehdr.e_type;
	return read_segments(image) == 0;
}

static struct elf_image *finish(struct elf_image *image)
{
	if (image->elf && read_headers(image) && image->native) {
		image->build_id_len =
			build_id_read(image->elf, image->build_id);
		return image;
	}
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
	image->elf = elf_begin(fd, ELF_C_READ, NULL);
	return finish(image);
}

struct elf_image *elf_image_memory(const void *bytes, size_t size)
{
	struct elf_image *image = calloc(1, sizeof *image);

	if (!image)
		return NULL;
	elf_version(EV_CURRENT);
	image->fd = -1;
	image->bytes = bytes;
	image->size = size;
	image->elf = elf_memory((char *)(uintptr_t)bytes, size);
	return finish(image);
}

struct elf_image *elf_image_of(Elf *elf)
{
	struct elf_image *image = calloc(1, sizeof *image);
	size_t size = 0;

	if (!image)
		return NULL;
	image->fd = -1;
	image->elf = elf;
	image->borrowed = true;
	image->bytes = (const unsigned char *)elf_rawfile(elf, &size);
	image->size = image->bytes ? size : 0;
	if (read_headers(image))
		return image;
	elf_image_free(image);
	return NULL;
}

void elf_image_free(struct elf_image *image)
{
	if (!image)
		return;
	if (!image->borrowed)
		elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	vec_free(&image->segments);
	free(image->pieces);
	free(image);
}

struct elf_image *elf_image_debug(const struct elf_image *image)
{
	int fd = build_id_open(image->build_id, image->build_id_len);

	return fd < 0 ? NULL : elf_image_open(fd);
}

/* The soname, and the flag of position independent programs. */
bool elf_image_is_program(struct elf_image *image)
{
	bool pie = false, shared = false;
	Elf64_Dyn dyn;

	for (uint64_t at = 0;
		image->native && at + sizeof dyn <= image->dynamic_size &&
		elf_image_read(image, image->dynamic + at, &dyn, sizeof dyn) &&
		dyn.d_tag != DT_NULL;
		at += sizeof dyn) {
		shared |= dyn.d_tag == DT_SONAME;
		pie |= dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE;
	}
	return image->type == ET_EXEC ||
	       (image->type == ET_DYN &&
		       (pie || (image->interpreter && !shared)));
}

bool elf_image_vaddr(
	const struct elf_image *image, uint64_t offset, uint64_t *vaddr)
{
	/* The kernel maps whole pages: an offset may lie a little before. */
	for (size_t i = 0; i < image->segments.n; i++) {
		const struct elf_segment *s = &image->segments.v[i];
		uint64_t from = s->offset & ~(PAGE_BYTES - 1);

		if (s->exec && offset >= from &&
			offset < s->offset + s->filesz) {
			*vaddr = offset - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

const struct elf_segment *elf_image_code(
	const struct elf_image *image, uint64_t addr)
{
	for (size_t i = 0; i < image->segments.n; i++) {
		const struct elf_segment *s = &image->segments.v[i];

		if (s->exec && addr >= s->vaddr && addr - s->vaddr < s->memsz)
			return s;
	}
	return NULL;
}

const unsigned char *elf_image_at(
	const struct elf_image *image, uint64_t addr, uint64_t *avail)
{
	for (size_t i = 0; image->bytes && i < image->segments.n; i++) {
		const struct elf_segment *s = &image->segments.v[i];

		if (addr >= s->vaddr && addr - s->vaddr < s->filesz) {
			*avail = s->filesz - (addr - s->vaddr);
			return image->bytes + s->offset + (addr - s->vaddr);
		}
	}
	*avail = 0;
	return NULL;
}

static const struct file_piece *piece_at(
	struct elf_image *image, uint64_t number)
{
	struct file_piece *pieces, *p;
	ssize_t n;

	if (!image->pieces)
		image->pieces = calloc(PIECES, sizeof *pieces);
	pieces = image->pieces;
	if (!pieces)
		return NULL;
	p = &pieces[number % PIECES];
	if (p->number == number + 1)
		return p;
	n = pread(image->fd, p->bytes, PIECE, (off_t)(number * PIECE));
	p->number = number + 1;
	p->valid = n > 0 ? (uint32_t)n : 0;
	return p;
}

static bool read_offset(
	struct elf_image *image, uint64_t offset, uint8_t *buf, size_t n)
{
	if (image->fd < 0) {
		if (!image->bytes || offset > image->size ||
			n > image->size - offset)
			return false;
		memcpy(buf, image->bytes + offset, n);
		return true;
	}
	while (n) {
		const struct file_piece *p = piece_at(image, offset / PIECE);
		size_t at = offset % PIECE, part = PIECE - at;

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
	for (size_t i = 0; i < image->segments.n; i++) {
		const struct elf_segment *s = &image->segments.v[i];

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

Elf_Scn *elf_find_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *found;

		if (!gelf_getshdr(scn, header))
			continue;
		found = elf_strptr(elf, names, header->sh_name);
		if (found && strcmp(found, name) == 0)
			return scn;
	}
	return NULL;
}
