/*
 * Feeds a reader with anything at all: it may refuse it but do no harm.
 *
 * Built here, it replays every file of t/fuzz/corpus/reader, and each with
 * bytes changed.  To look for more:
 *
 *     make CC=clang CFLAGS="-g -O1 -DCPPROF_LIBFUZZER \
 *             -fsanitize=fuzzer-no-link,address,undefined" \
 *             LDFLAGS=-fsanitize=fuzzer,address,undefined t/fuzz/fuzz_reader
 *     t/fuzz/fuzz_reader -max_len=8192 NEW t/fuzz/corpus/reader
 *     t/fuzz/fuzz_reader -merge=1 t/fuzz/corpus/reader NEW
 *
 * Each input is read as it is and with the header and all checksums put right,
 * since hostile contents can have those too.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/bytes.h"
#include "lib/cpprofdata/format.h"
#include "t/lib/read_memory.h"

/* Looks at what it is lent, so that a sanitizer sees each read. */
static volatile uint64_t seen;

static void see(const char *s)
{
	seen += (unsigned char)s[0];
}

static int see_head(void *arg, const struct cpd_head *r, struct err *err)
{
	(void)arg, (void)err;
	see(r->cwd), see(r->host), see(r->kernel), see(r->machine);
	see(r->version);
	for (uint32_t i = 0; i < r->argc; i++)
		see(r->argv[i]);
	return 0;
}

static int see_resource(
	void *arg, const struct cpd_resource *r, struct err *err)
{
	(void)arg, (void)err;
	see(r->name), see(r->title), see(r->gtick), see(r->timer);
	if (!r->interval || r->unit > CPD_USEC)
		abort();
	return 0;
}

static int see_process(void *arg, const struct cpd_process *r, struct err *err)
{
	(void)arg, (void)err;
	see(r->name), see(r->exe);
	if (r->parent >= r->id)
		abort();
	return 0;
}

static int see_thread(void *arg, const struct cpd_thread *r, struct err *err)
{
	(void)arg, (void)err;
	see(r->name);
	if (!r->process)
		abort();
	return 0;
}

static int see_rename(void *arg, const struct cpd_rename *r, struct err *err)
{
	(void)arg, (void)err;
	see(r->name);
	return 0;
}

static int see_module(void *arg, const struct cpd_module *r, struct err *err)
{
	(void)arg, (void)err;
	see(r->path);
	if (r->build_id_len > CPD_BUILD_ID_MAX)
		abort();
	return 0;
}

static int see_node(void *arg, const struct cpd_node *r, struct err *err)
{
	(void)arg, (void)err;
	if (r->parent >= r->id)
		abort();
	return 0;
}

static int see_sample(void *arg, const struct cpd_sample *r, struct err *err)
{
	(void)arg, (void)err;
	if (!r->hits || !r->weight || !r->node || !r->thread || !r->resource)
		abort();
	return 0;
}

static int see_function(
	void *arg, const struct cpd_function *r, struct err *err)
{
	(void)arg, (void)err;
	see(r->name), see(r->linkage), see(r->file);
	if (r->lo > r->hi)
		abort();
	return 0;
}

static int see_addr(void *arg, const struct cpd_addr *r, struct err *err)
{
	(void)arg, (void)err;
	for (uint32_t i = 0; i < r->nframes; i++)
		see(r->frames[i].file);
	if (!r->nframes)
		abort();
	return 0;
}

static int see_note(void *arg, const struct cpd_note *r, struct err *err)
{
	(void)arg, (void)err;
	see(r->key), see(r->text);
	return 0;
}

static const struct cpd_handlers handlers = {
	.head = see_head,
	.resource = see_resource,
	.process = see_process,
	.thread = see_thread,
	.rename = see_rename,
	.module = see_module,
	.node = see_node,
	.sample = see_sample,
	.function = see_function,
	.addr = see_addr,
	.note = see_note,
};

static void read_it(const uint8_t *data, size_t size)
{
	struct cpd_result result;
	struct err err = {0};

	if (read_memory(data, size, &handlers, NULL, &result, &err) &&
		!*err.reason)
		abort();
}

/* Makes a header of the first bytes, and each chunk's checksum right. */
static void put_right(uint8_t *p, size_t size)
{
	static const uint8_t version[] = {CPD_VERSION_MAJOR, 0, 0, 0};
	size_t at = CPD_HEADER_SIZE;

	if (size < CPD_HEADER_SIZE)
		return;
	memcpy(p, CPD_MAGIC, 8);
	memcpy(p + 8, version, sizeof version);
	while (size - at >= CPD_CHUNK_HEADER_SIZE + CPD_CHUNK_CRC_SIZE) {
		size_t room =
			size - at - CPD_CHUNK_HEADER_SIZE - CPD_CHUNK_CRC_SIZE;
		size_t n = bytes_get_le32(p + at + 4);

		if (n > room) {
			n = room;
			bytes_set_le32(p + at + 4, (uint32_t)n);
		}
		n += CPD_CHUNK_HEADER_SIZE;
		bytes_set_le32(p + at + n, (uint32_t)crc32(0, p + at, (uInt)n));
		at += n + CPD_CHUNK_CRC_SIZE;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	read_it(data, size);
	if (copy) {
		if (size)
			memcpy(copy, data, size);
		put_right(copy, size);
		read_it(copy, size);
	}
	free(copy);
	return 0;
}

#ifndef CPPROF_LIBFUZZER
#include "t/fuzz/replay.h"

int main(void)
{
	replay_corpus("reader", 20, 20, NULL);
	return done_testing();
}
#endif
