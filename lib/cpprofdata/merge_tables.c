/* Finds modules, functions and addresses that an earlier file had. */
#include "lib/cpprofdata/merge_tables.h"
#include "lib/cpprofdata/records.h"

#include <stddef.h>
#include <string.h>

/* The number of S, of which equal ones have the same; UINT32_MAX: no memory. */
static uint32_t number_of(struct cpd_merge_tables *t, const char *s)
{
	return strings_add(t->strings, s, strlen(s));
}

int cpd_merge_tables_init(struct cpd_merge_tables *t)
{
	memset(t, 0, sizeof *t);
	t->strings = strings_new();
	return t->strings ? 0 : -1;
}

void cpd_merge_tables_fini(struct cpd_merge_tables *t)
{
	set_free(&t->modules);
	set_free(&t->functions);
	set_free(&t->addrs);
	arena_fini(&t->arena);
	if (t->strings)
		strings_free(t->strings);
}

/*
 * Without a build id, two files of one name may differ: each stays a module of
 * its own.
 */
uint32_t cpd_merge_module(struct cpd_merge_tables *t, struct cpd_writer *w,
	const struct cpd_module *module)
{
	struct merge_module key = {.kind = module->kind,
		.path = number_of(t, module->path),
		.length = module->build_id_len};
	uint32_t i;

	if (module->kind == CPD_MODULE_ANON || !module->build_id_len)
		return cpd_write_module(w, module);
	memcpy(key.build_id, module->build_id, module->build_id_len);
	i = set_add(&t->modules, &key, offsetof(struct merge_module, id));
	if (i == HASH_NONE || key.path == UINT32_MAX)
		return 0;
	if (!t->modules.v[i].id)
		t->modules.v[i].id = cpd_write_module(w, module);
	return t->modules.v[i].id;
}

uint32_t cpd_merge_function(
	struct cpd_merge_tables *t, const struct cpd_function *f)
{
	struct merge_function key = {.lo = f->lo,
		.hi = f->hi,
		.module = f->module,
		.name = number_of(t, f->name),
		.linkage = number_of(t, f->linkage),
		.file = number_of(t, f->file),
		.line = f->line,
		.source = f->source,
		.flags = f->flags};

	if (key.name == UINT32_MAX || key.linkage == UINT32_MAX ||
		key.file == UINT32_MAX)
		return 0;
	/* HASH_NONE + 1 is 0 */
	return set_add(&t->functions, &key,
		       offsetof(struct merge_function, id)) +
	       1;
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
	uint32_t file;

	if (!frames)
		return -1;
	for (uint32_t i = 0; i < from->nframes; i++) {
		frames[i] = from->frames[i];
		file = number_of(t, from->frames[i].file);
		if (file == UINT32_MAX)
			return -1;
		frames[i].file = strings_get(t->strings, file);
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

int cpd_merge_addr(struct cpd_merge_tables *t, const struct cpd_addr *addr)
{
	struct merge_addr new = {.module = addr->module,
		.addr = addr->addr,
		.record = {.module = addr->module, .addr = addr->addr}};
	uint32_t i =
		set_add(&t->addrs, &new, offsetof(struct merge_addr, record));
	struct cpd_addr *slot;

	if (i == HASH_NONE)
		return -1;
	slot = &t->addrs.v[i].record;
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
	const struct strings *strings = to->tables->strings;
	struct merge_function *f;

	if (kind != CPD_KIND_function)
		return number;
	f = &to->tables->functions.v[number - 1];
	if (!f->id)
		f->id = cpd_write_function(to->writer,
			&(struct cpd_function){.module = f->module,
				.lo = f->lo,
				.hi = f->hi,
				.name = strings_get(strings, f->name),
				.linkage = strings_get(strings, f->linkage),
				.source = f->source,
				.flags = f->flags,
				.file = strings_get(strings, f->file),
				.line = f->line});
	return f->id;
}

int cpd_merge_tables_write(struct cpd_merge_tables *t, struct cpd_writer *w)
{
	struct merge_output to = {t, w};

	for (size_t i = 0; i < t->addrs.n; i++) {
		struct cpd_addr *a = &t->addrs.v[i].record;

		if (cpd_renumber(
			    &cpd_rows[CPD_KIND_addr], a, write_function, &to) ||
			cpd_write_addr(w, a))
			return -1;
	}
	return 0;
}
