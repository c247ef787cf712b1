/* exports.c - asks the dynamic symbols of all modules for names. */

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/vec.h"
#include "analyzer/symbol/exports.h"
#include "analyzer/symbol/file.h"
#include "analyzer/symbol/limit.h"
#include "analyzer/symbol/table/table.h"

#define SYMBOLS_MAX 64000000 /* that are looked at */

/*
 * A module that exports, with the table that its dynamic linker asks (GNU_HASH:
 * four words, a filter, buckets, and a word for each symbol from some number
 * on).  Without one all of its symbols are read for each name.
 */
struct exporter {
	uint32_t module;
	Elf *elf;
	Elf_Data *symbols;
	size_t names; /* the section */
	Elf_Data *hash;
	uint32_t nbuckets;      /* 0: no table */
	size_t buckets, chains; /* the word of the first, and of symbol 0 */
};

struct answer {
	bool known, found;
	bool usable; /* one function in one module, and no ifunc */
	struct sym_export export;
};

struct sym_exports {
	const struct sym_task *task;
	bool loaded;
	size_t read; /* symbols so far */
	VEC(struct exporter) exporters;
	struct strings asked;
	VEC(struct answer) answers; /* by number of the name */
	VEC(bool) linkers;          /* by module */
};

struct sym_exports *sym_exports_new(const struct sym_task *task)
{
	struct sym_exports *exports = calloc(1, sizeof *exports);

	if (exports)
		exports->task = task;
	return exports;
}

