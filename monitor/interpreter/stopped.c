/* Walks through the frames of a thread that stands still. */
#include <stdlib.h>

#include "monitor/interpreter/frames.h"

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
		end = (enum interpreter_end)walk_step(&s->walk);
		if (end != INTERPRETER_MORE && end != INTERPRETER_ABSENT)
			failed = tell(all, process, told, s, end);
	}
	free(s);
	return failed ? -1
		      : end == INTERPRETER_WHOLE || end == INTERPRETER_TORN;
}
