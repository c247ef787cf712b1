/* Reads one ring in place; merges the records of all by time, with a heap. */
#include "monitor/perf/ring.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/clock.h"

#define LINE 64
#define AHEAD 3072 /* of a sample: most stacks are unwound from this part */

#define CROWDED 0.9

/* perf's clock may be ahead by as much as the kernel corrects. */
#define CLOCK_SLACK 10000000

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
			(size_t)(ring->data - (const uint8_t *)ring->page) +
				ring->size);
	free(ring->bounce);
	memset(ring, 0, sizeof *ring);
}

/* The share that held unread records at the last refresh. */
static double fill_of(const struct ring *ring)
{
	return (double)(ring->head - ring->tail) / (double)ring->size;
}

static const uint8_t *byte_at(const struct ring *ring, uint64_t at)
{
	return ring->data + (at & (ring->size - 1));
}

/* How many of the N bytes at AT lie before the ring's end. */
static size_t straight(const struct ring *ring, uint64_t at, size_t n)
{
	uint64_t left = ring->size - (at & (ring->size - 1));

	return n < left ? n : (size_t)left;
}

static void copy_out(const struct ring *ring, uint64_t at, void *to, size_t n)
{
	size_t first = straight(ring, at, n);

	memcpy(to, byte_at(ring, at), first);
	memcpy((uint8_t *)to + first, ring->data, n - first);
}

/* The record at the tail, in one piece. */
static const struct perf_event_header *ring_peek(struct ring *ring)
{
	const uint8_t *at = byte_at(ring, ring->tail);
	size_t length = ring->header.size;

	if (!ring->remade && (uintptr_t)at % 8 == 0 &&
		straight(ring, ring->tail, length) == length)
		return (const struct perf_event_header *)at;
	copy_out(ring, ring->tail, ring->bounce, length);
	memcpy(ring->bounce, &ring->header, sizeof ring->header);
	return (struct perf_event_header *)ring->bounce;
}

/* At the end of any record that is no sample (sample_id_all). */
#define ID_BYTES 24

/* The least length of a record of that kind; 0: there are none here. */
static size_t least_length(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE: /* id, tid and time, in front */
	case PERF_RECORD_SWITCH:
		return sizeof(struct perf_event_header) + ID_BYTES;
	case PERF_RECORD_COMM:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return 16 + ID_BYTES;
	case PERF_RECORD_LOST:
		return 24 + ID_BYTES;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return 32 + ID_BYTES;
	case PERF_RECORD_MMAP2:
		return 72 + ID_BYTES;
	default:
		return 0;
	}
}

/* The time of the record at the tail: behind id and tid, or before the id. */
static uint64_t time_of(
	const struct ring *ring, const struct perf_event_header *header)
{
	uint64_t at = header->type == PERF_RECORD_SAMPLE ? sizeof *header + 16
							 : header->size - 16u;
	uint64_t time;

	copy_out(ring, ring->tail + at, &time, sizeof time);
	return time;
}

static bool is_zero(const struct perf_event_header *header)
{
	return !header->type && !header->misc && !header->size;
}

/*
 * Makes the header of the record at the tail, with AVAILABLE bytes in the ring;
 * else it stays as it is.  It is a sample: an interrupt writes nothing else.
 */
static void remake(const struct ring *ring, const struct merge *merge,
	struct perf_event_header *header, uint64_t available)
{
	size_t most = UINT16_MAX - sizeof *header, n;
	struct perf_sample sample;
	uint64_t id, type;

	if (available < least_length(PERF_RECORD_SAMPLE))
		return;
	if (available - sizeof *header < most)
		most = (size_t)(available - sizeof *header);
	copy_out(ring, ring->tail + sizeof *header, ring->bounce, most);
	memcpy(&id, ring->bounce, sizeof id);
	type = merge->type_of(merge->arg, id);
	n = type ? perf_sample_parse(type, ring->bounce, most, &sample) : 0;
	if (!n)
		return;
	header->type = PERF_RECORD_SAMPLE;
	header->misc = PERF_RECORD_MISC_KERNEL; /* it interrupted the kernel */
	header->size = (uint16_t)(sizeof *header + n);
}

