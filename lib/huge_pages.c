#include "lib/huge_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define LEAST (HUGE_PAGE / 8) /* worth a huge page */

/* In whole huge pages. */
static size_t rounded(size_t size)
{
	return (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

void *huge_new(size_t size)
{
	size_t room, before, after;
	char *memory;

	if (size < LEAST)
		return calloc(1, size);
	if (size > SIZE_MAX / 2)
		return NULL;
	size = rounded(size);
	room = size + HUGE_PAGE;
	memory = mmap(NULL, room, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)memory & (HUGE_PAGE - 1);
	after = room - before - size;
	if (before)
		munmap(memory, before);
	if (after)
		munmap(memory + before + size, after);
	madvise(memory + before, size, MADV_HUGEPAGE);
	return memory + before;
}

void huge_free(void *memory, size_t size)
{
	if (size < LEAST)
		free(memory);
	else if (memory)
		munmap(memory, rounded(size));
}
