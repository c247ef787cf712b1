/*
 * elf_image.h - an ELF file, as the unwinder needs it.
 *
 * Which link-time address a file offset has, and the bytes at an address.
 * Files are read with pread, not mapped: one that is truncated while it is
 * profiled gives short reads and no SIGBUS.  The contents are not trusted.
 */
#ifndef CPPROF_ELF_IMAGE_H
#define CPPROF_ELF_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;

struct elf_segment {
	uint64_t offset, filesz, vaddr;
	bool exec;
};

struct elf_image {
	struct Elf *elf;
	int fd; /* -1: in memory */
	uint64_t size;
	struct elf_segment *segments; /* the PT_LOADs */
	size_t nsegments;
	uint64_t entry;        /* link-time address, 0: none */
	uint64_t eh_frame_hdr; /* link-time address, 0: none */
	uint64_t eh_frame_hdr_size;
	uint8_t build_id[32];
	uint32_t build_id_len;
	void *pages; /* of file, read so far */
};

/* Takes FD over, also on failure.  NULL when it is no 64-bit x86 ELF file. */
struct elf_image *elf_image_open(int fd);

/* The same from memory that outlives the image (the vdso). */
struct elf_image *elf_image_memory(const void *bytes, size_t size);

void elf_image_free(struct elf_image *image);

/* Its separate debug file, installed by build id (/usr/lib/debug); NULL: there
   is none. */
struct elf_image *elf_image_debug(const struct elf_image *image);

/* The link-time address of what lies at OFFSET of the file. */
bool elf_image_vaddr(
	const struct elf_image *image, uint64_t offset, uint64_t *vaddr);

/* Copies N bytes from link-time address VADDR; false if not all are there. */
bool elf_image_read(
	struct elf_image *image, uint64_t vaddr, void *buf, size_t n);

/* As many of N bytes as a segment has from there on, or nearly: their number.
 */
size_t elf_image_read_some(
	struct elf_image *image, uint64_t vaddr, void *buf, size_t n);

/* The section with that name, and its header; NULL: none. */
Elf_Scn *elf_section(Elf *elf, const char *name, GElf_Shdr *header);

/* The link-time address and size of the section; false: there is none. */
bool elf_image_section(const struct elf_image *image, const char *name,
	uint64_t *addr, uint64_t *size);

/*
 * What the loader adds its bias to and writes to link-time address VADDR; false
 * where it writes nothing there, or something else.
 */
bool elf_image_relocated(
	const struct elf_image *image, uint64_t vaddr, uint64_t *value);

/* Calls FOUND for each such value. */
void elf_image_relocations(const struct elf_image *image,
	void (*found)(void *arg, uint64_t value), void *arg);

#endif
