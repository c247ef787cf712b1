/*
 * plt.c - the stubs through which a module calls other modules.
 *
 * No symbol covers them. A stub's instructions show it: it jumps through a slot
 * that a relocation fills with a symbol's address.
 */

#include <stdlib.h>
#include <string.h>

#include "analyzer/symbol/table/table.h"
#include "lib/arch/arch.h"
#include "lib/lower_bound.h"
#include "lib/order.h"

#define STUB_MAX 16

typedef VEC(const char *) name_indexes; /* names by index in .rela.plt */

/* The name that a relocation gives its slot, or NULL. */
static const char *slot_name(
	const struct sym_table *table, const struct elf_relocation *at)
{
	uint32_t claim;
	GElf_Sym sym;

	switch (GELF_R_TYPE(at->rela.r_info)) {
	case ARCH_IRELATIVE:
		claim = sym_table_claim(table, (uint64_t)at->rela.r_addend);
		return claim == UINT32_MAX ? NULL
					   : table->functions.v[claim].name;
	case ARCH_JUMP_SLOT:
	case ARCH_GLOB_DAT:
		return elf_relocation_symbol(table->image, at, &sym);
	default:
		return NULL;
	}
}

static int read_slots(struct sym_table *table, name_indexes *plt_names)
{
	struct elf_relocation at = {0};
	GElf_Shdr shdr;
	Elf_Scn *plt = elf_find_section(table->image->elf, ".rela.plt", &shdr);

	while (elf_relocation_next(table->image, &at)) {
		const char *name = slot_name(table, &at);

		if (at.scn == plt && !vec_add(plt_names, name))
			return -1;
		if (name && *name &&
			!vec_add(&table->slots,
				(struct sym_slot){at.rela.r_offset, name}))
			return -1;
	}
	if (table->slots.n)
		qsort(table->slots.v, table->slots.n, sizeof *table->slots.v,
			order_u64);
	return 0;
}

const char *sym_table_slot(const struct sym_table *table, uint64_t addr)
{
	size_t i =
		LOWER_BOUND(table->slots.n, k, table->slots.v[k].addr < addr);

	return i < table->slots.n && table->slots.v[i].addr == addr
		       ? table->slots.v[i].name
		       : NULL;
}

size_t sym_stub_symbol(const struct sym_function *f)
{
	const size_t suffix = sizeof SYM_STUB_SUFFIX - 1;
	size_t n = f->name ? strlen(f->name) : 0;

	return n > suffix && strcmp(f->name + n - suffix, SYM_STUB_SUFFIX) == 0
		       ? n - suffix
		       : 0;
}

/* The name of the symbol that the stub at P, ADDR leads to, or NULL. */
static const char *stub_target(const struct sym_table *table,
	const name_indexes *plt_names, const unsigned char *p, uint64_t size,
	uint64_t addr)
{
	uint64_t value;

	switch (code_stub(p, size, addr, &value)) {
	case STUB_OF_INDEX:
		return value < plt_names->n ? plt_names->v[value] : NULL;
	case STUB_OF_SLOT:
		return sym_table_slot(table, value);
	default:
		return NULL;
	}
}

static int add_stub(
	struct sym_table *table, uint64_t lo, uint64_t hi, const char *name)
{
	size_t len = strlen(name);
	struct sym_function f = {.lo = lo, .hi = hi, .source = CPD_NAME_DYNSYM};
	char *text;

	if (len > SYM_NAME_MAX)
		return 0;
	text = arena_alloc(&table->names, len + sizeof SYM_STUB_SUFFIX);
	if (!text)
		return -1;
	memcpy(text, name, len);
	memcpy(text + len, SYM_STUB_SUFFIX, sizeof SYM_STUB_SUFFIX);
	f.name = text;
	return sym_table_add(table, SYM_STUB, &f);
}

/* Of a section of stubs: SIZE bytes at ADDR. */
static int add_stubs(struct sym_table *table, const name_indexes *plt_names,
	uint64_t addr, uint64_t size)
{
	const unsigned step = 8;
	const char *name = NULL, *next;
	uint64_t start = 0, avail;
	const unsigned char *code = elf_image_at(table->image, addr, &avail);

	if (size > avail)
		return 0;
	for (uint64_t at = 0; at < size; at += step) {
		next = stub_target(
			table, plt_names, code + at, size - at, addr + at);
		if (name && (next || at - start >= STUB_MAX)) {
			if (add_stub(table, addr + start, addr + at, name) < 0)
				return -1;
			name = NULL;
		}
		if (next) {
			name = next;
			start = at;
		}
	}
	return name ? add_stub(table, addr + start, addr + size, name) : 0;
}

int sym_plt_add(struct sym_table *table)
{
	static const char *const places[] = {
		".plt", ".plt.sec", ".plt.got", ".iplt"};
	name_indexes plt_names = {0};
	GElf_Shdr s;
	int rc;

	if (!table->image->native)
		return 0;
	rc = read_slots(table, &plt_names);
	for (size_t i = 0; rc == 0 && i < sizeof places / sizeof *places; i++)
		if (elf_find_section(table->image->elf, places[i], &s) &&
			s.sh_type != SHT_NOBITS && s.sh_size < UINT32_MAX)
			rc = add_stubs(table, &plt_names, s.sh_addr, s.sh_size);
	vec_free(&plt_names);
	return rc == 0 ? spans_flatten(&table->ranks[SYM_STUB]) : -1;
}
