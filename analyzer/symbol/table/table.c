/* table.c - chooses among the symbols of a module. */

#include <stdlib.h>
#include <string.h>

#include "analyzer/symbol/table/table.h"
#include "lib/lower_bound.h"
#include "lib/order.h"

/* A symbol without a size, and where its section ends. */
struct sizeless {
	struct sym_function function;
	uint64_t limit;
};

struct table_builder {
	struct sym_table *table;
	VEC(struct sym_function) sized;
	VEC(struct sizeless) sizeless;
	VEC(uint64_t) starts; /* of all of them, ascending */
};

static unsigned underscores(const char *name)
{
	unsigned n = 0;

	while (name[n] == '_')
		n++;
	return n;
}

/* Below 0 if A is the better name; analyzer/symbol/table/table.h has the order.
 */
int sym_function_prefer(
	const struct sym_function *a, const struct sym_function *b)
{
	bool local_a = a->bind == STB_LOCAL, local_b = b->bind == STB_LOCAL;
	bool global_a = a->bind == STB_GLOBAL, global_b = b->bind == STB_GLOBAL;
	bool func_a = a->type != STT_NOTYPE, func_b = b->type != STT_NOTYPE;
	unsigned under_a, under_b;
	size_t len_a, len_b;

	if (func_a != func_b || local_a != local_b)
		return ORDER(func_b, func_a) ?: ORDER(local_a, local_b);
	under_a = underscores(a->name);
	under_b = underscores(b->name);
	len_a = strlen(a->name);
	len_b = strlen(b->name);
	return ORDER(under_a, under_b) ?: ORDER(global_b, global_a)
	       ?: ORDER(len_a, len_b) ?: strcmp(a->name, b->name)
	       ?: (int)a->source - (int)b->source;
}

/* By bounds, the best name last: the last claim of equal bounds wins. */
static int by_bounds(const void *x, const void *y)
{
	const struct sym_function *a = x, *b = y;

	return ORDER(a->lo, b->lo) ?: ORDER(a->hi, b->hi)
	       ?: sym_function_prefer(b, a);
}

static int by_start(const void *x, const void *y)
{
	const struct sizeless *a = x, *b = y;

	return ORDER(a->function.lo, b->function.lo)
		       ?: sym_function_prefer(&a->function, &b->function);
}

int sym_table_add(struct sym_table *table, enum sym_rank rank,
	const struct sym_function *function)
{
	if (!vec_add(&table->functions, *function))
		return -1;
	return spans_push(&table->ranks[rank], function->lo, function->hi,
		(uint32_t)(table->functions.n - 1));
}

/* The name without @VERSION and not absurdly long; NULL: out of memory. */
static const char *plain_name(struct sym_table *table, const char *name)
{
	size_t n = strcspn(name, "@");

	if (!name[n] && n <= SYM_NAME_MAX)
		return name;
	if (n == 0) /* begins with an @ */
		n = strlen(name);
	return arena_strndup(
		&table->names, name, n < SYM_NAME_MAX ? n : SYM_NAME_MAX);
}

static bool is_code(const GElf_Sym *sym, const char *name)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC ||
		       type == STT_NOTYPE) &&
	       sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       sym->st_shndx != SHN_COMMON && name && *name &&
	       strncmp(name, ".L", 2) != 0;
}

/* Where the section that holds a symbol of ELF ends. */
static uint64_t section_end(Elf *elf, GElf_Word shndx, uint64_t addr,
	const struct elf_segment *segment)
{
	Elf_Scn *scn = elf ? elf_getscn(elf, shndx) : NULL;
	uint64_t hi = segment->vaddr + segment->memsz;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr))
		return hi;
	if (addr < shdr.sh_addr || addr - shdr.sh_addr >= shdr.sh_size)
		return addr; /* at the end of it: etext and the like */
	addr = shdr.sh_addr + shdr.sh_size;
	return addr < hi ? addr : hi;
}

/* A symbol as libdwfl gives it. */
struct found_symbol {
	GElf_Sym sym;
	GElf_Addr addr;
	const char *name;
	Elf *elf;
	GElf_Word section; /* its number there */
};

static int add_symbol(struct table_builder *b, const struct found_symbol *s,
	enum cpd_function_source source)
{
	const struct elf_segment *segment;
	struct sym_function f = {.lo = s->addr,
		.source = source,
		.bind = GELF_ST_BIND(s->sym.st_info),
		.type = GELF_ST_TYPE(s->sym.st_info)};
	uint64_t limit;

	if (!is_code(&s->sym, s->name))
		return 0;
	segment = elf_image_code(b->table->image, s->addr);
	if (!segment)
		return 0;
	f.name = plain_name(b->table, s->name);
	if (!f.name)
		return -1;
	if (s->sym.st_size > 0) {
		f.hi = segment->vaddr + segment->memsz;
		if (s->sym.st_size < f.hi - s->addr)
			f.hi = s->addr + s->sym.st_size;
		return vec_add(&b->sized, f) ? 0 : -1;
	}
	limit = section_end(s->elf, s->section, s->addr, segment);
	return vec_add(&b->sizeless, (struct sizeless){f, limit}) ? 0 : -1;
}

