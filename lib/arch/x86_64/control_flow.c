/* Reads Capstone's operands: what an instruction does to rsp and rbp. */
#include "lib/arch/control_flow.h"
#include "lib/arch/x86_64/operand.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define FRESH 12                 /* from a comparison to its jump by a table */
#define POPPED 2                 /* from a pop to a jump that returns by it */
#define DECODER_NEEDS (64 << 10) /* bytes; capstone 4: 20 KB */

/* Capstone dies where it gets no memory; it opens if there is enough. */
static bool has_memory(void)
{
	void *volatile room = malloc(DECODER_NEEDS);

	free(room);
	return room;
}

bool decoder_open(struct decoder *d)
{
	static const uint8_t no_op[] = {0x90};

	d->insn = NULL;
	if (!has_memory() ||
		cs_open(CS_ARCH_X86, CS_MODE_64, &d->handle) != CS_ERR_OK)
		return false;
	cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = cs_malloc(d->handle);
	/* with the first it takes all that it will have */
	if (d->insn && insn_decode(d, no_op, sizeof no_op, 0))
		return true;
	decoder_close(d);
	return false;
}

void decoder_close(struct decoder *d)
{
	if (!d->insn)
		return;
	cs_free(d->insn, 1);
	cs_close(&d->handle);
	d->insn = NULL;
}

/*
 * The length of a vector instruction, VEX or EVEX coded; 0: it is none.
 * Capstone 4 does not know most of AVX-512; no such instruction moves a stack.
 */
