#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "lib/vec.h"

/*
 * Objects grow from the front of a block, strings, which need no alignment,
 * from its back.
 */
struct arena_block {
	struct arena_block *next;
	size_t front, back; /* what lies between is free */
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

/* A block with SIZE free bytes or more. */
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
		/* One of its own, behind the head, which stays in use. */
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
	/* Front stays aligned; even nothing has an address of its own. */
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

struct string {
	const char *s;
	uint32_t n, hash;
};

struct strings {
	struct arena arena;
	VEC(struct string) list; /* by number */
	uint32_t *slots;         /* numbers; 0 is a free slot */
	uint32_t nslots;         /* a power of two */
};

/* FNV-1a, 64 bits folded to 32. */
static uint32_t hash_bytes(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3;
	return (uint32_t)(h ^ h >> 32);
}

struct strings *strings_new(void)
{
	struct strings *strings = calloc(1, sizeof *strings);
	struct string *empty;

	if (!strings)
		return NULL;
	strings->nslots = 64;
	strings->slots = calloc(strings->nslots, sizeof *strings->slots);
	empty = vec_push(&strings->list);
	if (!strings->slots || !empty) {
		strings_free(strings);
		return NULL;
	}
	empty->s = "";
	return strings;
}

void strings_free(struct strings *strings)
{
	if (!strings)
		return;
	arena_fini(&strings->arena);
	vec_free(&strings->list);
	free(strings->slots);
	free(strings);
}

static bool grow(struct strings *strings)
{
	uint32_t n = strings->nslots * 2, *slots;

	if (!n)
		return false;
	slots = calloc(n, sizeof *slots);
	if (!slots)
		return false;
	for (uint32_t id = 1; id < strings->list.n; id++) {
		uint32_t i = strings->list.v[id].hash & (n - 1);

		while (slots[i])
			i = (i + 1) & (n - 1);
		slots[i] = id;
	}
	free(strings->slots);
	strings->slots = slots;
	strings->nslots = n;
	return true;
}

uint32_t strings_add(struct strings *strings, const char *s, size_t n)
{
	uint32_t hash, i;
	struct string *new;
	char *copy;

	if (!n)
		return 0;
	if (n >= UINT32_MAX || strings->list.n >= UINT32_MAX - 1)
		return UINT32_MAX;
	if (strings->list.n >= strings->nslots / 2 && !grow(strings))
		return UINT32_MAX;
	hash = hash_bytes(s, n);
	for (i = hash & (strings->nslots - 1); strings->slots[i];
		i = (i + 1) & (strings->nslots - 1)) {
		const struct string *old = &strings->list.v[strings->slots[i]];

		if (old->hash == hash && old->n == n && !memcmp(old->s, s, n))
			return strings->slots[i];
	}
	if (!vec_reserve(&strings->list, strings->list.n + 1))
		return UINT32_MAX;
	copy = arena_strndup(&strings->arena, s, n);
	if (!copy)
		return UINT32_MAX;
	new = vec_push(&strings->list);
	*new = (struct string){copy, (uint32_t)n, hash};
	return strings->slots[i] = (uint32_t)(strings->list.n - 1);
}

const char *strings_get(const struct strings *strings, uint32_t id)
{
	return id < strings->list.n ? strings->list.v[id].s : "";
}

uint32_t strings_count(const struct strings *strings)
{
	return (uint32_t)strings->list.n;
}
