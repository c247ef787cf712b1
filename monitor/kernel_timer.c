#include "timer.h"

#include "perf_events.h"
#include "perf_timer.h"

/* The kernel takes no larger copy (a record's size is 16 bits). */
#define MAX_STACK 65528u

/* What a machine like today's faults at most, a second and processor. */
#define FAULTS_PER_SECOND 500000

static bool is_clock(const struct resource_request *request)
{
	return request->resource->unit == TEXT_USEC;
}

static uint64_t samples_per_second(const struct resource_request *request)
{
	return (is_clock(request) ? 1000000 : FAULTS_PER_SECOND) /
		       request->interval +
	       1;
}

/*
 * The size of the stack copy goes with the rate: a copy costs time (5 us for
 * 64 KiB) and room in the ring, and where samples are few both are free.
 */
static uint32_t stack_bytes(const struct resource_request *request)
{
	uint64_t rate = samples_per_second(request);

	if (rate <= 1100)
		return MAX_STACK;
	return rate <= 20000 ? 32768 : 16384;
}

uint64_t kernel_timer_rate(const struct resource_request *request)
{
	return samples_per_second(request) * (stack_bytes(request) + 256u);
}

static int arm(struct timer *timer, struct err *err)
{
	const struct resource_request *request = timer->request;
	const struct perf_source *source = request->resource->perf;

	return perf_events_add(timer->private, request->resource->name, source,
		request->interval * source->scale, stack_bytes(request),
		timer->index, err);
}

static int read_count(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	uint32_t scale = timer->request->resource->perf->scale;
	uint64_t events, lost;

	if (perf_events_read(timer->private, timer->index, &events, &lost))
		return err_sys(err, timer->request->resource->name,
			"read of the event");
	count->gticks = events / scale;
	count->rest = events % scale;
	count->lost = lost;
	return 0;
}

/* The events are closed together, when the rings have been drained. */
static void disarm(struct timer *timer)
{
	timer->private = NULL;
}

const struct timer_kind kernel_timer = {
	"kernel, inherited", arm, read_count, disarm};
