/*
 * Puts together what was sent of a stack beyond the copies, and compares it
 * with a plain array of the stack at the moment of each sample.
 */
#include "monitor/stack/mirror.h"

#include <string.h>

#include "t/lib/draw.h"
#include "t/lib/tap.h"

#define PAGE 4096u
#define PAGES 200u
#define BYTES (PAGES * PAGE)
#define TOP (0x7ffc00000000u - 136) /* within a page */
#define SAMPLES 300

static uint8_t stack[BYTES];   /* ends at TOP */
static bool absent[PAGES + 1]; /* from the page of TOP down */
static size_t page_of(uint64_t addr)
{
	return (size_t)(((TOP + PAGE - 1) / PAGE * PAGE - 1 - addr) / PAGE);
}

static uint8_t *at(uint64_t addr)
{
	return stack + (BYTES - (TOP - addr));
}

/* Sends [FROM, TO) but for absent pages, in pieces. */
static void send(struct stack_mirror *mirror, uint32_t number, uint64_t from,
	uint64_t to)
{
	struct stack_chunk chunk = {.mirror = number, .top = TOP};

	while (from < to) {
		uint64_t end = (from / PAGE + 1) * PAGE;

		if (end > to)
			end = to;
		chunk.addr = from;
		chunk.size = (uint32_t)(end - from);
		chunk.bytes = at(from);
		if (!absent[page_of(from)])
			stack_mirror_put(mirror, &chunk);
		from = end;
	}
}

static int wrong(const struct stack_mirror *mirror, uint64_t from)
{
	int n = 0;

	for (unsigned i = 0; i < 400; i++) {
		uint64_t addr = TOP - 8 - 8ull * draw(BYTES / 8 - 8), got;
		bool there = addr >= from && !absent[page_of(addr)];

		if (stack_mirror_read(mirror, addr, &got, sizeof got) !=
				there ||
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
	struct stack_mirror *mirror = stack_mirror_new();
	struct stack_mirror_state said = {.mirror = 1};
	uint64_t from = TOP, same;
	int bad = 0, unstable = 0;
	uint64_t word;

	ok(mirror && !stack_mirror_read(mirror, TOP - 8, &word, sizeof word),
		"a new mirror has nothing");
	for (unsigned i = 0; i < SAMPLES; i++) {
		bool anew = draw(20) == 0;

		said.mirror += anew;
		same = anew || from == TOP
			       ? TOP
			       : from + 8ull * draw((unsigned)(TOP - from) / 8);
		change(same);
		from = TOP - 8 - 8ull * draw(BYTES / 8 - 8);
		if (from > same)
			from = same;
		send(mirror, said.mirror, from, same);
		said.from = from;
		said.same = same;
		stack_mirror_settle(mirror, &said);
		bad += wrong(mirror, from);
		unstable += mirror->stable < same;
		if (draw(2))
			stack_mirror_compare_from_now(mirror, true);
	}
	ok(bad == 0, "all is as it was at each sample");
	ok(unstable == 0, "what has changed is not said to be stable");

	said.mirror++; /* nothing of it arrived */
	stack_mirror_settle(mirror, &said);
	ok(!stack_mirror_read(mirror, TOP - 8, &word, sizeof word) &&
			mirror->stable == UINT64_MAX,
		"a sample of a mirror that did not come has none");
	stack_mirror_free(mirror);
	return done_testing();
}
