/*
 * image.h - an ELF file's bytes by link-time address, checked.
 *
 * Borrows the Elf; works with and without section headers, and on files whose
 * headers lie: nothing outside the file is ever read.  Only 64-bit x86 files
 * have their machine code and tables looked into (image->native).
 */
#ifndef CPPROF_SYMBOL_IMAGE_H
#define CPPROF_SYMBOL_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"

struct image_segment {             /* a PT_LOAD */
	uint64_t lo, hi;           /* addresses */
	const unsigned char *data; /* of lo; may be NULL */
	uint64_t size;             /* bytes of data, at most hi - lo */
	bool exec;
};

struct image_section {
	const char *name;
	uint64_t addr, size; /* size of data where there is data */
	const unsigned char
		*data; /* NULL: NOBITS, compressed, or not in file */
	uint32_t type, link, info;
	uint64_t flags, entsize;
};

struct image {
	Elf *elf;
	bool native;
	bool shared;     /* has a soname: a library, even if it can be run */
	bool executable; /* ET_EXEC, or position independent and a program */
	uint64_t entry;  /* 0: none */
	VEC(struct image_segment) segments;
	VEC(struct image_section) sections; /* by section number */
	uint64_t dynamic;                   /* its address, 0: none */
	uint64_t dynamic_size;
};

/* -1 when out of memory or ELF cannot be read at all. */
int image_init(struct image *image, Elf *elf);
void image_fini(struct image *image);

/*
 * The bytes at ADDR and how many follow in the file's segment; NULL: none.
 */
const unsigned char *image_at(
	const struct image *image, uint64_t addr, uint64_t *avail);

/* Reads SIZE bytes at ADDR. */
bool image_read(
	const struct image *image, uint64_t addr, void *buf, uint64_t size);

/* The executable segment that holds ADDR, or NULL. */
const struct image_segment *image_code(
	const struct image *image, uint64_t addr);

/* The section of that name, or NULL. */
const struct image_section *image_section(
	const struct image *image, const char *name);

/*
 * Calls EACH with the dynamic symbols of ELF, their names lent or NULL, until
 * it returns other than 0, which is then returned.
 */
int image_each_dynsym(Elf *elf,
	int (*each)(void *arg, const GElf_Sym *sym, const char *name),
	void *arg);

/*
 * What the loader or linker puts into the pointer at address SLOT, where that
 * is known from the file: *ADDR, or the name of a dynamic symbol (lent).
 */
enum image_slot { SLOT_UNKNOWN, SLOT_ADDR, SLOT_SYMBOL };
enum image_slot image_slot(const struct image *image, uint64_t slot,
	uint64_t *addr, const char **symbol);

#endif
