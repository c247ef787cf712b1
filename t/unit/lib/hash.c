/*
 * hash.c - the hash table against a plain array, the search against a scan.
 */
#include "lib/hash.h"

#include <stdlib.h>
#include <string.h>

#include "lib/id_map.h"
#include "lib/lower_bound.h"
#include "lib/vec.h"
#include "t/lib/tap.h"

#define N 20000
#define VALUES 5000

/* The number of VALUE; HASH_NONE: it is not there. */
static uint32_t find(const struct hash *table, const uint64_t *values,
	uint64_t value, uint64_t hash)
{
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(table, hash, &probe)) != HASH_NONE)
		if (values[i] == value)
			break;
	return i;
}

/* Adds N values, many of them twice, by a hash of that many bits. */
static void test_table(unsigned bits)
{
	struct hash table = {0};
	VEC(uint64_t) values = {0};
	uint32_t *where = malloc(VALUES * sizeof *where);
	bool right = find(&table, NULL, 1, hash_mix(1)) == HASH_NONE;

	for (size_t i = 0; i < VALUES; i++)
		where[i] = HASH_NONE;
	for (size_t i = 0; i < N && right; i++) {
		uint64_t value = (uint64_t)rand() % VALUES;
		uint64_t hash = hash_mix(value) >> (64 - bits) << (64 - bits);
		uint32_t at = find(&table, values.v, value, hash);

		right = at == where[value];
		if (at != HASH_NONE)
			continue;
		where[value] = (uint32_t)values.n;
		right = right && hash_add(&table, hash, where[value]);
		*vec_push(&values) = value;
	}
	ok(right && table.n == values.n && values.n > VALUES / 2,
		"a table finds what was added, by hashes of %u bits", bits);
	hash_clear(&table);
	ok(find(&table, values.v, values.v[0], hash_mix(values.v[0])) ==
			HASH_NONE,
		"and nothing when it is cleared");
	hash_free(&table);
	vec_free(&values);
	free(where);
}

/* Things that come and go; once in a while all of them go. */
static void test_changes(unsigned bits)
{
	struct hash table = {0};
	static uint64_t values[VALUES];
	static bool there[VALUES];
	bool right = true;
	size_t n = 0;

	memset(there, 0, sizeof there);
	/* as after four billion things: the numbers wrap around */
	right = hash_reserve(&table, 1);
	table.base = table.most = UINT32_MAX - 3 * VALUES;
	for (uint32_t i = 0; i < VALUES; i++)
		values[i] = i;
	for (size_t i = 0; i < 10 * N && right; i++) {
		uint32_t k = (uint32_t)rand() % VALUES;
		uint64_t hash = hash_mix(k) >> (64 - bits) << (64 - bits);

		if (i % N == N - 1) {
			hash_clear(&table);
			memset(there, 0, sizeof there);
			n = 0;
		}
		right = find(&table, values, k, hash) ==
			(there[k] ? k : HASH_NONE);
		if (there[k])
			hash_remove(&table, hash, k);
		else
			right = right && hash_add(&table, hash, k);
		there[k] = !there[k];
		n += there[k] ? 1 : -(size_t)1;
		right = right && table.n == n;
	}
	ok(right, "what is taken out is gone, and nothing else, by %u bits",
		bits);
	hash_free(&table);
}

/* Every seventh goes, and some come again. */
static void test_ids(void)
{
	static uint64_t things[VALUES];
	struct id_map map = {0};
	bool right = true;

	for (size_t i = 0; i < VALUES; i++)
		right = right && id_map_put(&map, i * i, &things[i]);
	for (size_t i = 0; i < VALUES; i += 7)
		id_map_remove(&map, i * i, &things[i]);
	for (size_t i = 0; i < VALUES; i += 21)
		right = right && id_map_put(&map, i * i, &things[0]);
	id_map_remove(&map, 1, &things[0]); /* another's */
	right = right && map.n == VALUES - 715 + 239;
	for (size_t i = 0; i < VALUES && right; i++)
		right = id_map_get(&map, i * i) ==
			(i % 21 == 0         ? &things[0]
				: i % 7 == 0 ? NULL
					     : &things[i]);
	ok(right, "a map has what was put in and not taken out");
	id_map_free(&map);
}

static void test_bytes(void)
{
	const char text[] = "abcdefghijklmnopqrstuvw";
	bool differ = true;

	for (size_t i = 0; i < sizeof text; i++)
		for (size_t j = 0; j < i; j++)
			differ = differ &&
				 hash_bytes(text, i) != hash_bytes(text, j);
	ok(differ, "beginnings of a text have different hashes");
	ok(hash_bytes("\0\0", 1) != hash_bytes("\0\0", 2),
		"so do zeros of different lengths");
}

static void test_search(void)
{
	int v[40];
	bool right = true;

	for (size_t n = 0; n <= 40; n++) {
		for (size_t k = 0; k < n; k++)
			v[k] = (int)(k / 3);
		for (int x = -1; x < 16; x++) {
			size_t scan = 0;

			while (scan < n && v[scan] < x)
				scan++;
			right = right && LOWER_BOUND(n, i, v[i] < x) == scan;
		}
	}
	ok(right, "LOWER_BOUND is the first that is not before");
}

int main(void)
{
	srand(1);
	test_table(64);
	test_table(40);
	test_table(3); /* most of them collide */
	test_changes(64);
	test_changes(36);
	test_ids();
	test_bytes();
	test_search();
	return done_testing();
}
