/* Finds modules, functions and addresses that an earlier file had. */
#include "lib/cpprofdata/merge_tables.h"
#include "lib/cpprofdata/writer_private.h"

#include <stddef.h>
#include <string.h>

void cpd_merge_tables_fini(struct cpd_merge_tables *t)
{
	strings_free(&t->files);
	strings_free(&t->modules.encoded);
	strings_free(&t->functions.encoded);
	vec_free(&t->modules.ids);
	vec_free(&t->functions.ids);
	vec_free(&t->named);
	set_free(&t->addrs);
	arena_fini(&t->arena);
}

/* The number of RECORD, which is written if no equal one was; 0: failed. */
static uint32_t write_once(struct merge_records *written, struct cpd_writer *w,
	enum cpd_kind kind, const void *record)
{
	const struct bytes *b = cpd_encode(w, kind, record);
	uint32_t i = b ? strings_add(&written->encoded, (char *)b->v, b->n)
		       : UINT32_MAX;

	if (i == UINT32_MAX)
		return 0;
	if (i > written->ids.n &&
		(cpd_write_record(w, kind, record) ||
			!vec_add(&written->ids, w->known.n[kind])))
		return 0;
	return written->ids.v[i - 1];
}

/*
 * Without a build id, two files of one name may differ: each stays a module of
 * its own.
 */
uint32_t cpd_merge_module(struct cpd_merge_tables *t, struct cpd_writer *w,
	const struct cpd_module *module)
{
	return module->kind == CPD_MODULE_ANON || !module->build_id_len
		       ? cpd_write_module(w, module)
		       : write_once(&t->modules, w, CPD_KIND_module, module);
}

uint32_t cpd_merge_function(struct cpd_merge_tables *t, struct cpd_writer *w,
	const struct cpd_function *f)
{
	uint32_t id = write_once(&t->functions, w, CPD_KIND_function, f);

	return t->named.n >= id ||
			       vec_add(&t->named, f->source != CPD_NAME_NONE)
		       ? id
		       : 0;
}

bool cpd_merge_is_named(
	const struct cpd_merge_tables *t, const struct cpd_addr *addr)
{
	return t->named.v[addr->frames[addr->nframes - 1].function - 1];
}

/* Whether NEW says more than OLD: a name, inlined calls, or a line. */
static bool is_better(const struct cpd_merge_tables *t,
	const struct cpd_addr *new, const struct cpd_addr *old)
{
	bool named = cpd_merge_is_named(t, new);

	if (named != cpd_merge_is_named(t, old))
		return named;
	if (new->nframes != old->nframes)
		return new->nframes > old->nframes;
	return new->frames[0].line && !old->frames[0].line;
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
		file = strings_add(
			&t->files, frames[i].file, strlen(frames[i].file));
		if (file == UINT32_MAX)
			return -1;
		frames[i].file = strings_get(&t->files, file);
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

int cpd_merge_tables_write(struct cpd_merge_tables *t, struct cpd_writer *w)
{
	for (size_t i = 0; i < t->addrs.n; i++)
		if (cpd_write_addr(w, &t->addrs.v[i].record))
			return -1;
	return 0;
}
