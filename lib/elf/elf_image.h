/*
 * elf_image.h - an ELF file by link-time address: segments, sections,
 * relocations, bytes.
 *
 * There are two kinds.  The unwinder opens files of its own (elf_image_open):
 * they are read with pread, not mapped, so that a truncated file gives short
 * reads and no SIGBUS.  The symbolizer borrows what elfutils has mapped
 * (elf_image_of), under its own guard; only images in memory lend their bytes
 * (elf_image_at, elf_section's data).
 *
 * The contents are not trusted: nothing outside the file is read.  Code and
 * tables are read only in files of this processor (native).
 */
#ifndef CPPROF_ELF_IMAGE_H
#define CPPROF_ELF_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/elf/build_id.h"
#include "lib/vec.h"

struct elf_segment {             /* a PT_LOAD */
	uint64_t offset, filesz; /* filesz: at most the file's and memsz */
	uint64_t vaddr, memsz;
	bool exec;
};

struct elf_image {
	Elf *elf;
	bool borrowed; /* the Elf */
	bool native;
	int fd;                     /* -1: in memory */
	const unsigned char *bytes; /* in memory; NULL: to be read */
	uint64_t size;
	VEC(struct elf_segment) segments;
	uint64_t entry;        /* link-time address, 0: none */
	uint64_t eh_frame_hdr; /* link-time address, 0: none */
	uint64_t eh_frame_hdr_size;
	uint64_t dynamic; /* likewise */
	uint64_t dynamic_size;
	uint64_t interpreter; /* the address of its dynamic linker's path */
	uint16_t type;        /* ET_ */
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_len;
	void *pieces; /* of file, read so far */
};

/*
 * Takes over FD, also on failure.  NULL when it is no ELF file of this
 * processor.
 */
struct elf_image *elf_image_open(int fd);

/* The same from memory that outlives the image (the vdso). */
struct elf_image *elf_image_memory(const void *bytes, size_t size);

/* Of ELF, which is borrowed, of any processor.  NULL when out of memory or ELF
   cannot be read at all. */
struct elf_image *elf_image_of(Elf *elf);

void elf_image_free(struct elf_image *image);

/* Its separate debug file, installed by build id (/usr/lib/debug); NULL: there
   is none. */
struct elf_image *elf_image_debug(const struct elf_image *image);

/* Whether it is a program, not a library, even one that can be run. */
bool elf_image_is_program(struct elf_image *image);

/* The link-time address of the byte at OFFSET of the file. */
bool elf_image_vaddr(
	const struct elf_image *image, uint64_t offset, uint64_t *vaddr);

/* The executable segment that holds ADDR, or NULL. */
const struct elf_segment *elf_image_code(
	const struct elf_image *image, uint64_t addr);

/* The bytes at ADDR and how many follow in the file's segment; NULL: none are
   lent. */
const unsigned char *elf_image_at(
	const struct elf_image *image, uint64_t addr, uint64_t *avail);

/* Copies N bytes from link-time address VADDR; false if not all are there. */
bool elf_image_read(
	struct elf_image *image, uint64_t vaddr, void *buf, size_t n);

/*
 * Reads up to N bytes, as many as the segment has there or nearly: returns
 * their number.
 */
size_t elf_image_read_some(
	struct elf_image *image, uint64_t vaddr, void *buf, size_t n);

/* Whether ELF, or NULL, is a file of this processor. */
bool elf_is_native(Elf *elf);

/* The section with that name, and its header; NULL: none. */
Elf_Scn *elf_find_section(Elf *elf, const char *name, GElf_Shdr *header);

/*
 * elf_relocation.c: the value that the loader or linker puts into the pointer
 * at address SLOT, where the file tells: *ADDR, to which it adds its bias, or
 * the name of a dynamic symbol (lent).
 */
enum elf_slot { ELF_SLOT_UNKNOWN, ELF_SLOT_ADDR, ELF_SLOT_SYMBOL };
enum elf_slot elf_image_slot(const struct elf_image *image, uint64_t slot,
	uint64_t *addr, const char **symbol);

/*
 * The next relocation of IMAGE, into AT->rela; false: there are no more.  AT is
 * of zeros for the first.
 */
struct elf_relocation {
	GElf_Rela rela;
	Elf_Scn *scn; /* of relocations */
	Elf_Data *data;
	uint32_t symbols; /* number of the section of its symbols */
	int next;
};
bool elf_relocation_next(
	const struct elf_image *image, struct elf_relocation *at);

/* The name of the symbol of that relocation, lent; NULL: it has none. */
const char *elf_relocation_symbol(const struct elf_image *image,
	const struct elf_relocation *at, GElf_Sym *sym);

/*
 * Calls EACH with the dynamic symbols of ELF, their names lent or NULL, until
 * it returns other than 0, which is then returned.
 */
int elf_each_dynsym(Elf *elf,
	int (*each)(void *arg, const GElf_Sym *sym, const char *name),
	void *arg);

#endif
