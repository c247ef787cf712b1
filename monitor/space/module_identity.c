/* Looks for the build id of what is mapped, in memory and in the file. */
#include "monitor/space/module_identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/arch/arch.h"
#include "lib/elf/elf_image.h"
#include "lib/sys/process_memory.h"

static bool has_build_id(
	const struct elf_image *image, const uint8_t *id, size_t n)
{
	return image && image->build_id_len == n &&
	       !memcmp(image->build_id, id, n);
}

/*
 * Whether a mapping of our own has the numbers: on overlayfs and btrfs stat()
 * tells others.  The process may have ended, and Linux tells perf no build id
 * before 5.12.
 */
static bool has_numbers(int fd, const struct module_identity *id)
{
	void *own = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	FILE *f = own == MAP_FAILED ? NULL : fopen("/proc/self/maps", "re");
	unsigned major, minor;
	bool same = false;
	char *line = NULL;
	size_t room = 0;
	uint64_t inode;
	void *at;

	while (f && getline(&line, &room, f) > 0)
		if (sscanf(line, "%p-%*s %*s %*s %x:%x %" SCNu64, &at, &major,
			    &minor, &inode) == 4 &&
			at == own) {
			same = inode == id->inode && major == id->major &&
			       minor == id->minor;
			break;
		}
	free(line);
	if (f)
		fclose(f);
	if (own != MAP_FAILED)
		munmap(own, 1);
	return same;
}

/* Where the ELF header is, if the mapping is one of IMAGE; false: nowhere. */
static bool find_header(const struct elf_image *image,
	const struct module_identity *id, uint64_t *at)
{
	uint64_t vaddr;

	if (!image || !elf_image_vaddr(image, id->offset, &vaddr))
		return false;
	for (size_t i = 0; i < image->segments.n; i++) {
		const struct elf_segment *s = &image->segments.v[i];

		if (s->offset >= PAGE_BYTES)
			continue;
		*at = id->start - vaddr + s->vaddr - s->offset;
		return true;
	}
	return false;
}

/*
 * Whether a page at AT of the process is that at OFFSET of the file.  The file
 * is read first: a jitdump grows.  Debuggers and probes put breakpoints there.
 */
static bool same_page(
	int fd, off_t offset, const struct module_identity *id, uint64_t at)
{
	uint8_t own[PAGE_BYTES], mapped[PAGE_BYTES];
	ssize_t n = pread(fd, own, sizeof own, offset);

	if (n <= 0 ||
		process_memory(id->pid, at, mapped, (size_t)n) != (size_t)n)
		return false;
	for (ssize_t i = 0; i < n; i++)
		if (own[i] != mapped[i] && mapped[i] != BREAKPOINT_BYTE)
			return false;
	return true;
}

/* The build id at the start of a file that is mapped at AT; its length. */
static size_t mapped_build_id(
	pid_t pid, uint64_t at, uint8_t build_id[BUILD_ID_MAX])
{
	_Alignas(16) uint8_t page[PAGE_BYTES];
	size_t got = process_memory(pid, at, page, sizeof page), n = 0;
	struct elf_image *image = got ? elf_image_memory(page, got) : NULL;

	if (image) {
		n = image->build_id_len;
		memcpy(build_id, image->build_id, n);
	}
	elf_image_free(image);
	return n;
}

/*
 * Without a build id the first page of the file and that of the mapping are
 * compared; where the first is not mapped, and of what is no ELF file, the
 * latter alone.
 */
static bool is_in_memory(
	int fd, const struct module_identity *id, const struct elf_image *image)
{
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t at;
	size_t n;

	if (find_header(image, id, &at)) {
		n = mapped_build_id(id->pid, at, build_id);
		if (n)
			return has_build_id(image, build_id, n);
		if (!same_page(fd, 0, id, at))
			return false;
	}
	return same_page(fd, (off_t)id->offset, id, id->start);
}

bool module_is_file(
	const struct module_identity *id, int fd, const struct elf_image *image)
{
	if (id->build_id_len)
		return has_build_id(image, id->build_id, id->build_id_len);
	return has_numbers(fd, id) || is_in_memory(fd, id, image);
}
