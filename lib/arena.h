/*
 * arena.h - memory that is freed all at once, and strings kept once.
 *
 * An arena hands out zeroed memory aligned for any type and owns it until
 * arena_fini().  A strings table gives equal strings one number, counting from
 * 1 in order of first appearance; number 0 is the empty string.  Both return
 * NULL (or UINT32_MAX) when memory is out and stay usable.
 */
#ifndef CPPROF_ARENA_H
#define CPPROF_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"
#include "lib/vec.h"

struct arena {
	struct arena_block *head;
};

void arena_fini(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size);
char *arena_strndup(struct arena *arena, const char *s, size_t n);
char *arena_strdup(struct arena *arena, const char *s);

struct string {
	const char *s;
	uint32_t n;
};

struct strings { /* of zeros: an empty table */
	struct arena arena;
	VEC(struct string) list; /* by number */
	struct hash known;       /* finds all but the empty one */
};

/* Leaves an empty table. */
void strings_free(struct strings *strings);

/*
 * The number of S, of N bytes; UINT32_MAX when out of memory.
 */
uint32_t strings_add(struct strings *strings, const char *s, size_t n);

/* The string with that number, and a NUL, lent until strings_free(); "" if
   unknown. */
const char *strings_get(const struct strings *strings, uint32_t id);

/* How many strings there are, with the empty one. */
uint32_t strings_count(const struct strings *strings);

#endif
