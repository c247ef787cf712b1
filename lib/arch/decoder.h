/*
 * decoder.h - Capstone, and the instruction that it decoded last.
 *
 * Each reader of code has one of its own: it opens in 10 us and decodes an
 * instruction in 500 ns.
 */
#ifndef CPPROF_ARCH_DECODER_H
#define CPPROF_ARCH_DECODER_H

#include <stdbool.h>
#include <stddef.h>

struct decoder {
	size_t handle;
	struct cs_insn *insn; /* NULL: not open */
};

/* False: it cannot be had, and need not be closed. */
bool decoder_open(struct decoder *decoder);
void decoder_close(struct decoder *decoder);

#endif
