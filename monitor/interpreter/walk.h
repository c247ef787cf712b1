/*
 * walk.h - the walk through CPython's frames, a step at a time.
 *
 * A thread has a state in each interpreter that it has entered, and all of them
 * are told.
 *
 * Included where the thread stands still: by the BPF programs, in the thread
 * itself, and by the monitor, for a thread that it has stopped.  The includer
 * defines
 *
 *     WALK_READ(w, to, n, addr)     copies memory of the process; 0: done
 *     WALK_KNOWS(w, code, version)  whether the monitor has the names of CODE
 *     WALK_TOLD(w)                  it has them of the last one from now on
 *
 * The state is in struct interpreter_walk: zeros, with `place`, `thread` and
 * `state`; what the walk tells goes to `told`.  The caller calls walk_step()
 * until it returns other than INTERPRETER_MORE; after INTERPRETER_FULL it takes
 * what is told, sets `size` to 0 and goes on.
 */
#ifndef CPPROF_INTERPRETER_WALK_H
#define CPPROF_INTERPRETER_WALK_H

#include "monitor/interpreter/abi.h"

#define WALK_HEADER 48 /* bytes */
#define WALK_FRAME 80  /* bytes of a frame that are read */
#define WALK_WORDS 16  /* room for them: a power of two */
#define WALK_NAMES 4   /* file, name, qualified name, table of lines */
#define WALK_HEAD 40   /* bytes that a string begins with */
#define WALK_BYTES 32  /* a bytes object: its text; its length is at 16 */
#define WALK_LENGTH 16 /* of a string, too */
#define WALK_OVER 4    /* frames in a step that are not told */
#define WALK_HASH 24
#define WALK_STATE 32
#define WALK_COPIES 8                                  /* the first of them */
#define WALK_KIND(l, state) ((state) >> (l)->kind & 7) /* bytes a character */
#define WALK_IS_ASCII(l, state) ((state) >> (l)->kind & 1 << 4)

enum walk_phase { WALK_THREADS, WALK_FRAMES, WALK_CODE };

struct interpreter_walk {
	struct interpreter_place place;
	__u64 thread; /* its number, in its own namespace */
	__u64 state;  /* an interpreter's for the thread, or a guess; 0 */
	__u64 found;  /* the first one that was its; 0 */
	__u64 interpreter, frame, cframe;
	__u64 first;       /* the first cframe, while it has no anchor; 0 */
	__u64 fingerprint; /* the includer's, of the code object that is told */
	__u64 names[WALK_NAMES];
	__u32 phase;
	__u32 name;     /* the next of its names */
	__u32 complete; /* no frames since the last anchor */
	__u32 size;     /* bytes told */
	__u32 over;     /* the includer's: only anchors are told any more */
	__u64 read[WALK_WORDS];
	__u64 head[WALK_HEADER / 8]; /* the includer's, before what is told */
	__u64 told[INTERPRETER_MOST / 8];
};

