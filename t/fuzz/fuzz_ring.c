/*
 * Feeds the rings of perf events and the parsing of their records with anything
 * at all: headers anywhere, cut, lost, hostile sizes.  Nothing may be read
 * beyond a record, and each ring comes to its end.
 *
 * Built here, it replays every file of t/fuzz/corpus/ring, each as it is and
 * with bytes changed.  Built with clang -DCPPROF_LIBFUZZER
 * -fsanitize=fuzzer,address,undefined it is a libFuzzer target.
 *
 * An input is where in the ring it begins (2 bytes), after how many bytes,
 * times 16, the ring is read (1 byte), and what the kernel writes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cpprofdata/writer.h"
#include "monitor/perf/ring.h"
#include "monitor/sample/sideband.h"
#include "monitor/sample/sampler.h"
#include "monitor/contract/family.h"
#include "monitor/timer/percpu/decode.h"

#define RING_SIZE 65536u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t seen;

/* Looks at all of the copy, so that a sanitizer sees each read. */
static void look(struct snapshot *snapshot, const struct address_space *space,
	const struct previous_stack *previous, struct unwind_stack *stack)
{
	(void)space, (void)previous;
	for (size_t i = 0; i < snapshot->size; i++)
		seen += snapshot->stack[i];
	stack->found.n = stack->kept = 0;
	stack->end = UNWIND_WHOLE;
}

static const struct timer_family family = {.decode = percpu_decode};

static const struct unwinder looker = {"look", "", look};

/* Of each kind one, by id. */
static struct perf_fd fds[] = {
	{.id = 1, .sample_type = PERF_SAMPLE_HEAD | PERF_SAMPLE_STACK},
	{.id = 2,
		.sample_type =
			PERF_SAMPLE_HEAD | PERF_SAMPLE_RAW | PERF_SAMPLE_STACK,
		.output = true},
	{.id = 3,
		.sample_type = PERF_SAMPLE_HEAD | PERF_SAMPLE_RAW,
		.output = true},
	{.id = 5, .sample_type = PERF_SAMPLE_HEAD, .tag = PERF_NO_TAG},
};

static uint64_t type_of(const void *events, uint64_t id)
{
	return perf_events_type(events, id);
}

/* Reads what there is; it cannot be more records than bytes. */
static void drain(struct sampler *sampler, struct merge *merge)
{
	const struct perf_event_header *header;
	uint64_t time;

	merge_refresh(merge);
	for (size_t n = 0; (header = merge_next(merge, UINT64_MAX, &time));
		n++) {
		if (n > RING_SIZE)
			abort();
		if (header->type == PERF_RECORD_SAMPLE)
			sampler_sample(sampler, header, time);
		else
			sideband_take(sampler, header, time);
		merge_done(merge);
	}
	for (size_t i = 0; i < merge->n; i++)
		if (merge->rings[i]->tail != merge->rings[i]->head)
			abort();
}

/* WRITABLE: the ring's data. */
static void feed(struct sampler *sampler, struct merge *merge,
	uint8_t *writable, const uint8_t *data, size_t size)
{
	struct ring *ring = merge->rings[0];
	size_t piece = 16 * ((size_t)data[2] + 1);

	ring->head = ring->tail = data[0] | (uint64_t)data[1] << 8;
	ring->page->data_head = ring->page->data_tail = ring->head;
	data += 3, size -= 3;
	for (size_t at = 0; at < size; at++) {
		writable[ring->page->data_head++ % RING_SIZE] = data[at];
		if (at % piece == piece - 1)
			drain(sampler, merge);
	}
	drain(sampler, merge);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct resource resource = {.name = "faults"};
	struct resource_request request = {
		.resource = &resource, .interval = 1};
	struct timer timer = {.request = &request, .resource = 1};
	struct perf_share share = {.mapped = true};
	struct ring ring = {.size = RING_SIZE}, *rings[] = {&ring};
	uint8_t *writable;
	struct perf_events events = {
		.fds = {.v = fds, .n = sizeof fds / sizeof *fds}};
	struct sampler *sampler = calloc(1, sizeof *sampler);
	struct cpd_writer *writer;
	struct err err;
	char path[64];

	if (size < 4 || size > RING_SIZE / 2)
		goto out;
	events.shares.v = &share;
	events.shares.n = 1;
	snprintf(path, sizeof path, "/tmp/cpprof-fuzz.%d", (int)getpid());
	writer = cpd_writer_open(path, &err);
	ring.page = calloc(1, sizeof *ring.page);
	ring.data = writable = calloc(1, RING_SIZE);
	ring.bounce = malloc(UINT16_MAX + 1);
	if (!sampler || !writer || !ring.page || !ring.data || !ring.bounce ||
		merge_init(&events.merge, rings, 1, type_of, &events))
		abort();
	sampler_init(sampler, writer, &events, &timer, 1);
	sampler->taker.unwinder = &looker;
	sampler->family = &family;
	feed(sampler, &events.merge, writable, data, size);
	sampler_fini(sampler);
	merge_fini(&events.merge);
	cpd_writer_abandon(writer);
	free(ring.page);
	free(writable);
	free(ring.bounce);
out:
	free(sampler);
	return 0;
}

#ifndef CPPROF_LIBFUZZER
#include "t/fuzz/replay.h"

int main(void)
{
	replay_corpus("ring", 5, 60, NULL);
	return done_testing();
}
#endif
