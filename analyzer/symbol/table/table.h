/*
 * table.h - the functions of a module, by address.
 *
 * Function symbols of .symtab, .dynsym and .gnu_debugdata claim [value, value +
 * size) and no byte more. An address with several claims goes to the one that
 * starts latest, the smallest of those. Aliases have the same bounds; of them
 * the name is taken that, in this order, can be linked to (global or weak, not
 * local), has fewest leading underscores, is global, is shortest, comes first
 * in the alphabet. So `read` stands before `__libc_read`.
 *
 * A symbol without a size (assembly) counts only where it is no guess: an entry
 * of the unwind tables starts there and bounds it, or they have none for that
 * place and the symbol reaches to the next one or the end of its section. In a
 * stripped file it ends where its code does: labels behind it are lost. (The
 * last one of libx264 took 225 KB of others, half of what ffmpeg consumed.)
 *
 * Next come the functions of .gopclntab (Go), the stubs of the procedure
 * linkage table ("puts@plt"), then the unwind tables alone: one nameless
 * function per entry. Where there are none either, called.c finds some.
 */
#ifndef CPPROF_SYMBOL_TABLE_H
#define CPPROF_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>

#include "lib/arena.h"
#include "lib/cpprofdata/cpprofdata.h"
#include "lib/elf/elf_image.h"
#include "lib/elf/frame.h"
#include "lib/elf/go_table.h"
#include "analyzer/symbol/table/span.h"

#define SYM_NAME_MAX 4096 /* longer names are cut */

struct sym_function {
	uint64_t lo, hi;
	const char *name; /* as in the symbol table without @VERSION; NULL: only
			     its bounds are known */
	enum cpd_function_source source;
	bool main; /* what the start code calls */
	/* Of the symbol; for choosing. */
	uint8_t bind, type;
	uint64_t go; /* CPD_NAME_GO: its record, for go_table_line() */
	/* Where DWARF says it is declared; NULL and 0: nowhere. */
	const char *decl_file;
	uint32_t decl_line;
	/* CPD_NAME_JIT: where the address is that was asked for; likewise. */
	const char *file;
	uint32_t line;
};

/* A pointer that the dynamic linker fills with the address of a symbol. */
struct sym_slot {
	uint64_t addr;
	const char *name; /* lent by the module */
};

/* Where functions are known from; an address goes to the first that has it. */
enum sym_rank {
	SYM_SIZED, /* symbols */
	SYM_SIZELESS,
	SYM_GO,
	SYM_STUB,
	SYM_ENTRY,  /* _start and main */
	SYM_CALLED, /* called.c */
	SYM_RANKS
};

struct sym_table {
	struct elf_image *image; /* NULL: no file could be read */
	struct frames *frames;   /* the unwind tables; NULL likewise */
	struct go_table go;
	VEC(struct sym_function) functions;
	span_list ranks[SYM_RANKS]; /* id: index in functions */
	VEC(struct sym_slot) slots; /* by address */
	struct arena names;
	bool has_symtab; /* a full symbol table was there */
	uint64_t main;   /* address of main, 0: unknown */
};

/*
 * Reads the tables of MODULE, whose file is MAIN; DEBUG is its separate debug
 * file or NULL.  Names are lent by the module.  -1 when out of memory.
 */
int sym_table_init(
	struct sym_table *table, Dwfl_Module *module, Elf *main, Elf *debug);
void sym_table_fini(struct sym_table *table);

/*
 * The function that holds ADDR: from the symbols, else from the unwind tables,
 * else one of a single byte.  By value; its name may be NULL.
 */
struct sym_function sym_table_find(
	const struct sym_table *table, uint64_t addr);

/* Whether ADDR is in the module's code. */
bool sym_table_code(const struct sym_table *table, uint64_t addr);

/* The symbol whose address the pointer at ADDR gets; NULL: not known. */
const char *sym_table_slot(const struct sym_table *table, uint64_t addr);

/* Below 0 if A is the better name of two for one function, above 0 if B is. */
int sym_function_prefer(
	const struct sym_function *a, const struct sym_function *b);

/* The parts of the table. All return -1 when out of memory only. */

/* Adds to FUNCTIONS, and claims its bounds; RANK is to be flattened then. */
int sym_table_add(struct sym_table *table, enum sym_rank rank,
	const struct sym_function *function);

/* The number of the function that claims ADDR; UINT32_MAX: none does. */
uint32_t sym_table_claim(const struct sym_table *table, uint64_t addr);

/*
 * plt.c: fills the slots and adds the stubs of the procedure linkage table,
 * "puts@plt".
 */
#define SYM_STUB_SUFFIX "@plt"
/* The length of the symbol's name within the name of stub F; 0: F is no
   stub. */
size_t sym_stub_symbol(const struct sym_function *f);
int sym_plt_add(struct sym_table *table);

/*
 * flow.c: where the code at LO ends, at most at LIMIT: no way through it leads
 * further. LO: that cannot be told.
 */
uint64_t sym_flow_end(struct elf_image *image, uint64_t lo, uint64_t limit);

/*
 * start.c: finds main through the start code at the file's entry point (glibc's
 * crt1.o, musl's _start_c); 0 where that code is unknown.
 */
uint64_t sym_start_main(struct elf_image *image);

/*
 * The size of the code at the file's entry point if it is the _start of a
 * program or of the loader; 0: it is another function.
 */
uint64_t sym_start_size(struct elf_image *image);

#endif
