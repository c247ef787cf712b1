/*
 * control_flow.h - one way through code: what each instruction is, and what it
 * does to the stack pointer and to rbp.
 *
 * The user goes from instruction to instruction.  There is one decoder and one
 * instruction at a time, which insn_decode() sets and all the others speak of.
 * It is Capstone's, at 500 ns an instruction.
 */
#ifndef CPPROF_ARCH_CONTROL_FLOW_H
#define CPPROF_ARCH_CONTROL_FLOW_H

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
		unsigned reg; /* Capstone's number; 0: none */
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

unsigned insn_size(void);

enum insn_kind {
	INSN_OTHER,
	INSN_CALL,
	INSN_RETURN,
	INSN_TRAP,
	INSN_JUMP,
	INSN_BRANCH,         /* a jump with a condition */
	INSN_JUMP_ELSEWHERE, /* a jump whose target is not in it */
};

enum insn_kind insn_kind(void);

/* Where a jump, a branch or a direct call leads; 0: that is not in it. */
uint64_t insn_target(void);

/* Whether it may begin a function. */
bool insn_may_begin_function(void);

/* Whether the thread or the process ends with it. */
bool control_flow_exits(const struct control_flow *w);

/* Whether it jumps to what was popped just before, as a return does. */
bool control_flow_jumps_to_popped(const struct control_flow *w);

/*
 * Whether it jumps by a table, as compilers write it, where a number was
 * compared with the highest there is just before:
 *
 *   lea table(%rip), %a; movslq (%a,%number,4), %b; add %a, %b; jmp *%b
 *   jmp *table(,%number,8)
 *
 * *TABLE is where it lies; returned is the size of its entries, 4 (they count
 * from the table on) or 8; 0: no table is known here.
 */
size_t control_flow_table(const struct control_flow *w, uint64_t *table);

/* Keeps of it what a jump by a table may need. */
void control_flow_note_number(struct control_flow *w);

/* What it does to rsp and rbp, if it is no jump; false: unclear. */
bool control_flow_apply(struct control_flow *w);

#endif
