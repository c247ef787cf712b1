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
 * Whether NAME is a function of the C++ or Rust standard library: std::,
 * __gnu_cxx::, __cxxabiv1::, core::, alloc::, or a method of such a type or
 * trait ("<alloc::vec::Vec<T> as core::ops::Drop>::drop").  A trait's method
 * that a program implements for a type of its own is the program's.
 */
bool name_is_internal(const char *name);

#endif
