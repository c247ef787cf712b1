/* late_places.c - addresses by module, each looked up once. */
#include "analyzer/source/late_places.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/symbol/lookup.h"
#include "lib/arena.h"
#include "lib/lower_bound.h"
#include "lib/order.h"
#include "lib/vec.h"

struct late_place {
	uint32_t module; /* the first that is the same */
	uint64_t addr;
	const char *file; /* equal names are one string */
	uint32_t line;
};

struct late_places {
	const struct tree *tree;
	VEC(struct late_place) v; /* sorted once they are looked up */
	struct strings files;
	struct debug_search *search;
};

struct late_places *late_places_new(
	const struct tree *tree, struct debug_search *search)
{
	struct late_places *places = calloc(1, sizeof *places);

	if (places)
		*places = (struct late_places){.tree = tree, .search = search};
	return places;
}

void late_places_free(struct late_places *places)
{
	if (!places)
		return;
	strings_free(&places->files);
	vec_free(&places->v);
	free(places);
}

/* Where a node is: in the function that holds the code. */
static struct late_place place_of(
	const struct late_places *places, uint32_t number)
{
	const struct dataset *data = places->tree->data;
	const struct location *at = dataset_location(data, number);
	uint32_t function = at->frames[at->nframes - 1].function;

	return (struct late_place){data->functions[function].module_id,
		location_address(at), "", 0};
}

int late_places_add(struct late_places *places, uint32_t number)
{
	struct late_place place = place_of(places, number);

	if (!place.module)
		return 0;
	return vec_add(&places->v, place) ? 0 : -1;
}

static int compare(const void *a, const void *b)
{
	const struct late_place *x = a, *y = b;

	return ORDER(x->module, y->module) ?: ORDER(x->addr, y->addr);
}

static void sort_unique(struct late_places *places)
{
	size_t kept = 0;

	if (places->v.n)
		qsort(places->v.v, places->v.n, sizeof *places->v.v, compare);
	for (size_t i = 0; i < places->v.n; i++)
		if (!kept || compare(&places->v.v[kept - 1], &places->v.v[i]))
			places->v.v[kept++] = places->v.v[i];
	places->v.n = kept;
}

static int keep(struct late_places *places, struct late_place *to,
	const struct sym_place *from, bool *found)
{
	uint32_t id;

	if (!from->line)
		return 0;
	id = strings_add(&places->files, from->file, strlen(from->file));
	if (id == UINT32_MAX)
		return -1;
	to->file = strings_get(&places->files, id);
	to->line = from->line;
	*found = true;
	return 0;
}

/* V[N], all of one module. */
static int look_up(
	struct late_places *places, struct late_place *v, size_t n, bool *found)
{
	const struct cpd_module *module =
		&places->tree->data->modules[v->module];
	uint64_t *addrs = calloc(n + 1, sizeof *addrs);
	struct sym_place *lines = calloc(n + 1, sizeof *lines);
	struct sym_lookup *lookup = NULL;
	struct arena arena = {0};
	int status = 0;

	if (module->kind == CPD_MODULE_ANON)
		goto out;
	lookup = sym_lookup_open(module, places->search);
	status = addrs && lines && lookup ? 0 : -1;
	for (size_t i = 0; !status && i < n; i++)
		addrs[i] = v[i].addr;
	if (!status)
		status = sym_lookup_places(
			lookup, addrs, n, true, lines, &arena);
	for (size_t i = 0; !status && i < n; i++)
		status = keep(places, &v[i], &lines[i], found);
out:
	sym_lookup_close(lookup);
	arena_fini(&arena);
	free(addrs);
	free(lines);
	return status;
}

int late_places_look_up(struct late_places *places, bool *found)
{
	struct late_place *v;

	*found = false;
	sort_unique(places);
	v = places->v.v;
	for (size_t i = 0, end; i < places->v.n; i = end) {
		for (end = i + 1;
			end < places->v.n && v[end].module == v[i].module;)
			end++;
		if (look_up(places, v + i, end - i, found))
			return -1;
	}
	return 0;
}

void late_places_find(
	const struct late_places *places, uint32_t number, struct frame *frame)
{
	struct late_place place = place_of(places, number);
	size_t at = LOWER_BOUND(
		places->v.n, i, compare(&places->v.v[i], &place) < 0);

	if (at == places->v.n || compare(&places->v.v[at], &place) != 0 ||
		!places->v.v[at].line)
		return;
	frame->file = places->v.v[at].file;
	frame->line = places->v.v[at].line;
}
