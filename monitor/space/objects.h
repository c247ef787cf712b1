/*
 * objects.h - what memory is: a file's, a program's data, the heap, a stack.
 *
 * All that a process maps, code and data alike, goes into an address space that
 * is kept for this alone: struct mapping's `object` is the number of a name
 * here.  What one call has mapped without a file stays a mapping of its own,
 * though the kernel reports it with its neighbours once it has joined them: so
 * a thread's stack ends where it does.
 *
 * What unmaps memory (munmap) is not reported; what moves it (mremap) is by
 * some timers.
 */
#ifndef CPPROF_SPACE_OBJECTS_H
#define CPPROF_SPACE_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/vec.h"
#include "monitor/space/address_space.h"

enum {
	OBJECT_ANONYMOUS, /* memory without a file or a name: "" */
	OBJECT_HEAP,      /* brk's */
};

struct objects {              /* zeros at the beginning */
	struct strings paths; /* as the kernel has them: files', "[heap]" */
	VEC(bool) code; /* likewise: some of it was mapped to be executed */
};

void objects_fini(struct objects *objects);

/* What a process has mapped; zeros at the beginning of its program. */
struct process_objects {
	struct address_space *space; /* NULL: nothing is known */
	uint32_t program; /* its program's object; 0: not mapped yet */
	bool loaded;      /* all of that is mapped */
	uint64_t read;    /* when /proc was asked; 0: it was not */
};

/* Those of a child, as FROM has them now; and at its end. */
struct process_objects objects_inherit(const struct process_objects *from);
void objects_drop(struct process_objects *its);

struct object_map {
	uint64_t start, end, offset;
	const char *path;
	bool code; /* to be executed */
	bool late; /* it may have changed since: only what is not known yet */
};

/* Adds a mapping; -1: no memory. */
int objects_map(struct objects *objects, struct process_objects *its,
	const struct object_map *map);

/* The mapping that holds ADDR, as far as it is known, or NULL. */
static inline const struct mapping *objects_find(
	const struct process_objects *its, uint64_t addr)
{
	return its->space ? address_space_find(its->space, addr) : NULL;
}

/* MODULE has mapped what is there from START to END: says so where that is
   anonymous.  -1: no memory. */
int objects_mapped(struct process_objects *its, uint64_t start, uint64_t end,
	uint32_t module);

struct object_move {
	uint64_t from, to;
	uint64_t had, has; /* bytes */
};

/* What was mapped there, as far as it is known, is elsewhere and may have
   grown or shrunk.  -1: no memory. */
int objects_move(struct process_objects *its, const struct object_move *move);

/*
 * Where ADDR is in the object: from the beginning of a file of data, else
 * itself.
 */
uint64_t objects_place(const struct objects *objects,
	const struct mapping *mapping, uint64_t addr);

#define OBJECT_LABEL 300

/* "[libc.so.6 data]", "[heap]", "[db.bin 40..48 MiB]" */
void objects_label(const struct objects *objects, const struct mapping *mapping,
	uint64_t addr, char label[OBJECT_LABEL]);

#endif
