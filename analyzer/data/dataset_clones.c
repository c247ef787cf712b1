/*
 * dataset_clones.c - which function a clone is a copy or a piece of.
 *
 * Compilers split off rarely run parts (f.cold, f.part.0) and make copies for
 * certain arguments (f.constprop.0, f.isra.0); in the source all are f.  They
 * belong to the function of that name and place in their module.  Where the
 * place is not known and there are several (static ones of different files), or
 * none is known, to one without bounds.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"
#include "lib/elf/demangle.h"
#include "lib/hash.h"

struct named {
	uint32_t *slots;  /* functions by module and name */
	uint32_t *placed; /* those of known place, by that too */
	size_t mask;
};

/* Length of F's name without a clone's suffix. */
static size_t base_length(const struct function *f)
{
	size_t n = strlen(f->name);

	if (f->source != CPD_NAME_SYMTAB && f->source != CPD_NAME_DYNSYM &&
		f->source != CPD_NAME_DWARF)
		return n;
	/* Text behind a demangled name could look like a suffix. */
	if (*f->linkage &&
		demangle_clone_base(f->linkage) == strlen(f->linkage))
		return n;
	return demangle_clone_base(f->name);
}

/* The function called as the first N characters of LIKE's name; or its slot. */
static uint32_t *find(const struct dataset_private *impl,
	const struct named *named, const struct function *like, size_t n,
	bool place)
{
	uint32_t *slots = place ? named->placed : named->slots;
	uint64_t h = hash_with(like->module_id, place ? like->line : 0);

	for (size_t i = 0; i < n; i++)
		h = hash_with(h, (unsigned char)like->name[i]);
	for (;; h++) {
		uint32_t *slot = &slots[h & named->mask];
		const struct function *f = &impl->functions.v[*slot];

		if (!*slot || (f->module_id == like->module_id &&
				      strncmp(f->name, like->name, n) == 0 &&
				      !f->name[n] &&
				      (!place || (f->line == like->line &&
							 !strcmp(f->file,
								 like->file)))))
			return slot;
	}
}

/* A function that stands for all pieces of that name. */
static uint32_t add_base(
	struct dataset_private *impl, const struct function *clone, size_t n)
{
	struct function *to = vec_push(&impl->functions);
	uint32_t id = (uint32_t)impl->functions.n - 1;
	char *name = arena_strndup(&impl->arena, clone->name, n);
	char *linkage = arena_strndup(&impl->arena, clone->linkage,
		demangle_clone_base(clone->linkage));

	if (!to || !name || !linkage)
		return 0;
	*to = (struct function){.name = name,
		.linkage = linkage,
		.module = clone->module,
		.module_id = clone->module_id,
		.source = clone->source,
		.file = clone->file,
		.line = clone->line,
		.base = id};
	return id;
}

static int fold(struct dataset_private *impl, const struct named *named,
	const bool *several)
{
	size_t n = impl->functions.n;

	for (uint32_t i = FN_FIRST_REAL; i < n; i++) {
		struct function f = impl->functions.v[i];
		size_t len = base_length(&f);
		uint32_t *slot;

		if (!f.name[len] || len == 0)
			continue;
		slot = find(impl, named, &f, len, false);
		if (*f.file && (!*slot || *impl->functions.v[*slot].file))
			slot = find(impl, named, &f, len, true);
		else if (*slot && *slot < n && several[*slot])
			*slot = 0;
		if (!*slot)
			*slot = add_base(impl, &f, len);
		if (!*slot)
			return -1;
		impl->functions.v[i].base = *slot;
		impl->functions.v[*slot].is_main |= f.is_main;
	}
	return 0;
}

int dataset_fold_clones(struct dataset_private *impl)
{
	size_t n = impl->functions.n, size = 64;
	struct named named = {0};
	bool *several = calloc(n, sizeof *several);
	int status = -1;

	/* At most one base is added to each function. */
	while (size < n * 4)
		size *= 2;
	named.slots = calloc(size, sizeof *named.slots);
	named.placed = calloc(size, sizeof *named.placed);
	named.mask = size - 1;
	if (!named.slots || !named.placed || !several)
		goto out;
	for (uint32_t i = 0; i < n; i++) {
		struct function *f = &impl->functions.v[i];
		uint32_t *slot;

		f->base = i;
		if (i < FN_FIRST_REAL)
			continue;
		slot = find(impl, &named, f, strlen(f->name), false);
		several[*slot] = *slot != 0;
		if (!*slot)
			*slot = i;
		if (*f->file)
			*find(impl, &named, f, strlen(f->name), true) = i;
	}
	status = fold(impl, &named, several);
out:
	free(named.slots);
	free(named.placed);
	free(several);
	return status;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

size_t dataset_bases(const struct dataset *data, uint32_t *functions, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		functions[i] = data->functions[functions[i]].base;
	if (n)
		qsort(functions, n, sizeof *functions, by_number);
	for (size_t i = 0; i < n; i++)
		if (!kept || functions[kept - 1] != functions[i])
			functions[kept++] = functions[i];
	return kept;
}
