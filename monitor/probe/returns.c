/* Decodes a function from its first instruction to its last. */
#include "monitor/probe/returns.h"

#include "lib/arch/arch.h"
#include "lib/arch/control_flow.h"

#define LONGEST 16384 /* bytes of a function that are decoded */
#define MOST 32       /* functions that one continues in */

struct code_part {
	uint64_t addr, size;
};

struct return_search {
	const struct probe_symbols *symbols;
	struct decoder decoder;
	uint64_t (*size_of)(void *arg, uint64_t addr);
	int (*see)(void *arg, uint64_t addr, bool tail);
	void *arg;
	struct code_part parts[MOST];
	size_t n;
};

/* The function goes on at ADDR, which may be in another one. */
static void go_on(struct return_search *s, uint64_t addr)
{
	for (size_t i = 0; i < s->n; i++)
		if (addr - s->parts[i].addr < s->parts[i].size)
			return;
	if (addr && s->n < MOST)
		s->parts[s->n++] =
			(struct code_part){addr, s->size_of(s->arg, addr)};
}

static int search(struct return_search *s, const struct code_part *part)
{
	uint8_t code[LONGEST];
	size_t n = probe_symbols_code(s->symbols, part->addr, code,
		part->size < sizeof code ? part->size : sizeof code);
	uint64_t target, function, farthest = part == s->parts ? ~0ull : 0,
				   next;
	enum insn_kind kind;
	bool tail;

	for (size_t at = 0; at < n; at += insn_size(&s->decoder)) {
		if (!insn_decode(
			    &s->decoder, code + at, n - at, part->addr + at))
			return 0;
		kind = insn_kind(&s->decoder);
		target = insn_target(&s->decoder);
		function = target;
		tail = kind == INSN_JUMP_ELSEWHERE ||
		       (kind == INSN_JUMP &&
			       probe_symbols_stub(
				       s->symbols, target, &function) &&
			       !function);
		if ((tail || kind == INSN_RETURN) &&
			s->see(s->arg, part->addr + at, tail))
			return -1;
		if (!tail && (kind == INSN_JUMP || kind == INSN_BRANCH))
			go_on(s, function);
		if (target - part->addr < n && target > farthest)
			farthest = target;
		next = part->addr + at + insn_size(&s->decoder);
		if (next > farthest && kind != INSN_OTHER &&
			kind != INSN_CALL && kind != INSN_BRANCH)
			break; /* nothing of it goes on from here */
	}
	return 0;
}

int returns_each(const struct probe_symbols *symbols, uint64_t addr,
	uint64_t size, uint64_t (*size_of)(void *arg, uint64_t addr),
	int (*see)(void *arg, uint64_t addr, bool tail), void *arg)
{
	struct return_search s = {.symbols = symbols,
		.size_of = size_of,
		.see = see,
		.arg = arg,
		.parts = {{addr, size}},
		.n = 1};
	int bad = 0;

	if (!decoder_open(&s.decoder))
		return 0;
	for (size_t i = 0; !bad && i < s.n; i++)
		bad = search(&s, &s.parts[i]);
	decoder_close(&s.decoder);
	return bad;
}
