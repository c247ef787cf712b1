#include "monitor/collection.h"

#include <stdio.h>
#include <string.h>

#define NOTED 100 /* spans that have a note each */

static int turn_on(struct pace *pace, uint64_t now)
{
	struct pace_span *span = vec_push(&pace->spans);

	if (!span)
		return -1;
	*span = (struct pace_span){now, PACE_NEVER};
	pace->on = true;
	return 0;
}

static void turn_off(struct pace *pace, uint64_t now)
{
	pace->spans.v[pace->spans.n - 1].to = now;
	pace->on = false;
}

int pace_init(struct pace *pace, uint64_t delay, uint64_t duration)
{
	memset(pace, 0, sizeof *pace);
	pace->duration = duration;
	pace->begin = delay ? delay : PACE_NEVER;
	pace->end = PACE_NEVER;
	return delay ? 0 : turn_on(pace, 0);
}

void pace_fini(struct pace *pace)
{
	vec_free(&pace->spans);
}

static uint64_t later(uint64_t time, uint64_t by)
{
	return by < PACE_NEVER - time ? time + by : PACE_NEVER;
}

void pace_start(struct pace *pace, uint64_t now)
{
	pace->start = now;
	if (pace->begin != PACE_NEVER)
		pace->begin = later(now, pace->begin);
	if (pace->on && pace->duration)
		pace->end = later(now, pace->duration);
}

void pace_finish(struct pace *pace, uint64_t now)
{
	if (pace->on)
		turn_off(pace, now);
}

/* Collecting begins, for the first time if it is by the delay. */
static int begin(struct pace *pace, uint64_t now)
{
	pace->begin = PACE_NEVER;
	if (!pace->spans.n && pace->duration)
		pace->end = later(now, pace->duration);
	return turn_on(pace, now);
}

int pace_keep(struct pace *pace, unsigned toggles, uint64_t now)
{
	bool was = pace->on;

	if (now >= pace->begin && begin(pace, now))
		return -1;
	for (; toggles && now < pace->end; toggles--) {
		if (pace->on)
			turn_off(pace, now);
		else if (begin(pace, now))
			return -1;
	}
	if (now >= pace->end) {
		if (pace->on)
			turn_off(pace, now);
		pace->end = 0; /* for good */
	}
	return pace->on != was;
}

uint64_t pace_next(const struct pace *pace)
{
	if (!pace->end)
		return PACE_NEVER;
	return pace->begin < pace->end ? pace->begin : pace->end;
}

bool pace_is_over(const struct pace *pace, uint64_t now)
{
	return now >= pace->end;
}

uint64_t pace_collected(const struct pace *pace, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	/* mostly the last one: what is asked for has just happened */
	for (size_t i = pace->spans.n; i-- > 0;) {
		const struct pace_span *s = &pace->spans.v[i];
		uint64_t a = s->from > from ? s->from : from;
		uint64_t b = s->to < to ? s->to : to;

		if (b > a)
			sum += b - a;
		if (s->from <= from)
			break;
	}
	return sum;
}

bool pace_is_whole(const struct pace *pace, uint64_t now)
{
	return pace->spans.n == 1 && pace->spans.v[0].from <= pace->start &&
	       pace->spans.v[0].to >= now;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static int note_span(const struct pace *pace, const struct pace_span *span,
	struct cpd_writer *writer, uint64_t now)
{
	uint64_t from = span->from > pace->start ? span->from : pace->start;
	uint64_t to = span->to < now ? span->to : now;
	char text[128];
	struct cpd_note note = {"collecting", text};

	snprintf(text, sizeof text, "on from %.6f s to %.6f s after the start",
		seconds(from - pace->start),
		seconds(to > pace->start ? to - pace->start : 0));
	return cpd_write_note(writer, &note);
}

int pace_note(const struct pace *pace, struct cpd_writer *writer, uint64_t now)
{
	char text[256];
	struct cpd_note note = {"collecting", text};

	if (pace_is_whole(pace, now))
		return 0;
	for (size_t i = 0; i < pace->spans.n && i < NOTED; i++)
		if (note_span(pace, &pace->spans.v[i], writer, now))
			return -1;
	if (pace->spans.n > NOTED)
		snprintf(text, sizeof text, "and %zu more times; ",
			pace->spans.n - NOTED);
	else
		text[0] = '\0';
	snprintf(text + strlen(text), sizeof text - strlen(text),
		"on for %.6f s of %.6f s, which is what the figures are about",
		seconds(pace_collected(pace, pace->start, now)),
		seconds(now - pace->start));
	return cpd_write_note(writer, &note);
}