static __always_inline __u64 walk_mix(__u64 hash, __u64 x)
{
	hash = (hash ^ x) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

static __always_inline int walk_word(
	struct interpreter_walk *w, __u64 *to, __u64 addr)
{
	return WALK_READ(w, to, sizeof *to, addr);
}

/* The word at AT of what was read, and a byte. */
static __always_inline __u64 walk_at(const struct interpreter_walk *w, __u32 at)
{
	return w->read[at / 8 % WALK_WORDS];
}

static __always_inline __u8 walk_byte(
	const struct interpreter_walk *w, __u32 at)
{
	return (__u8)(walk_at(w, at) >> at % 8 * 8);
}

static __always_inline void walk_tell(struct interpreter_walk *w, __u32 kind,
	__u32 value, __u64 addr, __u64 version)
{
	__u32 at = w->size / 8;

	if (at >= INTERPRETER_MOST / 8 - 3)
		return;
	w->told[at] = kind | (__u64)value << 32;
	w->told[at + 1] = addr;
	w->told[at + 2] = version;
	w->size = (at + 3) * 8;
}

/* Whether the guess w->state, without an interpreter, is of the first one. */
static __always_inline bool walk_is_first(struct interpreter_walk *w)
{
	const struct python_layout *l = &w->place.layout;

	return !walk_word(w, w->read, w->place.runtime + l->interpreters) &&
	       !walk_word(w, &w->interpreter, w->state + l->interpreter) &&
	       w->interpreter == walk_at(w, 0);
}

/* The thread's frames in w->state come next. */
static __always_inline int walk_begin(struct interpreter_walk *w)
{
	const struct python_layout *l = &w->place.layout;
	__u64 at = w->state;

	if (w->found)
		walk_tell(w, INTERPRETER_STATE, 0, at, 0);
	else
		w->found = at;
	if (l->cframe && walk_word(w, &w->cframe, at + l->cframe))
		return INTERPRETER_ABSENT;
	w->first = 0;
	if (l->cframe)
		at = w->first = w->cframe;
	w->phase = WALK_FRAMES;
	w->complete = 1;
	return walk_word(w, &w->frame, at + l->frame) ? INTERPRETER_ABSENT
						      : INTERPRETER_MORE;
}

/* Looks at one thread of the interpreter, or goes to the next interpreter. */
static __always_inline int walk_threads(struct interpreter_walk *w)
{
	const struct python_layout *l = &w->place.layout;
	__u64 id;

	if (!w->state) {
		if (walk_word(w, &w->interpreter,
			    w->interpreter
				    ? w->interpreter + l->next_interpreter
				    : w->place.runtime + l->interpreters) ||
			!w->interpreter ||
			walk_word(w, &w->state, w->interpreter + l->threads))
			return w->found ? INTERPRETER_WHOLE
					: INTERPRETER_ABSENT;
		return INTERPRETER_MORE;
	}
	id = walk_word(w, w->read, w->state + l->native_id) ? 0 : walk_at(w, 0);
	if (id == w->thread && (w->interpreter || walk_is_first(w)))
		return walk_begin(w);
	if (id == w->thread || !w->interpreter) {
		w->interpreter = w->state = 0;
		return INTERPRETER_MORE;
	}
	if (walk_word(w, &w->state, w->state + l->next_thread))
		w->state = 0;
	return INTERPRETER_MORE;
}

/*
 * What tells the code object at CODE from another one that had its address
 * before: its version, or what it has for a name and a file.  Reads anew.
 */
static __always_inline int walk_version(
	struct interpreter_walk *w, __u64 code, __u64 *version)
{
	const struct python_layout *l = &w->place.layout;

	if (l->version)
		return WALK_READ(w, version, 4, code + l->version);
	if (WALK_READ(w, w->names, sizeof w->names, code + l->names) ||
		WALK_READ(w, version, 4, code + l->first_line) ||
		WALK_READ(w, w->read, WALK_HEAD, w->names[2]))
		return -1;
	*version = walk_mix(*version, walk_at(w, WALK_HASH));
	*version = walk_mix(*version, w->names[3]);
	if (WALK_READ(w, w->read, WALK_HEAD, w->names[0]))
		return -1;
	*version = walk_mix(*version, walk_at(w, WALK_LENGTH));
	if (walk_word(w, w->read,
		    w->names[0] + WALK_HEAD + (__u32)walk_at(w, WALK_LENGTH)))
		return -1;
	*version = walk_mix(*version, walk_at(w, 0));
	return 0;
}

/*
 * Where the instructions are of CODE that the frame that was read executes; 0
 * if that cannot be read.
 */
static __always_inline __u64 walk_instructions(
	struct interpreter_walk *w, __u64 code)
{
	const struct python_layout *l = &w->place.layout;

	if (!l->copies)
		return code + l->instructions;
	w->names[0] = w->names[1] = 0;
	walk_word(w, &w->names[0], code + l->copies);
	walk_word(w, &w->names[1],
		w->names[0] + WALK_COPIES + 8 * (__u32)walk_at(w, l->copy));
	return w->names[1]; /* where there are none is nothing, too */
}

/* Begins to tell the names of a code object. */
static __always_inline int walk_code(
	struct interpreter_walk *w, __u64 code, __u64 version)
{
	const struct python_layout *l = &w->place.layout;
	__u32 line = 0;

	if (WALK_READ(w, w->names, sizeof w->names, code + l->names) ||
		WALK_READ(w, &line, sizeof line, code + l->first_line))
		return INTERPRETER_MORE;
	walk_tell(w, INTERPRETER_CODE, line, code, version);
	w->phase = WALK_CODE;
	w->name = 0;
	return INTERPRETER_MORE;
}

/* Whether w->cframe is the thread's first, or what greenlets put before it. */
static __always_inline bool walk_is_outermost(struct interpreter_walk *w)
{
	const struct python_layout *l = &w->place.layout;
	__u64 root = w->state + l->root;

	return w->cframe == root ||
	       (!walk_word(w, w->read, w->cframe + l->previous_cframe) &&
		       walk_at(w, 0) == root);
}

/*
 * Tells the anchor of an activation: its _PyCFrame, or ENTRY; w->frame called
 * it; reads anew.  One that begins is the thread's before its _PyCFrame is
 * filled in: what its stack has there from before does not fit what is outside
 * of it (see walk_past()).
 */
static __always_inline int walk_anchor(struct interpreter_walk *w, __u64 entry)
{
	const struct python_layout *l = &w->place.layout;
	__u64 anchor = w->cframe;

	if (l->cframe &&
		(walk_word(w, &w->cframe, anchor + l->previous_cframe) ||
			walk_word(w, w->read, w->cframe + l->frame) ||
			walk_at(w, 0) != w->frame ||
			(!w->frame && !walk_is_outermost(w))))
		return INTERPRETER_TORN;
	w->complete = 1;
	w->first = 0;
	walk_tell(w, INTERPRETER_ANCHOR, 0, l->cframe ? anchor : entry, 0);
	return INTERPRETER_MORE;
}

/* Whether an activation begins with the frame that was read. */
static __always_inline bool walk_enters(const struct interpreter_walk *w)
{
	const struct python_layout *l = &w->place.layout;

	return walk_byte(w, l->is_entry | l->owner) >= l->entry;
}

/* Goes over some frames; false: the next one has an anchor, or is the last. */
static __always_inline bool walk_over(struct interpreter_walk *w)
{
	for (__u32 i = 0; i < WALK_OVER; i++) {
		if (WALK_READ(w, w->read, WALK_FRAME, w->frame) ||
			walk_enters(w))
			return false;
		w->frame = walk_at(w, w->place.layout.previous);
	}
	return true;
}

/* Tells one frame and goes to its caller. */
static __always_inline int walk_frame(struct interpreter_walk *w)
{
	const struct python_layout *l = &w->place.layout;
	__u64 code, at, version = 0, frame = w->frame;

	if (!frame) { /* the next interpreter may have some */
		if (!w->complete || w->over)
			return INTERPRETER_TORN;
		w->phase = WALK_THREADS;
		w->state = 0;
		return INTERPRETER_MORE;
	}
	if (WALK_READ(w, w->read, WALK_FRAME, frame))
		return INTERPRETER_TORN;
	w->frame = walk_at(w, l->previous);
	w->complete = walk_enters(w);
	if (w->complete && (!l->is_entry || w->over))
		return walk_anchor(w, frame);
	code = (walk_at(w, l->code) & ~7ull) + l->head;
	at = walk_at(w, l->instruction) - walk_instructions(w, code);
	if (walk_version(w, code, &version))
		return INTERPRETER_TORN;
	walk_tell(w, INTERPRETER_FRAME, (__u32)at, code, version);
	if (w->complete && walk_anchor(w, 0) != INTERPRETER_MORE)
		return INTERPRETER_TORN;
	return WALK_KNOWS(w, code, version) ? INTERPRETER_MORE
					    : walk_code(w, code, version);
}

/*
 * The frames of the first activation could not be told: those that called it
 * come next, if it begins.  Its _PyCFrame may have its caller's from the last
 * time; whether that is so, the native frames say.
 */
static __always_inline int walk_past(struct interpreter_walk *w)
{
	const struct python_layout *l = &w->place.layout;

	walk_tell(w, INTERPRETER_BEGINS, 0, w->first, 0);
	w->phase = WALK_FRAMES;
	w->complete = 1;
	if (walk_word(w, &w->cframe, w->first + l->previous_cframe) ||
		walk_word(w, &w->frame, w->cframe + l->frame))
		return INTERPRETER_TORN;
	w->first = 0;
	return INTERPRETER_MORE;
}

/* Tells N bytes at ADDR, of a string of that KIND. */
static __always_inline int walk_bytes(
	struct interpreter_walk *w, __u64 addr, __u64 n, __u32 kind)
{
	__u64 at;

	walk_tell(w, INTERPRETER_BYTES, (__u32)n, 0, kind);
	at = w->size;
	/* one register each, so that the kernel sees what bounds it */
	__asm__ volatile("" : "+r"(n), "+r"(at));
	if (at > INTERPRETER_MOST - INTERPRETER_LINES ||
		n > INTERPRETER_LINES ||
		WALK_READ(w, (__u8 *)w->told + at, n, addr))
		return INTERPRETER_TORN;
	w->size = (__u32)((at + n + 7) & ~7ull);
	return INTERPRETER_MORE;
}

/* Tells the next of a code object's names; of a long one a part. */
static __always_inline int walk_name(struct interpreter_walk *w)
{
	const struct python_layout *l = &w->place.layout;
	__u32 name = w->name++ & (WALK_NAMES - 1), state, kind, text;
	__u64 object = w->names[name] + l->head, n;

	if (name == 1) /* the qualified one says more */
		return INTERPRETER_MORE;
	if (WALK_READ(w, w->read, WALK_HEAD, object))
		return INTERPRETER_TORN;
	n = walk_at(w, WALK_LENGTH);
	if (name == WALK_NAMES - 1) {
		WALK_TOLD(w);
		w->phase = WALK_FRAMES;
		return walk_bytes(w, object + WALK_BYTES,
			n < INTERPRETER_LINES ? n : INTERPRETER_LINES, 0);
	}
	state = (__u32)walk_at(w, WALK_STATE);
	kind = WALK_KIND(l, state);
	text = WALK_IS_ASCII(l, state) ? l->text : l->wide_text;
	n *= kind;
	return walk_bytes(w, object + text,
		n < INTERPRETER_STRING ? n : INTERPRETER_STRING, kind);
}

static __always_inline int walk_step(struct interpreter_walk *w)
{
	int end;

	if (w->size > INTERPRETER_ROOM)
		return INTERPRETER_FULL;
	if (w->phase == WALK_THREADS)
		return walk_threads(w);
	if (w->over && walk_over(w))
		return INTERPRETER_MORE;
	end = w->phase == WALK_FRAMES ? walk_frame(w) : walk_name(w);
	return end == INTERPRETER_TORN && w->first ? walk_past(w) : end;
}

#endif
