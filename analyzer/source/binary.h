/*
 * binary.h - the file that a module's code is in, if it still is the one that
 * ran.
 */
#ifndef CPPROF_SOURCE_BINARY_H
#define CPPROF_SOURCE_BINARY_H

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/elf/debuginfod.h"
#include "lib/err.h"

enum binary_state {
	BINARY_SAME,
	BINARY_NONE,    /* generated code: no file; interpreted: no code */
	BINARY_MISSING, /* cannot be opened, or is no ELF file */
	BINARY_CHANGED, /* has another build id */
};

struct binary {
	enum binary_state state;
	int64_t modified; /* seconds since 1970; SAME only */
	struct elf_image *image;
};

/*
 * BINARY of MODULE; SEARCH asks debuginfod where its path has it no more.  But
 * for SAME, ERR says what is the matter. binary_close() is due either way.
 */
void binary_open(struct binary *binary, const struct cpd_module *module,
	struct debug_search *search, struct err *err);
void binary_close(struct binary *binary);

/* As many of N bytes at the link-time address ADDR as there are. */
size_t binary_read(
	const struct binary *binary, uint64_t addr, void *buf, size_t n);

#endif
