/*
 * address_space.h - the mappings of a process.
 *
 * After a fork two processes share an address space until one of them changes
 * it.
 */
#ifndef CPPROF_SPACE_ADDRESS_SPACE_H
#define CPPROF_SPACE_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/lower_bound.h"
#include "lib/vec.h"

struct module;

struct mapping {
	uint64_t start, end;
	uint64_t bias; /* link-time address = address - bias */
	struct module *module;
	uint64_t inode; /* of its file; 0: none, or not known */
	uint32_t major, minor;
	bool probes; /* the kernel's code that serves uprobes */
	/* Where a process's objects are kept (objects.h): */
	bool code;       /* to be executed */
	bool bss;        /* the object's, but its file has no bytes for it */
	uint32_t object; /* its number */
	uint32_t mapper; /* the module that mapped it, if known, else 0 */
};

struct address_space {
	unsigned refs;
	uint64_t generation; /* changes with each change; no two spaces of a run
				share one */
	VEC(struct mapping) maps; /* sorted, not overlapping */
};

struct address_space *address_space_new(void); /* NULL: no memory */
void address_space_drop(struct address_space *space);

/*
 * Makes the space at SHARED the owner's own, before a change; NULL: no memory.
 */
struct address_space *address_space_own(struct address_space **shared);

/* Unmaps [START, END); -1: no memory. */
int address_space_remove(
	struct address_space *space, uint64_t start, uint64_t end);

/* Replaces what was mapped there; -1: no memory. */
int address_space_insert(
	struct address_space *space, const struct mapping *mapping);

/* The mapping that holds ADDR, or NULL. */
static inline const struct mapping *address_space_find(
	const struct address_space *space, uint64_t addr)
{
	size_t i = LOWER_BOUND(space->maps.n, k, space->maps.v[k].end <= addr);

	return i < space->maps.n && space->maps.v[i].start <= addr
		       ? &space->maps.v[i]
		       : NULL;
}

#endif
