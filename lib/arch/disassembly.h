/*
 * disassembly.h - instructions in writing.
 *
 * In the assembler's syntax that this processor's debuggers show on Linux.
 */
#ifndef CPPROF_ARCH_DISASSEMBLY_H
#define CPPROF_ARCH_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arch/decoder.h"

/* What an instruction refers to beside the registers. */
enum reference {
	REFERENCE_NONE,
	REFERENCE_CODE,    /* `to` is where it calls or jumps to */
	REFERENCE_POINTER, /* it calls or jumps by the pointer at `to` */
	REFERENCE_DATA,    /* `to` is an address it takes or reads */
};

struct instruction {
	size_t size; /* 1 or more */
	enum reference reference;
	uint64_t to;
	char text[192];
};

/* As decoder_open(), for disassemble() alone. */
bool disassembly_open(struct decoder *decoder);

/*
 * The instruction at ADDR, the first of N BYTES; N is at least 1.  Bytes that
 * are none are an instruction of one byte, "(bad)".
 */
void disassemble(struct decoder *decoder, const uint8_t *bytes, size_t n,
	uint64_t addr, struct instruction *to);

#endif