void sym_exports_free(struct sym_exports *exports)
{
	if (!exports)
		return;
	for (size_t i = 0; i < exports->exporters.n; i++)
		elf_end(exports->exporters.v[i].elf);
	vec_free(&exports->exporters);
	strings_free(&exports->asked);
	vec_free(&exports->answers);
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

/* Word I of the table; beyond its end one that ends a chain. */
static uint32_t word(const struct exporter *e, size_t i)
{
	uint32_t word = 1;

	if (i < e->hash->d_size / sizeof word)
		memcpy(&word, (const char *)e->hash->d_buf + i * sizeof word,
			sizeof word);
	return word;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* What comes behind symbol I, or first, for names with that hash; 0: none. */
static uint32_t following(const struct exporter *e, uint32_t i, uint32_t hash)
{
	if (!e->nbuckets)
		return i + 1;
	if (!i)
		return word(e, e->buckets + hash % e->nbuckets);
	return word(e, e->chains + i) & 1 ? 0 : i + 1;
}

static const char *name_of(const struct exporter *e, const GElf_Sym *sym)
{
	const char *name = elf_strptr(e->elf, e->names, sym->st_name);

	return name ? name : "";
}

/* Moves *I, 0 at first, to the next symbol of that name that E defines. */
static bool next_named(struct sym_exports *exports, const struct exporter *e,
	const char *name, uint32_t *i, GElf_Sym *sym)
{
	uint32_t hash = hash_of(name);

	while ((*i = following(e, *i, hash)) &&
		gelf_getsym(e->symbols, (int)*i, sym) &&
		exports->read++ < SYMBOLS_MAX)
		if ((!e->nbuckets ||
			    (word(e, e->chains + *i) | 1) == (hash | 1)) &&
			sym->st_shndx != SHN_UNDEF &&
			strcmp(name_of(e, sym), name) == 0)
			return true;
	return false;
}

static bool same_place(const struct sym_export *a, const struct sym_export *b)
{
	return a->module == b->module && a->lo == b->lo && a->hi == b->hi;
}

/* A name with two versions, or in two modules, is ambiguous. */
static struct answer ask(struct sym_exports *exports, const char *name)
{
	struct answer answer = {.known = true};

	for (size_t k = 0; k < exports->exporters.n; k++) {
		const struct exporter *e = &exports->exporters.v[k];
		uint32_t i = 0;
		GElf_Sym sym;

		while (next_named(exports, e, name, &i, &sym)) {
			struct sym_export at = {.module = e->module,
				.lo = sym.st_value,
				.hi = sym.st_value + sym.st_size};

			if (!offers_function(&sym))
				continue;
			answer.usable =
				answer.found ? answer.usable &&
						       same_place(&at,
							       &answer.export)
					     : GELF_ST_TYPE(sym.st_info) ==
							       STT_FUNC &&
						       at.hi > at.lo;
			if (!answer.found)
				answer.export = at;
			answer.found = true;
		}
	}
	return answer;
}

static const struct exporter *exporter_of(
	const struct sym_exports *exports, uint32_t module)
{
	const struct exporter *e = exports->exporters.v;

	while (e->module != module)
		e++;
	return e;
}

/* The best of the names that first stand for that place. */
static const char *best_name(
	struct sym_exports *exports, const struct sym_export *place)
{
	const struct exporter *e = exporter_of(exports, place->module);
	struct sym_function best = {0}, f;
	GElf_Sym sym;

	for (int i = 1; gelf_getsym(e->symbols, i, &sym) &&
			exports->read++ < SYMBOLS_MAX;
		i++) {
		struct answer first;
		size_t len;

		if (sym.st_value != place->lo ||
			sym.st_value + sym.st_size != place->hi ||
			!offers_function(&sym))
			continue;
		f = (struct sym_function){.name = name_of(e, &sym),
			.bind = GELF_ST_BIND(sym.st_info),
			.type = GELF_ST_TYPE(sym.st_info)};
		len = strlen(f.name);
		if (!len || len > SYM_NAME_MAX ||
			(best.name && sym_function_prefer(&best, &f) <= 0))
			continue;
		first = ask(exports, f.name);
		if (same_place(&first.export, place))
			best = f;
	}
	return best.name;
}

/* Notes what the table is like. */
static void take_table(struct exporter *e, Elf_Data *table)
{
	size_t word_size = gelf_getclass(e->elf) == ELFCLASS64 ? 2 : 1;

	e->hash = table;
	e->nbuckets = word(e, 0);
	e->buckets = 4 + word(e, 2) * word_size;
	e->chains = e->buckets + e->nbuckets - word(e, 1);
}

/* Finds what the module exports. */
static bool open_exporter(struct exporter *e)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(e->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		if (shdr.sh_type == SHT_DYNSYM && !e->symbols) {
			e->symbols = elf_getdata(scn, NULL);
			e->names = shdr.sh_link;
		} else if (shdr.sh_type == SHT_GNU_HASH && !e->hash) {
			Elf_Data *table = elf_getdata(scn, NULL);

			if (table && table->d_buf)
				take_table(e, table);
		}
	}
	return e->symbols;
}

static int add_exporter(struct sym_exports *exports, uint32_t module, Elf *elf)
{
	struct exporter e = {.module = module, .elf = elf};
	uint32_t i = 0;
	GElf_Sym sym;

	if (!open_exporter(&e)) {
		elf_end(elf);
		return 0;
	}
	exports->linkers.v[module] =
		next_named(exports, &e, "_r_debug", &i, &sym);
	if (vec_add(&exports->exporters, e))
		return 0;
	elf_end(elf);
	return -1;
}

static int read_module(struct sym_exports *exports, uint32_t module)
{
	const struct cpd_module *about =
		cpd_writer_module(exports->task->writer, module);
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
		sym_file_ran(about, elf, known) &&
		elf_cntl(elf, ELF_C_FDREAD) == 0)
		rc = add_exporter(exports, module, elf);
	else
		elf_end(elf);
	close(fd);
	return rc;
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
	return 0;
}

const struct sym_export *sym_exports_find(
	struct sym_exports *exports, const char *symbol)
{
	struct answer *answer;
	uint32_t id;

	if (load(exports) < 0)
		return NULL;
	id = strings_add(&exports->asked, symbol, strlen(symbol));
	while (id != UINT32_MAX && exports->answers.n <= id)
		if (!vec_push(&exports->answers))
			return NULL;
	if (id == UINT32_MAX)
		return NULL;
	answer = &exports->answers.v[id];
	if (!answer->known) {
		*answer = ask(exports, symbol);
		if (answer->usable)
			answer->export.name =
				best_name(exports, &answer->export);
	}
	return answer->usable ? &answer->export : NULL;
}

bool sym_exports_is_linker(struct sym_exports *exports, uint32_t module)
{
	return load(exports) == 0 && module < exports->linkers.n &&
	       exports->linkers.v[module];
}
