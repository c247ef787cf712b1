/* Names of what is mapped, and mappings that keep their bounds. */
#include "monitor/space/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/text.h"

#define HEAP_FAR (2ull << 30) /* the kernel puts it at random, up to 1 GiB */
#define PART 8                /* MiB of a file of data that are one part */

void objects_fini(struct objects *objects)
{
	strings_free(&objects->paths);
	vec_free(&objects->code);
}

/* Its number; UINT32_MAX: no memory. */
static uint32_t number_of(struct objects *objects, const char *path)
{
	uint32_t n = strings_add(&objects->paths, path, strlen(path));

	while (n != UINT32_MAX && objects->code.n <= n)
		if (!vec_add(&objects->code, false))
			return UINT32_MAX;
	return n;
}

struct process_objects objects_inherit(const struct process_objects *from)
{
	struct process_objects its = *from;

	if (its.space)
		its.space->refs++;
	return its;
}

void objects_drop(struct process_objects *its)
{
	address_space_drop(its->space);
}

/* The last mapping that ends at ADDR or before, or NULL. */
static const struct mapping *below(
	const struct address_space *space, uint64_t addr)
{
	size_t i = LOWER_BOUND(space->maps.n, k, space->maps.v[k].end <= addr);

	return i ? &space->maps.v[i - 1] : NULL;
}

/*
 * Whose a new piece of memory without a file is.  What is mapped first right
 * behind the data of a library, or of the program while that is loaded, is more
 * of it that the file has no bytes for (.bss).  What comes next behind the
 * program, where only brk() puts it, is the heap: the kernel gives it that name
 * when it has grown once.
 */
static uint32_t owner_of(const struct objects *objects,
	const struct process_objects *its, const struct mapping *piece)
{
	const struct mapping *before = below(its->space, piece->start);
	bool program;

	if (!before || before->code || !objects->code.v[before->object])
		return piece->object;
	program = before->object == its->program;
	if (before->end == piece->start &&
		!(program ? its->loaded : before->bss))
		return before->object;
	return program && piece->start - before->end < HEAP_FAR ? OBJECT_HEAP
								: piece->object;
}

/*
 * Whether MAPPING stays where NEW, which is without a file, is reported: it is
 * part of that.
 */
static bool stays(const struct process_objects *its,
	const struct mapping *mapping, const struct mapping *new)
{
	return new->object == OBJECT_HEAP
		       ? its->program && mapping->object == its->program
		       : mapping->object <= OBJECT_HEAP ||
				 (mapping->bss && mapping->start == new->start);
}

/* Adds the parts of MAPPING where nothing stays, or LATE, is known. */
static int fill(const struct objects *objects, struct process_objects *its,
	const struct mapping *mapping, bool late)
{
	struct address_space *space = its->space;
	struct mapping piece = *mapping;

	while (piece.start < mapping->end) {
		uint64_t next = mapping->end;
		size_t i = LOWER_BOUND(
			space->maps.n, k, space->maps.v[k].end <= piece.start);

		while (!late && i < space->maps.n &&
			space->maps.v[i].start < mapping->end &&
			!stays(its, &space->maps.v[i], mapping))
			i++;
		piece.end = mapping->end;
		if (i < space->maps.n &&
			space->maps.v[i].start < mapping->end) {
			piece.end = space->maps.v[i].start;
			next = space->maps.v[i].end;
		}
		if (piece.end > piece.start) {
			piece.object = mapping->object;
			if (!late && piece.object == OBJECT_ANONYMOUS)
				piece.object = owner_of(objects, its, &piece);
			piece.bss =
				!mapping->object && piece.object > OBJECT_HEAP;
			if (address_space_insert(space, &piece))
				return -1;
		}
		piece.start = next;
	}
	return 0;
}

/* Notes how far the program is loaded: its file is mapped first, the stack
   moved, and then come other files, or at least the kernel's own ([vdso]). */
static void note_loading(struct process_objects *its, const char *path,
	const struct mapping *mapping)
{
	if (!its->program && *path == '/' && path[1] != '/')
		its->program = mapping->object;
	its->loaded |= its->program && mapping->object != its->program &&
		       mapping->object != OBJECT_ANONYMOUS &&
		       strcmp(path, "[stack]") != 0;
}

