/* Walks through the frames of a thread that stands still. */
#include <stdlib.h>

#include "monitor/interpreter/awaits.h"

struct interpreter_walk;
static int read_stopped(
	struct interpreter_walk *w, void *to, size_t n, uint64_t addr);
static bool is_known(
	struct interpreter_walk *w, uint64_t addr, uint64_t version);

#define WALK_READ(w, to, n, addr) read_stopped(w, to, n, addr)
#define WALK_KNOWS(w, code, version) is_known(w, code, version)
#define WALK_TOLD(w) ((void)(w))
#include "monitor/interpreter/walk.h"

#define STEPS_MOST 100000

struct stopped_walk {
	struct interpreter_walk walk; /* first */
	const struct stopped_thread *thread;
	const struct interpreted_process *process;
	uint64_t frame, anchor; /* the last ones told, until there are */
	await_frames awaits;    /* of the task in that activation */
};

static int read_stopped(
	struct interpreter_walk *w, void *to, size_t n, uint64_t addr)
{
	const struct stopped_walk *all = (const struct stopped_walk *)w;

	return all->thread->read(all->thread->arg, addr, to, n) ? 0 : -1;
}

static bool is_known(
	struct interpreter_walk *w, uint64_t addr, uint64_t version)
{
	const struct stopped_walk *all = (const struct stopped_walk *)w;

	return all->process &&
	       interpreted_process_knows(all->process, addr, version);
}

/* Tells what was walked so far. */
static int tell(struct interpreters *all, struct interpreted_process **process,
	struct told_frames *told, struct stopped_walk *s,
	enum interpreter_end end)
{
	const struct told_part part = {.number = told->number,
		.end = end,
		.items = (const uint8_t *)s->walk.told,
		.n = s->walk.size};

	s->walk.size = 0;
	if (interpreters_tell(all, process, told, &part))
		return -1;
	s->process = *process;
	return 0;
}

/* The step from FRAME and CFRAME on may have left an activation. */
static bool seek_awaits(struct stopped_walk *s, uint64_t frame, uint64_t cframe)
{
	const struct python_layout *l = &s->walk.place.layout;

	if (!s->walk.complete || l->is_entry)
		s->frame = frame;
	if (!s->walk.complete || s->awaits.n)
		return true;
	s->anchor = l->cframe ? cframe : frame;
	return awaits_find(s->thread, s->frame, s->walk.frame, &s->awaits);
}

/* Tells what awaits the task, as called by the native frame of its activation.
 */
static int tell_awaits(struct interpreters *all,
	struct interpreted_process **process, struct told_frames *told,
	struct stopped_walk *s)
{
	struct interpreter_walk *w = &s->walk;
	int failed = 0, end = INTERPRETER_MORE;

	walk_tell(w, INTERPRETER_STATE, 0, 0, 0);
	/* these frames enter nothing now */
	w->place.layout.entry = UINT16_MAX;
	for (size_t i = 0; i < s->awaits.n && end == INTERPRETER_MORE; i++) {
		w->phase = WALK_FRAMES;
		w->frame = s->awaits.v[i];
		do
			end = walk_step(w);
		while (w->phase == WALK_CODE && end == INTERPRETER_MORE);
		if (w->size > INTERPRETER_ROOM / 2)
			failed |=
				tell(all, process, told, s, INTERPRETER_WHOLE);
	}
	walk_tell(w, INTERPRETER_ANCHOR, 0, s->anchor, 0);
	return failed | tell(all, process, told, s, INTERPRETER_WHOLE);
}

int interpreters_walk(struct interpreters *all,
	struct interpreted_process **process, struct told_frames *told,
	const struct stopped_thread *thread)
{
	struct stopped_walk *s = calloc(1, sizeof *s);
	enum interpreter_end end = INTERPRETER_MORE;
	int failed = s ? 0 : -1;

	told->items.n = 0;
	if (!++told->number)
		told->number++;
	if (s) {
		s->walk.place = *thread->place;
		s->walk.thread = (uint64_t)thread->number;
		s->thread = thread;
		s->process = *process;
	}
	for (unsigned i = 0;
		!failed && i < STEPS_MOST &&
		(end == INTERPRETER_MORE || end == INTERPRETER_FULL);
		i++) {
		struct interpreter_walk *w = &s->walk;
		uint64_t frame = w->phase == WALK_FRAMES ? w->frame : 0;
		uint64_t cframe = w->cframe;

		end = (enum interpreter_end)walk_step(w);
		if (frame && thread->awaits && !seek_awaits(s, frame, cframe))
			failed = -1;
		if (end != INTERPRETER_MORE && end != INTERPRETER_ABSENT)
			failed |= tell(all, process, told, s, end);
	}
	if (!failed && end == INTERPRETER_WHOLE && s->awaits.n)
		failed = tell_awaits(all, process, told, s);
	if (s)
		vec_free(&s->awaits);
	free(s);
	return failed ? -1
		      : end == INTERPRETER_WHOLE || end == INTERPRETER_TORN;
}