static size_t vector_length(const uint8_t *bytes, size_t n)
{
	size_t prefix = bytes[0] == 0x62 ? 4 : bytes[0] == 0xc4 ? 3 : 2;
	unsigned map = bytes[0] == 0xc5 ? 1 : bytes[1] & 0x7, opcode;
	bool number = map == 3;

	if (n < prefix + 3 ||
		(bytes[0] != 0x62 && bytes[0] != 0xc4 && bytes[0] != 0xc5))
		return 0;
	opcode = bytes[prefix];
	if (map == 1)
		number = (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
			 (opcode >= 0xc4 && opcode <= 0xc6);
	return prefix + 1 + x86_operand_length(bytes + prefix + 1, bytes + n) +
	       number;
}

bool insn_decode(
	struct decoder *d, const uint8_t *bytes, size_t n, uint64_t addr)
{
	cs_insn *insn = d->insn;
	const uint8_t *at = bytes;
	size_t left = n, length;

	if (cs_disasm_iter(d->handle, &at, &left, &addr, insn))
		return true;
	length = n ? vector_length(bytes, n) : 0;
	if (!length || length > n)
		return false;
	memset(insn->detail, 0, sizeof *insn->detail);
	insn->id = X86_INS_VZEROUPPER; /* which leaves the stack alone, too */
	insn->size = (uint16_t)length;
	return true;
}

unsigned insn_size(const struct decoder *d)
{
	return d->insn->size;
}

struct control_flow control_flow_begin(const struct decoder *d, uint64_t addr)
{
	return (struct control_flow){.decoder = d, .addr = addr, .eax = -1};
}

static const cs_x86_op *operand(const struct decoder *d, unsigned i)
{
	const cs_x86 *x = &d->insn->detail->x86;

	return i < x->op_count ? &x->operands[i] : NULL;
}

static bool is_reg(const cs_x86_op *op, x86_reg reg)
{
	return op && op->type == X86_OP_REG && op->reg == reg;
}

enum insn_kind insn_kind(const struct decoder *d)
{
	const cs_insn *insn = d->insn;
	const cs_x86_op *to = operand(d, 0);

	switch (insn->id) {
	case X86_INS_INT3:
	case X86_INS_UD2:
	case X86_INS_HLT:
		return INSN_TRAP;
	case X86_INS_CALL:
		return INSN_CALL;
	default:
		break;
	}
	if (cs_insn_group(d->handle, insn, CS_GRP_RET))
		return INSN_RETURN;
	if (!cs_insn_group(d->handle, insn, CS_GRP_JUMP))
		return INSN_OTHER;
	if (!to || to->type != X86_OP_IMM)
		return INSN_JUMP_ELSEWHERE;
	return insn->id == X86_INS_JMP ? INSN_JUMP : INSN_BRANCH;
}

uint64_t insn_target(const struct decoder *d)
{
	const cs_x86_op *to = operand(d, 0);

	return to && to->type == X86_OP_IMM ? (uint64_t)to->imm : 0;
}

bool insn_may_begin_function(const struct decoder *d)
{
	const cs_insn *insn = d->insn;

	return insn->id == X86_INS_NOP || insn->id == X86_INS_ENDBR64 ||
	       insn->id == X86_INS_PUSH ||
	       (insn->id == X86_INS_SUB && is_reg(operand(d, 0), X86_REG_RSP));
}

bool control_flow_exits(const struct control_flow *w)
{
	return w->decoder->insn->id == X86_INS_SYSCALL &&
	       (w->eax == SYS_exit || w->eax == SYS_exit_group);
}

bool control_flow_jumps_to_popped(const struct control_flow *w)
{
	return w->popped.reg && is_reg(operand(w->decoder, 0), w->popped.reg);
}

size_t control_flow_table(const struct control_flow *w, uint64_t *table)
{
	const cs_x86_op *to = operand(w->decoder, 0);
	size_t size = 4;

	*table = w->table;
	if (to && to->type == X86_OP_MEM && to->mem.base == X86_REG_INVALID &&
		to->mem.scale == 8) {
		*table = (uint64_t)to->mem.disp;
		size = 8;
	} else if (!to || to->type != X86_OP_REG) {
		return 0;
	}
	return *table && w->fresh ? size : 0;
}

/* [reg + disp] */
static bool is_mem(const cs_x86_op *op, x86_reg reg)
{
	return op && op->type == X86_OP_MEM && op->mem.base == reg &&
	       op->mem.index == X86_REG_INVALID &&
	       op->mem.segment == X86_REG_INVALID;
}

static bool writes(const struct decoder *d, x86_reg reg)
{
	cs_regs reads, written;
	uint8_t nreads, nwritten;

	if (cs_regs_access(
		    d->handle, d->insn, reads, &nreads, written, &nwritten))
		return true;
	for (uint8_t i = 0; i < nwritten; i++)
		if (written[i] == reg)
			return true;
	return false;
}

/* Loads rbp from the word at base + AT. */
static void load_rbp(struct control_flow *w, enum base base, int64_t at)
{
	if (w->lost)
		w->fp = FP_OTHER;
	else if (w->pushed.any && w->pushed.base == base &&
		 w->pushed.off == at) {
		w->fp = w->pushed.fp;
		w->fp_base = w->pushed.fp_base;
		w->fp_at = w->pushed.fp_at;
	} else if (base == BASE_SP && at < 0) {
		w->fp = FP_OTHER;
	} else {
		w->fp = FP_LOADED;
		w->fp_base = base;
		w->fp_at = at;
	}
}

/* rsp = rbp + DISP; false: rbp is unknown. */
static bool rsp_from_rbp(struct control_flow *w, int64_t disp)
{
	if (w->fp == FP_ORIGINAL) {
		w->base = BASE_FP;
		w->off = disp;
	} else if (w->fp == FP_FRAME) {
		w->base = w->fp_base;
		w->off = w->fp_at + disp;
	} else {
		return false;
	}
	w->lost = false;
	return true;
}

/*
 * rsp = [rsp + DISP]: where a function that aligned its stack has saved it
 * (x86inc.asm, the base of all assembly in x264, dav1d and FFmpeg).
 */
static bool rsp_from_word(struct control_flow *w, int64_t disp)
{
	if (w->lost || w->base != BASE_SP || w->off + disp < 0)
		return false;
	w->base = BASE_WORD;
	w->word = w->off + disp;
	w->off = 0;
	return true;
}

static void pop(struct control_flow *w)
{
	const cs_x86_op *to = operand(w->decoder, 0);

	if (is_reg(to, X86_REG_RBP)) {
		load_rbp(w, w->base, w->off);
	} else if (to && to->type == X86_OP_REG) {
		w->popped.any = !w->lost;
		w->popped.reg = w->lost ? X86_REG_INVALID : to->reg;
		w->popped.base = w->base;
		w->popped.off = w->off;
		w->popped.age = 0;
	}
	w->off += 8;
}

/* rbp is saved at rsp + DISP. */
static void save_rbp(struct control_flow *w, int64_t disp)
{
	w->pushed.any = !w->lost;
	w->pushed.base = w->base;
	w->pushed.off = w->off + disp;
	w->pushed.fp = w->fp;
	w->pushed.fp_base = w->fp_base;
	w->pushed.fp_at = w->fp_at;
}

static void push(struct control_flow *w)
{
	w->off -= 8;
	if (is_reg(operand(w->decoder, 0), X86_REG_RBP))
		save_rbp(w, 0);
}

/* mov and lea to rsp or rbp; false: unclear. */
static bool set_pointer(struct control_flow *w)
{
	const cs_x86_op *to = operand(w->decoder, 0),
			*from = operand(w->decoder, 1);
	bool lea = w->decoder->insn->id == X86_INS_LEA;

	if (w->lost && is_reg(to, X86_REG_RBP)) {
		w->fp = FP_OTHER;
	} else if (is_reg(to, X86_REG_RSP)) {
		if (!lea && is_mem(from, X86_REG_RSP))
			return rsp_from_word(w, from->mem.disp);
		if (!lea)
			return is_reg(from, X86_REG_RBP) && rsp_from_rbp(w, 0);
		if (is_mem(from, X86_REG_RBP))
			return rsp_from_rbp(w, from->mem.disp);
		if (!is_mem(from, X86_REG_RSP))
			return false;
		w->off += from->mem.disp;
	} else if (!lea && is_reg(from, X86_REG_RSP)) {
		w->fp = FP_FRAME;
		w->fp_base = w->base;
		w->fp_at = w->off;
	} else if (lea && is_mem(from, X86_REG_RSP)) {
		w->fp = FP_FRAME;
		w->fp_base = w->base;
		w->fp_at = w->off + from->mem.disp;
	} else if (!lea && is_mem(from, X86_REG_RSP)) {
		load_rbp(w, w->base, w->off + from->mem.disp);
	} else {
		w->fp = FP_OTHER;
	}
	return true;
}

/* add and sub; false: unclear. */
static bool move_rsp(struct control_flow *w)
{
	const cs_x86_op *by = operand(w->decoder, 1);

	if (by->type != X86_OP_IMM)
		return false;
	w->off += w->decoder->insn->id == X86_INS_ADD ? by->imm : -by->imm;
	return true;
}

void control_flow_note_number(struct control_flow *w)
{
	const cs_x86_op *to = operand(w->decoder, 0),
			*from = operand(w->decoder, 1);

	if (w->fresh)
		w->fresh--;
	switch (w->decoder->insn->id) {
	case X86_INS_CMP:
		w->compared = from->type == X86_OP_IMM ? (uint64_t)from->imm
						       : UINT64_MAX;
		break;
	case X86_INS_JA:
	case X86_INS_JBE:
		w->numbers = w->compared + 1;
		w->fresh = FRESH;
		break;
	case X86_INS_JAE:
	case X86_INS_JB:
		w->numbers = w->compared;
		w->fresh = FRESH;
		break;
	case X86_INS_LEA:
		if (is_mem(from, X86_REG_RIP) && to->type == X86_OP_REG)
			w->table = w->addr + (uint64_t)from->mem.disp;
		break;
	default:
		break;
	}
}

bool control_flow_apply(struct control_flow *w)
{
	const cs_x86_op *to = operand(w->decoder, 0);

	if (w->popped.reg && (w->popped.age++ == POPPED ||
				     writes(w->decoder, w->popped.reg)))
		w->popped.reg = X86_REG_INVALID;
	switch (w->decoder->insn->id) {
	case X86_INS_PUSH:
	case X86_INS_PUSHFQ:
		push(w);
		return true;
	case X86_INS_POP:
	case X86_INS_POPFQ:
		if (is_reg(to, X86_REG_RSP))
			return false;
		pop(w);
		return true;
	case X86_INS_LEAVE:
		if (!rsp_from_rbp(w, 0))
			return false;
		load_rbp(w, w->base, w->off);
		w->off += 8;
		return true;
	case X86_INS_MOV:
		if (is_reg(to, X86_REG_EAX))
			w->eax = operand(w->decoder, 1)->type == X86_OP_IMM
					 ? operand(w->decoder, 1)->imm
					 : -1;
		if (is_mem(to, X86_REG_RSP) &&
			is_reg(operand(w->decoder, 1), X86_REG_RBP))
			save_rbp(w, to->mem.disp);
		/* fall through */
	case X86_INS_LEA:
		if (is_reg(to, X86_REG_RSP) || is_reg(to, X86_REG_RBP))
			return set_pointer(w);
		return true;
	case X86_INS_ADD:
	case X86_INS_SUB:
		if (is_reg(to, X86_REG_RSP))
			return move_rsp(w);
		break;
	case X86_INS_CALL:
	case X86_INS_SYSCALL:
	case X86_INS_ENDBR64:
	case X86_INS_NOP:
	case X86_INS_VZEROUPPER:
		return true;
	default:
		break;
	}
	if (writes(w->decoder, X86_REG_RSP) || writes(w->decoder, X86_REG_ESP))
		return false;
	if (writes(w->decoder, X86_REG_RBP) || writes(w->decoder, X86_REG_EBP))
		w->fp = FP_OTHER;
	return true;
}
