/* Follows the callbacks of asyncio's tasks to those that await them, and draws
   a task that waits. */
#include "monitor/interpreter/awaits.h"

#include <string.h>

#include "lib/sys/random.h"

#define TASKS_MOST 1000  /* that await one another */
#define FRAMES_MOST 1000 /* of a task */
#define NAME_MOST 40     /* bytes of a type's or a function's name */
#define FRAME_MOST (1u << 24)
#define KNOWN_MOST 16384 /* tasks of a loop, or slots of the set of them */
#define DRAWS_MOST 64    /* tasks that wait, of which one is to be drawn */
#define GLOBALS_MOST 1000

/* Functions that end a future when another one ends. */
#define GATHER "gather.<locals>._done_callback"
#define SHIELD "shield.<locals>._inner_done_callback"
#define WAIT "_wait.<locals>._on_completion"
#define SHIELDED "shield.<locals>._outer_done_callback"

/* Where asyncio and coroutines have what is asked of them, by minor version. */
struct tasks_layout {
	uint16_t waits_for, coroutine; /* of a task */
	uint16_t frame;                /* of a coroutine */
	uint16_t stack;   /* of a frame: its variables, and then its stack */
	uint16_t resumes; /* from its instruction to the one that resumes it */
	uint16_t items;   /* of a tuple */
	int16_t values;   /* of an object its attributes; < 0: their address */
	uint16_t below;   /* the end of a frame's stack what it waits for is */
	uint16_t globals; /* of a frame */
	uint16_t list;    /* of a thread, its tasks; 0: a set has all, */
	const char *set;  /* which asyncio.tasks has by that name */
};

static const struct tasks_layout layouts[] = {
	{128, 136, 80, 72, 2, 24, -32, 8, 8, 0, "_all_tasks"},
	{128, 136, 72, 72, 2, 24, -24, 8, 24, 0, "_scheduled_tasks"},
	{112, 120, 72, 72, 0, 24, 24, 8, 24, 0, "_scheduled_tasks"},
	{120, 128, 72, 80, 0, 32, 24, 8, 24, 880, NULL},
	{120, 128, 72, 80, 0, 32, 24, 16, 24, 1048, NULL},
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
	LOOP = 16,    /* of a future */
	LISTED = 152, /* of a task, its node in a list */
	DIGIT = 24,   /* of an int, the lowest */
	MODULE_GLOBALS = 16,
	KEYS = 32,        /* of a dict, ... */
	KEYS_SIZES = 8,   /* of them: in the second byte the binary logarithm */
	KEYS_STRINGS = 1, /* of the table's size, in the third that, */
	KEYS_N = 24,
	KEYS_TABLE = 32, /* and then they, each with its value */
	SET_MASK = 32,   /* of a set, its slots less one, */
	SET_TABLE = 40,  /* ... and their address */
	SLOT = 16,
	TOP = 64, /* of a frame: the end of its stack, an index or an address */
	OBJECTS_MOST = 30,
	CALLBACKS_MOST = 64,
	TYPES_MOST = 8,
	ADDRESS_LEAST = 65536,
	RESUME_KIND = 3, /* in the argument of what resumes: */
	RESUME_FROM = 2  /* after an await or a yield from, at least */
};

/* Which name of a code object, from the file's on. */
enum code_name { PLAIN = 8, QUALIFIED = 16 };

typedef VEC(uint64_t) addresses;

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

/* Where the attributes of OBJECT are. */
static uint64_t attributes_of(const struct awaits *a, uint64_t object)
{
	uint64_t at = object + (uint64_t)a->at->values;

	/* a version marks their address by the lowest bit, less one */
	return a->at->values < 0 ? (word(a, at) + 1) & ~7ull : at;
}

