/*
 * The rows that are read from .eh_frame without libdw, against libdw's: of this
 * program, its libraries and some large programs, in runs of neighbouring
 * addresses all over their code.  Files given as arguments are tried instead.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "monitor/unwind/cfi.h"
#include "monitor/unwind/cfi_eh_frame.h"
#include "t/lib/tap.h"

enum { RUNS = 300, RUN = 40 };

struct counts {
	unsigned long same, differ, fast, known;
};

static void compare(struct eh_frame *fast, struct cfi *slow, uint64_t addr,
	struct counts *n)
{
	struct row_range range = {addr, addr + 1, {.kind = ROW_UNKNOWN}};
	struct row row = {.kind = ROW_UNKNOWN};
	enum eh_frame_found found = eh_frame_row(fast, addr, &row);

	cfi_row(slow, addr, &range);
	n->known += range.row.kind != ROW_UNKNOWN;
	if (found == EH_FRAME_OTHER)
		return;
	n->fast += found == EH_FRAME_ROW;
	/* what libdw finds in .debug_frame, or we say of the start code, is
	   none of .eh_frame's */
	if (found == EH_FRAME_NONE || !memcmp(&row, &range.row, sizeof row)) {
		n->same++;
		return;
	}
	n->differ++;
	if (n->differ < 5)
		printf("# %#jx: kind %d cfa %d rbp %d, by libdw %d %d %d\n",
			(uintmax_t)addr, row.kind, row.cfa, row.rbp,
			range.row.kind, range.row.cfa, range.row.rbp);
}

static void try_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_image *image = fd >= 0 ? elf_image_open(fd) : NULL;
	struct eh_frame *fast = image ? eh_frame_open(image) : NULL;
	struct cfi *slow = image ? cfi_open_libdw(image) : NULL;
	struct counts n = {0};

	for (size_t i = 0; fast && slow && i < image->nsegments; i++) {
		const struct elf_segment *s = &image->segments[i];

		for (uint64_t run = 0; s->exec && run < RUNS; run++)
			for (uint64_t at = 0; at < RUN; at++)
				compare(fast, slow,
					s->vaddr + s->filesz / RUNS * run + at,
					&n);
	}
	if (!fast)
		skip(2, "%s: no .eh_frame_hdr", path);
	else {
		ok(n.differ == 0 && n.same > 0,
			"%s: %lu rows as libdw has them, %lu not", path, n.same,
			n.differ);
		ok(n.fast * 100 >= n.known * 85, "%lu of %lu need no libdw",
			n.fast, n.known);
	}
	eh_frame_close(fast);
	cfi_close(slow);
	elf_image_free(image);
}

static int library(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (info->dlpi_name[0] == '/')
		try_file(info->dlpi_name);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const programs[] = {"/proc/self/exe",
		"/usr/bin/python3", "/usr/bin/git", "/usr/bin/perl",
		"/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus"};

	for (int i = 1; i < argc; i++)
		try_file(argv[i]);
	if (argc > 1)
		return done_testing();
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (!access(programs[i], R_OK))
			try_file(programs[i]);
	dl_iterate_phdr(library, NULL);
	return done_testing();
}
