/* Follows the callbacks of asyncio's tasks to those that await them. */
#include "monitor/interpreter/awaits.h"

#include <string.h>

#define TASKS_MOST 1000  /* that await one another */
#define FRAMES_MOST 1000 /* of a task */
#define NAME_MOST 40     /* bytes of a type's or a function's name */
#define FRAME_MOST (1u << 24)

/* Functions that end a future when another one ends. */
#define GATHER "gather.<locals>._done_callback"
#define SHIELD "shield.<locals>._inner_done_callback"
#define WAIT "_wait.<locals>._on_completion"

/* Where asyncio and coroutines have what is asked of them, by minor version. */
struct tasks_layout {
	uint16_t waits_for, coroutine; /* of a task */
	uint16_t frame;                /* of a coroutine */
	uint16_t stack;   /* of a frame: its variables, and then its stack */
	uint16_t resumes; /* from its instruction to the one that resumes it */
	uint16_t items;   /* of a tuple */
	int16_t values;   /* of an object its attributes; < 0: their address */
	uint16_t below;   /* the end of a frame's stack what it waits for is */
};

static const struct tasks_layout layouts[] = {
	{128, 136, 80, 72, 2, 24, -32, 8},
	{128, 136, 72, 72, 2, 24, -24, 8},
	{112, 120, 72, 72, 0, 24, 24, 8},
	{120, 128, 72, 80, 0, 32, 24, 8},
	{120, 128, 72, 80, 0, 32, 24, 16},
};

enum { /* what no version has moved: of objects, */
	TYPE = 8,
	SIZE = 16,       /* of a list or a tuple */
	LIST_ITEMS = 24, /* their address */
	FIRST = 16,      /* what a cell, a task's step or a wrapper has */
	TYPE_NAME = 24,
	TYPE_BASE = 256,
	CALLBACK = 24, /* a future's first one, */
	CALLBACKS = 40,
	HANDLES = 24,  /* what a handle of the event loop calls */
	SELF = 24,     /* of a method; of a partial its arguments, */
	FUNCTION = 16, /* ... and of both: */
	FUNCTION_NAME = 40,
	CLOSURE = 72,
	TOP = 64, /* of a frame: the end of its stack, an index or an address */
	OBJECTS_MOST = 30,
	CALLBACKS_MOST = 64,
	TYPES_MOST = 8,
	ADDRESS_LEAST = 65536,
	RESUME_KIND = 3, /* in the argument of what resumes: */
	RESUME_FROM = 2  /* after an await or a yield from, at least */
};

/* A search.  What cannot be read is 0. */
struct awaits {
	const struct stopped_thread *thread;
	const struct tasks_layout *at;
	uint64_t task_type, future_type;
	uint64_t group; /* that the last task found is in, whatever it does */
};

static bool read_at(const struct awaits *a, uint64_t addr, void *to, size_t n)
{
	return addr >= ADDRESS_LEAST &&
	       a->thread->read(a->thread->arg, addr, to, n);
}

static uint64_t word(const struct awaits *a, uint64_t addr)
{
	uint64_t value = 0;

	return read_at(a, addr, &value, sizeof value) ? value : 0;
}

/* The object at ADDR, without the bits that mark a reference. */
static uint64_t object_at(const struct awaits *a, uint64_t addr)
{
	return word(a, addr) & ~7ull;
}

/* Whether the text at ADDR is NAME. */
static bool is_text(const struct awaits *a, uint64_t addr, const char *name)
{
	char text[NAME_MOST];
	size_t n = strlen(name) + 1;

	return read_at(a, addr, text, n) && memcmp(text, name, n) == 0;
}

/* Whether OBJECT's type has that NAME. */
static bool is_a(const struct awaits *a, uint64_t object, const char *name)
{
	return is_text(a, word(a, word(a, object + TYPE) + TYPE_NAME), name);
}

/* Whether OBJECT is of TYPE, or of one made from it. */
static bool is_of(const struct awaits *a, uint64_t object, uint64_t type)
{
	uint64_t its = word(a, object + TYPE);

	for (int i = 0; its && its != type && i < TYPES_MOST; i++)
		its = word(a, its + TYPE_BASE);
	return type && its == type;
}

/* Whether FUNCTION has that qualified NAME. */
static bool is_function(
	const struct awaits *a, uint64_t function, const char *name)
{
	return is_text(a,
		word(a, function + FUNCTION_NAME) +
			a->thread->place->layout.text,
		name);
}

/* The first of N objects at AT, or of what they have if they are CELLS, that is
   of TYPE. */
static uint64_t first_of(const struct awaits *a, uint64_t at, uint64_t n,
	uint64_t type, bool cells)
{
	for (uint64_t i = 0; i < n && i < OBJECTS_MOST; i++) {
		uint64_t object = object_at(a, at + 8 * i);

		if (cells)
			object = object_at(a, object + FIRST);
		if (is_of(a, object, type))
			return object;
	}
	return 0;
}

/* The task that is an attribute of OBJECT. */
static uint64_t task_of(const struct awaits *a, uint64_t object)
{
	uint64_t at = object + (uint64_t)a->at->values;

	/* a version marks their address by the lowest bit, less one */
	if (a->at->values < 0)
		at = (word(a, at) + 1) & ~7ull;
	return first_of(a, at, OBJECTS_MOST, a->task_type, false);
}

