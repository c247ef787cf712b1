/*
 * return_address.h - whether a word is a return address, by the code before it.
 *
 * For code without unwind information: a word of the stack is believed to be a
 * return address only where a call stands before it in mapped code.
 */
#ifndef CPPROF_UNWIND_RETURN_ADDRESS_H
#define CPPROF_UNWIND_RETURN_ADDRESS_H

#include "monitor/space/address_space.h"
#include "monitor/stack/snapshot.h"

/* Code of a mapping in process PID. */
struct code_at {
	const struct mapping *mapping;
	pid_t pid;
};

/*
 * Reads up to N bytes at ADDR of the process, from the code's file or, without
 * one, from the mapping; returns how many there are.  CODE_AT: a struct
 * code_at, as code_analysis.h wants it.
 */
size_t code_at_read(void *code_at, uint64_t addr, uint8_t *buf, size_t n);

/*
 * Whether it is Go's goexit; a goroutine's function returns to its second byte.
 */
bool code_at_is_goexit(const struct code_at *code, uint64_t addr);

/* Whether HotSpot's interpreter goes on there after a call of a method. */
bool code_at_is_interpreter(const struct code_at *code, uint64_t addr);

enum return_trust {
	TRUST_NONE,
	TRUST_OTHER,  /* behind a call of something else, or jumps here */
	TRUST_CALL,   /* behind a call of an unknown address */
	TRUST_TARGET, /* behind a call of a function that begins shortly before
		       */
};

/*
 * Whether ADDR is behind a call whose *TARGET (0: unknown) begins just before
 * the code at CALLEE.  TARGET may be NULL.
 */
enum return_trust return_to(const struct snapshot *snapshot,
	const struct address_space *space, uint64_t addr, uint64_t callee,
	uint64_t *target);

#endif
