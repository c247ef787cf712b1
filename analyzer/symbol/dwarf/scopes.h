/*
 * scopes.h - names of C++ functions that have no linkage name in DWARF.
 *
 * gcc describes inlined functions of one file (static ones, those in anonymous
 * namespaces, lambdas, members of local classes) by their bare names: two
 * lambdas are both `operator()'. The entries around the declaration give the
 * full name: ns::Class::function. A place stands for a missing name:
 * main::{lambda@main.cc:10:20}::operator().
 *
 * A name is made once per declaration, in the arena. Each entry on the way
 * counts as work; beyond SYM_DWARF_WORK_MAX names stay bare.
 */
#ifndef CPPROF_SYMBOL_SCOPES_H
#define CPPROF_SYMBOL_SCOPES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/id_map.h"

struct sym_scopes {
	struct arena *arena; /* borrowed, as is */
	size_t *work;
	struct id_map known; /* names, by offset of the declaration */
};

/* The name of the inlined call or function DIE; BARE where it cannot be
   found. */
const char *sym_scopes_name(
	struct sym_scopes *scopes, Dwarf_Die *die, const char *bare);

/*
 * The line of *FILE that declares function DIE of UNIT, 0 and NULL: unknown. Go
 * and lambdas do not say: then it is where the code begins, but for an inlined
 * call, whose code begins elsewhere at each.
 */
uint32_t sym_decl_place(Dwarf_Die *die, Dwarf_Die *unit, const char **file);

/* PATH without `.' and `..', for comparing; NULL stays NULL. */
const char *sym_scopes_plain(struct sym_scopes *scopes, const char *path);

void sym_scopes_fini(struct sym_scopes *scopes);

#endif
