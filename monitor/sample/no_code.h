/*
 * no_code.h - frames that are no code, as the innermost of a stack: the system
 * call that a thread is in, and then what the memory is that an event is at.
 *
 * Each has a number in the module of its kind; the file gets its name once.
 */
#ifndef CPPROF_SAMPLE_NO_CODE_H
#define CPPROF_SAMPLE_NO_CODE_H

#include "lib/cpprofdata/writer.h"
#include "lib/hash.h"
#include "lib/vec.h"

struct no_code { /* but for the writer zeros at the beginning */
	struct cpd_writer *writer;
	uint32_t calls, memory; /* the modules; 0: not written yet */
	VEC(uint32_t) called;   /* calls whose names are written */
	VEC(char *) labels;     /* of memory */
	struct hash known;
};

void no_code_fini(struct no_code *no_code);

/*
 * The node below NODE for a call of that KIND (syscall_kind()), or for memory
 * with that LABEL; 0: the writer's error, or no memory.
 */
uint32_t no_code_call(struct no_code *no_code, uint32_t node, uint32_t kind);
uint32_t no_code_memory(
	struct no_code *no_code, uint32_t node, const char *label);

#endif
