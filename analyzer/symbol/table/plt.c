/*
 * plt.c - the stubs through which a module calls other modules.
 *
 * No symbol covers them. A stub's instructions show it: it jumps through a slot
 * that a relocation fills with a symbol's address.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/symbol/table/table.h"
#include "lib/arch/arch.h"
#include "lib/lower_bound.h"

#define STUB_MAX 16

struct indexes {
	const char **v; /* names by index in .rela.plt */
	size_t n, cap;
};

static int by_addr(const void *a, const void *b)
{
	const struct sym_slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The name that relocation gives its slot, or NULL. */
static const char *slot_name(const struct sym_table *table,
	const struct elf_section *section, const Elf64_Rela *rela)
{
	struct elf_image *image = table->image;
	const struct elf_section *symbols;
	const struct span *span;
	Elf64_Sym sym;
	uint64_t i = ELF64_R_SYM(rela->r_info);

	if (ELF64_R_TYPE(rela->r_info) == ARCH_IRELATIVE) {
		span = spans_find(&table->spans, (uint64_t)rela->r_addend);
		return span ? table->functions.v[span->id].name : NULL;
	}
	if ((ELF64_R_TYPE(rela->r_info) != ARCH_JUMP_SLOT &&
		    ELF64_R_TYPE(rela->r_info) != ARCH_GLOB_DAT) ||
		section->link >= image->sections.n)
		return NULL;
	symbols = &image->sections.v[section->link];
	if (!symbols->data || i >= symbols->size / sizeof sym)
		return NULL;
	memcpy(&sym, symbols->data + i * sizeof sym, sizeof sym);
	return elf_strptr(image->elf, symbols->link, sym.st_name);
}

static int read_slots(struct sym_table *table,
	const struct elf_section *section, struct indexes *plt_names)
{
	bool plt = strcmp(section->name, ".rela.plt") == 0;
	Elf64_Rela rela;

	for (uint64_t at = 0; at + sizeof rela <= section->size;
		at += sizeof rela) {
		const char *name, **index;
		struct sym_slot *slot;

		memcpy(&rela, section->data + at, sizeof rela);
		name = slot_name(table, section, &rela);
		if (plt) {
			index = vec_push(plt_names);
			if (!index)
				return -1;
			*index = name;
		}
		if (!name || !*name)
			continue;
		slot = vec_push(&table->slots);
		if (!slot)
			return -1;
		*slot = (struct sym_slot){rela.r_offset, name};
	}
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
	const struct indexes *plt_names, const unsigned char *p, uint64_t size,
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

static int add_stub(struct sym_table *table, struct spans *spans, uint64_t lo,
	uint64_t hi, const char *name)
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
	return sym_table_add(table, spans, &f);
}

static int add_stubs(struct sym_table *table, struct spans *spans,
	const struct indexes *plt_names, const struct elf_section *s)
{
	const unsigned step = 8;
	const char *name = NULL, *next;
	uint64_t start = 0;

	for (uint64_t at = 0; at < s->size; at += step) {
		next = stub_target(table, plt_names, s->data + at, s->size - at,
			s->addr + at);
		if (name && (next || at - start >= STUB_MAX)) {
			if (add_stub(table, spans, s->addr + start,
				    s->addr + at, name) < 0)
				return -1;
			name = NULL;
		}
		if (next) {
			name = next;
			start = at;
		}
	}
	if (name)
		return add_stub(
			table, spans, s->addr + start, s->addr + s->size, name);
	return 0;
}

int sym_plt_add(struct sym_table *table, struct spans *spans)
{
	static const char *const places[] = {
		".plt", ".plt.sec", ".plt.got", ".iplt"};
	struct elf_image *image = table->image;
	struct indexes plt_names = {0};
	int rc = -1;

	if (!image->native)
		return 0;
	for (size_t i = 0; i < image->sections.n; i++) {
		const struct elf_section *s = &image->sections.v[i];

		if (s->type == SHT_RELA && s->data && s->flags & SHF_ALLOC &&
			read_slots(table, s, &plt_names) < 0)
			goto out;
	}
	if (table->slots.n)
		qsort(table->slots.v, table->slots.n, sizeof *table->slots.v,
			by_addr);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const struct elf_section *s =
			elf_image_section(image, places[i]);

		if (s && s->data && s->size < UINT32_MAX &&
			add_stubs(table, spans, &plt_names, s) < 0)
			goto out;
	}
	rc = 0;
out:
	vec_free(&plt_names);
	return rc;
}
