/*
 * Feeds the symbolizer with anything at all: it may find no name, but must do
 * no harm.  Each input is an ELF file, broken or not, and a jitdump.
 *
 * Built here, it replays every file of t/fuzz/corpus/elf, and each of them cut
 * and with single bytes changed.  To look for more:
 *
 *     make CC=clang CFLAGS="-g -O1 -DCPPROF_LIBFUZZER \
 *             -fsanitize=fuzzer-no-link,address,undefined" \
 *             LDFLAGS=-fsanitize=fuzzer,address,undefined t/fuzz/fuzz_elf
 *     t/fuzz/fuzz_elf -max_len=32768 NEW t/fuzz/corpus/elf
 *     t/fuzz/fuzz_elf -merge=1 t/fuzz/corpus/elf NEW
 */
#include "config.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/symbol/jit/jit.h"
#include "analyzer/symbol/symbolize.h"
#include "lib/vec.h"

#define ADDRESSES 64 /* of each segment */

struct input {
	const uint8_t *data;
	size_t size;
};

static int open_input(const void *arg, uint32_t module)
{
	const struct input *in = arg;
	int fd = memfd_create("input", MFD_CLOEXEC);

	(void)module;
	if (fd >= 0 && write(fd, in->data, in->size) != (ssize_t)in->size) {
		close(fd);
		return -1;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Adds addresses all over the segments, each called from the one before. */
static void add_nodes(struct cpd_writer *w, const struct input *in)
{
	Elf64_Ehdr ehdr = {0};
	Elf64_Phdr phdr;
	uint32_t node = 0;

	if (in->size >= sizeof ehdr)
		memcpy(&ehdr, in->data, sizeof ehdr);
	cpd_node(w, 0, 1, ehdr.e_entry, CPD_NODE_EXACT);
	for (unsigned i = 0; i < ehdr.e_phnum && i < 8; i++) {
		uint64_t at = ehdr.e_phoff + i * (uint64_t)sizeof phdr;

		if (at > in->size || in->size - at < sizeof phdr)
			break;
		memcpy(&phdr, in->data + at, sizeof phdr);
		for (uint64_t k = 0; k < ADDRESSES; k++)
			node = cpd_node(w, node, 1,
				phdr.p_vaddr + phdr.p_memsz / ADDRESSES * k +
					k % 7,
				k % 2 ? CPD_NODE_EXACT : 0);
	}
}

static void symbolize_it(const struct input *in)
{
	struct run_files files = {.open_module = open_input, .arg = in};
	struct symbolize_options options = {
		.files = &files, .in_process = true};
	struct err err = {0};
	struct cpd_writer *w = cpd_writer_open("/dev/null", &err);
	const char *argv[] = {"fuzz"};

	if (!w)
		abort();
	cpd_write_head(w, &(struct cpd_head){.argc = 1, .argv = argv});
	cpd_write_module(w, &(struct cpd_module){.path = "/input"});
	add_nodes(w, in);
	if (symbolize(w, &options, &err) < 0) {
		fprintf(stderr, "%s: %s\n", err.op, err.reason);
		abort();
	}
	if (cpd_writer_close(w, &(struct cpd_end){0}, &err) < 0)
		abort();
}

static int open_dump(const void *arg, uint32_t process)
{
	return process ? open_input(arg, 0) : -1;
}

static void read_jitdump(const struct input *in)
{
	static const char *const argv[] = {"x"};
	const struct run_files files = {.open_dump = open_dump, .arg = in};
	struct sym_address lookups[] = {
		{1, 0x10, 5}, {1, 0x1000, 0}, {1, 0x401000, UINT64_MAX}};
	struct sym_function functions[3];
	struct cpd_module about = {
		.kind = CPD_MODULE_ANON, .process = 1, .path = "//anon"};
	struct arena arena = {0};
	struct sym_jit jit;
	struct err err;
	struct cpd_writer *w = cpd_writer_open("/dev/null", &err);
	const struct sym_jit_task task = {
		w, &about, &files, lookups, 3, functions, &arena};

	if (!w)
		abort();
	cpd_write_head(w, &(struct cpd_head){.argc = 1, .argv = argv});
	cpd_write_process(w, &(struct cpd_process){.pid = INT32_MAX});
	if (sym_jit_names(&task, -1, &jit) < 0)
		abort();
	for (size_t i = 0; i < 3; i++)
		if (functions[i].name
				? functions[i].lo > lookups[i].addr ||
					  functions[i].hi <= lookups[i].addr
				: functions[i].file != NULL)
			abort();
	cpd_writer_abandon(w);
	arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};

	symbolize_it(&in);
	read_jitdump(&in);
	return 0;
}

#ifndef CPPROF_LIBFUZZER
#include "t/fuzz/replay.h"

int main(void)
{
	unsetenv("DEBUGINFOD_URLS");
	replay_corpus("elf", 10, 20, NULL);
	return done_testing();
}
#endif
