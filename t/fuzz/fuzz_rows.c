/*
 * Call frame information of ELF files that are damaged: no crash, no hang,
 * little memory, and a row holds from its first address to its last.
 *
 * Built here, it replays every file of t/fuzz/corpus/rows, each as it is and
 * with bytes changed.  Built with clang -DCPPROF_LIBFUZZER
 * -fsanitize=fuzzer,address it is a libFuzzer target.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "monitor/unwind/code/cfi.h"
#include "lib/elf/elf_image.h"
#include "lib/elf/frame.h"
#include "monitor/unwind/code/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ADDRESSES 64 /* of each segment */

static unsigned long known; /* rows that the input has */

static void try_segment(struct cfi *cfi, struct elf_image *image,
	const struct elf_segment *segment)
{
	struct unwind_rows rows = {.cfi = cfi};
	uint64_t step = segment->filesz / ADDRESSES + 1;
	uint8_t byte;

	for (unsigned i = 0; i < ADDRESSES; i++)
		for (unsigned near = 0; near < 3; near++) {
			uint64_t addr = segment->vaddr + i * step + near;
			struct unwind_row row = rows_get(&rows, addr);

			known += row.kind != ROW_UNKNOWN;
			if (row.kind > ROW_END)
				abort();
			elf_image_read(image, addr, &byte, 1);
		}
	rows_fini(&rows);
}

static bool same(const struct frame_row *a, const struct frame_row *b)
{
	return a->lo == b->lo && a->hi == b->hi && a->cfa_reg == b->cfa_reg &&
	       a->cfa_offset == b->cfa_offset && a->ra.rule == b->ra.rule &&
	       a->fp.rule == b->fp.rule;
}

/* ROW at another address it holds for, if that is the same ENTRY's: those of a
   damaged file may overlap. */
static void try_edge(struct frames *frames, const struct frame_range *entry,
	const struct frame_row *row, uint64_t addr)
{
	struct frame_range range;
	struct frame_row other;

	if (!frames_range(frames, addr, &range) || range.lo != entry->lo ||
		range.hi != entry->hi)
		return;
	if (frames_row(frames, addr, &other) != FRAME_ROW || !same(row, &other))
		abort();
}

static void try_range(struct frames *frames, const struct frame_range *range)
{
	uint64_t step = (range->hi - range->lo) / 4 + 1;
	struct frame_range found;
	struct frame_row row;

	for (uint64_t at = range->lo; at - range->lo < range->hi - range->lo;
		at += step) {
		if (frames_row(frames, at, &row) != FRAME_ROW)
			continue;
		if (row.lo > at || row.hi <= at ||
			!frames_range(frames, at, &found) || found.lo > at ||
			found.hi <= at)
			abort();
		try_edge(frames, &found, &row, row.lo);
		try_edge(frames, &found, &row, row.hi - 1);
	}
}

static void try_frames(Elf *elf)
{
	struct frames *frames = frames_open(elf, elf);

	struct frame_range range;

	for (uint64_t at = 0;
		frames && (at = frames_next(frames, at)) != UINT64_MAX;)
		if (frames_range(frames, at, &range))
			try_range(frames, &range);
	frames_close(frames);
}

static void try_image(struct elf_image *image)
{
	struct cfi *cfi;
	uint64_t vaddr;

	if (!image)
		return;
	cfi = cfi_open(image);
	for (size_t i = 0; cfi && i < image->segments.n && i < 16; i++) {
		elf_image_vaddr(image, image->segments.v[i].offset, &vaddr);
		if (image->segments.v[i].exec)
			try_segment(cfi, image, &image->segments.v[i]);
	}
	cfi_close(cfi);
	try_frames(image->elf);
	elf_image_free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	known = 0;
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	try_image(elf_image_open(fd)); /* takes it */
	return 0;
}

#ifndef CPPROF_LIBFUZZER
#include "t/fuzz/replay.h"

static void has_rows(const char *name)
{
	ok(known > 0, "%s has %lu rows", name, known);
}

/* A file of some kilobytes can name millions of registers in its unwind
   information.  The memory used stays small all the same. */
static void memory_is_bounded(void)
{
#ifdef __SANITIZE_ADDRESS__
	skip(1, "the sanitizer keeps what is freed");
#else
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	ok(usage.ru_maxrss < 100 << 10, "%ld MB of memory were enough",
		usage.ru_maxrss >> 10);
#endif
}

int main(void)
{
	replay_corpus("rows", 0, 150, has_rows);
	memory_is_bounded();
	return done_testing();
}
#endif
