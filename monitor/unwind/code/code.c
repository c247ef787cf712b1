/* Makes and frees what unwinding keeps of a module. */
#include "monitor/unwind/code/code.h"

#include <stdlib.h>

static void code_free(struct unwind_code *code)
{
	rows_fini(&code->rows);
	rows_fini(&code->exact);
	cfi_close(code->cfi);
	function_starts_close(code->starts);
	set_free(&code->analysed);
	free(code->pages);
	free(code);
}

struct unwind_code *unwind_code_new(struct module *module)
{
	struct unwind_code *code = calloc(1, sizeof *code);

	if (!code)
		return NULL;
	if (module->image)
		code->cfi = cfi_open(module->image);
	code->rows.cfi = code->exact.cfi = code->cfi;
	code->exact.image = module->image;
	module->code = code;
	module->code_free = code_free;
	return code;
}

struct analysed *unwind_analysed(struct module *module, uint64_t key)
{
	struct unwind_code *code = unwind_code(module);
	const struct analysed new = {.key = key};
	uint32_t i =
		code ? set_add(&code->analysed, &new, sizeof key) : HASH_NONE;

	return i == HASH_NONE ? NULL : &code->analysed.v[i];
}

bool unwind_begins_function(const struct address_space *space, uint64_t ip)
{
	const struct mapping *m = address_space_find(space, ip);
	const struct unwind_code *code = m ? unwind_code(m->module) : NULL;
	uint64_t start;

	return code && cfi_function(code->cfi, ip - m->bias, &start) &&
	       start + m->bias == ip;
}
