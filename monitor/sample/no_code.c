/* Writes the names of frames that are no code, and their nodes. */
#include "monitor/sample/no_code.h"

#include <string.h>

/* Writes the NAME of frame NUMBER. */
static int write_name(
	struct no_code *no_code, uint32_t number, const char *name)
{
	struct cpd_frame frame = {0};
	struct cpd_function function = {.lo = number,
		.hi = number + 1,
		.name = name,
		.linkage = "",
		.source = CPD_NAME_SYMTAB};
	struct cpd_addr addr = {.addr = number, .nframes = 1, .frames = &frame};

	if (!no_code->module)
		no_code->module = cpd_write_module(no_code->writer,
			&(struct cpd_module){.kind = CPD_MODULE_NO_CODE,
				.path = no_code->kind});
	function.module = addr.module = no_code->module;
	if (!no_code->module)
		return -1;
	frame.function = cpd_write_function(no_code->writer, &function);
	return frame.function ? cpd_write_addr(no_code->writer, &addr) : -1;
}

uint32_t no_code_node(struct no_code *no_code, uint32_t node, const char *label)
{
	uint32_t known = strings_count(&no_code->labels);
	uint32_t n = strings_add(&no_code->labels, label, strlen(label));

	if (n == UINT32_MAX || (n == known && write_name(no_code, n, label)))
		return 0;
	return cpd_node(
		no_code->writer, node, no_code->module, n, CPD_NODE_EXACT);
}
