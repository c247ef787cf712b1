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
#include "lib/order.h"

struct named_function {
	uint32_t name, file; /* among the dataset's strings; 0: any file */
	uint32_t module, line;
	uint32_t function;
};

typedef SET_OF(struct named_function) named_functions;

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

/* What a function of LIKE's module is found by: the first N characters of
   LIKE's name and, if PLACE, where LIKE is declared. */
static struct named_function key_of(struct dataset_private *impl,
	const struct function *like, size_t n, bool place)
{
	return (struct named_function){
		.name = strings_add(&impl->strings, like->name, n),
		.file = place ? strings_add(&impl->strings, like->file,
					strlen(like->file))
			      : 0,
		.module = like->module_id,
		.line = place ? like->line : 0};
}

#define KEY offsetof(struct named_function, function)

/* The function kept under that key; 0: there is none. */
static uint32_t find(struct dataset_private *impl, const named_functions *named,
	const struct function *like, size_t n, bool place)
{
	struct named_function key = key_of(impl, like, n, place);
	uint32_t i = set_find(named, &key, KEY);

	return i == HASH_NONE ? 0 : named->v[i].function;
}

/* Makes find() with the same arguments find FUNCTION; false: no memory. */
static bool set(struct dataset_private *impl, named_functions *named,
	const struct function *like, size_t n, bool place, uint32_t function)
{
	struct named_function key = key_of(impl, like, n, place);
	uint32_t i = set_add(named, &key, KEY);

	if (key.name == UINT32_MAX || key.file == UINT32_MAX || i == HASH_NONE)
		return false;
	named->v[i].function = function;
	return true;
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

static int fold(struct dataset_private *impl, named_functions *named,
	const bool *several)
{
	size_t n = impl->functions.n;

	for (uint32_t i = FN_FIRST_REAL; i < n; i++) {
		struct function f = impl->functions.v[i];
		size_t len = base_length(&f);
		uint32_t found, base;
		bool place;

		if (!f.name[len] || len == 0)
			continue;
		found = find(impl, named, &f, len, false);
		place = *f.file && (!found || *impl->functions.v[found].file);
		if (place)
			found = find(impl, named, &f, len, true);
		else if (found < n && several[found])
			found = 0;
		base = found ? found : add_base(impl, &f, len);
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
	named_functions named = {0};
	bool *several = calloc(n, sizeof *several);
	int status = -1;

	if (!several)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct function *f = &impl->functions.v[i];
		size_t len = strlen(f->name);
		uint32_t first;

		f->base = i;
		if (i < FN_FIRST_REAL)
			continue;
		first = find(impl, &named, f, len, false);
		if (first)
			several[first] = true;
		else if (!set(impl, &named, f, len, false, i))
			goto out;
		if (*f->file && !set(impl, &named, f, len, true, i))
			goto out;
	}
	status = fold(impl, &named, several);
out:
	set_free(&named);
	free(several);
	return status;
}

size_t dataset_bases(const struct dataset *data, uint32_t *functions, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		functions[i] = data->functions[functions[i]].base;
	if (n)
		qsort(functions, n, sizeof *functions, order_u32);
	for (size_t i = 0; i < n; i++)
		if (!kept || functions[kept - 1] != functions[i])
			functions[kept++] = functions[i];
	return kept;
}
