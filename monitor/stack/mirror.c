#include "monitor/stack/mirror.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arch/arch.h"

#define LEAST_PAGES 32u
#define FARTHEST ((uint64_t)1 << 30) /* no chunk is farther from the top */

struct stack_mirror *stack_mirror_new(void)
{
	return calloc(1, sizeof(struct stack_mirror));
}

void stack_mirror_free(struct stack_mirror *mirror)
{
	if (!mirror)
		return;
	free(mirror->bytes);
	free(mirror->moments);
	free(mirror);
}

/* The index of ADDR's page in the moments. */
static size_t page_of(const struct stack_mirror *mirror, uint64_t addr)
{
	return (size_t)((mirror->top - 1 - addr) / PAGE_BYTES);
}

/* Begins again, for a stack that ends at TOP. */
static void begin(struct stack_mirror *mirror, uint32_t number, uint64_t top)
{
	free(mirror->bytes);
	free(mirror->moments);
	memset(mirror, 0, sizeof *mirror);
	mirror->number = number;
	mirror->moment = 1;
	mirror->low = mirror->top = (top + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	mirror->stable = UINT64_MAX;
}

/* Makes room down to ADDR. */
static int reach(struct stack_mirror *mirror, uint64_t addr)
{
	uint64_t had = mirror->top - mirror->low,
		 size = LEAST_PAGES * PAGE_BYTES;
	uint8_t *bytes;
	uint32_t *moments;

	if (addr >= mirror->low)
		return 0;
	while (size < mirror->top - addr)
		size *= 2;
	bytes = malloc(size);
	moments = calloc(size / PAGE_BYTES, sizeof *moments);
	if (!bytes || !moments) {
		free(bytes);
		free(moments);
		return -1;
	}
	if (had) {
		memcpy(bytes + size - had, mirror->bytes, had);
		memcpy(moments, mirror->moments,
			had / PAGE_BYTES * sizeof *moments);
	}
	free(mirror->bytes);
	free(mirror->moments);
	mirror->bytes = bytes;
	mirror->moments = moments;
	mirror->low = mirror->top - size;
	return 0;
}

int stack_mirror_put(
	struct stack_mirror *mirror, const struct stack_chunk *chunk)
{
	uint64_t end = chunk->addr + chunk->size;

	if (!mirror->moment || mirror->number != chunk->mirror)
		begin(mirror, chunk->mirror, chunk->top);
	if (end > mirror->top || !chunk->size || chunk->addr >= end ||
		mirror->top - chunk->addr > FARTHEST)
		return 0;
	if (reach(mirror, chunk->addr)) {
		begin(mirror, 0, 0);
		return -1;
	}
	memcpy(mirror->bytes + (chunk->addr - mirror->low), chunk->bytes,
		chunk->size);
	for (size_t page = page_of(mirror, end - 1);
		page <= page_of(mirror, chunk->addr); page++)
		mirror->moments[page] = mirror->moment;
	return 0;
}

/* Drops pages of [FROM, TO) that no chunk of this moment brought. */
static void drop_old(struct stack_mirror *mirror, uint64_t from, uint64_t to)
{
	if (from < mirror->low)
		from = mirror->low;
	if (to > mirror->top)
		to = mirror->top;
	if (from >= to)
		return;
	for (size_t page = page_of(mirror, to - 1);
		page <= page_of(mirror, from); page++)
		if (mirror->moments[page] != mirror->moment)
			mirror->moments[page] = 0;
}

void stack_mirror_settle(
	struct stack_mirror *mirror, const struct stack_mirror_state *state)
{
	if (!mirror->moment || mirror->number != state->mirror ||
		!state->from) {
		mirror->from = 0;
		mirror->stable = UINT64_MAX;
		return;
	}
	drop_old(mirror, state->from, state->same);
	mirror->from = state->from;
	if (mirror->stable < state->same)
		mirror->stable = state->same;
	if (++mirror->moment == 0)
		mirror->moment = 1;
}

void stack_mirror_compare_from_now(struct stack_mirror *mirror, bool holds)
{
	mirror->stable = holds ? 0 : UINT64_MAX;
}

bool stack_mirror_read(
	const struct stack_mirror *mirror, uint64_t addr, void *buf, size_t n)
{
	if (!mirror->from || addr < mirror->from || addr < mirror->low ||
		addr >= mirror->top || mirror->top - addr < n ||
		!mirror->moments[page_of(mirror, addr)] ||
		!mirror->moments[page_of(mirror, addr + n - 1)])
		return false;
	memcpy(buf, mirror->bytes + (addr - mirror->low), n);
	return true;
}
