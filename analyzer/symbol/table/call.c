/* call.c - where the calls in a module lead. */

#include <string.h>

#include "analyzer/symbol/table/call.h"
#include "lib/arch/arch.h"

bool sym_call_function(const struct sym_table *table, uint64_t addr,
	struct sym_function *function)
{
	if (!sym_table_code(table, addr))
		return false;
	*function = sym_table_find(table, addr);
	/* A function of a single byte has unknown bounds. */
	return function->lo == addr && function->hi - function->lo > 1;
}

static void set_symbol(struct sym_callee *callee, const char *name, size_t n)
{
	if (n <= SYM_NAME_MAX)
		memcpy(callee->symbol, name, n);
	callee->symbol[n <= SYM_NAME_MAX ? n : 0] = '\0';
}

static struct code_call call_before(
	const struct sym_table *table, uint64_t returns)
{
	uint8_t code[CALL_KNOWN];
	const size_t n = sizeof code;

	if (returns < n || !sym_table_code(table, returns - n) ||
		!table->image->native ||
		!elf_image_read(table->image, returns - n, code, n))
		return (struct code_call){.kind = NO_CALL};
	return code_call_before(code + n, n, returns);
}

bool sym_call_direct(
	const struct sym_table *table, uint64_t returns, uint64_t *to)
{
	struct code_call call = call_before(table, returns);

	*to = call.to;
	return call.kind == CALL_OF_TARGET;
}

void sym_call_read(const struct sym_table *table, uint64_t returns,
	struct sym_callee *callee)
{
	struct code_call call = call_before(table, returns);
	struct sym_function f;
	const char *name;
	size_t n;

	callee->known = false;
	callee->symbol[0] = '\0';
	if (call.kind == CALL_OF_TARGET) {
		if (!sym_call_function(table, call.to, &f))
			return;
		n = sym_stub_symbol(&f);
		if (n > 0) {
			set_symbol(callee, f.name, n);
			return;
		}
		callee->known = true;
		callee->function = f;
	} else if (call.kind == CALL_BY_POINTER) {
		name = sym_table_slot(table, call.to);
		if (name)
			set_symbol(callee, name, strcspn(name, "@"));
	}
}
