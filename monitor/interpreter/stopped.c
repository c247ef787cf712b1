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
#define SELECT_MOST 2 /* frames in which an event loop waits */

struct stopped_walk {
	struct interpreter_walk walk; /* first */
	const struct stopped_thread *thread;
	const struct interpreted_process *process;
	uint64_t frame, anchor; /* the last ones told, until there are */
	await_frames awaits;    /* of the task in that activation */
	uint64_t callee; /* the frame that w->frame called, if just told */
	unsigned deep;   /* that many were told */
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

	s->callee = frame;
	s->deep++;
	if (!s->walk.complete || l->is_entry)
		s->frame = frame;
	if (!s->walk.complete || s->awaits.n)
		return true;
	s->anchor = l->cframe ? cframe : frame;
	return awaits_find(s->thread, s->frame, s->walk.frame, &s->awaits);
}

/* Tells FRAMES, of coroutines, at this point of the walk. */
static int tell_frames(struct interpreters *all,
	struct interpreted_process **process, struct told_frames *told,
	struct stopped_walk *s, const await_frames *frames)
{
	struct interpreter_walk *w = &s->walk;
	uint64_t frame = w->frame, first = w->first;
	uint32_t phase = w->phase, complete = w->complete;
	uint16_t entry = w->place.layout.entry;
	int failed = 0, end = INTERPRETER_MORE;

	/* these frames enter nothing now */
	w->place.layout.entry = UINT16_MAX;
	w->first = 0;
	for (size_t i = 0; i < frames->n && end == INTERPRETER_MORE; i++) {
		w->phase = WALK_FRAMES;
		w->frame = frames->v[i];
		do
			end = walk_step(w);
		while (w->phase == WALK_CODE && end == INTERPRETER_MORE);
		if (w->size > INTERPRETER_ROOM / 2)
			failed |= tell(all, process, told, s, INTERPRETER_MORE);
	}
	w->place.layout.entry = entry;
	w->frame = frame;
	w->first = first;
	w->phase = phase;
	w->complete = complete;
	return failed;
}

/* Tells what awaits the task, as called by the native frame of its activation.
 */
static int tell_awaits(struct interpreters *all,
	struct interpreted_process **process, struct told_frames *told,
	struct stopped_walk *s)
{
	int failed;

	walk_tell(&s->walk, INTERPRETER_STATE, 0, 0, 0);
	failed = tell_frames(all, process, told, s, &s->awaits);
	walk_tell(&s->walk, INTERPRETER_ANCHOR, 0, s->anchor, 0);
	return failed | tell(all, process, told, s, INTERPRETER_WHOLE);
}

/* If the next frame is an event loop's, which waits in the last one, tells a
   task that waits there between them. */
static int tell_drawn(struct interpreters *all,
	struct interpreted_process **process, struct told_frames *told,
	struct stopped_walk *s)
{
	const struct interpreter_walk *w = &s->walk;
	const struct event_loop loop = {w->frame, s->callee, w->state};
	await_frames drawn = {0};
	int failed = 0;

	if (!s->callee || w->phase != WALK_FRAMES || s->deep > SELECT_MOST)
		return 0;
	s->callee = 0;
	if (!awaits_draw(s->thread, &loop, &told->tasks, &drawn))
		failed = -1;
	else if (drawn.n)
		failed = tell_frames(all, process, told, s, &drawn);
	told->drawn |= drawn.n > 0;
	vec_free(&drawn);
	return failed;
}

int interpreters_walk(struct interpreters *all,
	struct interpreted_process **process, struct told_frames *told,
	const struct stopped_thread *thread)
{
	struct stopped_walk *s = calloc(1, sizeof *s);
	enum interpreter_end end = INTERPRETER_MORE;
	int failed = s ? 0 : -1;

	told->items.n = 0;
	told->drawn = false;
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
		if (!failed && end == INTERPRETER_MORE)
			failed = tell_drawn(all, process, told, s);
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
