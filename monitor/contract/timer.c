/* What all kinds of timers have in common. */
#include "monitor/contract/timer.h"

/* The largest copy (the size of a record has 16 bits). */
#define MAX_STACK 65528u

/* More interrupts a second than any machine takes. */
#define MOST_SAMPLES 500000

static uint64_t samples_per_second(const struct resource_request *request)
{
	uint64_t n = request->resource->rate / request->interval + 1;

	return n < MOST_SAMPLES ? n : MOST_SAMPLES;
}

/*
 * The size of the stack copy depends on the rate: a copy costs time (5 us for
 * 64 KiB) and room in the ring, which matters only if samples are many.
 */
uint32_t perf_sample_stack(const struct resource_request *request)
{
	uint64_t rate = samples_per_second(request);

	if (rate <= 1100)
		return MAX_STACK;
	return rate <= 20000 ? 32768 : 16384;
}

struct perf_sampling timer_sampling(const struct timer *timer, uint32_t scale)
{
	return (struct perf_sampling){
		.name = timer->request->name,
		.period = timer->request->interval * scale,
		.stack = perf_sample_stack(timer->request),
		.tag = timer->index,
	};
}

uint64_t perf_sample_rate(const struct resource_request *request)
{
	return samples_per_second(request) *
	       (perf_sample_stack(request) + 256u);
}

#define DRAWN 2 /* mean intervals of what passed at once */

uint64_t timer_settle(const struct timer *timer, uint64_t *left, uint64_t *step,
	uint64_t *weight)
{
	uint64_t scale = resource_scale(timer->request->resource);
	uint64_t mean = timer->request->interval * scale, more, hits = 0;

	if (*left < *step)
		return 0;
	more = (*left - *step) / mean;
	if (timer->randomize)
		more -= more < DRAWN ? more : DRAWN;
	do {
		*left -= *step + more * mean;
		*weight += (*step + more * mean) / scale;
		hits += 1 + more;
		*step = timer_draw(timer) * scale;
		more = 0;
	} while (*left >= *step);
	return hits;
}

int timer_read(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	*count = (struct timer_count){0};
	if (timer->clock)
		timer = timer->clock;
	return timer->kind->read(timer, count, err);
}

void timer_refuse_all(struct timer_machine *machine, const struct err *why)
{
	for (size_t i = 0; i < TIMER_PROGRAMS; i++)
		machine->refused[i] = *why;
}

int timer_can_vary(const struct timer *timer, struct err *err)
{
	if (timer->kind->randomizes)
		return 0;
	err_set(err, timer->request->name, "--randomize",
		"its timer here (%s) cannot vary the interval",
		timer->kind->name);
	return err_hint(err, "the per-CPU kernel timers of root can, and stop "
			     "timers (--timer=stop); or take an interval of an "
			     "odd length, such as 997us");
}
