/* exports.c - reads the dynamic symbols of all modules into one table. */

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/order.h"
#include "lib/vec.h"
#include "analyzer/symbol/exports.h"
#include "analyzer/symbol/file.h"
#include "analyzer/symbol/limit.h"
#include "analyzer/symbol/table/table.h"

#define SYMBOLS_MAX 4000000 /* of all modules */

struct export_entry { /* by name */
	struct sym_export export;
	bool usable; /* one function in one module, and no ifunc */
	struct sym_function as_symbol; /* for choosing among aliases */
};

struct sym_exports {
	const struct sym_task *task;
	bool loaded;
	size_t read; /* symbols so far */
	struct strings names;
	VEC(struct export_entry) entries; /* by number of the name */
	VEC(bool) linkers;                /* by module */
};

struct sym_exports *sym_exports_new(const struct sym_task *task)
{
	struct sym_exports *exports = calloc(1, sizeof *exports);

	if (!exports)
		return NULL;
	exports->task = task;
	if (vec_push(&exports->entries)) /* the empty name */
		return exports;
	sym_exports_free(exports);
	return NULL;
}

void sym_exports_free(struct sym_exports *exports)
{
	if (!exports)
		return;
	strings_free(&exports->names);
	vec_free(&exports->entries);
	vec_free(&exports->linkers);
	free(exports);
}

bool sym_exports_same(const struct sym_exports *exports, uint32_t a, uint32_t b)
{
	const struct cpd_module *x =
		cpd_writer_module(exports->task->writer, a);
	const struct cpd_module *y =
		cpd_writer_module(exports->task->writer, b);

	if (a == b)
		return true;
	if (!x || !y || x->kind != y->kind ||
		x->build_id_len != y->build_id_len)
		return false;
	if (x->build_id_len)
		return !memcmp(x->build_id, y->build_id, x->build_id_len);
	return x->process == y->process && !strcmp(x->path, y->path);
}

static bool offers_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	unsigned bind = GELF_ST_BIND(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       (bind == STB_GLOBAL || bind == STB_WEAK ||
		       bind == STB_GNU_UNIQUE) &&
	       sym->st_shndx != SHN_UNDEF;
}

/* A name with two versions, or in two modules, is ambiguous. */
static int add_symbol(struct sym_exports *exports, uint32_t module,
	const char *name, const GElf_Sym *sym)
{
	size_t len = strcspn(name, "@");
	struct sym_export e = {.module = module,
		.lo = sym->st_value,
		.hi = sym->st_value + sym->st_size};
	uint32_t id;
	struct export_entry *entry;

	if (len == 0 || len > SYM_NAME_MAX)
		return 0;
	id = strings_add(&exports->names, name, len);
	if (id == UINT32_MAX)
		return -1;
	if (id < exports->entries.n) {
		entry = &exports->entries.v[id];
		entry->usable &= entry->export.module == module &&
				 entry->export.lo == e.lo &&
				 entry->export.hi == e.hi;
		return 0;
	}
	entry = vec_push(&exports->entries);
	if (!entry)
		return -1;
	e.name = strings_get(&exports->names, id);
	*entry = (struct export_entry){.export = e,
		.usable = GELF_ST_TYPE(sym->st_info) == STT_FUNC && e.hi > e.lo,
		.as_symbol = {.lo = e.lo,
			.hi = e.hi,
			.name = e.name,
			.bind = GELF_ST_BIND(sym->st_info),
			.type = GELF_ST_TYPE(sym->st_info)}};
	return 0;
}

struct reading {
	struct sym_exports *exports;
	uint32_t module;
};

static int read_symbol(void *arg, const GElf_Sym *sym, const char *name)
{
	const struct reading *r = arg;

	if (!name || ++r->exports->read > SYMBOLS_MAX)
		return 0;
	if (strcmp(name, "_r_debug") == 0 && sym->st_shndx != SHN_UNDEF)
		r->exports->linkers.v[r->module] = true;
	return offers_function(sym)
		       ? add_symbol(r->exports, r->module, name, sym)
		       : 0;
}

static int read_module(struct sym_exports *exports, uint32_t module)
{
	const struct cpd_module *about =
		cpd_writer_module(exports->task->writer, module);
	struct reading reading = {exports, module};
	struct debug_search search = {
		.sysroot = exports->task->search->sysroot, .silent = true};
	int fd, rc = 0;
	bool known;
	Elf *elf;

	if (about->kind != CPD_MODULE_ELF)
		return 0; /* code without a file exports nothing */
	for (uint32_t i = 1; i < module; i++) {
		if (sym_exports_same(exports, i, module)) {
			exports->linkers.v[module] = exports->linkers.v[i];
			return 0;
		}
	}
	if (exports->task->refused[module])
		return 0;
	if (sym_task_module(exports->task, module) < 0)
		return -1;
	fd = sym_file_descriptor(about, exports->task->files, &search, &known);
	if (fd < 0)
		return 0;
	sym_limit_file(exports->task->limit, fd);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF &&
		sym_file_ran(about, elf, known))
		rc = elf_each_dynsym(elf, read_symbol, &reading);
	elf_end(elf);
	close(fd);
	return rc;
}

static int by_place(const void *a, const void *b, void *arg)
{
	const struct export_entry *entries = arg;
	const struct export_entry *x = &entries[*(const uint32_t *)a];
	const struct export_entry *y = &entries[*(const uint32_t *)b];

	return ORDER(x->export.module, y->export.module)
	       ?: ORDER(x->export.lo, y->export.lo)
	       ?: ORDER(x->export.hi, y->export.hi)
	       ?: sym_function_prefer(&x->as_symbol, &y->as_symbol);
}

/* Aliases take the name of the best of them. */
static int name_aliases(struct sym_exports *exports)
{
	struct export_entry *entries = exports->entries.v, *best = NULL;
	size_t n = exports->entries.n - 1;
	uint32_t *order = malloc((n + 1) * sizeof *order);

	if (!order)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i + 1;
	qsort_r(order, n, sizeof *order, by_place, entries);
	for (size_t i = 0; i < n; i++) {
		struct sym_export *e = &entries[order[i]].export;

		if (!best || best->export.module != e->module ||
			best->export.lo != e->lo || best->export.hi != e->hi)
			best = &entries[order[i]];
		e->name = best->as_symbol.name;
	}
	free(order);
	return 0;
}

static int load(struct sym_exports *exports)
{
	uint32_t n = cpd_writer_modules(exports->task->writer);

	if (exports->loaded)
		return 0;
	exports->loaded = true;
	for (uint32_t i = 0; i <= n; i++)
		if (!vec_push(&exports->linkers))
			return -1;
	for (uint32_t i = 1; i <= n; i++)
		if (read_module(exports, i) < 0)
			return -1;
	return name_aliases(exports);
}

const struct sym_export *sym_exports_find(
	struct sym_exports *exports, const char *symbol)
{
	const struct export_entry *entry;
	uint32_t id;

	if (load(exports) < 0)
		return NULL;
	id = strings_add(&exports->names, symbol, strlen(symbol));
	if (id >= exports->entries.n) /* a new one, or out of memory */
		return NULL;
	entry = &exports->entries.v[id];
	return entry->usable ? &entry->export : NULL;
}

bool sym_exports_is_linker(struct sym_exports *exports, uint32_t module)
{
	return load(exports) == 0 && module < exports->linkers.n &&
	       exports->linkers.v[module];
}
