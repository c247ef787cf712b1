/* A sorted list of mappings; a new one cuts those that it covers. */
#include "monitor/space/address_space.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/space/module.h"

/* One mapping more, or fewer, of that module. */
static void count_user(const struct mapping *mapping, int change)
{
	if (mapping->module)
		mapping->module->users += (unsigned)change;
}

struct address_space *address_space_new(void)
{
	struct address_space *space = calloc(1, sizeof *space);

	if (space)
		space->refs = 1;
	return space;
}

void address_space_drop(struct address_space *space)
{
	if (space && --space->refs == 0) {
		for (size_t i = 0; i < space->maps.n; i++)
			count_user(&space->maps.v[i], -1);
		vec_free(&space->maps);
		free(space);
	}
}

struct address_space *address_space_own(struct address_space **shared)
{
	struct address_space *space = *shared, *copy;

	if (space && space->refs == 1)
		return space;
	copy = address_space_new();
	if (!copy)
		return NULL;
	if (space) {
		if (!vec_reserve(&copy->maps, space->maps.n + 1)) {
			address_space_drop(copy);
			return NULL;
		}
		if (space->maps.n)
			memcpy(copy->maps.v, space->maps.v,
				space->maps.n * sizeof *space->maps.v);
		copy->maps.n = space->maps.n;
		for (size_t i = 0; i < copy->maps.n; i++)
			count_user(&copy->maps.v[i], 1);
		address_space_drop(space);
	}
	*shared = copy;
	return copy;
}

/* The index of the first of N mappings that ends behind ADDR. */
static size_t first_behind(
	const struct address_space *space, size_t n, uint64_t addr)
{
	return LOWER_BOUND(n, i, space->maps.v[i].end <= addr);
}

int address_space_remove(
	struct address_space *space, uint64_t start, uint64_t end)
{
	size_t i = first_behind(space, space->maps.n, start);

	while (i < space->maps.n && space->maps.v[i].start < end) {
		struct mapping *m = &space->maps.v[i], tail = *m;

		if (m->start < start && m->end > end) {
			if (!vec_push(&space->maps))
				return -1;
			m = &space->maps.v[i];
			memmove(m + 2, m + 1,
				(space->maps.n - i - 2) * sizeof *m);
			m->end = start;
			tail.start = end;
			m[1] = tail;
			count_user(m, 1);
			return 0;
		}
		if (m->start < start) {
			m->end = start;
			i++;
		} else if (m->end > end) {
			m->start = end;
			i++;
		} else {
			count_user(m, -1);
			memmove(m, m + 1, (space->maps.n - i - 1) * sizeof *m);
			space->maps.n--;
		}
	}
	return 0;
}

int address_space_insert(
	struct address_space *space, const struct mapping *mapping)
{
	size_t at;

	if (address_space_remove(space, mapping->start, mapping->end) ||
		!vec_push(&space->maps))
		return -1;
	at = first_behind(space, space->maps.n - 1, mapping->start);
	memmove(&space->maps.v[at + 1], &space->maps.v[at],
		(space->maps.n - 1 - at) * sizeof *mapping);
	space->maps.v[at] = *mapping;
	count_user(mapping, 1);
	return 0;
}