static bool has_section(Elf *elf, GElf_Word type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == type)
			return true;
	return false;
}

/* The symbols that libdwfl chooses, .gnu_debugdata among them. */
static int collect_module(struct table_builder *b, Dwfl_Module *module)
{
	int n = dwfl_module_getsymtab(module);
	GElf_Addr bias = 0;
	Elf *known = NULL;
	bool full = false;

	dwfl_module_getelf(module, &bias);
	for (int i = 1; i < n; i++) {
		struct found_symbol s = {0};

		s.name = dwfl_module_getsym_info(
			module, i, &s.sym, &s.addr, &s.section, &s.elf, NULL);
		if (!s.name || !s.elf)
			continue;
		if (s.elf != known) {
			known = s.elf;
			full = has_section(known, SHT_SYMTAB);
			b->table->has_symtab |= full;
		}
		s.addr -= bias;
		if (add_symbol(b, &s,
			    full ? CPD_NAME_SYMTAB : CPD_NAME_DYNSYM) < 0)
			return -1;
	}
	return 0;
}

struct dynsym {
	struct table_builder *build;
	Elf *elf;
};

/* Adds .dynsym, which libdwfl omits where there is a .symtab. */
static int collect_dynamic(void *arg, const GElf_Sym *sym, const char *name)
{
	const struct dynsym *d = arg;
	const struct found_symbol s = {
		*sym, sym->st_value, name, d->elf, sym->st_shndx};

	return add_symbol(d->build, &s, CPD_NAME_DYNSYM);
}

static int claim_sized(struct table_builder *b)
{
	if (b->sized.n)
		qsort(b->sized.v, b->sized.n, sizeof *b->sized.v, by_bounds);
	for (size_t i = 0; i < b->sized.n; i++)
		if (sym_table_add(b->table, SYM_SIZED, &b->sized.v[i]) < 0)
			return -1;
	return spans_flatten(&b->table->ranks[SYM_SIZED]);
}

static int sort_starts(struct table_builder *b)
{
	if (!vec_reserve(&b->starts, b->sized.n + b->sizeless.n + 1))
		return -1;
	for (size_t i = 0; i < b->sized.n; i++)
		b->starts.v[b->starts.n++] = b->sized.v[i].lo;
	for (size_t i = 0; i < b->sizeless.n; i++)
		b->starts.v[b->starts.n++] = b->sizeless.v[i].function.lo;
	if (b->starts.n)
		qsort(b->starts.v, b->starts.n, sizeof *b->starts.v, order_u64);
	return 0;
}

/* The first start of a symbol above ADDR, at most LIMIT. */
static uint64_t next_start(
	const struct table_builder *b, uint64_t addr, uint64_t limit)
{
	size_t i = LOWER_BOUND(b->starts.n, k, b->starts.v[k] <= addr);

	return i < b->starts.n && b->starts.v[i] < limit ? b->starts.v[i]
							 : limit;
}

/* Where the sizeless symbol S ends, or its start if nothing bounds it. */
static uint64_t sizeless_end(
	const struct table_builder *b, const struct sizeless *s)
{
	struct frames *frames = b->table->frames;
	uint64_t lo = s->function.lo, end, next;
	struct frame_range fde;

	if (frames_range(frames, lo, &fde))
		return fde.lo == lo || (fde.signal && fde.lo + 1 == lo) ? fde.hi
									: lo;
	end = next_start(b, lo, s->limit);
	next = frames_next(frames, lo);
	end = next < end ? next : end;
	return b->table->has_symtab ? end
				    : sym_flow_end(b->table->image, lo, end);
}

static int claim_sizeless(struct table_builder *b)
{
	uint64_t done = 0;

	if (b->sizeless.n)
		qsort(b->sizeless.v, b->sizeless.n, sizeof *b->sizeless.v,
			by_start);
	for (size_t i = 0; i < b->sizeless.n; i++) {
		struct sym_function f = b->sizeless.v[i].function;

		if ((i > 0 && f.lo == done) ||
			spans_find(&b->table->ranks[SYM_SIZED], f.lo))
			continue;
		done = f.lo;
		f.hi = sizeless_end(b, &b->sizeless.v[i]);
		if (f.hi > f.lo &&
			sym_table_add(b->table, SYM_SIZELESS, &f) < 0)
			return -1;
	}
	return spans_flatten(&b->table->ranks[SYM_SIZELESS]);
}

/*
 * Names _start and main, for which a stripped program has no symbols. The
 * symbol or unwind entry that starts there bounds them, else the SIZE bytes
 * that are known.
 */
