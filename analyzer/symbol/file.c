/* file.c - opens the file of a module, if it still is the one that ran. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/symbol/file.h"
#include "lib/elf/build_id.h"
#include "lib/elf/debuginfod.h"
#include "lib/sys/regular.h"

static void refuse(
	struct sym_file *file, enum sym_file_state state, const char *why)
{
	file->state = state;
	snprintf(file->why, sizeof file->why, "%s", why);
}

/* All processes of this kernel have the same vdso as this one. */
static int open_vdso(void)
{
	const unsigned char *image =
		(const unsigned char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = (const void *)image;
	size_t size, done = 0;
	int fd;

	if (!image)
		return -1;
	size = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	while (fd >= 0 && done < size) {
		ssize_t n = write(fd, image + done, size - done);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	return fd;
}

/*
 * Whether OTHER is the file that ran.  It goes to *FD if it is, or if there is
 * none yet: then it will be refused.
 */
static bool is_found(int *fd, int other, const struct cpd_module *module)
{
	bool same = other >= 0 && build_id_of_file(other, module->build_id,
					  module->build_id_len);
	int unused = *fd;

	if (same || *fd < 0)
		*fd = other;
	else
		unused = other;
	if (unused >= 0)
		close(unused);
	return same;
}

static int fetch(const struct cpd_module *module, struct debug_search *search)
{
	int reason = errno, fd;
	char *path;

	if (!search || !module->build_id_len)
		return -1;
	fd = debuginfod_find(search, DEBUGINFOD_EXECUTABLE, module->build_id,
		module->build_id_len, NULL, &path);
	free(path);
	errno = reason;
	return fd;
}

int sym_file_descriptor(const struct cpd_module *module,
	const struct run_files *files, struct debug_search *search, bool *known)
{
	int fd = run_files_module(files, module->id);
	const char *root = search ? search->sysroot : NULL;

	*known = fd >= 0 || !(root || (files && files->open_module));
	if (fd >= 0)
		return fd;
	if (module->kind == CPD_MODULE_VDSO)
		return open_vdso();
	if (!(root && is_found(&fd, regular_open_below(root, module->path),
			      module)) &&
		!is_found(&fd, regular_open_below(NULL, module->path), module))
		is_found(&fd, fetch(module, search), module);
	return fd;
}

/* The debug file of a file that is not there: it has the same names. */
static int open_debug_file(
	const struct cpd_module *module, const struct debug_search *search)
{
	char path[BUILD_ID_PATH];
	int reason = errno, fd;

	build_id_path(module->build_id, module->build_id_len, path);
	fd = regular_open_below(search ? search->sysroot : NULL, path);
	errno = reason;
	return fd;
}

bool sym_file_ran(const struct cpd_module *module, Elf *elf, bool known)
{
	return module->build_id_len ? build_id_matches(elf, module->build_id,
					      module->build_id_len)
				    : known;
}

void sym_file_open(struct sym_file *file, const struct cpd_module *module,
	const struct sym_task *task, bool plain)
{
	bool known;
	int fd = sym_file_descriptor(module, task->files, task->search, &known);

	*file = (struct sym_file){0};
	if (fd < 0)
		fd = open_debug_file(module, task->search);
	if (fd < 0) {
		refuse(file, SYM_FILE_MISSING, strerror(errno));
		return;
	}
	sym_limit_file(task->limit, fd);
	if (debug_module_open(&file->opened, task->search, module->path, fd) <
		0) {
		refuse(file, SYM_FILE_BROKEN, dwfl_errmsg(-1));
		return;
	}
	if (!sym_file_ran(module, file->opened.elf, known)) {
		refuse(file, SYM_FILE_CHANGED,
			module->build_id_len ? "its build id is another now"
					     : "or nothing shows that it is");
		return;
	}
	debug_module_find(&file->opened, plain);
	if (file->opened.dwarf)
		sym_limit_dwarf(task->limit, file->opened.dwarf);
	if (file->opened.shared)
		sym_limit_dwarf(task->limit, file->opened.shared);
}

void sym_file_close(struct sym_file *file)
{
	debug_module_close(&file->opened);
	*file = (struct sym_file){0};
}
