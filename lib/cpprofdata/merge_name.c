/*
 * merge_name.c - takes the names that are found for a file anew.
 *
 * Functions are written only when an address is better off with them: most that
 * are found stand in the file already, or are code without a name.
 */
#include "lib/cpprofdata/merge_private.h"

#include <stddef.h>
#include <string.h>

/* The number in the file of FUNCTION, which the relay numbered. */
static uint32_t number_of(void *merge, enum cpd_kind kind, uint32_t id)
{
	struct cpd_merge *m = merge;
	struct cpd_function *f;

	if (kind != CPD_KIND_function)
		return id;
	f = &m->found.v[id];
	if (!f->id)
		f->id = cpd_merge_function(&m->tables, m->writer, f);
	return f->id;
}

static int take_function(struct cpd_merge *m, const struct cpd_function *f)
{
	struct cpd_function *to;

	while (m->found.n <= f->id)
		if (!vec_push(&m->found))
			return -1;
	to = &m->found.v[f->id];
	*to = *f;
	to->id = 0;
	to->name = arena_strdup(&m->arena, f->name);
	to->linkage = arena_strdup(&m->arena, f->linkage);
	to->file = arena_strdup(&m->arena, f->file);
	return to->name && to->linkage && to->file ? 0 : -1;
}

/* What the file has for ADDR; NULL: nothing. */
static const struct cpd_addr *known(
	const struct cpd_merge *m, const struct cpd_addr *addr)
{
	const struct merge_addr key = {
		.module = addr->module, .addr = addr->addr};
	uint32_t i = set_find(
		&m->tables.addrs, &key, offsetof(struct merge_addr, record));

	return i == HASH_NONE ? NULL : &m->tables.addrs.v[i].record;
}

static int set_renamed(struct cpd_merge *m, uint32_t module)
{
	while (m->renamed.n <= module)
		if (!vec_push(&m->renamed))
			return -1;
	m->renamed.v[module] = true;
	return 0;
}

static int take_addr(struct cpd_merge *m, struct cpd_addr *addr)
{
	uint32_t function = addr->frames[addr->nframes - 1].function;
	const struct cpd_addr *old = known(m, addr);
	const struct cpd_frame *had = old ? old->frames : NULL;

	if (m->last != addr->module)
		m->nameless = 0;
	m->last = addr->module;
	if (m->found.v[function].source == CPD_NAME_NONE) {
		m->nameless += !old || !cpd_merge_is_named(&m->tables, old);
		return 0;
	}
	if (set_renamed(m, addr->module) ||
		cpd_renumber(&cpd_rows[CPD_KIND_addr], addr, number_of, m) ||
		cpd_merge_addr(&m->tables, addr))
		return -1;
	m->renaming->better += known(m, addr)->frames != had;
	return 0;
}

/* Whether NOTE is about the names of MODULE. */
static bool is_about(
	const struct cpd_merge *m, uint32_t module, const struct cpd_note *note)
{
	const char *path = cpd_writer_module(m->writer, module)->path;
	size_t n = strlen(path);

	return !strcmp(note->key, "symbols") && !strncmp(note->text, path, n) &&
	       (note->text[n] == ' ' || note->text[n] == ':');
}

/* Whether NOTE is about the names of a module that was named anew. */
static bool is_outdated(const struct cpd_merge *m, const struct cpd_note *note)
{
	for (uint32_t id = 1; id < m->renamed.n; id++)
		if (m->renamed.v[id] && is_about(m, id, note))
			return true;
	return false;
}

/* A module's note follows its addresses. */
static int take_note(struct cpd_merge *m, const struct cpd_note *note)
{
	if (m->last && is_about(m, m->last, note) && set_renamed(m, m->last))
		return -1;
	return cpd_merge_note(m, note);
}

int cpd_merge_note(struct cpd_merge *m, const struct cpd_note *n)
{
	struct cpd_note *to = vec_push(&m->notes);

	if (!to)
		return -1;
	to->key = arena_strdup(&m->notes_arena, n->key);
	to->text = arena_strdup(&m->notes_arena, n->text);
	m->is_merged |= strcmp(n->key, RUN_NOTE) == 0;
	return to->key && to->text ? 0 : -1;
}

int cpd_merge_take(struct cpd_merge *m, int kind, void *record)
{
	if (kind == CPD_KIND_function)
		return take_function(m, record);
	return kind == CPD_KIND_addr ? take_addr(m, record)
				     : take_note(m, record);
}

uint64_t cpd_merge_nameless(const struct cpd_merge *m)
{
	return m->nameless;
}

static uint64_t count_named(const struct cpd_merge_tables *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->addrs.n; i++)
		n += cpd_merge_is_named(t, &t->addrs.v[i].record);
	return n;
}

int cpd_merge_name(struct cpd_merge *m, struct err *err)
{
	struct cpd_renaming *r = m->renaming;
	size_t old = m->notes.n, kept = 0;

	r->before = count_named(&m->tables);
	if (r->name(r->arg, m->writer, err))
		return -1;
	r->after = count_named(&m->tables);
	r->addresses = m->tables.addrs.n;
	for (size_t i = 0; i < m->notes.n; i++)
		if (i >= old || !is_outdated(m, &m->notes.v[i]))
			m->notes.v[kept++] = m->notes.v[i];
	m->notes.n = kept;
	return 0;
}
