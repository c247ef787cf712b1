/*
 * sample.h - the contents of a PERF_RECORD_SAMPLE.
 *
 * The fields follow the sample_type of the event that wrote it; the identifier
 * names the event.  A sample is not trusted: nothing is read beyond its end,
 * whatever sizes it states.
 */
#ifndef CPPROF_PERF_SAMPLE_H
#define CPPROF_PERF_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/arch/arch.h"

/* The fields of all samples, in this order, at the start. */
#define PERF_SAMPLE_HEAD                                                       \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* The further fields of a sample with a stack. */
#define PERF_SAMPLE_STACK (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

struct perf_sample { /* pointers go into the record; NULL: it has none */
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t address;   /* of memory; 0: it tells none */
	const uint8_t *raw; /* what a BPF program wrote */
	uint32_t raw_size;
	uint64_t abi;        /* PERF_SAMPLE_REGS_ABI_... */
	const uint8_t *regs; /* PERF_REGS_COUNT words */
	const uint8_t *stack;
	uint64_t stack_room; /* bytes that the record has for it */
	uint64_t stack_size; /* how many of them are filled */
};

/*
 * Reads the sample whose body, after the header, begins at BODY, at most N
 * bytes. TYPE, the sample_type, has PERF_SAMPLE_HEAD and any of ADDR, RAW,
 * REGS_USER and STACK_USER.  Returns the length that the kernel gave the body,
 * or 0 if no such sample begins there.
 */
size_t perf_sample_parse(uint64_t type, const uint8_t *body, size_t n,
	struct perf_sample *sample);

/*
 * Whether the kernel wrote 8 bytes more than it had reserved in the ring: it
 * writes two sizes around the stack, and reserves one if there are registers
 * but no stack to copy (perf_prepare_sample(), up to Linux 6.18 at least).  If
 * an interrupt has nested a record right behind, those bytes, all 0, overwrote
 * its header.
 */
bool perf_sample_overran(uint64_t type, const struct perf_sample *sample);

#endif
