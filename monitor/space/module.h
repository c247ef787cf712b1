/*
 * module.h - the files whose code ran, each once however often it is mapped.
 *
 * A file is known by its path and build id, or where it has none by its path
 * and inode; memory without a file belongs to its process.  The file is opened
 * when it is first mapped, and stays open: it may be gone when the run ends.
 */
#ifndef CPPROF_SPACE_MODULE_H
#define CPPROF_SPACE_MODULE_H

#include <sys/types.h>

#include "lib/cpprofdata/writer.h"
#include "monitor/unwind/cfi.h"
#include "lib/elf/elf_image.h"
#include "lib/run_files.h"
#include "monitor/space/jit_map.h"
#include "monitor/unwind/row.h"

struct no_cfi_rows;
void unwind_no_cfi_free(struct no_cfi_rows *rows);

struct module {
	uint32_t id; /* in the file */
	enum cpd_module_kind kind;
	struct elf_image *image; /* NULL: no ELF file could be had */
	struct cfi *cfi;         /* opened at the first row */
	bool cfi_tried;
	struct rows rows;
	struct no_cfi_rows
		*no_cfi; /* what monitor/unwind/no_cfi.c keeps here */
	struct function_starts *starts;
	bool function_starts_tried;
	struct jit_map map; /* CPD_MODULE_ANON: where its names may be */
	int dump;           /* of a process's JIT compiler; -1: it is none */
	uint32_t process;   /* then: whose */
	char *key;
	struct module *next; /* in the table's chain */
};

struct modules {
	struct module **table;
	size_t nbuckets, n;
	VEC(struct module *) by_id; /* [id - 1] */
	struct jit_folders folders;
	struct cpd_writer *writer;
};

/* What the kernel says of a mapping. */
struct module_identity {
	const char *path;
	pid_t pid;
	uint64_t start, end; /* of the mapping, in the process */
	const uint8_t *build_id;
	uint32_t build_id_len; /* 0: go by the inode */
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t process; /* id in the file */
};

int modules_init(struct modules *modules, struct cpd_writer *writer);
void modules_fini(struct modules *modules);

/* Finds it or makes it, and announces it to the writer.  NULL: no memory. */
struct module *modules_get(
	struct modules *modules, const struct module_identity *identity);

/*
 * A process, by its id in the file, has ended: what was kept to unwind its
 * generated code is given back.  It is made again if that is still asked for.
 */
void modules_ended(struct modules *modules, uint32_t process);

/* How to open their files; as long as MODULES lives. */
struct run_files modules_files(const struct modules *modules);

/* Looks how far perf maps have been written at TIME.  -1: no memory. */
int modules_look(struct modules *modules, uint64_t time);

/* The row at a link-time address. */
static inline struct row module_row(struct module *module, uint64_t addr)
{
	if (__builtin_expect(!module->cfi_tried, 0)) {
		module->cfi_tried = true;
		if (module->image)
			module->rows.cfi = module->cfi =
				cfi_open(module->image);
	}
	return rows_get(&module->rows, addr);
}

#endif
