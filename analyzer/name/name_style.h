/*
 * name_style.h - C++ and Rust names as people write them.
 *
 * Works on demangled text (lib/elf/demangle.h) and on the names in DWARF.
 * Writes std::string; leaves out default template arguments, inline namespaces,
 * ABI tags and Rust hashes.  A shorter form leaves out more.  Two functions may
 * have the same short name: a caller that shows names compares them and takes a
 * longer form where they are the same (dataset_brief.c).  A name that the
 * parser does not understand stays as it is.
 *
 *     void std::sort<int*, main::{lambda(int, int)#1}>(int*, int*, ...)
 *     NAME_SHORT       std::sort
 *     NAME_ARGUMENTS   std::sort<int*, main::{lambda#1}>
 *     NAME_PARAMETERS  std::sort<int*, main::{lambda(int, int)#1}>(int*, ...)
 */
#ifndef CPPROF_NAME_STYLE_H
#define CPPROF_NAME_STYLE_H

#include "lib/bytes.h"

enum name_form {
	NAME_SHORT,      /* no parameters, no template arguments of functions */
	NAME_ARGUMENTS,  /* with the template arguments */
	NAME_PARAMETERS, /* with parameters too; no return type */
	NAME_FORMS
};

/* The FORM of NAME, in BUF, whose contents it replaces; NULL: no memory. */
const char *name_shorten(
	const char *name, enum name_form form, struct bytes *buf);

/*
 * What a line without room for the whole name has of it: without the template
 * arguments and parameters of what is itself an argument, without any, and
 * without all but the last two parts of its path, too:
 *     a::b::f<std::vector<std::pair<int, long>>>   a::b::f<std::vector<...>>
 *     a::b::f<...>                                 ...::b::f<...>
 * The argument or part that has byte TOLD stays (SIZE_MAX: none has to).
 * In new memory; NULL where there is none.
 */
enum name_squeeze { NAME_WHOLE, NAME_OUTER, NAME_BARE, NAME_LAST };
char *name_squeeze(const char *name, enum name_squeeze squeeze, size_t told);

/* Where the folders of a file in a name begin and end: in that of generated
   code, as in "JS:*known /srv/shop/app.js:1:15" and "py::known:/srv/app.py", or
   in that of the file itself.  A line without room has only what is behind. */
bool name_folders(const char *name, size_t *begin, size_t *end);

/*
 * How long what says how far V8 has optimized a function is, and where in its
 * name: "*" in "JS:*known /srv/shop/app.js:1:15".  0: there is none.
 */
size_t name_tier(const char *name, size_t *at);

/*
 * Whether NAME is a function of the C++ or Rust standard library: std::,
 * __gnu_cxx::, __cxxabiv1::, core::, alloc::, or a method of such a type or
 * trait ("<alloc::vec::Vec<T> as core::ops::Drop>::drop").  A trait's method
 * that a program implements for a type of its own is the program's.
 */
bool name_is_internal(const char *name);

#endif
