/* Compares the target of a call with the start of a frame's function. */
#include "monitor/unwind/callee.h"

#include "lib/arch/arch.h"
#include "monitor/unwind/code/code.h"

uint64_t callee_of(const struct address_space *space, uint64_t ip)
{
	const struct mapping *m = address_space_find(space, ip - CALL_DIRECT);
	uint8_t code[CALL_DIRECT];
	struct code_call call;

	if (!m || !m->module->image ||
		!elf_image_read(m->module->image, ip - sizeof code - m->bias,
			code, sizeof code))
		return 0;
	call = code_call_before(code + sizeof code, sizeof code, ip);
	return call.kind == CALL_OF_TARGET ? call.to : 0;
}

uint64_t callee_start(
	const struct address_space *space, const struct unwind_cursor *c)
{
	const struct mapping *m = address_space_find(space, c->ip - !c->exact);
	const struct unwind_code *code = m ? unwind_code(m->module) : NULL;
	uint64_t start;

	return code && cfi_function(
			       code->cfi, c->ip - !c->exact - m->bias, &start)
		       ? start + m->bias
		       : 0;
}

/* Where the stub of the linkage table at ADDR leads to; 0: it is none. */
static uint64_t behind_stub(struct snapshot *snapshot,
	const struct address_space *space, uint64_t addr)
{
	const struct mapping *m = address_space_find(space, addr);
	uint64_t slot, to;
	uint8_t code[STUB_BYTES];
	size_t n;

	if (!m || !m->module->image)
		return 0;
	n = elf_image_read_some(
		m->module->image, addr - m->bias, code, sizeof code);
	return code_stub(code, n, addr, &slot) == STUB_OF_SLOT &&
			       snapshot->peek &&
			       snapshot->peek(snapshot, slot, &to, sizeof to)
		       ? to
		       : 0;
}

/* Whether the function at FROM jumps to that at TO, which has its place then.
 */
static bool jumps(const struct address_space *space, uint64_t from, uint64_t to)
{
	const struct mapping *m = address_space_find(space, from);
	const struct unwind_code *code = m ? unwind_code(m->module) : NULL;

	return code && cfi_jumps(code->cfi, from - m->bias, to - m->bias);
}

bool callee_is_another(struct snapshot *snapshot,
	const struct address_space *space, const struct unwind_cursor *c,
	uint64_t ip)
{
	uint64_t start = callee_start(space, c), called = callee_of(space, ip);

	if (!start || !called || called == start)
		return false;
	return behind_stub(snapshot, space, called) != start &&
	       !jumps(space, called, start);
}
