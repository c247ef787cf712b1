/*
 * python.h - CPython in a file: libpython, python3, or a program that has it
 * linked in.
 *
 * Each is recognized by its section .PyRuntime, which stripped files have too,
 * and known by its minor version: a row of a table has where that has its
 * fields.  From 3.13 on it says so itself (_Py_DebugOffsets, at the start of
 * _PyRuntime), which is compared with the row, or taken where it changes with
 * each build.
 */
#ifndef CPPROF_INTERPRETER_PYTHON_H
#define CPPROF_INTERPRETER_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/elf/elf_image.h"
#include "monitor/interpreter/abi.h"

/* Python in a file. */
struct python_build {
	struct python_layout layout;
	uint64_t runtime; /* link-time */
	uint64_t loop;    /* of _PyEval_EvalFrameDefault(); 0: unknown */
	uint64_t loop_size;
};

enum python_found { PYTHON_NONE, PYTHON_KNOWN, PYTHON_UNKNOWN };

/* Fills in BUILD if the IMAGE's frames are known; UNKNOWN: WHY, of SIZE bytes,
   says which ones they are. */
enum python_found python_find(struct elf_image *image,
	struct python_build *build, char *why, size_t size);

#endif