static int name_entry(struct sym_table *table, uint64_t addr, uint64_t size,
	const char *name, bool is_main)
{
	struct sym_function f = {
		.name = name, .source = CPD_NAME_START, .main = is_main};
	uint32_t claim = sym_table_claim(table, addr);
	struct frame_range fde;
	bool covered = frames_range(table->frames, addr, &fde);

	if (claim != UINT32_MAX) {
		struct sym_function *known = &table->functions.v[claim];

		if (known->lo == addr && is_main) {
			known->main = true;
			known->name = name;
			table->main = addr;
		}
		return 0;
	}
	if (covered ? fde.lo != addr : size == 0)
		return 0;
	f.lo = addr;
	f.hi = covered ? fde.hi : addr + size;
	if (is_main)
		table->main = addr;
	return sym_table_add(table, SYM_ENTRY, &f) < 0
		       ? -1
		       : spans_flatten(&table->ranks[SYM_ENTRY]);
}

/* Marks the symbol NAME, if the program has it, as main. */
static void mark_main_symbol(struct sym_table *table, const char *name)
{
	for (size_t i = 0; i < table->functions.n; i++) {
		struct sym_function *f = &table->functions.v[i];

		if (strcmp(f->name, name) == 0) {
			f->main = true;
			table->main = f->lo;
			return;
		}
	}
}

static bool is_go(const struct sym_table *table)
{
	GElf_Shdr shdr;

	return table->go.data ||
	       elf_find_section(table->image->elf, ".go.buildinfo", &shdr);
}

/* The runtime of Go calls a Go program's main, not the C library. */
static int name_entries(struct sym_table *table)
{
	struct elf_image *image = table->image;
	uint64_t addr, size = sym_start_size(image);

	if (size > 0 &&
		name_entry(table, image->entry, size, "_start", false) < 0)
		return -1;
	if (!elf_image_is_program(image))
		return 0;
	if (is_go(table)) {
		mark_main_symbol(table, "main.main");
		return 0;
	}
	addr = sym_start_main(image);
	if (addr && name_entry(table, addr, 0, "main", true) < 0)
		return -1;
	if (!table->main)
		mark_main_symbol(table, "main");
	return 0;
}

static int claim_go(struct sym_table *table)
{
	struct go_function f;

	if (!go_table_open(&table->go, table->image))
		return 0;
	for (uint64_t i = 0; i < table->go.n; i++) {
		struct sym_function claim = {.source = CPD_NAME_GO};

		if (!go_table_function(&table->go, i, &f) || !f.name ||
			!*f.name || !elf_image_code(table->image, f.lo))
			continue;
		claim.lo = f.lo;
		claim.hi = f.hi;
		claim.name = f.name;
		claim.go = f.record;
		if (sym_table_add(table, SYM_GO, &claim) < 0)
			return -1;
	}
	return spans_flatten(&table->ranks[SYM_GO]);
}

static int claim_all(struct table_builder *b)
{
	return claim_sized(b) < 0 || sort_starts(b) < 0 ||
			       claim_sizeless(b) < 0 ||
			       claim_go(b->table) < 0 ||
			       sym_plt_add(b->table) < 0
		       ? -1
		       : name_entries(b->table);
}

int sym_table_init(
	struct sym_table *table, Dwfl_Module *module, Elf *main, Elf *debug)
{
	struct table_builder b = {.table = table};
	struct dynsym dynsym = {&b, main};
	int rc = -1;

	*table = (struct sym_table){0};
	table->image = elf_image_of(main);
	if (!table->image)
		goto out;
	table->frames = frames_open(main, debug);
	if (!table->frames)
		goto out;
	if (collect_module(&b, module) == 0 &&
		(!table->has_symtab ||
			elf_each_dynsym(main, collect_dynamic, &dynsym) == 0) &&
		claim_all(&b) == 0)
		rc = 0;
out:
	vec_free(&b.sized);
	vec_free(&b.sizeless);
	vec_free(&b.starts);
	if (rc < 0)
		sym_table_fini(table);
	return rc;
}

void sym_table_fini(struct sym_table *table)
{
	vec_free(&table->functions);
	for (size_t i = 0; i < SYM_RANKS; i++)
		vec_free(&table->ranks[i]);
	vec_free(&table->slots);
	frames_close(table->frames);
	go_table_close(&table->go);
	elf_image_free(table->image);
	arena_fini(&table->names);
}

bool sym_table_code(const struct sym_table *table, uint64_t addr)
{
	return table->image && elf_image_code(table->image, addr);
}

uint32_t sym_table_claim(const struct sym_table *table, uint64_t addr)
{
	const struct span *span = NULL;

	for (size_t i = 0; !span && i < SYM_RANKS; i++)
		span = spans_find(&table->ranks[i], addr);
	return span ? span->id : UINT32_MAX;
}

struct sym_function sym_table_find(const struct sym_table *table, uint64_t addr)
{
	struct sym_function f = {.lo = addr, .hi = addr + 1};
	uint32_t claim = sym_table_claim(table, addr);
	struct frame_range fde;

	if (claim != UINT32_MAX)
		return table->functions.v[claim];
	if (table->frames && frames_range(table->frames, addr, &fde)) {
		f.lo = fde.lo;
		f.hi = fde.hi;
	}
	return f;
}
