/* frame_index.c - from an address to the entry of .eh_frame that covers it. */
#include <stdlib.h>

#include "lib/elf/frame_private.h"
#include "lib/lower_bound.h"
#include "lib/order.h"
#include "lib/vec.h"

bool frame_index_from(struct frame_section *s, uint64_t header,
	const uint8_t *table, size_t n)
{
	s->base = header;
	s->pairs = calloc(n + 1, sizeof *s->pairs);
	if (!s->pairs)
		return false;
	for (s->npairs = 0; s->npairs < n; s->npairs++) {
		struct frame_pair *pair = &s->pairs[s->npairs];
		int32_t from[2];
		uint64_t at;

		memcpy(from, table + s->npairs * sizeof from, sizeof from);
		at = header + (uint64_t)(int64_t)from[1] - s->addr;
		if (at >= s->size || (s->npairs && from[0] < pair[-1].start)) {
			free(s->pairs);
			s->pairs = NULL;
			s->npairs = 0;
			return false;
		}
		*pair = (struct frame_pair){from[0], (uint32_t)at};
	}
	return true;
}

struct indexed_entry { /* an entry, before the base is known */
	uint64_t lo;
	uint32_t at;
};

static int by_start(const void *va, const void *vb)
{
	const struct indexed_entry *a = va, *b = vb;

	return ORDER(a->lo, b->lo) ?: ORDER(a->at, b->at);
}

bool frame_index_make(struct frame_section *s)
{
	struct frame_cached cached = {.at = UINT64_MAX};
	VEC(struct indexed_entry) all = {0};
	bool in_order = true, done = false;
	struct frame_entry entry;
	enum frame_read read;
	uint64_t at = 0, next;

	while ((read = frame_entry_read(s, at, &cached, &entry, &next)) !=
		FRAME_AT_END) {
		/* the linker has moved dropped functions to 0 */
		if (read == FRAME_READ && entry.lo && entry.lo < entry.hi) {
			in_order &= !all.n || all.v[all.n - 1].lo <= entry.lo;
			if (!vec_add(&all, (struct indexed_entry){
						   entry.lo, (uint32_t)at}))
				goto out;
		}
		at = next;
	}
	if (!in_order)
		qsort(all.v, all.n, sizeof *all.v, by_start);
	s->pairs = calloc(all.n + 1, sizeof *s->pairs);
	if (!s->pairs)
		goto out;
	s->base = all.n ? all.v[0].lo : 0;
	for (; s->npairs < all.n; s->npairs++) {
		const struct indexed_entry *found = &all.v[s->npairs];

		if (found->lo - s->base > INT32_MAX)
			break;
		s->pairs[s->npairs] = (struct frame_pair){
			(int32_t)(found->lo - s->base), found->at};
	}
	done = true;
out:
	vec_free(&all);
	return done;
}

bool frame_index_find(const struct frame_section *s, uint64_t addr,
	uint64_t *entry, uint64_t *next)
{
	int64_t at = (int64_t)(addr - s->base);
	size_t behind = LOWER_BOUND(s->npairs, i, s->pairs[i].start <= at);

	*next = behind < s->npairs
			? s->base + (uint64_t)(int64_t)s->pairs[behind].start
			: UINT64_MAX;
	if (behind == 0)
		return false;
	*entry = s->pairs[behind - 1].at;
	return true;
}
