/*
 * Rings read in place and merged by time, against a list of what was written:
 * made-up rings, which the reader cannot write to, filled as the kernel does,
 * records of every size wrapping around the end anywhere, horizons between
 * them. Then what no ring should have.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "monitor/perf/ring.h"
#include "t/lib/draw.h"
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
static uint8_t *kernels[RINGS]; /* their data, to be written to */
static uint64_t last_time[RINGS];
static uint32_t numbers[RINGS], seen[RINGS];
static struct written queue[RECORDS_MAX]; /* not read yet, as written */
static size_t nqueue;
static unsigned wrong;
static bool odd; /* sizes are not multiples of 8 */

/* A write to its data is a signal, as it is of the kernel's rings. */
static void make_ring(size_t r)
{
	int fd = memfd_create("ring", 0);
	struct ring *ring = &rings[r];

	ring->page = calloc(1, sizeof *ring->page);
	ring->bounce = malloc(UINT16_MAX + 1);
	ring->size = RING_SIZE;
	if (!ring->page || !ring->bounce || fd < 0 || ftruncate(fd, RING_SIZE))
		abort();
	kernels[r] = mmap(
		NULL, RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ring->data = mmap(NULL, RING_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (kernels[r] == MAP_FAILED || ring->data == MAP_FAILED)
		abort();
	close(fd);
}

/* As the kernel writes: byte by byte around the end, then the new head. */
static bool append(struct ring *ring, const void *record, size_t n)
{
	uint8_t *data = kernels[ring - rings];
	uint64_t head = ring->page->data_head;

	if (head + n - ring->page->data_tail > RING_SIZE)
		return false;
	for (size_t i = 0; i < n; i++)
		data[(head + i) % RING_SIZE] = ((const uint8_t *)record)[i];
	ring->page->data_head = head + n;
	return true;
}

/* What is written for W. */
static void make_bytes(const struct written *w, uint8_t *bytes)
{
	struct perf_event_header header = {.type = w->type, .size = w->size};
	uint64_t words[129] = {0};

	for (size_t i = 1; i < 129; i++)
		words[i] = (uint64_t)w->number << 32 | i;
	memcpy(words, &header, sizeof header);
	memcpy(bytes, words, w->size);
	memcpy(bytes + (w->type == PERF_RECORD_SAMPLE ? 24 : w->size - 16),
		&w->time, sizeof w->time);
}

/* A record of its ring's next time: a sample, or one with its time behind. */
static void write_one(uint32_t r)
{
	struct written *w = &queue[nqueue];
	uint8_t bytes[1032];

	if (nqueue == RECORDS_MAX)
		return;
	*w = (struct written){
		.time = last_time[r] + draw(6),
		.ring = r,
		.number = numbers[r],
		.size = (uint16_t)(8 * (6 + draw(120)) + (odd ? draw(8) : 0)),
		.type = draw(2) ? PERF_RECORD_SAMPLE : PERF_RECORD_COMM,
	};
	make_bytes(w, bytes);
	if (!append(&rings[r], bytes, w->size))
		return;
	last_time[r] = w->time;
	numbers[r]++;
	nqueue++;
}

static void check_body(const struct written *w, const uint64_t *words)
{
	uint8_t bytes[1032];

	make_bytes(w, bytes);
	wrong += (uintptr_t)words % 8 || memcmp(words, bytes, w->size);
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
	return least == UINT64_MAX ? 0 : least + draw(100);
}

/* Ids of events. */
enum { NOBODY, WITH_STACK, WITH_RAW };

static uint64_t type_of(const void *arg, uint64_t id)
{
	(void)arg;
	switch (id) {
	case WITH_STACK:
		return PERF_SAMPLE_HEAD | PERF_SAMPLE_STACK;
	case WITH_RAW:
		return PERF_SAMPLE_HEAD | PERF_SAMPLE_RAW;
	default:
		return 0;
	}
}

/*
 * A sample with ROOM bytes of stack or raw data, as long as the kernel says it
 * is; returns that.
 */
static size_t make_sample(
	uint8_t *bytes, uint64_t id, uint64_t time, uint32_t room)
{
	uint64_t words[4] = {0, id, 42, time}, abi = PERF_SAMPLE_REGS_ABI_64;
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE};
	uint8_t *at = bytes + sizeof words;
	uint64_t size = room;

	memset(bytes, 0, 512);
	if (id == WITH_RAW) {
		memcpy(at, &room, sizeof room);
		at += sizeof room + room;
	} else {
		memcpy(at, &abi, sizeof abi);
		at += sizeof abi + PERF_REGS_COUNT * sizeof(uint64_t);
		memcpy(at, &size, sizeof size);
		at += sizeof size + (room ? room + sizeof size : 0);
	}
	header.size = (uint16_t)(at - bytes);
	memcpy(bytes, words, sizeof words);
	memcpy(bytes, &header, sizeof header);
	return header.size;
}

/* Begins anew with an empty ring, at AT. */
static void restart(struct ring *ring, uint64_t at)
{
	ring->tail = ring->head = at;
	ring->page->data_head = ring->page->data_tail = at;
	ring->overran = false;
	ring->dropped = 0;
}

/* The next record is the sample of TIME, SIZE bytes. */
static bool is_next(struct merge *merge, uint64_t time, size_t size)
{
	uint64_t got;
	const struct perf_event_header *header =
		merge_next(merge, UINT64_MAX, &got);
	bool right = header && header->type == PERF_RECORD_SAMPLE &&
		     got == time && header->size == size;

	if (header)
		merge_done(merge);
	return right;
}

/* A header that is lost behind a sample without a stack, at any byte. */
static void lose_headers(struct merge *merge)
{
	struct ring *ring = &rings[0];
	unsigned bad = 0;
	uint8_t bytes[512];

	for (uint64_t at = 0; at < RING_SIZE; at++) {
		size_t n[4];
		uint64_t id = at % 2 ? WITH_STACK : WITH_RAW;

		restart(ring, at);
		n[0] = make_sample(bytes, WITH_STACK, 1, 0);
		append(ring, bytes, n[0]);
		n[1] = make_sample(bytes, id, 2, at % 3 ? 52 : 0);
		memset(bytes, 0, sizeof(struct perf_event_header));
		append(ring, bytes, n[1]);
		n[2] = make_sample(bytes, WITH_STACK, 3, 16);
		append(ring, bytes, n[2]);
		merge_refresh(merge);
		for (size_t i = 0; i < 3; i++)
			bad += !is_next(merge, i + 1, n[i]);
		bad += ring->dropped || ring->tail != ring->head;
	}
	ok(bad == 0, "a header that the kernel lost is made anew (%u wrong)",
		bad);
}

/* What begins with HEADER costs what is in the ring, and nothing after. */
static bool is_dropped(
	struct merge *merge, struct perf_event_header header, uint64_t time)
{
	struct ring *ring = &rings[0];
	uint8_t bytes[512];
	size_t n = make_sample(bytes, WITH_STACK, time, 16);
	bool right;

	restart(ring, 4091);
	memcpy(bytes, &header, sizeof header);
	append(ring, bytes, n);
	n = make_sample(bytes, WITH_STACK, 5, 16);
	append(ring, bytes, n);
	merge_refresh(merge);
	right = !is_next(merge, 5, n) && ring->dropped == 1 &&
		ring->page->data_tail == ring->page->data_head;
	append(ring, bytes, n);
	merge_refresh(merge);
	return right && is_next(merge, 5, n) && ring->dropped == 1;
}

static void drop_what_is_wrong(struct merge *merge)
{
	struct perf_event_header good = {
		.type = PERF_RECORD_SAMPLE, .size = 200};
	struct perf_event_header none = {0}, brief = good, vast = good,
				 strange = good, hollow = good;

	brief.size = 7;
	vast.size = 4000;
	strange.type = 77;
	hollow.size = 24;
	ok(is_dropped(merge, none, 1), "a header of zeroes behind nothing");
	ok(is_dropped(merge, brief, 1), "a record shorter than its header");
	ok(is_dropped(merge, hollow, 1), "... than what all of its kind have");
	ok(is_dropped(merge, vast, 1), "one longer than what is there");
	ok(is_dropped(merge, strange, 1), "one of an unknown kind");
	ok(is_dropped(merge, good, UINT64_MAX / 2), "one that is yet to come");
}

int main(void)
{
	struct merge merge;
	size_t total = 0, held = 0;
	uint64_t dropped = 0;
	double fill;

	for (size_t r = 0; r < RINGS; r++) {
		make_ring(r);
		pointers[r] = &rings[r];
	}
	ok(merge_init(&merge, pointers, RINGS, type_of, NULL) == 0,
		"a merge of 5 rings");
	merge_refresh(&merge);
	ok(merge_fill(&merge) == 0, "empty rings are empty");
	ok(read_all(&merge, UINT64_MAX) == 0, "... and give nothing");
	for (unsigned round = 0; round < 20000; round++) {
		odd = round >= 10000;
		for (uint32_t n = draw(12); n > 0; n--)
			write_one(draw(RINGS));
		total += read_all(&merge, some_time());
		held += nqueue > 0;
	}
	total += read_all(&merge, UINT64_MAX);
	ok(wrong == 0, "%zu records in order of time, whole, up to the horizon",
		total);
	ok(nqueue == 0, "... and all of them in the end");
	ok(held > 1000, "... later ones wait in their rings (%zu times)", held);
	ok(rings[0].tail > 100 * RING_SIZE, "... around the end many times");
	for (size_t r = 0; r < RINGS; r++)
		dropped += rings[r].dropped;
	ok(dropped == 0, "... and none was taken for a wrong one");
	for (uint32_t i = 0; i < 1000; i++)
		write_one(0);
	merge_refresh(&merge);
	fill = merge_fill(&merge);
	ok(fill > 0.7 && fill <= 1, "a full ring says so (%.2f)", fill);
	lose_headers(&merge);
	drop_what_is_wrong(&merge);
	merge_fini(&merge);
	for (size_t r = 0; r < RINGS; r++) {
		free(rings[r].page);
		free(rings[r].bounce);
	}
	return done_testing();
}
