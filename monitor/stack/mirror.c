#include "monitor/stack/mirror.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096u
#define LEAST_PAGES 32u
#define FARTHEST ((uint64_t)1 << 30) /* no chunk is: wide_stack.bpf.h */

struct stack_image *stack_image_new(void)
{
	return calloc(1, sizeof(struct stack_image));
}

void stack_image_free(struct stack_image *image)
{
	if (!image)
		return;
	free(image->bytes);
	free(image->moments);
	free(image);
}

/* The place of ADDR's page among the moments. */
static size_t page_of(const struct stack_image *image, uint64_t addr)
{
	return (size_t)((image->top - 1 - addr) / PAGE);
}

/* Begins anew with a stack that ends at TOP. */
static void begin(struct stack_image *image, uint32_t number, uint64_t top)
{
	free(image->bytes);
	free(image->moments);
	memset(image, 0, sizeof *image);
	image->number = number;
	image->moment = 1;
	image->low = image->top = (top + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	image->stable = UINT64_MAX;
}

/* Memory down to ADDR. */
static int reach(struct stack_image *image, uint64_t addr)
{
	uint64_t had = image->top - image->low, size = LEAST_PAGES * PAGE;
	uint8_t *bytes;
	uint32_t *moments;

	if (addr >= image->low)
		return 0;
	while (size < image->top - addr)
		size *= 2;
	bytes = malloc(size);
	moments = calloc(size / PAGE, sizeof *moments);
	if (!bytes || !moments) {
		free(bytes);
		free(moments);
		return -1;
	}
	if (had) {
		memcpy(bytes + size - had, image->bytes, had);
		memcpy(moments, image->moments, had / PAGE * sizeof *moments);
	}
	free(image->bytes);
	free(image->moments);
	image->bytes = bytes;
	image->moments = moments;
	image->low = image->top - size;
	return 0;
}

int stack_image_put(struct stack_image *image, const struct wide_chunk *chunk,
	const uint8_t *bytes)
{
	uint64_t end = chunk->addr + chunk->size;

	if (!image->moment || image->number != chunk->image)
		begin(image, chunk->image, chunk->top);
	if (end > image->top || !chunk->size || chunk->addr >= end ||
		image->top - chunk->addr > FARTHEST)
		return 0;
	if (reach(image, chunk->addr)) {
		begin(image, 0, 0);
		return -1;
	}
	memcpy(image->bytes + (chunk->addr - image->low), bytes, chunk->size);
	for (size_t page = page_of(image, end - 1);
		page <= page_of(image, chunk->addr); page++)
		image->moments[page] = image->moment;
	return 0;
}

/* Pages of [FROM, TO) that no chunk of this moment brought are absent. */
static void drop_old(struct stack_image *image, uint64_t from, uint64_t to)
{
	if (from < image->low)
		from = image->low;
	if (to > image->top)
		to = image->top;
	if (from >= to)
		return;
	for (size_t page = page_of(image, to - 1); page <= page_of(image, from);
		page++)
		if (image->moments[page] != image->moment)
			image->moments[page] = 0;
}

void stack_image_settle(
	struct stack_image *image, const struct wide_sample *sample)
{
	if (!image->moment || image->number != sample->image || !sample->from) {
		image->from = 0;
		image->stable = UINT64_MAX;
		return;
	}
	drop_old(image, sample->from, sample->same);
	image->from = sample->from;
	if (image->stable < sample->same)
		image->stable = sample->same;
	if (++image->moment == 0)
		image->moment = 1;
}

bool stack_image_read(
	const struct stack_image *image, uint64_t addr, void *buf, size_t n)
{
	if (!image->from || addr < image->from || addr < image->low ||
		addr >= image->top || image->top - addr < n ||
		!image->moments[page_of(image, addr)] ||
		!image->moments[page_of(image, addr + n - 1)])
		return false;
	memcpy(buf, image->bytes + (addr - image->low), n);
	return true;
}
