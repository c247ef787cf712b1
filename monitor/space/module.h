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
#include "lib/elf/elf_image.h"
#include "lib/hash.h"
#include "lib/run_files.h"
#include "lib/vec.h"
#include "monitor/space/jit_map.h"

struct unwind_code;

struct module {
	uint32_t id; /* in the file */
	enum cpd_module_kind kind;
	struct elf_image *image; /* NULL: no ELF file could be had */
	struct unwind_code
		*code; /* what the unwinder keeps of it; NULL: none */
	void (*code_free)(struct unwind_code *code);
	struct jit_map map; /* CPD_MODULE_ANON: where its names may be */
	int dump;           /* of a process's JIT compiler; -1: it is none */
	uint32_t process;   /* then: whose */
	char *key;
};

struct modules {
	VEC(struct module *) by_id; /* [id - 1] */
	struct hash known;          /* they by key */
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

void modules_init(struct modules *modules, struct cpd_writer *writer);
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

#endif
