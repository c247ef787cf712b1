/*
 * control_flow.h - one way through code: what each instruction does to the
 * stack pointer and to rbp.
 *
 * Private to monitor/unwind/code_analysis.c, which goes from instruction to
 * instruction.  There is one decoder and one instruction at a time, which
 * insn_decode() sets and all the others speak of.
 */
#ifndef CPPROF_UNWIND_CONTROL_FLOW_H
#define CPPROF_UNWIND_CONTROL_FLOW_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As they were at the start; or what was loaded from a word of the stack. */
enum base { BASE_RSP, BASE_RBP, BASE_WORD };

enum rbp_state {
	RBP_ORIGINAL,
	RBP_LOADED, /* from the word at rbp_at */
	RBP_FRAME,  /* is rbp_at: set up in the prologue */
	RBP_OTHER,
};

struct control_flow {
	uint64_t addr;
	enum base base;
	int64_t off;  /* rsp is now base + off */
	int64_t word; /* BASE_WORD: of rsp + word */
	enum rbp_state rbp;
	enum base rbp_base; /* of rbp_at */
	int64_t rbp_at;
	struct {
		bool any;
		enum base base, rbp_base;
		int64_t off, rbp_at;
		enum rbp_state rbp;
	} pushed; /* the last rbp that was, and where */
	struct {
		unsigned reg; /* X86_REG_...; 0: none */
		enum base base;
		int64_t off;
		unsigned age; /* instructions since */
	} popped;    /* the last register but rbp that was, and from where */
	int64_t eax; /* as last set to a number; the number of a call */
	bool lost;   /* nobody knows where rsp is */
	/* for jumps by a table: the number that was compared with last, how
	   many there are as a jump after that told, for how many instructions
	   yet, and the address that was loaded last */
	uint64_t compared, numbers, table;
	unsigned fresh;
};

/* A way that begins at ADDR. */
struct control_flow control_flow_begin(uint64_t addr);

/* Opens the decoder, if it is not open; false: it cannot be had. */
bool insn_open(void);
void insn_close(void);

/* Decodes the instruction at ADDR, the first of N BYTES; false: it is none. */
bool insn_decode(const uint8_t *bytes, size_t n, uint64_t addr);

/* Of the instruction: X86_INS_..., its length, whether it is of a CS_GRP_... */
unsigned insn_id(void);
unsigned insn_size(void);
bool insn_is(unsigned group);

/* Its operand number I, or NULL. */
const cs_x86_op *insn_operand(unsigned i);

/* Whether the operand (or NULL) is just that register. */
bool insn_is_reg(const cs_x86_op *op, x86_reg reg);

/* What a jump by a table may need of it. */
void control_flow_note_number(struct control_flow *w);

/* What it does to rsp and rbp, if it is no jump; false: unclear. */
bool control_flow_apply(struct control_flow *w);

#endif
