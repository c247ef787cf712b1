#include "lib/hash.h"

#include <string.h>

#include "lib/huge_pages.h"

#define FIRST_CAP 64

uint64_t hash_bytes(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	uint64_t hash = n, word;

	for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		hash = hash_with(hash, word);
	}
	word = 0;
	memcpy(&word, at, n);
	return hash_with(hash, word);
}

static void put(struct hash *table, uint64_t entry)
{
	size_t at = entry >> 32;

	while (table->v[at & (table->cap - 1)])
		at++;
	table->v[at & (table->cap - 1)] = entry;
}

bool hash_reserve(struct hash *table, size_t count)
{
	struct hash new = {.n = table->n, .cap = table->cap};

	if (!new.cap)
		new.cap = FIRST_CAP;
	while (table->n + count > new.cap / 2) {
		if (new.cap > SIZE_MAX / 4 / sizeof *new.v)
			return false;
		new.cap *= 2;
	}
	if (new.cap == table->cap)
		return true;
	new.v = huge_new(new.cap * sizeof *new.v);
	if (!new.v)
		return false;
	for (size_t i = 0; i < table->cap; i++)
		if (table->v[i])
			put(&new, table->v[i]);
	huge_free(table->v, table->cap * sizeof *table->v);
	*table = new;
	return true;
}

bool hash_add(struct hash *table, uint64_t hash, uint32_t number)
{
	if (!hash_reserve(table, 1))
		return false;
	put(table, (hash & ~(uint64_t)UINT32_MAX) | (number + 1));
	table->n++;
	return true;
}

void hash_clear(struct hash *table)
{
	if (table->cap)
		memset(table->v, 0, table->cap * sizeof *table->v);
	table->n = 0;
}

void hash_free(struct hash *table)
{
	huge_free(table->v, table->cap * sizeof *table->v);
	*table = (struct hash){0};
}
