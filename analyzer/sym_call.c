/* sym_call.c - decodes direct calls of x86-64. */
#include "config.h"

#include <string.h>

#include "sym_call.h"

enum { CALL = 0xe8, CALL_SIZE = 5 };

static bool is_stub(const struct sym_function *f)
{
	size_t n = f->name ? strlen(f->name) : 0;

	return n > 4 && strcmp(f->name + n - 4, "@plt") == 0;
}

bool sym_call_target(const struct sym_table *table, uint64_t returns,
	struct sym_function *target)
{
	unsigned char code[CALL_SIZE];
	int32_t rel;
	uint64_t to;

	if (!table->image.native || returns < CALL_SIZE ||
		!image_code(&table->image, returns - CALL_SIZE) ||
		!image_read(&table->image, returns - CALL_SIZE, code,
			sizeof code) ||
		code[0] != CALL)
		return false;
	memcpy(&rel, code + 1, sizeof rel);
	to = returns + (uint64_t)(int64_t)rel;
	if (!image_code(&table->image, to))
		return false;
	*target = sym_table_find(table, to);
	/* One of a single byte is no function: nothing bounds it. */
	return target->lo == to && target->hi - target->lo > 1 &&
	       !is_stub(target);
}
