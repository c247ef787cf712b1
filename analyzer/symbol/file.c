/* file.c - finds files with libdwfl and holds them to their build id. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/symbol/file.h"
#include "analyzer/symbol/limit.h"
#include "lib/elf/debug_file.h"
#include "lib/regular.h"

/* What all compressed sections of a file may come to: debug information gets
   two to four times as large, its strings a little more. */
#define INFLATED_MAX (4ULL << 30)
#define INFLATED_TIMES 64
#define INFLATED_FREE (16ULL << 20)

static const Dwfl_Callbacks callbacks = {
	.find_elf = debug_file_no_elf,
	.find_debuginfo = debug_file_find,
	.section_address = dwfl_offline_section_address,
};

static void refuse(
	struct sym_file *file, enum sym_file_state state, const char *why)
{
	file->state = state;
	snprintf(file->why, sizeof file->why, "%s", why);
}

/* Our own vdso is the one every process of this kernel has. */
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

int sym_file_descriptor(const struct cpd_module *module)
{
	if (module->kind == CPD_MODULE_VDSO)
		return open_vdso();
	return regular_open(AT_FDCWD, module->path, 0, NULL, NULL);
}

static bool same_build_id(
	Dwfl_Module *dwfl_module, const struct cpd_module *module)
{
	const unsigned char *bits;
	GElf_Addr vaddr;
	int n;

	if (module->build_id_len == 0)
		return true;
	n = dwfl_module_build_id(dwfl_module, &bits, &vaddr);
	return n > 0 && (uint32_t)n >= module->build_id_len &&
	       memcmp(bits, module->build_id, module->build_id_len) == 0;
}

/* A compressed section says itself how large it will be: believe little. */
static bool inflates_sanely(Elf *elf)
{
	uint64_t sum = 0, most;
	Elf_Scn *scn = NULL;
	size_t size = 0;

	if (!elf || !elf_rawfile(elf, &size))
		return true;
	most = size > INFLATED_MAX / INFLATED_TIMES
		       ? INFLATED_MAX
		       : INFLATED_FREE + size * INFLATED_TIMES;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Chdr chdr;

		if (!gelf_getchdr(scn, &chdr))
			continue;
		if (chdr.ch_size > most - sum)
			return false;
		sum += chdr.ch_size;
	}
	return true;
}

/*
 * libdw inflates every section that it knows of.  Those that nobody asks here
 * are made to look empty, in memory, before it sees them.
 */
static void leave_out(Elf *elf)
{
	static const char *const unused[] = {".debug_loclists", ".debug_loc",
		".debug_macro", ".debug_macinfo"};
	Elf_Scn *scn = NULL;
	size_t names = 0;

	if (!elf || elf_getshdrstrndx(elf, &names) < 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr) ||
			!(shdr.sh_flags & SHF_COMPRESSED))
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		for (size_t i = 0; name && i < sizeof unused / sizeof *unused;
			i++) {
			if (strcmp(name, unused[i]) != 0)
				continue;
			shdr.sh_type = SHT_NOBITS;
			gelf_update_shdr(scn, &shdr);
		}
	}
}

/* Of a module whose symbols are in a separate file: that file. */
static Elf *symbols_elf(Dwfl_Module *module)
{
	Elf *elf = NULL;
	GElf_Word shndx;
	GElf_Addr addr;
	GElf_Sym sym;
	int n = dwfl_module_getsymtab(module);

	if (n > 1)
		dwfl_module_getsym_info(
			module, n - 1, &sym, &addr, &shndx, &elf, NULL);
	return elf;
}

/* Gives DWARF the file that it shares; without it it is not understood. */
static void find_shared(struct sym_file *file)
{
	const char *main_path = NULL, *debug_path = NULL;
	bool needed;
	int fd;

	dwfl_module_info(file->module, NULL, NULL, NULL, NULL, NULL, &main_path,
		&debug_path);
	fd = debug_file_shared(file->dwarf,
		debug_path  ? debug_path
		: main_path ? main_path
			    : "",
		&needed);
	if (!needed)
		return;
	file->shared = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
	if (file->shared && inflates_sanely(dwarf_getelf(file->shared))) {
		sym_limit_dwarf(file->shared);
		dwarf_setalt(file->dwarf, file->shared);
		file->shared_fd = fd;
		return;
	}
	dwarf_end(file->shared);
	file->shared = NULL;
	file->dwarf = NULL;
	if (fd >= 0)
		close(fd);
}

static void find_debug(struct sym_file *file, bool plain)
{
	Elf *symbols;

	file->elf = dwfl_module_getelf(file->module, &file->bias);
	if (!file->elf || !inflates_sanely(file->elf))
		return;
	symbols = symbols_elf(file->module);
	if (!inflates_sanely(symbols))
		return;
	leave_out(file->elf);
	if (plain) {
		file->debug = symbols != file->elf ? symbols : NULL;
		return;
	}
	leave_out(symbols);
	file->dwarf = dwfl_module_getdwarf(file->module, &file->dwarf_bias);
	file->debug = file->dwarf ? dwarf_getelf(file->dwarf) : NULL;
	if (file->debug == file->elf)
		file->debug = NULL;
	if (file->debug && !inflates_sanely(file->debug))
		file->dwarf = NULL;
	if (file->dwarf) {
		sym_limit_dwarf(file->dwarf);
		find_shared(file);
	}
}

void sym_file_open(struct sym_file *file, const struct cpd_module *module,
	int fd, bool plain)
{
	*file = (struct sym_file){0};
	if (fd < 0)
		fd = sym_file_descriptor(module);
	if (fd < 0) {
		refuse(file, SYM_FILE_MISSING, strerror(errno));
		return;
	}
	sym_limit_file(fd);
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl) {
		close(fd);
		refuse(file, SYM_FILE_BROKEN, dwfl_errmsg(-1));
		return;
	}
	dwfl_report_begin(file->dwfl);
	file->module = dwfl_report_elf(
		file->dwfl, module->path, module->path, fd, 0, true);
	if (!file->module)
		close(fd);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (!file->module)
		refuse(file, SYM_FILE_BROKEN, dwfl_errmsg(-1));
	else if (!same_build_id(file->module, module))
		refuse(file, SYM_FILE_CHANGED, "its build id is another now");
	else
		find_debug(file, plain);
	if (file->state == SYM_FILE_OK && !file->elf)
		refuse(file, SYM_FILE_BROKEN, dwfl_errmsg(-1));
}

void sym_file_close(struct sym_file *file)
{
	if (file->dwfl)
		dwfl_end(file->dwfl);
	if (file->shared) {
		dwarf_end(file->shared);
		close(file->shared_fd);
	}
	*file = (struct sym_file){0};
}
