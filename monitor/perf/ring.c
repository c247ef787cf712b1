#include "monitor/perf/ring.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE 64
#define AHEAD 3072 /* of a sample: what most stacks are found by */

int ring_open(struct ring *ring, int fd, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map;

	memset(ring, 0, sizeof *ring);
	map = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
		fd, 0);
	if (map == MAP_FAILED)
		return -1;
	ring->page = map;
	ring->data = (uint8_t *)map + page;
	ring->size = pages * page;
	ring->bounce = malloc(UINT16_MAX + 1);
	if (!ring->bounce) {
		ring_close(ring);
		return -1;
	}
	return 0;
}

void ring_close(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page,
			(size_t)(ring->data - (uint8_t *)ring->page) +
				ring->size);
	free(ring->bounce);
	memset(ring, 0, sizeof *ring);
}

double ring_fill(const struct ring *ring)
{
	return (double)(ring->head - ring->tail) / (double)ring->size;
}

static bool ring_empty(const struct ring *ring)
{
	return ring->head - ring->tail < sizeof(struct perf_event_header);
}

/* Records are multiples of 8 bytes, so a header never wraps. */
static const struct perf_event_header *ring_peek(struct ring *ring)
{
	uint64_t at = ring->tail & (ring->size - 1);
	struct perf_event_header *header =
		(struct perf_event_header *)(ring->data + at);
	size_t first;

	if (at + header->size <= ring->size)
		return header;
	first = ring->size - at;
	memcpy(ring->bounce, header, first);
	memcpy(ring->bounce + first, ring->data, header->size - first);
	return (struct perf_event_header *)ring->bounce;
}

static uint64_t word(const struct ring *ring, uint64_t at)
{
	uint64_t value;

	memcpy(&value, ring->data + (at & (ring->size - 1)), sizeof value);
	return value;
}

/*
 * sample_type IDENTIFIER | TID | TIME | later fields: a sample has id, tid,
 * time behind its header; any other record has tid, time, id at its end.
 */
static void ring_read_time(struct ring *ring)
{
	const struct perf_event_header *header =
		(const struct perf_event_header *)(ring->data +
						   (ring->tail &
							   (ring->size - 1)));

	if (header->type == PERF_RECORD_SAMPLE)
		ring->time = word(ring, ring->tail + sizeof *header + 16);
	else
		ring->time = word(ring, ring->tail + header->size - 16);
}

/*
 * Another processor has written the records, and each word read would be
 * waited for by itself: the next one is on its way while this one is handled.
 */
static void fetch_next(const struct ring *ring, size_t size)
{
	uint64_t at = ring->tail + size, end = at + AHEAD;

	if (end > ring->head)
		end = ring->head;
	for (; at < end; at += LINE)
		__builtin_prefetch(ring->data + (at & (ring->size - 1)));
}

int merge_init(struct merge *merge, struct ring **rings, size_t n)
{
	merge->rings = rings;
	merge->n = n;
	merge->nheap = 0;
	merge->heap = calloc(n ? n : 1, sizeof *merge->heap);
	return merge->heap ? 0 : -1;
}

void merge_fini(struct merge *merge)
{
	free(merge->heap);
	memset(merge, 0, sizeof *merge);
}

static void sift_down(struct merge *merge, size_t i)
{
	struct ring *ring = merge->heap[i];
	size_t child;

	while ((child = 2 * i + 1) < merge->nheap) {
		if (child + 1 < merge->nheap &&
			merge->heap[child + 1]->time < merge->heap[child]->time)
			child++;
		if (ring->time <= merge->heap[child]->time)
			break;
		merge->heap[i] = merge->heap[child];
		i = child;
	}
	merge->heap[i] = ring;
}

double merge_refresh(struct merge *merge)
{
	double fill = 0;

	merge->nheap = 0;
	for (size_t i = 0; i < merge->n; i++) {
		struct ring *ring = merge->rings[i];

		ring->head = __atomic_load_n(
			&ring->page->data_head, __ATOMIC_ACQUIRE);
		if (ring_empty(ring))
			continue;
		ring_read_time(ring);
		if (ring_fill(ring) > fill)
			fill = ring_fill(ring);
		merge->heap[merge->nheap++] = ring;
	}
	for (size_t i = merge->nheap / 2; i-- > 0;)
		sift_down(merge, i);
	return fill;
}

const struct perf_event_header *merge_next(
	struct merge *merge, uint64_t horizon, uint64_t *time)
{
	const struct perf_event_header *header;

	if (merge->nheap == 0 || merge->heap[0]->time >= horizon)
		return NULL;
	*time = merge->heap[0]->time;
	header = ring_peek(merge->heap[0]);
	fetch_next(merge->heap[0], header->size);
	return header;
}

void merge_done(struct merge *merge)
{
	struct ring *ring = merge->heap[0];
	const struct perf_event_header *header =
		(const struct perf_event_header *)(ring->data +
						   (ring->tail &
							   (ring->size - 1)));

	ring->tail += header->size;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	if (ring_empty(ring))
		merge->heap[0] = merge->heap[--merge->nheap];
	else
		ring_read_time(ring);
	if (merge->nheap)
		sift_down(merge, 0);
}
