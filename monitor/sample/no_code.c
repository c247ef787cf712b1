/* Writes the names of frames that are no code, and their nodes. */
#include "monitor/sample/no_code.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/resource/syscalls.h"

void no_code_fini(struct no_code *no_code)
{
	for (size_t i = 0; i < no_code->labels.n; i++)
		free(no_code->labels.v[i]);
	vec_free(&no_code->labels);
	vec_free(&no_code->called);
	hash_free(&no_code->known);
}

/* Writes the NAME of frame NUMBER, whose kind is *MODULE, for the first time.
 */
static int write_name(struct no_code *no_code, uint32_t *module,
	const char *kind, uint32_t number, const char *name)
{
	struct cpd_frame frame = {0};
	struct cpd_function function = {.lo = number,
		.hi = number + 1,
		.name = name,
		.linkage = "",
		.source = CPD_NAME_SYMTAB};

	if (!*module)
		*module = cpd_write_module(no_code->writer,
			&(struct cpd_module){
				.kind = CPD_MODULE_NO_CODE, .path = kind});
	if (!*module)
		return -1;
	function.module = *module;
	frame.function = cpd_write_function(no_code->writer, &function);
	return frame.function ? cpd_write_addr(no_code->writer,
					&(struct cpd_addr){.module = *module,
						.addr = number,
						.nframes = 1,
						.frames = &frame})
			      : -1;
}

static uint32_t node_below(const struct no_code *no_code, uint32_t node,
	uint32_t module, uint32_t number)
{
	return cpd_node(no_code->writer, node, module, number, CPD_NODE_EXACT);
}

uint32_t no_code_call(struct no_code *no_code, uint32_t node, uint32_t kind)
{
	char label[64];
	size_t i = 0;

	while (i < no_code->called.n && no_code->called.v[i] != kind)
		i++;
	syscall_label(kind, label, sizeof label);
	if (i == no_code->called.n &&
		(!vec_add(&no_code->called, kind) ||
			write_name(no_code, &no_code->calls, "[system call]",
				kind, label)))
		return 0;
	return node_below(no_code, node, no_code->calls, kind);
}

uint32_t no_code_memory(
	struct no_code *no_code, uint32_t node, const char *label)
{
	uint64_t hash = hash_bytes(label, strlen(label));
	uint32_t n = (uint32_t)no_code->labels.n, known;
	size_t probe = 0;
	char *copy;

	while ((known = hash_next(&no_code->known, hash, &probe)) != HASH_NONE)
		if (strcmp(no_code->labels.v[known], label) == 0)
			return node_below(
				no_code, node, no_code->memory, known);
	copy = strdup(label);
	if (!copy || !vec_add(&no_code->labels, copy)) {
		free(copy);
		return 0;
	}
	if (!hash_add(&no_code->known, hash, n) ||
		write_name(no_code, &no_code->memory, "[memory]", n, label))
		return 0;
	return node_below(no_code, node, no_code->memory, n);
}
