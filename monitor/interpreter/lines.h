/*
 * lines.h - the lines of a code object of CPython 3.11 and later, from its
 * table (Objects/locations.md).
 */
#ifndef CPPROF_INTERPRETER_LINES_H
#define CPPROF_INTERPRETER_LINES_H

#include <stddef.h>
#include <stdint.h>

/* The line of the instruction at offset AT of a code object whose first line is
   FIRST; 0: it has none, or the TABLE of N bytes was cut before it. */
uint32_t lines_at(const uint8_t *table, size_t n, uint32_t first, uint32_t at);

/* The least and the greatest line of the table, FIRST included. */
void lines_span(const uint8_t *table, size_t n, uint32_t first, uint32_t *least,
	uint32_t *most);

#endif
