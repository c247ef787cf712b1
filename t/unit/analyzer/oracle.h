/*
 * oracle.h - call path profiles worked out naively, to hold the real ones
 * against.
 *
 * Knows no tree and no locks: it takes each stack by itself, canonicalizes it
 * from the outermost occurrence of the root function by the rule of Hall and
 * Goldberg's appendix, and gives the stack's weight once to every path met on
 * the way.
 */
#ifndef CPPROF_ORACLE_H
#define CPPROF_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/profile/profile.h"
#include "t/unit/analyzer/stack_tree.h"

#define ORACLE_DEPTH 64

struct oracle_record {
	uint32_t path[ORACLE_DEPTH];
	uint32_t length;
	uint64_t weight, hits;
	size_t last; /* the last stack that was counted, plus 1 */
};

struct oracle {
	struct oracle_record *records;
	size_t n, cap;
};

static inline void oracle_free(struct oracle *oracle)
{
	free(oracle->records);
	memset(oracle, 0, sizeof *oracle);
}

static inline struct oracle_record *oracle_find(
	const struct oracle *oracle, const uint32_t *path, uint32_t length)
{
	for (size_t i = 0; i < oracle->n; i++)
		if (oracle->records[i].length == length &&
			!memcmp(oracle->records[i].path, path,
				length * sizeof *path))
			return &oracle->records[i];
	return NULL;
}

/* Stack number ID counts for PATH, once. */
static inline void oracle_count(struct oracle *oracle, const uint32_t *path,
	uint32_t length, const struct stack *stack, size_t id)
{
	struct oracle_record *record = oracle_find(oracle, path, length);

	if (!record) {
		if (oracle->n == oracle->cap) {
			oracle->cap = oracle->cap * 2 + 64;
			oracle->records = realloc(oracle->records,
				oracle->cap * sizeof *oracle->records);
			if (!oracle->records)
				abort();
		}
		record = &oracle->records[oracle->n++];
		memset(record, 0, sizeof *record);
		memcpy(record->path, path, length * sizeof *path);
		record->length = length;
	}
	if (record->last == id + 1)
		return;
	record->last = id + 1;
	record->weight += stack->weight;
	record->hits += stack->hits;
}

/* One stack from position START on. */
static inline void oracle_stack(struct oracle *oracle,
	const struct stack *stack, uint32_t start, size_t id)
{
	uint32_t path[ORACLE_DEPTH], length = 0;

	for (uint32_t i = start; i < stack->depth; i++) {
		uint32_t f = stack->functions[i], k = 0;

		path[length] = f;
		oracle_count(oracle, path, length + 1, stack, id);
		while (path[k] != f)
			k++;
		length = k + 1; /* cut back, or one longer */
	}
}

/* All paths that start with ROOT. */
static inline void oracle_down(struct oracle *oracle,
	const struct stack *stacks, size_t n, uint32_t root)
{
	for (size_t s = 0; s < n; s++)
		for (uint32_t i = 0; i < stacks[s].depth; i++)
			if (stacks[s].functions[i] == root) {
				oracle_stack(oracle, &stacks[s], i, s);
				break;
			}
}

/* All paths that end with ROOT: from each of NFUNCTIONS functions, sifted. */
static inline void oracle_up(struct oracle *oracle, const struct stack *stacks,
	size_t n, uint32_t root, uint32_t first, uint32_t nfunctions)
{
	size_t kept = 0;

	for (uint32_t f = first; f < first + nfunctions; f++)
		oracle_down(oracle, stacks, n, f);
	for (size_t i = 0; i < oracle->n; i++) {
		const struct oracle_record *r = &oracle->records[i];

		if (r->path[r->length - 1] == root)
			oracle->records[kept++] = *r;
	}
	oracle->n = kept;
}

#endif
