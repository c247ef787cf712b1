/* Capstone in AT&T's syntax, in which it also turns operands around:
 * control_flow.c counts on Intel's order. */
#include "lib/arch/disassembly.h"

#include <capstone/capstone.h>
#include <stdio.h>

bool disassembly_open(struct decoder *d)
{
	if (!decoder_open(d))
		return false;
	cs_option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return true;
}

/* Where it refers to: a target in it, or memory at a place that is known. */
static void refer(const struct decoder *d, struct instruction *to)
{
	const cs_insn *insn = d->insn;
	const cs_x86 *x86 = &insn->detail->x86;
	bool branch = cs_insn_group(d->handle, insn, CS_GRP_CALL) ||
		      cs_insn_group(d->handle, insn, CS_GRP_JUMP);

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

void disassemble(struct decoder *d, const uint8_t *bytes, size_t n,
	uint64_t addr, struct instruction *to)
{
	cs_insn *insn = d->insn;
	const uint8_t *at = bytes;
	size_t left = n;

	*to = (struct instruction){.size = 1};
	if (!cs_disasm_iter(d->handle, &at, &left, &addr, insn)) {
		snprintf(to->text, sizeof to->text, "(bad) 0x%02x", *bytes);
		return;
	}
	to->size = insn->size;
	refer(d, to);
	if (to->reference == REFERENCE_CODE)
		snprintf(to->text, sizeof to->text, "%s", insn->mnemonic);
	else
		snprintf(to->text, sizeof to->text, "%s%s%s", insn->mnemonic,
			*insn->op_str ? " " : "", insn->op_str);
}
