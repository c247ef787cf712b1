/*
 * frames.h - the frames of interpreters in the stacks of a run.
 *
 * What was told of a thread's frames (abi.h) becomes frames of the file: a
 * module for each source file, a function for each code object's name, an
 * address for each line of it.  A code object is known by its address and
 * version in its process.
 *
 * A call that returns -1 failed as cpd_writer_error() says; else there was no
 * memory.
 */
#ifndef CPPROF_INTERPRETER_FRAMES_H
#define CPPROF_INTERPRETER_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/cpprofdata/writer.h"
#include "lib/hash.h"
#include "lib/vec.h"
#include "monitor/interpreter/abi.h"

/* What a thread told last; zeros at its beginning. */
struct told_frames {
	VEC(uint8_t) items;
	uint32_t end;    /* enum interpreter_end */
	uint16_t number; /* that samples name it by; 0: nothing */
	bool drawn;      /* by chance: the next time it may be another task's */
	uint64_t tasks;  /* where asyncio has those of the thread; 0: unknown */
	pid_t own;       /* the thread's in its own namespace; 0: not asked */
};

/* The frames of an activation of the interpreter, outside of those before. */
struct activation {
	uint64_t anchor; /* an address in the native frame that runs them */
	size_t first, n; /* in interpreted_stack.frames */
	size_t native;   /* for stack_take(): that frame's number */
};

/* A frame of a source file, as a node has it. */
struct interpreted_frame {
	uint32_t module;
	uint64_t addr;
};

/* The frames that are known of a thread, innermost first. */
struct interpreted_stack {
	VEC(struct interpreted_frame) frames;
	VEC(struct activation) activations;
	bool torn;       /* there are more outside of these */
	uint64_t begins; /* the anchor of an activation inside of them, which
			    has to begin for them to be true; 0: none */
};

struct interpreted_process; /* its code objects */

struct interpreted_function {
	uint32_t file, id; /* number of its file, and in the data file */
	uint32_t first, least, most; /* lines: its first, and all */
	uint64_t lo;                 /* address of line 0 */
	const char *name;
	uint8_t *written; /* bits: lines with an addr record */
};

struct interpreted_file {
	char *path;
	uint32_t id;   /* of its module */
	uint64_t next; /* free address */
};

/* Of a run; zeros but for the writer. */
struct interpreters {
	struct cpd_writer *writer;
	struct hash file_hash, function_hash;
	VEC(struct interpreted_file) files;
	VEC(struct interpreted_function) functions;
	struct interpreted_stack stack; /* the last one */
	uint64_t samples;               /* of threads that told frames, */
	uint64_t native; /* of them those that have native ones alone: */
	uint64_t lost;   /* what they told was lost; else it did not fit */
};

void interpreters_fini(struct interpreters *all);

/* N bytes of items, which the thread's stack with that number goes on with. */
struct told_part {
	uint16_t number;
	uint32_t end;
	const uint8_t *items;
	size_t n;
};
int interpreters_tell(struct interpreters *all,
	struct interpreted_process **process, struct told_frames *told,
	const struct told_part *part);

/*
 * all->stack becomes the stack NUMBER, which TOLD has if nothing was lost; else
 * it is empty.
 */
int interpreters_take(struct interpreters *all,
	struct interpreted_process *process, const struct told_frames *told,
	uint16_t number);

/* A thread that stands still, and its interpreter. */
struct stopped_thread {
	const struct interpreter_place *place;
	pid_t number; /* in its own namespace */
	/* Copies N bytes at ADDR; false: it cannot. */
	bool (*read)(void *arg, uint64_t addr, void *buf, size_t n);
	void *arg;
	bool awaits; /* who awaits its task is to be told, too */
};

/* Has TOLD say what the thread's frames are, with its next number: 1; 0: it has
   none. */
int interpreters_walk(struct interpreters *all,
	struct interpreted_process **process, struct told_frames *told,
	const struct stopped_thread *thread);

bool interpreted_process_knows(const struct interpreted_process *process,
	uint64_t addr, uint64_t version);
void interpreted_process_free(struct interpreted_process *process);

#endif
