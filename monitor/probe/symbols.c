/* Reads a file's functions with libdwfl, and from DWARF which are inlined. */
#include "monitor/probe/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arch/arch.h"
#include "lib/arena.h"
#include "lib/elf/debug_module.h"
#include "lib/elf/demangle.h"
#include "lib/order.h"
#include "lib/sys/regular.h"
#include "lib/text.h"
#include "lib/elf/elf_image.h"

/* With more DWARF than this, inlined calls are not searched for. */
#define DEBUG_INFO_MAX (128u << 20)

#define LIKE_MAX 3
#define LIKE_LENGTH 100

struct probe_symbols {
	struct debug_module file;
	struct elf_image *image; /* of its Elf */
	int n;                   /* symbols */
	bool stripped;
	char linker[256];
};

static int read_file(struct probe_symbols *s, const char *path,
	struct debug_search *search, struct err *err)
{
	GElf_Shdr shdr;

	int fd = regular_open(AT_FDCWD, path, 0, NULL, NULL);

	if (fd < 0)
		return err_sys(err, path, "open");
	if (debug_module_open(&s->file, search, path, fd) < 0)
		return err_set(err, path, NULL, "%s", dwfl_errmsg(-1));
	s->image = elf_image_of(s->file.elf);
	if (!s->image || !s->image->native)
		return err_set(err, path, NULL, "not of " ARCH_NAME);
	s->n = dwfl_module_getsymtab(s->file.module);
	s->stripped = !elf_find_section(s->file.elf, ".symtab", &shdr);
	if (s->image->interpreter)
		elf_image_read_some(s->image, s->image->interpreter, s->linker,
			sizeof s->linker - 1);
	return 0;
}

struct probe_symbols *probe_symbols_open(
	const char *path, struct debug_search *search, struct err *err)
{
	struct probe_symbols *s = calloc(1, sizeof *s);

	if (!s) {
		err_sys(err, path, "open");
		return NULL;
	}
	if (read_file(s, path, search, err) == 0)
		return s;
	err_hint(err, "functions are found in readable ELF files of this "
		      "machine");
	probe_symbols_close(s);
	return NULL;
}

void probe_symbols_close(struct probe_symbols *s)
{
	if (!s)
		return;
	elf_image_free(s->image);
	debug_module_close(&s->file);
	free(s);
}

bool probe_symbols_stripped(const struct probe_symbols *s)
{
	return s->stripped;
}

uint64_t probe_symbols_entry(const struct probe_symbols *s)
{
	return s->image->entry;
}

const char *probe_symbols_linker(const struct probe_symbols *s)
{
	return s->linker;
}

bool probe_symbols_offset(
	const struct probe_symbols *s, uint64_t addr, uint64_t *offset)
{
	const struct elf_segment *code = elf_image_code(s->image, addr);

	if (!code || addr - code->vaddr >= code->filesz)
		return false;
	*offset = addr - code->vaddr + code->offset;
	return true;
}

/* The name of symbol I, or NULL; *ADDR is its link-time address. */
static const char *symbol(
	const struct probe_symbols *s, int i, GElf_Sym *sym, uint64_t *addr)
{
	GElf_Addr value;
	const char *name = dwfl_module_getsym_info(
		s->file.module, i, sym, &value, NULL, NULL, NULL);

	*addr = value - s->file.bias;
	return name && *name ? name : NULL;
}

static bool is_defined(const GElf_Sym *sym)
{
	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       sym->st_shndx != SHN_COMMON;
}

static bool is_code(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return is_defined(sym) && (type == STT_FUNC || type == STT_NOTYPE);
}

static int take(struct probe_symbols *s, struct probe_found *found,
	const GElf_Sym *sym, uint64_t addr)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	uint64_t offset;

	if (!is_defined(sym)) {
		found->imported |= sym->st_shndx == SHN_UNDEF;
		return 0;
	}
	if (type == STT_GNU_IFUNC)
		return 0;
	if (!is_code(sym) || !probe_symbols_offset(s, addr, &offset)) {
		found->data |= type == STT_OBJECT || type == STT_TLS ||
			       type == STT_COMMON || type == STT_NOTYPE;
		return 0;
	}
	for (size_t i = 0; i < found->addresses.n; i++)
		if (found->addresses.v[i].addr == addr)
			return 0;
	return vec_add(&found->addresses,
		       (struct probe_address){addr, offset, true})
		       ? 0
		       : -1;
}

/* "f.avx2", "f.default": versions that the program's start chooses from. */
static bool is_version(const char *name, const char *of)
{
	size_t n = strlen(of);

	return strncmp(name, of, n) == 0 && name[n] == '.' &&
	       !strstr(name + n, ".resolver") && !strstr(name + n, ".ifunc") &&
	       !strstr(name + n, ".cold") && !strstr(name + n, ".part");
}

/* The versions that symbol number OF chooses from. */
static int take_versions(
	struct probe_symbols *s, int of, struct probe_found *found)
{
	char base[DEMANGLE_INPUT_MAX];
	GElf_Sym sym;
	uint64_t addr;
	const char *name = symbol(s, of, &sym, &addr);
	size_t n = strcspn(name, "@");

	if (n == 0 || n >= sizeof base)
		return 0;
	memcpy(base, name, n);
	base[n] = '\0';
	for (int i = 1; i < s->n; i++) {
		name = symbol(s, i, &sym, &addr);
		if (name && is_code(&sym) && is_version(name, base) &&
			take(s, found, &sym, addr))
			return -1;
	}
	return 0;
}

