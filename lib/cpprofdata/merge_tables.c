/* Finds modules, functions and addresses that an earlier file had. */
#include "lib/cpprofdata/merge_tables.h"
#include "lib/cpprofdata/records.h"

#include <stdlib.h>
#include <string.h>

/* S, of which equal ones are at the same address.  NULL: no memory. */
static const char *intern(struct cpd_merge_tables *t, const char *s)
{
	uint32_t id = strings_add(t->strings, s, strlen(s));

	return id == UINT32_MAX ? NULL : strings_get(t->strings, id);
}

int cpd_merge_tables_init(struct cpd_merge_tables *t)
{
	memset(t, 0, sizeof *t);
	t->strings = strings_new();
	return t->strings ? 0 : -1;
}

void cpd_merge_tables_fini(struct cpd_merge_tables *t)
{
	hash_free(&t->known_modules);
	hash_free(&t->known_functions);
	hash_free(&t->known_addrs);
	vec_free(&t->modules);
	vec_free(&t->functions);
	vec_free(&t->addrs);
	arena_fini(&t->arena);
	if (t->strings)
		strings_free(t->strings);
}

static bool same_module(const struct cpd_module *a, const struct cpd_module *b)
{
	return a->kind == b->kind && a->path == b->path &&
	       a->build_id_len == b->build_id_len &&
	       memcmp(a->build_id, b->build_id, a->build_id_len) == 0;
}

/*
 * Without a build id, two files of one name may differ: each stays a module of
 * its own.
 */
uint32_t cpd_merge_module(struct cpd_merge_tables *t, struct cpd_writer *w,
	const struct cpd_module *module)
{
	struct cpd_module key = *module, *slot;
	uint64_t hash;
	size_t probe = 0;
	uint32_t i;

	if (module->kind == CPD_MODULE_ANON || !module->build_id_len)
		return cpd_write_module(w, module);
	key.path = intern(t, module->path);
	hash = hash_bytes(key.build_id, key.build_id_len);
	while ((i = hash_next(&t->known_modules, hash, &probe)) != HASH_NONE)
		if (same_module(&t->modules.v[i], &key))
			return t->modules.v[i].id;
	slot = key.path ? vec_push(&t->modules) : NULL;
	if (!slot ||
		!hash_add(&t->known_modules, hash, (uint32_t)t->modules.n - 1))
		return 0;
	*slot = key;
	slot->id = cpd_write_module(w, module);
	return slot->id;
}

static bool same_function(
	const struct cpd_function *a, const struct cpd_function *b)
{
	return a->module == b->module && a->lo == b->lo && a->hi == b->hi &&
	       a->name == b->name && a->linkage == b->linkage &&
	       a->source == b->source && a->flags == b->flags &&
	       a->file == b->file && a->line == b->line;
}

uint32_t cpd_merge_function(
	struct cpd_merge_tables *t, const struct cpd_function *function)
{
	struct cpd_function key = *function, *slot;
	uint64_t hash;
	size_t probe = 0;
	uint32_t i;

	key.id = 0;
	key.name = intern(t, function->name);
	key.linkage = intern(t, function->linkage);
	key.file = intern(t, function->file);
	if (!key.name || !key.linkage || !key.file)
		return 0;
	hash = hash_with(hash_with(hash_with(key.module, key.lo), key.hi),
		(uintptr_t)key.name);
	while ((i = hash_next(&t->known_functions, hash, &probe)) != HASH_NONE)
		if (same_function(&t->functions.v[i], &key))
			return i + 1;
	slot = vec_push(&t->functions);
	if (!slot || !hash_add(&t->known_functions, hash,
			     (uint32_t)t->functions.n - 1))
		return 0;
	*slot = key;
	return (uint32_t)t->functions.n;
}

static bool is_named(const struct cpd_merge_tables *t, uint32_t function)
{
	return t->functions.v[function - 1].source != CPD_NAME_NONE;
}

