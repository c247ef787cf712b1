/* Takes a sample's fields in the order that its event writes them in. */
#include "monitor/perf/sample.h"

#include "lib/bytes.h"

/* The size of a copy need not be a multiple of 8 near the end of user space. */
static void take_stack(struct cursor *c, struct perf_sample *sample)
{
	uint64_t room = cursor_fixed(c, sizeof room), size;

	if (!room)
		return;
	sample->stack = cursor_bytes(c, room);
	size = cursor_fixed(c, sizeof size);
	sample->stack_room = room;
	sample->stack_size = size < room ? size : room;
}

size_t perf_sample_parse(uint64_t type, const uint8_t *body, size_t n,
	struct perf_sample *sample)
{
	struct cursor c = cursor_of(body, n);

	*sample = (struct perf_sample){.id = cursor_fixed(&c, 8)};
	sample->pid = (uint32_t)cursor_fixed(&c, 4);
	sample->tid = (uint32_t)cursor_fixed(&c, 4);
	sample->time = cursor_fixed(&c, 8);
	if (type & PERF_SAMPLE_ADDR)
		sample->address = cursor_fixed(&c, 8);
	if (type & PERF_SAMPLE_RAW) {
		sample->raw_size = (uint32_t)cursor_fixed(&c, 4);
		sample->raw = cursor_bytes(&c, sample->raw_size);
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		sample->abi = cursor_fixed(&c, 8);
		if (sample->abi > PERF_SAMPLE_REGS_ABI_64)
			return 0;
		if (sample->abi != PERF_SAMPLE_REGS_ABI_NONE)
			sample->regs = cursor_bytes(
				&c, PERF_REGS_COUNT * sizeof(uint64_t));
	}
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(&c, sample);
	return c.bad ? 0 : (size_t)(c.p - c.start);
}

bool perf_sample_overran(uint64_t type, const struct perf_sample *sample)
{
	return (type & PERF_SAMPLE_STACK_USER) && sample->regs &&
	       !sample->stack_room;
}