int probe_symbols_each(struct probe_symbols *s,
	int (*see)(void *arg, const char *name,
		const struct probe_address *address, uint64_t size),
	void *arg)
{
	for (int i = 1; i < s->n; i++) {
		struct probe_address address;
		GElf_Sym sym;
		const char *name = symbol(s, i, &sym, &address.addr);

		address.function = GELF_ST_TYPE(sym.st_info) == STT_FUNC;
		if (name && is_code(&sym) &&
			probe_symbols_offset(
				s, address.addr, &address.offset) &&
			see(arg, name, &address, sym.st_size))
			return -1;
	}
	return 0;
}

size_t probe_symbols_code(const struct probe_symbols *s, uint64_t addr,
	uint8_t *code, size_t size)
{
	return elf_image_code(s->image, addr)
		       ? elf_image_read_some(s->image, addr, code, size)
		       : 0;
}

int probe_symbols_each_target(const struct probe_symbols *s,
	bool (*see)(void *arg, uint64_t target), void *arg)
{
	bool read = true;

	for (size_t i = 0; read && i < s->image->segments.n; i++) {
		const struct elf_segment *seg = &s->image->segments.v[i];
		uint8_t *code = seg->exec ? malloc(seg->filesz) : NULL;

		if (!seg->exec)
			continue;
		read = code &&
		       elf_image_read(s->image, seg->vaddr, code, seg->filesz);
		if (read)
			code_each_target(
				code, seg->filesz, seg->vaddr, see, arg);
		free(code);
	}
	return read ? 0 : -1;
}

bool probe_symbols_stub(
	const struct probe_symbols *s, uint64_t addr, uint64_t *function)
{
	uint8_t code[16];
	uint64_t slot;
	size_t n = probe_symbols_code(s, addr, code, sizeof code);
	enum stub_kind kind = code_stub(code, n, addr, &slot);
	const char *ignored;

	if (kind == NO_STUB)
		return false;
	if (kind != STUB_OF_SLOT || elf_image_slot(s->image, slot, function,
					    &ignored) != ELF_SLOT_SYMBOL)
		*function = 0;
	return true;
}

struct inline_search {
	const char *wanted;
	bool found;
};

/* Whether this definition is inlined into a caller. */
static int note_inlined(Dwarf_Die *die, void *arg)
{
	struct inline_search *search = arg;
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (!dwarf_func_inline(die))
		return DWARF_CB_OK;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	if (!name)
		name = dwarf_diename(die);
	search->found = name && probe_name_is(name, search->wanted);
	return search->found ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static bool is_inlined(struct probe_symbols *s, const char *wanted)
{
	struct inline_search search = {wanted, false};
	Dwarf_Addr bias;
	GElf_Shdr shdr;
	Dwarf_Die *cu = NULL;

	/* in the file itself: separate files are not searched */
	if (!elf_find_section(s->file.elf, ".debug_info", &shdr) ||
		shdr.sh_size > DEBUG_INFO_MAX)
		return false;
	if (!s->file.dwarf)
		debug_module_find(&s->file, false);
	if (!s->file.dwarf)
		return false;
	while (!search.found &&
		(cu = dwfl_module_nextcu(s->file.module, cu, &bias)))
		dwarf_getfuncs(cu, note_inlined, &search, 0);
	return search.found;
}

int probe_symbols_find(
	struct probe_symbols *s, const char *wanted, struct probe_found *found)
{
	memset(found, 0, sizeof *found);
	for (int i = 1; i < s->n; i++) {
		GElf_Sym sym;
		uint64_t addr;
		const char *name = symbol(s, i, &sym, &addr);
		size_t before = found->addresses.n;

		if (!name || !probe_name_is(name, wanted))
			continue;
		if (take(s, found, &sym, addr))
			return -1;
		if (GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC)
			continue;
		if (take_versions(s, i, found))
			return -1;
		found->chosen |= found->addresses.n == before;
	}
	if (found->addresses.n)
		qsort(found->addresses.v, found->addresses.n,
			sizeof *found->addresses.v, order_u64);
	found->inlined = is_inlined(s, wanted);
	return 0;
}

/* The demangled name, in MEMORY. */
static const char *shown_name(struct arena *memory, const char *name)
{
	char text[DEMANGLE_OUTPUT_MAX];
	size_t n;

	demangle_or_copy(name, text);
	n = strcspn(text, "@");
	return n && n < LIKE_LENGTH ? arena_strndup(memory, text, n) : NULL;
}

void probe_symbols_like(
	struct probe_symbols *s, const char *name, char *text, size_t size)
{
	VEC(const char *) names = {0};
	struct arena memory = {0};
	const char *near[LIKE_MAX];
	char shown[4 * LIKE_LENGTH];
	size_t n, at = 0;

	*text = '\0';
	for (int i = 1; i < s->n; i++) {
		GElf_Sym sym;
		uint64_t addr;
		const char *candidate = symbol(s, i, &sym, &addr);

		if (!candidate || !is_code(&sym))
			continue;
		candidate = shown_name(&memory, candidate);
		if (candidate)
			(void)vec_add(&names, candidate);
	}
	n = text_nearest(name, names.v, names.n, near, LIKE_MAX);
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s'%s'",
			i ? ", " : "",
			text_escape(near[i], shown, sizeof shown));
	vec_free(&names);
	arena_fini(&memory);
}
