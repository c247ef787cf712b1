/* Keeps the spans of time in which the run collects. */
#include "monitor/base/collection.h"

#include <stdio.h>
#include <string.h>

#define NOTED 100 /* spans that have a note each */

static int turn_on(struct collection *collection, uint64_t now)
{
	if (!vec_add(&collection->spans,
		    (struct collection_span){now, COLLECTION_NEVER}))
		return -1;
	collection->on = true;
	return 0;
}

static void turn_off(struct collection *collection, uint64_t now)
{
	collection->spans.v[collection->spans.n - 1].to = now;
	collection->on = false;
}

int collection_init(
	struct collection *collection, uint64_t delay, uint64_t duration)
{
	memset(collection, 0, sizeof *collection);
	collection->duration = duration;
	collection->begin = delay ? delay : COLLECTION_NEVER;
	collection->end = COLLECTION_NEVER;
	return delay ? 0 : turn_on(collection, 0);
}

void collection_fini(struct collection *collection)
{
	vec_free(&collection->spans);
}

static uint64_t later(uint64_t time, uint64_t by)
{
	return by < COLLECTION_NEVER - time ? time + by : COLLECTION_NEVER;
}

void collection_start(struct collection *collection, uint64_t now)
{
	collection->start = now;
	if (collection->begin != COLLECTION_NEVER)
		collection->begin = later(now, collection->begin);
	if (collection->on && collection->duration)
		collection->end = later(now, collection->duration);
}

void collection_finish(struct collection *collection, uint64_t now)
{
	if (collection->on)
		turn_off(collection, now);
}

/* Collecting begins; the first time when the delay is over. */
static int begin(struct collection *collection, uint64_t now)
{
	collection->begin = COLLECTION_NEVER;
	if (!collection->spans.n && collection->duration)
		collection->end = later(now, collection->duration);
	return turn_on(collection, now);
}

int collection_keep(
	struct collection *collection, unsigned toggles, uint64_t now)
{
	bool was = collection->on;

	if (now >= collection->begin && begin(collection, now))
		return -1;
	for (; toggles && now < collection->end; toggles--) {
		if (collection->on)
			turn_off(collection, now);
		else if (begin(collection, now))
			return -1;
	}
	if (now >= collection->end) {
		if (collection->on)
			turn_off(collection, now);
		collection->end = 0; /* for good */
	}
	return collection->on != was;
}

void collection_end(struct collection *collection, uint64_t now)
{
	if (collection->end > now)
		collection->end = now;
}

uint64_t collection_next(const struct collection *collection)
{
	if (!collection->end)
		return COLLECTION_NEVER;
	return collection->begin < collection->end ? collection->begin
						   : collection->end;
}

bool collection_is_over(const struct collection *collection, uint64_t now)
{
	return now >= collection->end;
}

uint64_t collection_collected(
	const struct collection *collection, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	/* mostly the last one: calls ask for recent times */
	for (size_t i = collection->spans.n; i-- > 0;) {
		const struct collection_span *s = &collection->spans.v[i];
		uint64_t a = s->from > from ? s->from : from;
		uint64_t b = s->to < to ? s->to : to;

		if (b > a)
			sum += b - a;
		if (s->from <= from)
			break;
	}
	return sum;
}

bool collection_is_whole(const struct collection *collection, uint64_t now)
{
	return collection->spans.n == 1 &&
	       collection->spans.v[0].from <= collection->start &&
	       collection->spans.v[0].to >= now;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static int note_span(const struct collection *collection,
	const struct collection_span *span, struct cpd_writer *writer,
	uint64_t now)
{
	uint64_t from =
		span->from > collection->start ? span->from : collection->start;
	uint64_t to = span->to < now ? span->to : now;
	char text[128];
	struct cpd_note note = {"collecting", text};

	snprintf(text, sizeof text, "on from %.6f s to %.6f s after the start",
		seconds(from - collection->start),
		seconds(to > collection->start ? to - collection->start : 0));
	return cpd_write_note(writer, &note);
}

int collection_note(const struct collection *collection,
	struct cpd_writer *writer, uint64_t now)
{
	char text[256];
	struct cpd_note note = {"collecting", text};

	if (collection_is_whole(collection, now))
		return 0;
	for (size_t i = 0; i < collection->spans.n && i < NOTED; i++)
		if (note_span(collection, &collection->spans.v[i], writer, now))
			return -1;
	if (collection->spans.n > NOTED)
		snprintf(text, sizeof text, "and %zu more times; ",
			collection->spans.n - NOTED);
	else
		text[0] = '\0';
	snprintf(text + strlen(text), sizeof text - strlen(text),
		"on for %.6f s of %.6f s, which is what the figures are about",
		seconds(collection_collected(
			collection, collection->start, now)),
		seconds(now - collection->start));
	return cpd_write_note(writer, &note);
}
