/* Blocks of zeroed memory, and a table of strings in one of them. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"

/*
 * Objects are taken from the front of a block, strings from its back: they need
 * no alignment.
 */
struct arena_block {
	struct arena_block *next;
	size_t front, back; /* free between the two */
	alignas(max_align_t) char data[];
};

enum { BLOCK_MIN = 4096, BLOCK_MAX = 256 * 1024 };

void arena_fini(struct arena *arena)
{
	struct arena_block *next;

	for (struct arena_block *b = arena->head; b; b = next) {
		next = b->next;
		free(b);
	}
	arena->head = NULL;
}

static struct arena_block *block_new(size_t room, struct arena_block *next)
{
	struct arena_block *b = calloc(1, sizeof *b + room);

	if (!b)
		return NULL;
	b->back = room;
	b->next = next;
	return b;
}

/* A block with at least SIZE free bytes. */
static struct arena_block *block_with(struct arena *arena, size_t size)
{
	struct arena_block *head = arena->head, *b;
	size_t room = BLOCK_MIN;

	if (head && head->back - head->front >= size)
		return head;
	if (size > SIZE_MAX / 2)
		return NULL;
	if (head)
		room = head->next ? BLOCK_MAX : 4 * BLOCK_MIN;
	if (head && size > room / 4) {
		/* a block of its own, behind the head, which stays in use */
		b = block_new(size, head->next);
		if (b)
			head->next = b;
		return b;
	}
	b = block_new(size > room ? size : room, head);
	if (b)
		arena->head = b;
	return b;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *b;
	size_t start;

	if (size > SIZE_MAX / 2)
		return NULL;
	/* Front stays aligned; an object of no size has an address of its own,
	   too. */
	size = size ? (size + align - 1) & ~(align - 1) : align;
	b = block_with(arena, size);
	if (!b)
		return NULL;
	start = b->front;
	b->front += size;
	return b->data + start;
}

char *arena_strndup(struct arena *arena, const char *s, size_t n)
{
	struct arena_block *b;

	if (n > SIZE_MAX / 4)
		return NULL;
	b = block_with(arena, n + 1);
	if (!b)
		return NULL;
	b->back -= n + 1;
	memcpy(b->data + b->back, s, n);
	b->data[b->back + n] = '\0';
	return b->data + b->back;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return arena_strndup(arena, s, strlen(s));
}

/* One address, which others compare. */
static const char empty[] = "";

void strings_free(struct strings *strings)
{
	arena_fini(&strings->arena);
	vec_free(&strings->list);
	hash_free(&strings->known);
}

uint32_t strings_add(struct strings *strings, const char *s, size_t n)
{
	uint32_t id;
	uint64_t hash;
	size_t probe = 0;
	char *copy;

	if (!n)
		return 0;
	if (n >= UINT32_MAX || strings->list.n >= UINT32_MAX - 1 ||
		(!strings->list.n &&
			!vec_add(&strings->list, (struct string){empty, 0})))
		return UINT32_MAX;
	hash = hash_bytes(s, n);
	while ((id = hash_next(&strings->known, hash, &probe)) != HASH_NONE) {
		const struct string *old = &strings->list.v[id];

		if (old->n == n && !memcmp(old->s, s, n))
			return id;
	}
	id = (uint32_t)strings->list.n;
	if (!vec_reserve(&strings->list, id + 1) ||
		!hash_reserve(&strings->known, 1))
		return UINT32_MAX;
	copy = arena_strndup(&strings->arena, s, n);
	if (!copy)
		return UINT32_MAX;
	vec_add(&strings->list, (struct string){copy, (uint32_t)n});
	hash_add(&strings->known, hash, id);
	return id;
}

const char *strings_get(const struct strings *strings, uint32_t id)
{
	return id < strings->list.n ? strings->list.v[id].s : empty;
}

uint32_t strings_count(const struct strings *strings)
{
	return strings->list.n ? (uint32_t)strings->list.n : 1;
}
