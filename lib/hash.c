/* A table of numbers, open addressed; clearing it moves the base of the
   numbers. */
#include "lib/hash.h"

#include <stdlib.h>
#include <string.h>

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

static bool is_used(const struct hash *table, size_t at)
{
	return (uint32_t)table->v[at & (table->cap - 1)] > table->base;
}

static void put(struct hash *table, uint64_t entry)
{
	size_t at = entry >> 32;

	while (is_used(table, at))
		at++;
	table->v[at & (table->cap - 1)] = entry;
}

/*
 * Moves the used entries to TO, which may be the table itself, with the base 0.
 */
static void rebase(struct hash *table, struct hash *to)
{
	for (size_t i = 0; i < table->cap; i++) {
		uint64_t entry =
			is_used(table, i) ? table->v[i] - table->base : 0;

		if (table->v == to->v)
			to->v[i] = entry;
		else if (entry)
			put(to, entry);
	}
	to->most = table->most - table->base;
	to->base = 0;
}

bool hash_reserve(struct hash *table, size_t count)
{
	struct hash new = {.n = table->n, .cap = table->cap};

	if (!new.cap)
		new.cap = FIRST_CAP;
	while (table->n + count > new.cap / 4 * 3) {
		if (new.cap > SIZE_MAX / 4 / sizeof *new.v)
			return false;
		new.cap *= 2;
	}
	if (new.cap == table->cap)
		return true;
	new.v = calloc(new.cap, sizeof *new.v);
	if (!new.v)
		return false;
	rebase(table, &new);
	free(table->v);
	*table = new;
	return true;
}

bool hash_add(struct hash *table, uint64_t hash, uint32_t number)
{
	uint32_t entry;

	if (!hash_reserve(table, 1))
		return false;
	if (number >= UINT32_MAX - table->base)
		rebase(table, table);
	entry = table->base + number + 1;
	if (table->most < entry)
		table->most = entry;
	put(table, (hash & ~(uint64_t)UINT32_MAX) | entry);
	table->n++;
	return true;
}

void hash_remove(struct hash *table, uint64_t hash, uint32_t number)
{
	size_t mask = table->cap - 1, hole = hash >> 32, at;

	while (table->v[hole & mask] !=
		((hash & ~(uint64_t)UINT32_MAX) | (table->base + number + 1)))
		hole++;
	/* entries that were displaced move nearer (Knuth, volume 3, 6.4,
	   algorithm R) */
	for (at = hole + 1; is_used(table, at); at++) {
		size_t home = table->v[at & mask] >> 32;

		if (((at - home) & mask) < at - hole)
			continue;
		table->v[hole & mask] = table->v[at & mask];
		hole = at;
	}
	table->v[hole & mask] = 0;
	table->n--;
}

void hash_clear(struct hash *table)
{
	table->base = table->most;
	table->n = 0;
}

void hash_free(struct hash *table)
{
	free(table->v);
	*table = (struct hash){0};
}