/* Checks the header of the record at the tail; false: it is impossible. */
static bool read_record(struct ring *ring, const struct merge *merge)
{
	uint64_t available = ring->head - ring->tail;
	struct perf_event_header header;
	size_t least;

	if (available < sizeof header || available > ring->size)
		return false;
	copy_out(ring, ring->tail, &header, sizeof header);
	ring->remade = ring->overran && is_zero(&header);
	if (ring->remade)
		remake(ring, merge, &header, available);
	least = least_length(header.type);
	if (!least || header.size < least || header.size > available)
		return false;
	ring->header = header;
	ring->crowded |= header.type == PERF_RECORD_LOST;
	ring->time = time_of(ring, &header);
	return ring->time <= merge->now;
}

static void ring_advance(struct ring *ring, uint64_t tail)
{
	ring->tail = tail;
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/* Whether there is a record at the tail; checks it. */
static bool ring_has_record(struct ring *ring, const struct merge *merge)
{
	if (ring->head == ring->tail)
		return false;
	if (read_record(ring, merge))
		return true;
	/* a record always ends at the head */
	ring->dropped++;
	ring->overran = false;
	ring_advance(ring, ring->head);
	return false;
}

/*
 * Whether the kernel may have overwritten the header behind the record at the
 * tail.
 */
static bool has_overrun(struct ring *ring, const struct merge *merge)
{
	const uint8_t *record;
	struct perf_sample sample;
	uint64_t last, id, type;

	copy_out(ring, ring->tail + ring->header.size - sizeof last, &last,
		sizeof last);
	if (last) /* the size of a stack that is there */
		return false;
	record = (const uint8_t *)ring_peek(ring);
	if (((const struct perf_event_header *)record)->type !=
		PERF_RECORD_SAMPLE)
		return false;
	record += sizeof(struct perf_event_header);
	memcpy(&id, record, sizeof id);
	type = merge->type_of(merge->arg, id);
	return type &&
	       perf_sample_parse(type, record,
		       ring->header.size - sizeof(struct perf_event_header),
		       &sample) &&
	       perf_sample_overran(type, &sample);
}

/*
 * Another processor has written the records, so each word would cause a cache
 * miss: fetches the next record while this one is handled.  Without this and
 * the other prefetches (stack/previous.c, lib/hash.h,
 * cpprofdata/writer_samples.c) the monitor takes 1.19 times the CPU time in a
 * flood of 300 000 page faults.
 */
static void fetch_next(const struct ring *ring, size_t size)
{
	uint64_t at = ring->tail + size, end = at + AHEAD;

	if (end > ring->head)
		end = ring->head;
	for (; at < end; at += LINE)
		__builtin_prefetch(ring->data + (at & (ring->size - 1)));
}

int merge_init(struct merge *merge, struct ring **rings, size_t n,
	ring_type_of *type_of, const void *arg)
{
	*merge = (struct merge){.type_of = type_of, .arg = arg};
	merge_set(merge, rings, n);
	return merge_reserve(merge, n ? n : 1);
}

int merge_reserve(struct merge *merge, size_t n)
{
	struct ring **heap = realloc(merge->heap, n * sizeof *heap);

	if (heap)
		merge->heap = heap;
	return heap ? 0 : -1;
}

void merge_set(struct merge *merge, struct ring **rings, size_t n)
{
	merge->rings = rings;
	merge->n = n;
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

double merge_fill(const struct merge *merge)
{
	double most = 0;

	for (size_t i = 0; i < merge->nheap; i++)
		if (fill_of(merge->heap[i]) > most)
			most = fill_of(merge->heap[i]);
	return most;
}

void merge_refresh(struct merge *merge)
{
	for (size_t i = 0; i < merge->n; i++)
		merge->rings[i]->head = __atomic_load_n(
			&merge->rings[i]->page->data_head, __ATOMIC_ACQUIRE);
	merge->now = clock_now() + CLOCK_SLACK;
	merge->nheap = 0;
	for (size_t i = 0; i < merge->n; i++) {
		struct ring *ring = merge->rings[i];

		ring->crowded |= fill_of(ring) > CROWDED;
		if (ring_has_record(ring, merge))
			merge->heap[merge->nheap++] = ring;
	}
	for (size_t i = merge->nheap / 2; i-- > 0;)
		sift_down(merge, i);
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

	ring->overran = has_overrun(ring, merge);
	ring_advance(ring, ring->tail + ring->header.size);
	if (!ring_has_record(ring, merge))
		merge->heap[0] = merge->heap[--merge->nheap];
	if (merge->nheap)
		sift_down(merge, 0);
}

const struct ring *merge_ring(const struct merge *merge)
{
	return merge->heap[0];
}
