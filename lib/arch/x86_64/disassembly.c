/* Capstone in AT&T's syntax, in which it also turns operands around: a decoder
 * of its own, since control_flow.c counts on Intel's order. */
#include "lib/arch/disassembly.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <string.h>

static csh decoder;
static cs_insn *insn;

bool disassembly_open(void)
{
	if (insn)
		return true;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) != CS_ERR_OK)
		return false;
	cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(decoder, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	insn = cs_malloc(decoder);
	if (!insn)
		cs_close(&decoder);
	return insn;
}

void disassembly_close(void)
{
	if (!insn)
		return;
	cs_free(insn, 1);
	cs_close(&decoder);
	insn = NULL;
}

/* Where it refers to: a target in it, or memory at a place that is known. */
static void refer(struct instruction *to)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool branch = cs_insn_group(decoder, insn, CS_GRP_CALL) ||
		      cs_insn_group(decoder, insn, CS_GRP_JUMP);

	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type == X86_OP_IMM && branch) {
			to->reference = REFERENCE_CODE;
			to->to = (uint64_t)op->imm;
		} else if (op->type == X86_OP_MEM &&
			   op->mem.base == X86_REG_RIP) {
			to->reference =
				branch ? REFERENCE_POINTER : REFERENCE_DATA;
			to->to = insn->address + insn->size +
				 (uint64_t)op->mem.disp;
		}
	}
}

void disassemble(
	const uint8_t *bytes, size_t n, uint64_t addr, struct instruction *to)
{
	const uint8_t *at = bytes;
	size_t left = n;

	*to = (struct instruction){.size = 1};
	if (!cs_disasm_iter(decoder, &at, &left, &addr, insn)) {
		snprintf(to->text, sizeof to->text, "(bad) 0x%02x", *bytes);
		return;
	}
	to->size = insn->size;
	refer(to);
	if (to->reference == REFERENCE_CODE)
		snprintf(to->text, sizeof to->text, "%s", insn->mnemonic);
	else
		snprintf(to->text, sizeof to->text, "%s%s%s", insn->mnemonic,
			*insn->op_str ? " " : "", insn->op_str);
}
