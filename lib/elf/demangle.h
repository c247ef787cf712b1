/*
 * demangle.h - linkage names as their programmers wrote them.
 *
 * C++ (Itanium ABI), Rust (legacy and v0) and D names through libiberty.  The
 * names come from binaries and are not trusted: input beyond DEMANGLE_INPUT_MAX
 * bytes is not demangled, and output is cut at DEMANGLE_OUTPUT_MAX, since a
 * short name can stand for one of any length.  Control characters are kept; the
 * caller escapes them before printing.
 */
#ifndef CPPROF_ELF_DEMANGLE_H
#define CPPROF_ELF_DEMANGLE_H

#include <stddef.h>

#define DEMANGLE_INPUT_MAX 4096
#define DEMANGLE_OUTPUT_MAX 4096 /* bytes with the NUL */

/*
 * Writes the source's form of LINKAGE to BUF (always terminated) and returns 1,
 * or 0 with BUF empty when it is no mangled name.  C++ functions keep their
 * parameters, which tell overloads apart; Rust hashes are dropped; a clone's
 * suffix follows the name ("f(int).cold").
 */
int demangle(const char *linkage, char buf[DEMANGLE_OUTPUT_MAX]);

/* The same; LINKAGE itself, cut, when it is no mangled name: of Go's as in the
   table of a stripped program. */
void demangle_or_copy(const char *linkage, char buf[DEMANGLE_OUTPUT_MAX]);

/*
 * The length of NAME without what Go's linker adds where a function is called
 * as by assembler, .abi0; the table of functions has it without.
 */
size_t demangle_go_base(const char *name);

/*
 * The length of NAME, mangled or not, without the suffixes that compilers give
 * to copies and pieces of a function: .cold .part.N .constprop.N .isra.N
 * .lto_priv.N .llvm.N .localalias and their combinations.  strlen(NAME) where
 * there is none; never 0 for a name that is not empty.
 */
size_t demangle_clone_base(const char *name);

#endif
