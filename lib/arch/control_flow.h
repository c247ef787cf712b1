/*
 * control_flow.h - one path through code: what each instruction is, and what it
 * does to the stack pointer (sp) and the frame pointer (fp).
 *
 * The caller goes from instruction to instruction.  insn_decode() sets the
 * decoder's current one; all other functions are about it.
 */
#ifndef CPPROF_ARCH_CONTROL_FLOW_H
#define CPPROF_ARCH_CONTROL_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arch/decoder.h"

/* The registers as they were at the start; or a word loaded from the stack. */
enum base { BASE_SP, BASE_FP, BASE_WORD };

enum fp_state {
	FP_ORIGINAL,
	FP_LOADED, /* from the word at fp_at */
	FP_FRAME,  /* is fp_at, set up in the prologue */
	FP_OTHER,
};

struct control_flow {
	const struct decoder *decoder; /* borrowed */
	uint64_t addr;
	enum base base;
	int64_t off;  /* sp is now base + off */
	int64_t word; /* BASE_WORD: of sp + word */
	enum fp_state fp;
	enum base fp_base; /* of fp_at */
	int64_t fp_at;
	struct {
		bool any;
		enum base base, fp_base;
		int64_t off, fp_at;
		enum fp_state fp;
	} pushed; /* the last fp that was pushed or stored, and where */
	struct {
		bool any;
		unsigned reg; /* Capstone's number; 0: it is changed since */
		enum base base;
		int64_t off;
		unsigned age; /* instructions since */
	} popped; /* the last other register that was popped, and from where */
	int64_t eax; /* as last set to a number; the number of a call */
	bool lost;   /* sp is unknown */
	/* for jumps by a table: the number that was compared last, how many
	   numbers the jump after the comparison lets pass, for how many
	   instructions that holds, and the address that was loaded last */
	uint64_t compared, numbers, table;
	unsigned fresh;
};

/* A path that begins at ADDR. */
struct control_flow control_flow_begin(
	const struct decoder *decoder, uint64_t addr);

/* Decodes the instruction at ADDR, the first of N BYTES; false: it is none. */
bool insn_decode(
	struct decoder *decoder, const uint8_t *bytes, size_t n, uint64_t addr);

unsigned insn_size(const struct decoder *decoder);

enum insn_kind {
	INSN_OTHER,
	INSN_CALL,
	INSN_RETURN,
	INSN_TRAP,
	INSN_JUMP,
	INSN_BRANCH,         /* a jump with a condition */
	INSN_JUMP_ELSEWHERE, /* a jump by a register or memory */
};

enum insn_kind insn_kind(const struct decoder *decoder);

/* The target of a jump, a branch or a direct call; 0: it has none in it. */
uint64_t insn_target(const struct decoder *decoder);

/* Whether it may begin a function. */
bool insn_may_begin_function(const struct decoder *decoder);

/* Whether the thread or the process ends with it. */
bool control_flow_exits(const struct control_flow *w);

/* Whether it jumps to what was popped just before, as a return does. */
bool control_flow_jumps_to_popped(const struct control_flow *w);

/*
 * Whether it jumps by a table, as compilers write it, after a number was
 * compared with the highest one:
 *
 *   lea table(%rip), %a; movslq (%a,%number,4), %b; add %a, %b; jmp *%b
 *   jmp *table(,%number,8)
 *
 * *TABLE is its address.  Returns the size of its entries, 4 (offsets from the
 * table) or 8; 0: no table is known here.
 */
size_t control_flow_table(const struct control_flow *w, uint64_t *table);

/* Remembers what a jump by a table may need of it. */
void control_flow_note_number(struct control_flow *w);

/* Applies an instruction that is no jump to sp and fp; false: unclear. */
bool control_flow_apply(struct control_flow *w);

#endif
