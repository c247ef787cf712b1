/*
 * Rings read in place and merged by time, against a list of what was written:
 * made-up rings in ordinary memory, filled as the kernel does, records of every
 * size wrapping around the end anywhere, horizons between them.
 */
#include <stdint.h>
#include <string.h>

#include "monitor/perf/ring.h"
#include "t/lib/tap.h"

#define RINGS 5
#define RING_SIZE 4096u
#define RECORDS_MAX 4096

struct written {
	uint64_t time;
	uint32_t ring, number; /* of its ring, from 0 */
	uint16_t size;
	uint32_t type;
};

static struct ring rings[RINGS], *pointers[RINGS];
static uint64_t last_time[RINGS];
static uint32_t numbers[RINGS], seen[RINGS];
static struct written queue[RECORDS_MAX]; /* not read yet, as written */
static size_t nqueue;
static uint64_t state = 20260721;
static unsigned wrong;

static uint32_t roll(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static void make_ring(struct ring *ring)
{
	ring->page = calloc(1, sizeof *ring->page);
	ring->data = malloc(RING_SIZE);
	ring->bounce = malloc(UINT16_MAX + 1);
	ring->size = RING_SIZE;
	if (!ring->page || !ring->data || !ring->bounce)
		abort();
}

/* As the kernel writes: byte by byte around the end, then the new head. */
static bool append(struct ring *ring, const void *record, size_t n)
{
	uint64_t head = ring->page->data_head;

	if (head + n - ring->page->data_tail > RING_SIZE)
		return false;
	for (size_t i = 0; i < n; i++)
		ring->data[(head + i) % RING_SIZE] =
			((const uint8_t *)record)[i];
	ring->page->data_head = head + n;
	return true;
}

/* A record of its ring's next time: a sample, or one with its time behind. */
static void write_one(uint32_t r)
{
	uint64_t words[128] = {0};
	struct perf_event_header header = {
		.type = roll(2) ? PERF_RECORD_SAMPLE : PERF_RECORD_COMM,
		.size = (uint16_t)(8 * (6 + roll(120))),
	};
	size_t n = header.size / 8;
	struct written *w = &queue[nqueue];

	if (nqueue == RECORDS_MAX)
		return;
	*w = (struct written){last_time[r] + roll(6), r, numbers[r],
		header.size, header.type};
	for (size_t i = 1; i < n; i++)
		words[i] = (uint64_t)numbers[r] << 32 | i;
	memcpy(words, &header, sizeof header);
	words[header.type == PERF_RECORD_SAMPLE ? 3 : n - 2] = w->time;
	if (!append(&rings[r], words, header.size))
		return;
	last_time[r] = w->time;
	numbers[r]++;
	nqueue++;
}

static void check_body(const struct written *w, const uint64_t *words)
{
	size_t n = w->size / 8;
	size_t time = w->type == PERF_RECORD_SAMPLE ? 3 : n - 2;

	for (size_t i = 1; i < n; i++)
		wrong += words[i] !=
			 (i == time ? w->time : (uint64_t)w->number << 32 | i);
}

/* The record must be the next of some ring, and none unread is earlier. */
static void check(
	const struct perf_event_header *header, uint64_t time, uint64_t horizon)
{
	const uint64_t *words = (const uint64_t *)header;
	uint32_t number = (uint32_t)(words[1] >> 32);
	size_t found = nqueue;

	for (size_t i = 0; i < nqueue; i++) {
		const struct written *w = &queue[i];

		wrong += w->time < time;
		if (found == nqueue && w->time == time && w->number == number &&
			w->size == header->size && w->type == header->type &&
			seen[w->ring] == number)
			found = i;
	}
	wrong += time >= horizon || found == nqueue;
	if (found == nqueue)
		return;
	check_body(&queue[found], words);
	seen[queue[found].ring]++;
	queue[found] = queue[--nqueue];
}

/* Reads up to HORIZON; afterwards nothing before it may be left. */
static size_t read_all(struct merge *merge, uint64_t horizon)
{
	const struct perf_event_header *header;
	uint64_t time, before = 0;
	size_t n = 0;

	merge_refresh(merge);
	for (; (header = merge_next(merge, horizon, &time)); n++) {
		wrong += time < before;
		before = time;
		check(header, time, horizon);
		merge_done(merge);
	}
	for (size_t i = 0; i < nqueue; i++)
		wrong += queue[i].time < horizon;
	return n;
}

static uint64_t some_time(void)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < nqueue; i++)
		if (queue[i].time < least)
			least = queue[i].time;
	return least == UINT64_MAX ? 0 : least + roll(100);
}

int main(void)
{
	struct merge merge;
	size_t total = 0, held = 0;
	double fill;

	for (size_t r = 0; r < RINGS; r++) {
		make_ring(&rings[r]);
		pointers[r] = &rings[r];
	}
	ok(merge_init(&merge, pointers, RINGS, type_of, NULL) == 0,
		"a merge of 5 rings");
	ok(merge_refresh(&merge) == 0, "empty rings are empty");
	ok(read_all(&merge, UINT64_MAX) == 0, "... and give nothing");
	for (unsigned round = 0; round < 20000; round++) {
		for (uint32_t n = roll(12); n > 0; n--)
			write_one(roll(RINGS));
		total += read_all(&merge, some_time());
		held += nqueue > 0;
	}
	total += read_all(&merge, UINT64_MAX);
	ok(wrong == 0, "%zu records in order of time, whole, up to the horizon",
		total);
	ok(nqueue == 0, "... and all of them in the end");
	ok(held > 1000, "... later ones wait in their rings (%zu times)", held);
	ok(rings[0].tail > 100 * RING_SIZE, "... around the end many times");
	for (uint32_t i = 0; i < 1000; i++)
		write_one(0);
	fill = merge_refresh(&merge);
	ok(fill > 0.7 && fill <= 1, "a full ring says so (%.2f)", fill);
	merge_fini(&merge);
	for (size_t r = 0; r < RINGS; r++) {
		free(rings[r].page);
		free(rings[r].data);
		free(rings[r].bounce);
	}
	return done_testing();
}
