/* Takes a sample's fields in the order that its event writes them in. */
#include "monitor/perf/sample.h"

#include <string.h>

/* The bytes of a body that are still to be read. */
struct record_rest {
	const uint8_t *at, *end;
};

static bool take(struct record_rest *rest, void *value, size_t n)
{
	if ((size_t)(rest->end - rest->at) < n)
		return false;
	memcpy(value, rest->at, n);
	rest->at += n;
	return true;
}

/* N bytes, lent; NULL: there are fewer. */
static const uint8_t *lend(struct record_rest *rest, uint64_t n)
{
	const uint8_t *at = rest->at;

	if ((size_t)(rest->end - at) < n)
		return NULL;
	rest->at += n;
	return at;
}

static bool take_raw(struct record_rest *rest, struct perf_sample *sample)
{
	if (!take(rest, &sample->raw_size, sizeof sample->raw_size))
		return false;
	sample->raw = lend(rest, sample->raw_size);
	return sample->raw;
}

static bool take_regs(struct record_rest *rest, struct perf_sample *sample)
{
	if (!take(rest, &sample->abi, sizeof sample->abi) ||
		sample->abi > PERF_SAMPLE_REGS_ABI_64)
		return false;
	if (sample->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	sample->regs = lend(rest, PERF_REGS_COUNT * sizeof(uint64_t));
	return sample->regs;
}

/* The size of a copy need not be a multiple of 8 near the end of user space. */
static bool take_stack(struct record_rest *rest, struct perf_sample *sample)
{
	uint64_t room, size;

	if (!take(rest, &room, sizeof room))
		return false;
	if (!room)
		return true;
	sample->stack = lend(rest, room);
	if (!sample->stack || !take(rest, &size, sizeof size))
		return false;
	sample->stack_room = room;
	sample->stack_size = size < room ? size : room;
	return true;
}

size_t perf_sample_parse(uint64_t type, const uint8_t *body, size_t n,
	struct perf_sample *sample)
{
	struct record_rest rest = {body, body + n};

	memset(sample, 0, sizeof *sample);
	if (!take(&rest, &sample->id, sizeof sample->id) ||
		!take(&rest, &sample->pid, sizeof sample->pid) ||
		!take(&rest, &sample->tid, sizeof sample->tid) ||
		!take(&rest, &sample->time, sizeof sample->time))
		return 0;
	if (((type & PERF_SAMPLE_RAW) && !take_raw(&rest, sample)) ||
		((type & PERF_SAMPLE_REGS_USER) && !take_regs(&rest, sample)) ||
		((type & PERF_SAMPLE_STACK_USER) && !take_stack(&rest, sample)))
		return 0;
	return (size_t)(rest.at - body);
}

bool perf_sample_overran(uint64_t type, const struct perf_sample *sample)
{
	return (type & PERF_SAMPLE_STACK_USER) && sample->regs &&
	       !sample->stack_room;
}
