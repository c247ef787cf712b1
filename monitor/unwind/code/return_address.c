/* Reads the code before a word's address, and looks for a call in it. */
#include "monitor/unwind/code/return_address.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arch/arch.h"
#include "lib/sys/process_memory.h"
#include "monitor/unwind/code/code.h"

#define FAR (64 << 10) /* longer functions are rare */

/*
 * Reads generated code as it is now.  When it has moved, or the process has
 * ended, its last samples are still to come: then as it was when it was last
 * read.
 */
static size_t read_generated(
	const struct code_at *code, uint64_t addr, uint8_t *buf, size_t n)
{
	uint64_t at = addr % PAGE_BYTES, start = addr - at;
	struct unwind_code *kept = unwind_code(code->mapping->module);
	struct code_page *page;
	size_t got;

	if (n > PAGE_BYTES - at)
		n = PAGE_BYTES - at;
	got = process_memory(code->pid, addr, buf, n);
	if (kept && !kept->pages)
		kept->pages = calloc(CODE_PAGES, sizeof *page);
	if (!kept || !kept->pages)
		return got;
	page = &kept->pages[start / PAGE_BYTES % CODE_PAGES];
	if (got && page->addr != start)
		page->addr = process_memory(code->pid, start, page->bytes,
				     PAGE_BYTES) == PAGE_BYTES
				     ? start
				     : 0;
	if (page->addr != start)
		return got;
	if (got)
		memcpy(page->bytes + at, buf, got);
	else
		memcpy(buf, page->bytes + at, n);
	return got ? got : n;
}

size_t code_at_read(void *arg, uint64_t addr, uint8_t *buf, size_t n)
{
	const struct code_at *code = arg;
	const struct mapping *m = code->mapping;
	size_t done = 0, got;

	if (m->module->image)
		return elf_image_read_some(
			m->module->image, addr - m->bias, buf, n);
	if (addr < m->start || addr >= m->end)
		return 0;
	if (n > m->end - addr)
		n = m->end - addr;
	do {
		got = read_generated(code, addr + done, buf + done, n - done);
		done += got;
	} while (got && done < n);
	return done;
}

bool code_at_is_goexit(const struct code_at *code, uint64_t addr)
{
	uint8_t bytes[GOEXIT_BYTES];

	return code_at_read((void *)(uintptr_t)code, addr - 1, bytes,
		       sizeof bytes) == sizeof bytes &&
	       code_is_goexit(bytes);
}

bool code_at_is_interpreter(const struct code_at *code, uint64_t addr)
{
	uint8_t bytes[HOTSPOT_RETURN];

	return !code->mapping->module->image &&
	       code_at_read((void *)(uintptr_t)code, addr, bytes,
		       sizeof bytes) == sizeof bytes &&
	       code_is_hotspot_return(bytes);
}

/* Whether a signal handler returns to it. */
static bool is_signal_return(const struct code_at *code, uint64_t addr)
{
	const struct mapping *m = code->mapping;

	return m->module->image &&
	       unwind_row(m->module, addr - 1 - m->bias).kind == ROW_SIGNAL;
}

enum return_trust return_to(const struct snapshot *snapshot,
	const struct address_space *space, uint64_t addr, uint64_t callee,
	uint64_t *target)
{
	struct code_at code = {
		address_space_find(space, addr - 1), snapshot->pid};
	uint8_t bytes[CALL_LONGEST];
	struct code_call call;

	if (target)
		*target = 0;
	if (!code.mapping || addr - code.mapping->start < CALL_LONGEST ||
		code_at_read(&code, addr - CALL_LONGEST, bytes, sizeof bytes) !=
			sizeof bytes)
		return TRUST_NONE;
	call = code_call_before(bytes + CALL_LONGEST, CALL_LONGEST, addr);
	if (call.kind == NO_CALL)
		return code_at_is_goexit(&code, addr) ||
				       code_at_is_interpreter(&code, addr) ||
				       is_signal_return(&code, addr)
			       ? TRUST_CALL
			       : TRUST_NONE;
	if (call.kind != CALL_OF_TARGET)
		return TRUST_CALL;
	if (target)
		*target = call.to;
	return callee - call.to < FAR ? TRUST_TARGET : TRUST_OTHER;
}
