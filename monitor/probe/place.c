/* Reads a function's code for a place that each call passes once. */
#include "monitor/probe/place.h"

#include <stdlib.h>

#include "lib/arch/arch.h"
#include "lib/arch/control_flow.h"

#define LONGEST (256u << 10) /* bytes of a function that are read */
#define STEPS 16             /* instructions */

struct function_body {
	struct decoder *decoder;
	const uint8_t *code;
	size_t n;
	uint64_t addr;
};

static bool decode(const struct function_body *b, size_t at)
{
	return at < b->n &&
	       insn_decode(b->decoder, b->code + at, b->n - at, b->addr + at);
}

/* Whether the code at TARGET does nothing but call and begin anew. */
static bool comes_back(const struct function_body *b, uint64_t target)
{
	size_t at = target - b->addr;

	for (unsigned i = 0; i < 2 * STEPS && decode(b, at); i++) {
		enum insn_kind kind = insn_kind(b->decoder);

		if (kind == INSN_JUMP)
			return insn_target(b->decoder) == b->addr;
		if (kind != INSN_OTHER && kind != INSN_CALL)
			return false;
		at += insn_size(b->decoder);
	}
	return false;
}

/*
 * Goes on from the entry, over branches that come back to it: *PLACE is the
 * first instruction that the kernel emulates, else what is behind them.
 */
static void find(const struct function_body *b, struct probe_place *place)
{
	struct control_flow w = control_flow_begin(b->decoder, b->addr);
	size_t at = 0;

	for (unsigned i = 0; i < STEPS && decode(b, at); i++) {
		enum insn_kind kind = insn_kind(b->decoder);
		size_t next = at + insn_size(b->decoder);

		if (kind == INSN_BRANCH &&
			comes_back(b, insn_target(b->decoder))) {
			place->addr = place->from = b->addr + next;
		} else if (code_is_emulated(b->code + at, b->n - at)) {
			place->addr = b->addr + at;
			place->depth = (uint32_t)-w.off;
			place->stepped = false;
			return;
		} else if (kind != INSN_OTHER || !control_flow_apply(&w) ||
			   w.base != BASE_SP || w.lost) {
			return;
		}
		at = next;
	}
}

/*
 * Whether nothing in the function jumps to where PLACE would be passed again. A
 * table can lead anywhere, but not to before a push, which moves the stack.
 */
static bool is_passed_once(
	const struct function_body *b, const struct probe_place *place)
{
	bool push = code_is_push(b->code + (place->addr - b->addr),
		b->addr + b->n - place->addr);
	size_t at = 0;

	for (; decode(b, at); at += insn_size(b->decoder)) {
		enum insn_kind kind = insn_kind(b->decoder);

		if (kind == INSN_JUMP_ELSEWHERE && !push)
			return false;
		if ((kind == INSN_JUMP || kind == INSN_BRANCH) &&
			insn_target(b->decoder) - place->from - 1 <
				place->addr - place->from)
			return false;
	}
	return at >= b->n;
}

struct probe_place probe_place(struct decoder *decoder,
	const struct probe_symbols *symbols, uint64_t addr, uint64_t size)
{
	struct probe_place place = {addr, addr, 0, true};
	uint8_t *code, first[2];
	struct function_body b = {decoder, NULL, 0, addr};
	uint64_t from;

	b.n = probe_symbols_code(symbols, addr, first, sizeof first);
	place.stepped = !code_is_emulated(first, b.n);
	if (!place.stepped || size > LONGEST)
		return place;
	b.code = code = malloc(size);
	if (!code)
		return place;
	b.n = probe_symbols_code(symbols, addr, code, size);
	find(&b, &place);
	from = place.from;
	if (place.addr != from && !is_passed_once(&b, &place))
		place = (struct probe_place){from, from, 0, true};
	free(code);
	return place;
}
