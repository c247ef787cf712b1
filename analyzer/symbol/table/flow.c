/* flow.c - how far the code of a label goes that nothing else bounds. */

#include "lib/arch/arch.h"
#include "lib/arch/control_flow.h"
#include "analyzer/symbol/table/table.h"

#define LONGEST (64u << 10) /* longest function that is believed */
#define NEAR 128            /* bytes: a jump that stays in its function */
#define AHEAD 32            /* bytes: more than an instruction has */

/* Whether what follows the current instruction is not reached from it. */
static bool leaves(const struct decoder *d)
{
	enum insn_kind kind = insn_kind(d);

	return kind == INSN_RETURN || kind == INSN_TRAP || kind == INSN_JUMP ||
	       kind == INSN_JUMP_ELSEWHERE;
}

/* Whether it jumps to code of its function: by a condition, or not far. */
static bool stays(const struct decoder *d, uint64_t addr)
{
	enum insn_kind kind = insn_kind(d);

	return kind == INSN_BRANCH ||
	       (kind == INSN_JUMP && insn_target(d) - addr < NEAR);
}

/*
 * The code goes on behind a return or a jump if a jump before it leads there or
 * beyond.
 */
uint64_t sym_flow_end(struct elf_image *image, uint64_t lo, uint64_t limit)
{
	uint64_t addr = lo, reached = lo;
	struct decoder d;

	if (!image->native || !decoder_open(&d))
		return lo;
	limit = limit - lo < LONGEST ? limit : lo + LONGEST;
	while (addr < limit) {
		uint8_t code[AHEAD];
		size_t n = elf_image_read_some(image, addr, code, sizeof code);

		if (!insn_decode(&d, code, n, addr)) {
			addr = lo; /* data: no end is known */
			break;
		}
		if (stays(&d, addr) && insn_target(&d) > reached &&
			insn_target(&d) < limit)
			reached = insn_target(&d);
		addr += insn_size(&d);
		if (leaves(&d) && reached < addr)
			break;
	}
	decoder_close(&d);
	return addr < limit ? addr : limit;
}
