/*
 * arch.h - what the program has to know about the processor.
 *
 * A processor is a folder beside this header.  Its constants.h has:
 *
 *     PAGE_BYTES      the size of a page of memory
 *     ARCH_NAME       for messages, and as ldconfig writes it
 *     ARCH_MACHINE    EM_... of its ELF files, and their relocations:
 *     ARCH_RELATIVE, ARCH_IRELATIVE, ARCH_GLOB_DAT, ARCH_JUMP_SLOT, ARCH_ABS64
 *     DWARF_FP, DWARF_SP, DWARF_RA   DWARF's numbers of the frame pointer, the
 *                     stack pointer and the return address
 *     WORD_BYTES      the size of a word of the stack
 *     RETURN_FROM_CFA where a call leaves its return address, from the CFA
 *     FRAME_RETURN    where a frame with a frame pointer has its return
 *                     address, from that pointer, which leads to the saved
 *                     one; and FRAME_CFA its CFA
 *     HOTSPOT_SENDER, _VARIABLES   where a frame of HotSpot's interpreter has
 *                     its caller's stack pointer and the address of its
 *                     variables, likewise
 *     CALL_LONGEST    bytes of a call
 *     CALL_DIRECT     of one with its target in it
 *     CALL_KNOWN      of one with its target or its pointer's address in it
 *     STUB_BYTES      of the longest stub of the linkage table
 *     SYSCALL_LENGTH  bytes of the instruction that calls the kernel
 *     SYSCALL_BY_SHORT, SYSCALL_BY_NUMBER   of the shortest and longest code
 *                     that sets a number and calls it
 *
 * and its code.c answers the questions below, about bytes of code.  They ask of
 * a few bytes at a known place, for each frame of a sample, or of each byte of
 * a file: 3 to 5 ns, where Capstone takes 500 for an instruction.  What goes
 * from one instruction to the next is in control_flow.h, which has Capstone.
 *
 * No call fails: what cannot be told is "no".
 */
#ifndef CPPROF_ARCH_ARCH_H
#define CPPROF_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __x86_64__
#include "lib/arch/x86_64/constants.h"
#else
#error "this processor has no folder in lib/arch/"
#endif

/* The call that stands before a return address. */
enum call_kind {
	NO_CALL,
	CALL_OF_TARGET,  /* `to` is where it leads */
	CALL_BY_POINTER, /* `to` is where the pointer lies */
	CALL_OF_UNKNOWN,
};

struct code_call {
	enum call_kind kind;
	uint64_t to;
};

/* The call in the N bytes of code that end at END; it returns to RETURNS. */
struct code_call code_call_before(
	const uint8_t *end, size_t n, uint64_t returns);

/* Whether a call begins at CODE. */
bool code_is_call(const uint8_t *code, size_t n);

/*
 * Whether the kernel does by itself what the instruction at CODE does, where an
 * uprobe stands; else it lets the thread execute a copy, and stops it again.
 */
bool code_is_emulated(const uint8_t *code, size_t n);

/* Whether it puts a register on the stack. */
bool code_is_push(const uint8_t *code, size_t n);

/* Whether CODE, of SYSCALL_LENGTH bytes, calls the kernel. */
bool code_is_syscall(const uint8_t *code);

/*
 * Whether the N bytes CODE at ADDR seem to hold a direct jump, with a condition
 * or without, to an address in [LO, HI), which is elsewhere: no instruction is
 * decoded.
 */
bool code_jumps_into(
	const uint8_t *code, size_t n, uint64_t addr, uint64_t lo, uint64_t hi);

/* The same of a short jump to TO: of 256 places that hold none one seems to. */
bool code_jumps_short(
	const uint8_t *code, size_t n, uint64_t addr, uint64_t to);

/*
 * The length of the code that sets the number NR and calls the kernel, if CODE
 * begins with it; else 0.
 */
size_t code_syscall_of(const uint8_t *code, size_t n, unsigned nr);

/* Stubs of the linkage table, through which a module calls others. */
enum stub_kind {
	NO_STUB,
	STUB_OF_INDEX, /* `value`: the number of its relocation */
	STUB_OF_SLOT,  /* `value`: the address of its pointer */
};

/* Whether a stub begins at CODE, which is at ADDR. */
enum stub_kind code_stub(
	const uint8_t *code, size_t n, uint64_t addr, uint64_t *value);

/*
 * The addresses that the bytes at CODE may call, or take, if an instruction
 * begins there; each byte is tried.  CODE has to have ADDRESS_BYTES more than
 * the N that are tried.
 */
#define ADDRESS_BYTES 7

void code_addresses(const uint8_t *code, size_t n, uint64_t addr,
	void (*see)(void *arg, bool called, uint64_t value), void *arg);

/*
 * Calls SEE for what may be direct calls and jumps in CODE, until it returns
 * true.  Returns what it returned last.
 */
bool code_each_target(const uint8_t *code, size_t n, uint64_t addr,
	bool (*see)(void *arg, uint64_t target), void *arg);

/* --- code of the C library, Go and Java that is recognized by its bytes --- */

/* The first argument of a call, as it is loaded. */
struct code_argument {
	uint64_t value;
	bool in_memory; /* it lies at `value` */
	bool whole;     /* all 64 bits are set from it */
};

/*
 * The length of the instruction at CODE if it loads a first argument; else 0.
 */
size_t code_loads_argument(const uint8_t *code, size_t n, uint64_t addr,
	struct code_argument *argument);

/*
 * If CODE is musl's _start: its length, and in *TARGET the function it calls.
 * Else 0.
 */
size_t code_musl_start(
	const uint8_t *code, size_t n, uint64_t addr, uint64_t *target);

/* The same for the dynamic loader's. */
size_t code_loader_start(const uint8_t *code, size_t n);

#define GOEXIT_BYTES 7

/* Go's goexit, from its first byte on; a goroutine returns to its second. */
bool code_is_goexit(const uint8_t code[GOEXIT_BYTES]);

/* Where the new thread continues in Go's clone, from CODE; 0: nowhere. */
size_t code_go_new_thread(const uint8_t *code, size_t n);

#define HOTSPOT_ENTRY 11

/*
 * Whether CODE begins a method of HotSpot's compilers: it touches the last page
 * that its stack may use, and makes a frame.
 */
bool code_is_hotspot_entry(const uint8_t code[HOTSPOT_ENTRY]);

#define HOTSPOT_RETURN 12

/*
 * Whether HotSpot's interpreter goes on at CODE when a method returns to it: it
 * takes the stack pointer from the frame that the frame pointer leads to, and
 * zeros it there.
 */
bool code_is_hotspot_return(const uint8_t code[HOTSPOT_RETURN]);

#endif
