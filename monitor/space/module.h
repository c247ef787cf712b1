/*
 * module.h - the files whose code ran, each once however often it is mapped.
 *
 * A file is identified by its path and build id, without one by its path and
 * inode; memory without a file belongs to its process.  The file is opened when
 * it is first mapped, and kept: it may be gone when the run ends.  What was
 * read of those that no process has mapped is freed after each 128 new ones and
 * where descriptors run out; there their files are closed, too.
 */
#ifndef CPPROF_SPACE_MODULE_H
#define CPPROF_SPACE_MODULE_H

#include "lib/cpprofdata/writer.h"
#include "lib/elf/elf_image.h"
#include "lib/hash.h"
#include "lib/run/run_files.h"
#include "lib/vec.h"
#include "monitor/interpreter/python.h"
#include "monitor/space/jit_map.h"
#include "monitor/space/module_identity.h"

struct unwind_code;

struct module {
	uint32_t id; /* in the file */
	enum cpd_module_kind kind;
	struct elf_image
		*image; /* NULL: it could not be opened, or is no ELF file */
	struct python_build *python; /* NULL: its frames are not known */
	struct unwind_code *code;    /* the unwinder's; NULL: none */
	void (*code_free)(struct unwind_code *code);
	struct jit_map map; /* CPD_MODULE_ANON: its names may be there */
	unsigned users;     /* mappings in address spaces */
	pid_t refused; /* a process by which its file was not found; 0: none */
	int file;      /* open while its image is closed; -1: it is not */
	int dump;      /* of a process's JIT compiler; -1: none */
	uint32_t process; /* of the memory or the dump, by its id in the file */
	char *key;
};

struct modules {
	VEC(struct module *) by_id; /* [id - 1] */
	struct hash known;          /* finds them by key */
	struct jit_folders folders;
	unsigned opened; /* since room was made */
	struct cpd_writer *writer;
	char no_python[48]; /* the first one whose frames are not known */
};

void modules_init(struct modules *modules, struct cpd_writer *writer);
void modules_fini(struct modules *modules);

/* Whether PATH, the name of a mapping, is that of a file. */
bool module_has_file(const char *path);

/* Finds it, or makes it and writes it to the file.  NULL: no memory. */
struct module *modules_get(
	struct modules *modules, const struct module_identity *identity);

/*
 * A process, by its id in the file, has ended: frees what was kept to unwind
 * its generated code, which is made again if a sample still needs it.
 */
void modules_ended(struct modules *modules, uint32_t process);

/* How to open their files, when the run is over; valid as long as MODULES
   lives. */
struct run_files modules_files(const struct modules *modules);

/* Notes the sizes of perf maps at TIME.  -1: no memory. */
int modules_note_sizes(struct modules *modules, uint64_t time);

#endif