/* The future that a TUPLE has, or its CELLS. */
static uint64_t future_of(const struct awaits *a, uint64_t tuple, bool cells)
{
	return first_of(a, tuple + a->at->items, word(a, tuple + SIZE),
		a->future_type, cells);
}

/*
 * The task that waits for FUTURE by that CALLBACK, or a future that ends when
 * it does.
 */
static uint64_t follow(struct awaits *a, uint64_t future, uint64_t callback)
{
	uint64_t self = object_at(a, callback + SELF);
	uint64_t function = word(a, callback + FUNCTION);

	a->group = 0;
	if (is_a(a, callback, "builtin_function_or_method"))
		return word(a, self + a->at->waits_for) != future ? 0
		       : is_of(a, self, a->task_type)             ? self
								  : 0;
	if (is_a(a, callback, "functools.partial"))
		return is_function(a, function, "_release_waiter")
			       ? future_of(a, self, false)
			       : 0;
	if (is_a(a, callback, "method"))
		return is_function(a, function, "TaskGroup._on_task_done")
			       ? task_of(a, a->group = self)
			       : 0;
	return is_a(a, callback, "function") &&
			       (is_function(a, callback, GATHER) ||
				       is_function(a, callback, SHIELD) ||
				       is_function(a, callback, WAIT))
		       ? future_of(a, word(a, callback + CLOSURE), true)
		       : 0;
}

/* As follow(), by all its callbacks. */
static uint64_t follow_all(struct awaits *a, uint64_t future)
{
	uint64_t list = word(a, future + CALLBACKS), n = word(a, list + SIZE);
	uint64_t pairs = word(a, list + LIST_ITEMS);
	uint64_t next = follow(a, future, word(a, future + CALLBACK));

	for (uint64_t i = 0; i < n && i < CALLBACKS_MOST; i++) {
		uint64_t pair = word(a, pairs + 8 * i), group = a->group;
		uint64_t found =
			follow(a, future, word(a, pair + a->at->items));

		if (found && next && found != next)
			return 0;
		if (next)
			a->group = group;
		else
			next = found;
	}
	return next;
}

/* What the suspended FRAME of a coroutine waits for. */
static uint64_t awaited(const struct awaits *a, uint64_t frame)
{
	uint64_t at = frame + a->thread->place->layout.instruction;
	uint64_t code = word(a, word(a, at) + a->at->resumes);
	uint64_t top = word(a, frame + TOP);

	if ((code >> 8 & RESUME_KIND) < RESUME_FROM)
		return 0;
	if (top < frame || top - frame > FRAME_MOST)
		top = frame + a->at->stack + 8 * (uint64_t)(uint32_t)top;
	return object_at(a, top - a->at->below);
}

static bool has_frame(const struct awaits *a, uint64_t object)
{
	return is_a(a, object, "coroutine") || is_a(a, object, "generator") ||
	       is_a(a, object, "async_generator");
}

/* Adds the frames of the coroutine OBJECT and of those that it awaits. */
static bool add_frames(
	const struct awaits *a, uint64_t object, await_frames *frames, int deep)
{
	if (!has_frame(a, object)) /* what stands for one? */
		object = word(a, object + FIRST);
	if (deep > FRAMES_MOST || !has_frame(a, object))
		return true;
	object += a->at->frame;
	return add_frames(a, awaited(a, object), frames, deep + 1) &&
	       vec_add(frames, object);
}

/*
 * Adds the frames of TASK, which waits.  In a group it may wait for something
 * else: which of its coroutines has the group is not known then, and its first
 * one is all that is.
 */
static bool add_task(
	const struct awaits *a, uint64_t task, await_frames *frames)
{
	size_t n = frames->n;

	if (!add_frames(a, word(a, task + a->at->coroutine), frames, 0))
		return false;
	if (frames->n > n && a->group &&
		object_at(a, frames->v[n] + a->at->stack) != a->group) {
		frames->v[n] = frames->v[frames->n - 1];
		frames->n = n + 1;
	}
	return true;
}

/* Finds the types of TASK; false: it is none. */
static bool find_types(struct awaits *a, uint64_t task)
{
	uint64_t type = word(a, task + TYPE);

	for (int i = 0; i < TYPES_MOST && !a->future_type; i++) {
		if (is_text(a, word(a, type + TYPE_NAME), "_asyncio.Task")) {
			a->task_type = type;
			a->future_type = word(a, type + TYPE_BASE);
		}
		type = word(a, type + TYPE_BASE);
	}
	return a->future_type;
}

bool awaits_find(const struct stopped_thread *thread, uint64_t frame,
	uint64_t caller, await_frames *frames)
{
	const struct python_layout *l = &thread->place->layout;
	struct awaits a = {thread, layouts + l->minor, 0, 0, 0};
	uint64_t callback, task;

	if (l->head || l->minor >= sizeof layouts / sizeof *layouts)
		return true;
	callback = word(&a, object_at(&a, caller + a.at->stack) + HANDLES);
	/* the first step of a task, or one after a wait */
	task = word(&a, callback + FIRST);
	if (is_a(&a, callback, "builtin_function_or_method"))
		task = word(&a, callback + SELF);
	if (word(&a, task + a.at->coroutine) + a.at->frame != frame ||
		!find_types(&a, task))
		return true;
	for (int i = 0; task && i < TASKS_MOST; i++) {
		task = follow_all(&a, task);
		if (is_of(&a, task, a.task_type) && !add_task(&a, task, frames))
			return false;
	}
	return true;
}
