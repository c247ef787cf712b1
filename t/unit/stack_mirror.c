/*
 * What was sent of a stack beyond the copies, put together: against a plain
 * array of what there is at the moment of each sample.
 */
#include "monitor/stack/mirror.h"

#include <string.h>

#include "t/lib/tap.h"

#define PAGE 4096u
#define PAGES 200u
#define BYTES (PAGES * PAGE)
#define TOP (0x7ffc00000000u - 136) /* within a page */
#define SAMPLES 300

static uint8_t stack[BYTES];   /* ends at TOP */
static bool absent[PAGES + 1]; /* from the page of TOP down */
static uint64_t seed = 7;

static unsigned draw(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static size_t page_of(uint64_t addr)
{
	return (size_t)(((TOP + PAGE - 1) / PAGE * PAGE - 1 - addr) / PAGE);
}

static uint8_t *at(uint64_t addr)
{
	return stack + (BYTES - (TOP - addr));
}

/* Sends [FROM, TO) but for absent pages, in pieces. */
static void send(
	struct stack_image *image, uint32_t number, uint64_t from, uint64_t to)
{
	struct wide_chunk chunk = {
		.what = WIDE_CHUNK, .image = number, .top = TOP};

	while (from < to) {
		uint64_t end = (from / PAGE + 1) * PAGE;

		if (end > to)
			end = to;
		chunk.addr = from;
		chunk.size = (uint32_t)(end - from);
		if (!absent[page_of(from)])
			stack_image_put(image, &chunk, at(from));
		from = end;
	}
}

static int wrong(const struct stack_image *image, uint64_t from)
{
	int n = 0;

	for (unsigned i = 0; i < 400; i++) {
		uint64_t addr = TOP - 8 - 8ull * draw(BYTES / 8 - 8), got;
		bool there = addr >= from && !absent[page_of(addr)];

		if (stack_image_read(image, addr, &got, sizeof got) != there ||
			(there && memcmp(&got, at(addr), sizeof got) != 0))
			n++;
	}
	return n;
}

/* New contents and holes from the bottom up to SAME. */
static void change(uint64_t same)
{
	for (uint64_t addr = TOP - BYTES; addr < same; addr++)
		*at(addr) = (uint8_t)draw(256);
	for (uint64_t addr = TOP - BYTES; (addr / PAGE + 1) * PAGE <= same;
		addr += PAGE)
		absent[page_of(addr)] = draw(5) == 0;
}

int main(void)
{
	struct stack_image *image = stack_image_new();
	struct wide_sample said = {.image = 1};
	uint64_t from = TOP, same;
	int bad = 0, unstable = 0;
	uint64_t word;

	ok(image && !stack_image_read(image, TOP - 8, &word, sizeof word),
		"a new image has nothing");
	for (unsigned i = 0; i < SAMPLES; i++) {
		bool anew = draw(20) == 0;

		said.image += anew;
		same = anew || from == TOP
			       ? TOP
			       : from + 8ull * draw((unsigned)(TOP - from) / 8);
		change(same);
		from = TOP - 8 - 8ull * draw(BYTES / 8 - 8);
		if (from > same)
			from = same;
		send(image, said.image, from, same);
		said.from = from;
		said.same = same;
		stack_image_settle(image, &said);
		bad += wrong(image, from);
		unstable += image->stable < same;
		if (draw(2))
			image->stable = 0;
	}
	ok(bad == 0, "all is as it was at each sample");
	ok(unstable == 0, "what has changed is not said to be stable");

	said.image++; /* of which nothing came */
	stack_image_settle(image, &said);
	ok(!stack_image_read(image, TOP - 8, &word, sizeof word) &&
			image->stable == UINT64_MAX,
		"a sample of an image that did not come has none");
	stack_image_free(image);
	return done_testing();
}
