/*
 * abi.h - an interpreter's frames, as a walk through its memory tells them.
 *
 * Included by the monitor and by the BPF programs: fixed sizes only, no
 * pointers.  The walk is in walk.h.
 */
#ifndef CPPROF_INTERPRETER_ABI_H
#define CPPROF_INTERPRETER_ABI_H

#include <linux/types.h>

/*
 * Where CPython has what is asked of it: offsets in its structures.  The frames
 * of a thread are a list, innermost first.  Each activation of the
 * interpreter's loop has some of them, and an anchor, a local variable of the
 * loop: that is the frame that enters it (its owner is ENTRY or more), or
 * in 3.11 a _PyCFrame, which goes with each frame that has IS_ENTRY.
 *
 * Without the lock of the interpreter an object begins with HEAD bytes more,
 * and from 3.14 on each thread has a copy of a code object's instructions: the
 * frame says in which of COPIES its instruction is.
 */
struct python_layout {
	__u16 interpreters, next_interpreter, threads; /* _PyRuntime, ... */
	__u16 next_thread, interpreter, native_id;     /* of a thread's state */
	__u16 cframe; /* of the thread; 0: it has the frame itself, at: */
	__u16 frame;  /* of the thread or of its cframe */
	__u16 previous_cframe;
	__u16 root; /* of the thread: the outermost cframe */
	__u16 code, previous,
		instruction; /* of a frame, which is read up to: */
	__u16 owner;         /* ... this byte */
	__u16 is_entry;      /* a byte; 0: the owner tells */
	__u16 version;       /* of a code object; 0: none, its names tell */
	__u16 first_line, names, instructions;
	__u16 text,
		wide_text; /* of a string: the bytes of an ASCII one, others */
	__u16 kind;        /* ... and a bit of its state: bytes a character */
	__u16 entry;       /* what an entry has there at least */
	__u16 head;
	__u16 copies; /* of a code object; 0: none */
	__u16 copy;   /* of a frame */
	__u16 minor;  /* version, from 3.11 on */
};

/* An interpreter in a process. */
struct interpreter_place {
	__u64 runtime; /* the address of _PyRuntime */
	__u64 number;  /* no two processes share one */
	struct python_layout layout;
};

enum interpreter_item_kind {
	INTERPRETER_FRAME,  /* addr: code object; value: of the instruction */
	INTERPRETER_ANCHOR, /* addr: it; the frames before it are its */
	INTERPRETER_CODE, /* addr: code object; value: its first line; its file,
			     name and lines follow */
	INTERPRETER_BYTES,  /* value: so many follow, padded to 8 */
	INTERPRETER_STATE,  /* what follows is another interpreter's, which the
			       thread is in, too */
	INTERPRETER_BEGINS, /* addr: an anchor; the frames since the last one
			       are nobody's, if its activation begins */
};

/* What a walk tells is a row of these. */
struct interpreter_item {
	__u32 kind, value;
	__u64 addr;
	__u64 version; /* with the address it names a code object; BYTES: of a
			  string: 0 bytes, 1, 2, 4 a character */
};

/* How a walk ended. */
enum interpreter_end {
	INTERPRETER_MORE, /* it goes on */
	INTERPRETER_FULL, /* the room is full, and the walk goes on */
	INTERPRETER_WHOLE,
	INTERPRETER_TORN,  /* it could not be read to its end */
	INTERPRETER_ABSENT /* the thread is not the interpreter's */
};

#define INTERPRETER_STRING 1024 /* bytes of a string at most */
#define INTERPRETER_LINES 4096  /* of a table of lines */
#define INTERPRETER_ROOM 16384  /* full when it has so many */
#define INTERPRETER_MOST 24576  /* bytes after the step that filled it */

#endif
