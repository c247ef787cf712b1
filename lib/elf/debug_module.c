/* Has libdwfl open a file, and keeps what it inflates within bounds. */
#include "lib/elf/debug_module.h"

#include <string.h>
#include <unistd.h>

/*
 * All compressed sections of a file may grow to this: debug information gets
 * two to four times as large, its strings a little more.
 */
#define INFLATED_MAX (4ULL << 30)
#define INFLATED_TIMES 64
#define INFLATED_FREE (16ULL << 20)

static const Dwfl_Callbacks callbacks = {
	.find_elf = debug_file_no_elf,
	.find_debuginfo = debug_file_find,
	.section_address = dwfl_offline_section_address,
};

int debug_module_open(struct debug_module *m, struct debug_search *search,
	const char *path, int fd)
{
	void **userdata;

	*m = (struct debug_module){.search = search};
	m->dwfl = dwfl_begin(&callbacks);
	if (!m->dwfl) {
		close(fd);
		return -1;
	}
	dwfl_report_begin(m->dwfl);
	m->module = dwfl_report_elf(m->dwfl, path, path, fd, 0, true);
	if (!m->module)
		close(fd);
	dwfl_report_end(m->dwfl, NULL, NULL);
	if (m->module) {
		dwfl_module_info(m->module, &userdata, NULL, NULL, NULL, NULL,
			NULL, NULL);
		*userdata = search;
		m->elf = dwfl_module_getelf(m->module, &m->bias);
	}
	return m->elf ? 0 : -1;
}

void debug_module_close(struct debug_module *m)
{
	if (m->dwfl)
		dwfl_end(m->dwfl);
	if (m->shared) {
		dwarf_end(m->shared);
		close(m->shared_fd);
	}
	*m = (struct debug_module){0};
}

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
 * libdw inflates every section that it knows.  Sections that nobody needs here
 * are made to look empty, in memory, before libdw sees them.
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

/* The separate file that has a module's symbols. */
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

/* Gives DWARF the file that it shares; without that it cannot be read. */
static bool share(struct debug_module *m)
{
	const char *main_path = NULL, *debug_path = NULL;
	bool needed;
	int fd;

	dwfl_module_info(m->module, NULL, NULL, NULL, NULL, NULL, &main_path,
		&debug_path);
	fd = debug_file_shared(m->search, m->dwarf,
		debug_path  ? debug_path
		: main_path ? main_path
			    : "",
		&needed);
	if (!needed)
		return true;
	m->shared = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
	if (m->shared && inflates_sanely(dwarf_getelf(m->shared))) {
		dwarf_setalt(m->dwarf, m->shared);
		m->shared_fd = fd;
		return true;
	}
	dwarf_end(m->shared);
	m->shared = NULL;
	if (fd >= 0)
		close(fd);
	return false;
}

void debug_module_find(struct debug_module *m, bool plain)
{
	Elf *symbols;

	if (!inflates_sanely(m->elf))
		return;
	symbols = symbols_elf(m->module);
	if (!inflates_sanely(symbols))
		return;
	leave_out(m->elf);
	if (plain) {
		m->debug = symbols != m->elf ? symbols : NULL;
		return;
	}
	leave_out(symbols);
	m->dwarf = dwfl_module_getdwarf(m->module, &m->dwarf_bias);
	m->debug = m->dwarf ? dwarf_getelf(m->dwarf) : NULL;
	if (m->debug == m->elf)
		m->debug = NULL;
	if (m->dwarf && (!inflates_sanely(m->debug) || !share(m)))
		m->dwarf = NULL;
}