/* Whether NEW says more than OLD: a name, or inlined calls. */
static bool is_better(const struct cpd_merge_tables *t,
	const struct cpd_addr *new, const struct cpd_addr *old)
{
	bool named = is_named(t, new->frames[new->nframes - 1].function);
	bool was = is_named(t, old->frames[old->nframes - 1].function);

	return named != was ? named : new->nframes > old->nframes;
}

static int set_frames(struct cpd_merge_tables *t, const struct cpd_addr *from,
	struct cpd_addr *to)
{
	struct cpd_frame *frames =
		arena_alloc(&t->arena, from->nframes * sizeof *frames);

	if (!frames)
		return -1;
	for (uint32_t i = 0; i < from->nframes; i++) {
		frames[i] = from->frames[i];
		frames[i].file = intern(t, from->frames[i].file);
		if (!frames[i].file)
			return -1;
	}
	to->frames = frames;
	to->nframes = from->nframes;
	return 0;
}

#define TAILS_MAX 65536 /* of an address */

/* Another run may have found other functions called from there. */
static int add_tails(struct cpd_merge_tables *t, const struct cpd_addr *from,
	struct cpd_addr *to)
{
	uint32_t n = to->ntails;
	struct cpd_tail *tails;

	if (!from->ntails)
		return 0;
	if (from->ntails > TAILS_MAX - n)
		return 0;
	tails = arena_alloc(&t->arena, (n + from->ntails) * sizeof *tails);
	if (!tails)
		return -1;
	if (n)
		memcpy(tails, to->tails, n * sizeof *tails);
	for (uint32_t i = 0; i < from->ntails; i++) {
		uint32_t k = 0;

		while (k < n && tails[k].found != from->tails[i].found)
			k++;
		if (k == n)
			tails[to->ntails++] = from->tails[i];
	}
	to->tails = tails;
	return 0;
}

/* The entry of T for ADDR, made if it is new; NULL: no memory. */
static struct cpd_addr *known_addr(
	struct cpd_merge_tables *t, const struct cpd_addr *addr)
{
	uint64_t hash = hash_with(addr->module, addr->addr);
	struct cpd_addr *slot;
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&t->known_addrs, hash, &probe)) != HASH_NONE) {
		slot = &t->addrs.v[i];
		if (slot->module == addr->module && slot->addr == addr->addr)
			return slot;
	}
	if (!vec_reserve(&t->addrs, t->addrs.n + 1) ||
		!hash_add(&t->known_addrs, hash, (uint32_t)t->addrs.n))
		return NULL;
	slot = vec_push(&t->addrs);
	slot->module = addr->module;
	slot->addr = addr->addr;
	return slot;
}

int cpd_merge_addr(struct cpd_merge_tables *t, const struct cpd_addr *addr)
{
	struct cpd_addr *slot = known_addr(t, addr);

	if (!slot)
		return -1;
	if ((!slot->nframes || is_better(t, addr, slot)) &&
		set_frames(t, addr, slot))
		return -1;
	if (!slot->target)
		slot->target = addr->target;
	return slot->target == addr->target ? add_tails(t, addr, slot) : 0;
}

struct merge_output {
	struct cpd_merge_tables *tables;
	struct cpd_writer *writer;
};

/* The number of a function of T in the file; it is written if it is new. */
static uint32_t write_function(void *arg, enum cpd_kind kind, uint32_t number)
{
	const struct merge_output *to = arg;
	struct cpd_function *f;

	if (kind != CPD_KIND_function)
		return number;
	f = &to->tables->functions.v[number - 1];
	if (!f->id)
		f->id = cpd_write_function(to->writer, f);
	return f->id;
}

int cpd_merge_tables_write(struct cpd_merge_tables *t, struct cpd_writer *w)
{
	struct merge_output to = {t, w};

	for (size_t i = 0; i < t->addrs.n; i++) {
		struct cpd_addr *a = &t->addrs.v[i];

		if (cpd_renumber(
			    &cpd_rows[CPD_KIND_addr], a, write_function, &to) ||
			cpd_write_addr(w, a))
			return -1;
	}
	return 0;
}
