/*
 * no_code.h - frames that are no code, as the innermost of a stack: the system
 * call that a thread is in, and then what the memory is that an event is at.
 *
 * Each has a number in the module of its kind; the file gets its name once.
 */
#ifndef CPPROF_SAMPLE_NO_CODE_H
#define CPPROF_SAMPLE_NO_CODE_H

#include "lib/arena.h"
#include "lib/cpprofdata/writer.h"

struct no_code { /* one kind; but for the first two zeros at the beginning */
	struct cpd_writer *writer;
	const char *kind; /* "[memory]" */
	uint32_t module;  /* 0: not written yet */
	struct strings labels;
};

/* The node below NODE for what LABEL names; 0: the writer's error, or no
   memory. */
uint32_t no_code_node(
	struct no_code *no_code, uint32_t node, const char *label);

#endif
