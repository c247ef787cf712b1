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
	struct hash known[2]; /* by module and name; [1]: by place, too */
	VEC(uint32_t) functions;
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

static uint64_t hash_of(const struct function *like, size_t n, bool place)
{
	return hash_with(hash_with(like->module_id, place ? like->line : 0),
		hash_bytes(like->name, n));
}

/* Where the function is kept whose name is the first N characters of LIKE's;
   NULL: there is none. */
static uint32_t *find(const struct dataset_private *impl,
	const struct named *named, const struct function *like, size_t n,
	bool place)
{
	uint64_t h = hash_of(like, n, place);
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&named->known[place], h, &probe)) != HASH_NONE) {
		const struct function *f =
			&impl->functions.v[named->functions.v[i]];

		if (f->module_id == like->module_id &&
			strncmp(f->name, like->name, n) == 0 && !f->name[n] &&
			(!place || (f->line == like->line &&
					   strcmp(f->file, like->file) == 0)))
			return &named->functions.v[i];
	}
	return NULL;
}

/* Makes find() with the same arguments find FUNCTION. */
static bool set(const struct dataset_private *impl, struct named *named,
	const struct function *like, size_t n, bool place, uint32_t function)
{
	uint32_t *to = find(impl, named, like, n, place);

	if (!to) {
		to = hash_add(&named->known[place], hash_of(like, n, place),
			     (uint32_t)named->functions.n)
			     ? vec_push(&named->functions)
			     : NULL;
	}
	if (to)
		*to = function;
	return to;
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

static int fold(
	struct dataset_private *impl, struct named *named, const bool *several)
{
	size_t n = impl->functions.n;

	for (uint32_t i = FN_FIRST_REAL; i < n; i++) {
		struct function f = impl->functions.v[i];
		size_t len = base_length(&f);
		uint32_t *found, base;
		bool place;

		if (!f.name[len] || len == 0)
			continue;
		found = find(impl, named, &f, len, false);
		place = *f.file && (!found || *impl->functions.v[*found].file);
		if (place)
			found = find(impl, named, &f, len, true);
		else if (found && *found < n && several[*found])
			found = NULL;
		base = found ? *found : add_base(impl, &f, len);
		if (!base ||
			(!found && !set(impl, named, &f, len, place, base)))
			return -1;
		impl->functions.v[i].base = base;
		impl->functions.v[base].is_main |= f.is_main;
	}
	return 0;
}

int dataset_fold_clones(struct dataset_private *impl)
{
	size_t n = impl->functions.n;
	struct named named = {0};
	bool *several = calloc(n, sizeof *several);
	int status = -1;

	if (!several)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct function *f = &impl->functions.v[i];
		size_t len = strlen(f->name);
		uint32_t *first;

		f->base = i;
		if (i < FN_FIRST_REAL)
			continue;
		first = find(impl, &named, f, len, false);
		if (first)
			several[*first] = true;
		else if (!set(impl, &named, f, len, false, i))
			goto out;
		if (*f->file && !set(impl, &named, f, len, true, i))
			goto out;
	}
	status = fold(impl, &named, several);
out:
	hash_free(&named.known[0]);
	hash_free(&named.known[1]);
	vec_free(&named.functions);
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