/* The task that is an attribute of OBJECT. */
static uint64_t task_of(const struct awaits *a, uint64_t object)
{
	return first_of(
		a, attributes_of(a, object), OBJECTS_MOST, a->task_type, false);
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

/* Adds the frames of those that await TASK. */
static bool add_awaiting(struct awaits *a, uint64_t task, await_frames *frames)
{
	for (int i = 0; task && i < TASKS_MOST; i++) {
		task = follow_all(a, task);
		if (is_of(a, task, a->task_type) && !add_task(a, task, frames))
			return false;
	}
	return true;
}

/* Whether there is a row for the thread's Python, which A then has. */
static bool begin(struct awaits *a, const struct stopped_thread *thread)
{
	const struct python_layout *l = &thread->place->layout;

	if (l->head || l->minor >= sizeof layouts / sizeof *layouts)
		return false;
	*a = (struct awaits){.thread = thread, .at = layouts + l->minor};
	return true;
}

bool awaits_find(const struct stopped_thread *thread, uint64_t frame,
	uint64_t caller, await_frames *frames)
{
	uint64_t callback, task;
	struct awaits a;

	if (!begin(&a, thread))
		return true;
	callback = word(&a, object_at(&a, caller + a.at->stack) + HANDLES);
	/* the first step of a task, or one after a wait */
	task = word(&a, callback + FIRST);
	if (is_a(&a, callback, "builtin_function_or_method"))
		task = word(&a, callback + SELF);
	return word(&a, task + a.at->coroutine) + a.at->frame != frame ||
	       !find_types(&a, task) || add_awaiting(&a, task, frames);
}

/* Whether the NAME of FRAME's code, plain or QUALIFIED, is that. */
static bool executes(const struct awaits *a, uint64_t frame,
	enum code_name which, const char *name)
{
	const struct python_layout *l = &a->thread->place->layout;
	uint64_t code = object_at(a, frame + l->code);

	return is_text(a, word(a, code + l->names + which) + l->text, name);
}

/* Whether the path of FRAME's file ends in END. */
static bool is_in(const struct awaits *a, uint64_t frame, const char *end)
{
	const struct python_layout *l = &a->thread->place->layout;
	uint64_t path = word(a, object_at(a, frame + l->code) + l->names);

	return is_text(
		a, path + l->text + word(a, path + SIZE) - strlen(end), end);
}

/* What the module with these GLOBALS has by that NAME. */
static uint64_t global_of(
	const struct awaits *a, uint64_t globals, const char *name)
{
	uint64_t keys = word(a, globals + KEYS), n = word(a, keys + KEYS_N);
	uint64_t sizes = word(a, keys + KEYS_SIZES);
	uint64_t pair = keys + KEYS_TABLE + (1ull << (sizes >> 8 & 63));

	/* other than strings are no names */
	if ((sizes >> 16 & 255) != KEYS_STRINGS || n > GLOBALS_MOST)
		n = 0;
	for (; n; n--, pair += 16)
		if (is_text(a, word(a, pair) + a->thread->place->layout.text,
			    name))
			return word(a, pair + 8);
	return 0;
}

/* Adds the weak references that SET has; of a large one a part, at random. */
static bool add_set(const struct awaits *a, uint64_t set, addresses *to)
{
	uint64_t n = word(a, set + SET_MASK) + 1;
	uint64_t at = word(a, set + SET_TABLE);

	if (n > KNOWN_MOST) {
		at += SLOT * KNOWN_MOST * random_below(n / KNOWN_MOST);
		n = KNOWN_MOST;
	}
	if (!vec_reserve(to, n * SLOT / sizeof *to->v))
		return false;
	if (!read_at(a, at, to->v, n * SLOT))
		return true;
	for (size_t i = 0; i < n; i++)
		if (to->v[2 * i])
			to->v[to->n++] = to->v[2 * i];
	return true;
}

/* Adds the tasks in the list with that HEAD. */
static bool add_list(const struct awaits *a, uint64_t head, addresses *to)
{
	uint64_t at = word(a, head);

	for (; at && at != head && to->n < KNOWN_MOST; at = word(a, at))
		if (!vec_add(to, at - LISTED))
			return false;
	return true;
}

/* The set of all tasks; frames of the event loop have the GLOBALS. */
static uint64_t find_set(const struct awaits *a, uint64_t globals)
{
	uint64_t tasks = global_of(a, globals, "tasks");

	return global_of(a, word(a, tasks + MODULE_GLOBALS), a->at->set);
}

/* Adds all tasks of the thread, or weak references to those of all threads. */
static bool add_all(const struct awaits *a, const struct event_loop *loop,
	uint64_t *known, addresses *to)
{
	uint64_t set;

	if (a->at->list)
		return add_list(a, loop->state + a->at->list, to);
	if (!is_a(a, *known, "WeakSet"))
		*known = find_set(a, word(a, loop->frame + a->at->globals));
	set = object_at(a, attributes_of(a, *known));
	return !is_a(a, set, "set") || add_set(a, set, to);
}

/* Whether it is one, and what it calls waits. */
static bool is_wait(const struct awaits *a, const struct event_loop *loop)
{
	uint64_t timeout = object_at(a, loop->callee + a->at->stack + 8);

	return executes(a, loop->frame, QUALIFIED, "BaseEventLoop._run_once") &&
	       executes(a, loop->callee, PLAIN, "select") &&
	       (!is_a(a, timeout, "int") || word(a, timeout + DIGIT) << 32);
}

/* Whether TASK is one, and waits in LOOP. */
static bool is_waiting(struct awaits *a, uint64_t task, uint64_t loop)
{
	return word(a, task + a->at->waits_for) &&
	       word(a, task + LOOP) == loop &&
	       (a->task_type ? is_of(a, task, a->task_type)
			     : find_types(a, task));
}

/* Whether another task ends what TASK waits for, with FRAME innermost. */
static bool is_of_others(const struct awaits *a, uint64_t task, uint64_t frame)
{
	uint64_t future = word(a, task + a->at->waits_for);

	return is_of(a, future, a->task_type) ||
	       is_a(a, future, "_GatheringFuture") ||
	       is_function(a, word(a, future + CALLBACK), SHIELDED) ||
	       executes(a, frame, QUALIFIED, "TaskGroup.__aexit__") ||
	       executes(a, frame, QUALIFIED, "TaskGroup._aexit") ||
	       (is_in(a, frame, "asyncio/tasks.py") &&
		       !executes(a, frame, PLAIN, "sleep")) ||
	       is_in(a, frame, "asyncio/locks.py") ||
	       is_in(a, frame, "asyncio/queues.py");
}

/* Draws one of ALL that waits in LOOP: TASK, with its FRAMES. */
static bool draw(struct awaits *a, addresses *all, uint64_t loop,
	uint64_t *task, await_frames *frames)
{
	for (size_t i = 0, n = 0; i < all->n && n < DRAWS_MOST; i++) {
		uint64_t *of = &all->v[i + random_below(all->n - i)];
		uint64_t one = a->at->list ? *of : word(a, *of + FIRST);

		*of = all->v[i];
		if (!is_waiting(a, one, loop))
			continue;
		n++;
		*task = one;
		frames->n = 0;
		if (!add_task(a, one, frames))
			return false;
		if (!frames->n || !is_of_others(a, one, frames->v[0]))
			break;
	}
	return true;
}

bool awaits_draw(const struct stopped_thread *thread,
	const struct event_loop *loop, uint64_t *known, await_frames *frames)
{
	addresses all = {0};
	uint64_t task = 0;
	struct awaits a;
	bool good;

	if (!begin(&a, thread) || !is_wait(&a, loop))
		return true;
	good = add_all(&a, loop, known, &all) &&
	       draw(&a, &all, object_at(&a, loop->frame + a.at->stack), &task,
		       frames) &&
	       add_awaiting(&a, task, frames);
	if (!task)
		*known = 0;
	vec_free(&all);
	return good;
}
