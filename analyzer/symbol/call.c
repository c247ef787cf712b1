/* call.c - decodes calls of x86-64. */
#include "config.h"

#include <string.h>

#include "analyzer/symbol/call.h"

enum { CALL = 0xe8, CALL_SIZE = 5, POINTER_SIZE = 6 };

bool sym_call_function(const struct sym_table *table, uint64_t addr,
	struct sym_function *function)
{
	if (!image_code(&table->image, addr))
		return false;
	*function = sym_table_find(table, addr);
	/* One of a single byte is no function: nothing bounds it. */
	return function->lo == addr && function->hi - function->lo > 1;
}

static void set_symbol(struct sym_callee *callee, const char *name, size_t n)
{
	if (n <= SYM_NAME_MAX)
		memcpy(callee->symbol, name, n);
	callee->symbol[n <= SYM_NAME_MAX ? n : 0] = '\0';
}

/* The 32-bit displacement at the end of the code before RETURNS. */
static uint64_t relative(const unsigned char *end, uint64_t returns)
{
	int32_t rel;

	memcpy(&rel, end - sizeof rel, sizeof rel);
	return returns + (uint64_t)(int64_t)rel;
}

static bool read_code(const struct sym_table *table, uint64_t returns,
	unsigned char code[POINTER_SIZE])
{
	return table->image.native && returns >= POINTER_SIZE &&
	       image_code(&table->image, returns - POINTER_SIZE) &&
	       image_read(&table->image, returns - POINTER_SIZE, code,
		       POINTER_SIZE);
}

bool sym_call_direct(
	const struct sym_table *table, uint64_t returns, uint64_t *to)
{
	unsigned char code[POINTER_SIZE];

	if (!read_code(table, returns, code) ||
		code[POINTER_SIZE - CALL_SIZE] != CALL)
		return false;
	*to = relative(code + POINTER_SIZE, returns);
	return true;
}

void sym_call_read(const struct sym_table *table, uint64_t returns,
	struct sym_callee *callee)
{
	unsigned char code[POINTER_SIZE], *end = code + sizeof code;
	struct sym_function f;
	const char *name;
	size_t n;

	callee->known = false;
	callee->symbol[0] = '\0';
	if (!read_code(table, returns, code))
		return;
	if (end[-CALL_SIZE] == CALL) {
		if (!sym_call_function(table, relative(end, returns), &f))
			return;
		n = sym_stub_symbol(&f);
		if (n > 0) {
			set_symbol(callee, f.name, n);
			return;
		}
		callee->known = true;
		callee->function = f;
	} else if (code[0] == 0xff && code[1] == 0x15) {
		name = sym_table_slot(table, relative(end, returns));
		if (name)
			set_symbol(callee, name, strcspn(name, "@"));
	}
}