int objects_map(struct objects *objects, struct process_objects *its,
	const struct object_map *map)
{
	const char *path = map->path;
	struct address_space *space = address_space_own(&its->space);
	struct mapping mapping = {.start = map->start,
		.end = map->end,
		.bias = map->start - map->offset};

	if (strcmp(path, "//anon") == 0 || strncmp(path, "[anon", 5) == 0 ||
		strcmp(path, "/dev/zero (deleted)") == 0)
		path = "";
	if (!space || number_of(objects, "[heap]") != OBJECT_HEAP)
		return -1;
	mapping.object = number_of(objects, path);
	if (mapping.object == UINT32_MAX)
		return -1;
	if (map->end <= map->start)
		return 0;
	mapping.code = map->code && *path == '/' && path[1] != '/';
	objects->code.v[mapping.object] |= mapping.code;
	if (!map->late)
		note_loading(its, path, &mapping);
	return map->late || mapping.object <= OBJECT_HEAP
		       ? fill(objects, its, &mapping, map->late)
		       : address_space_insert(space, &mapping);
}

int objects_mapped(struct process_objects *its, uint64_t start, uint64_t end,
	uint32_t module)
{
	const struct mapping *at = objects_find(its, start);
	struct mapping piece;

	if (!at || at->object != OBJECT_ANONYMOUS || end <= start)
		return 0;
	piece = *at;
	piece.start = start;
	piece.end = end;
	piece.mapper = module;
	return address_space_own(&its->space)
		       ? address_space_insert(its->space, &piece)
		       : -1;
}

int objects_move(struct process_objects *its, const struct object_move *move)
{
	uint64_t end = move->from + move->had, by = move->to - move->from;
	struct address_space *space;
	VEC(struct mapping) pieces = {0};
	bool good = true;

	if (!objects_find(its, move->from))
		return 0;
	space = address_space_own(&its->space);
	if (!space)
		return -1;
	for (size_t i = 0; good && i < space->maps.n; i++) {
		struct mapping piece = space->maps.v[i];

		if (piece.end <= move->from || piece.start >= end)
			continue;
		if (piece.start < move->from)
			piece.start = move->from;
		if (piece.end > end)
			piece.end = end;
		good = vec_add(&pieces, piece);
	}
	good = good && !address_space_remove(space, move->from, end);
	for (size_t i = 0; good && i < pieces.n; i++) {
		struct mapping *piece = &pieces.v[i];

		piece->start += by;
		piece->end += by;
		piece->bias += by;
		if (i + 1 == pieces.n || piece->end > move->to + move->has)
			piece->end = move->to + move->has;
		good = piece->start >= piece->end ||
		       !address_space_insert(space, piece);
	}
	vec_free(&pieces);
	return good ? 0 : -1;
}

uint64_t objects_place(const struct objects *objects,
	const struct mapping *mapping, uint64_t addr)
{
	return mapping->object == OBJECT_ANONYMOUS ||
			       objects->code.v[mapping->object] ||
			       *strings_get(&objects->paths, mapping->object) ==
				       '['
		       ? addr
		       : addr - mapping->bias;
}

void objects_label(const struct objects *objects, const struct mapping *mapping,
	uint64_t addr, char label[OBJECT_LABEL])
{
	const char *path = strings_get(&objects->paths, mapping->object);
	uint64_t part =
		objects_place(objects, mapping, addr) / (PART << 20) * PART;
	const char *name = text_base_name(path);
	size_t deleted = strlen(name);
	int n;

	if (deleted > 10 && strcmp(name + deleted - 10, " (deleted)") == 0)
		deleted -= 10;
	n = (int)(deleted < 255 ? deleted : 255);
	if (*path == '[')
		snprintf(label, OBJECT_LABEL, "%.*s", n, name);
	else if (mapping->object == OBJECT_ANONYMOUS)
		snprintf(label, OBJECT_LABEL, "[anonymous]");
	else if (objects->code.v[mapping->object])
		snprintf(label, OBJECT_LABEL, "[%.*s %s]", n, name,
			mapping->code ? "code" : "data");
	else
		snprintf(label, OBJECT_LABEL,
			"[%.*s %" PRIu64 "..%" PRIu64 " MiB]", n, name, part,
			part + PART);
}
