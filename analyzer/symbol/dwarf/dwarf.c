/* dwarf.c - walks DWARF's trees once for many addresses. */

#include <dwarf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/lower_bound.h"
#include "lib/order.h"
#include "lib/vec.h"
#include "analyzer/symbol/dwarf/dwarf.h"
#include "analyzer/symbol/dwarf/scopes.h"
#include "analyzer/symbol/dwarf/units.h"

#define DEPTH_MAX 128  /* of nested blocks and namespaces */
#define FRAMES_MAX 256 /* inlined into one another */

/* A function, or an inlined call within PARENT. */
struct scope {
	const struct scope *parent; /* NULL: a function that stands alone */
	Dwarf_Die die;
};

/* A function that stands at LO, and the entry that describes it. */
struct body {
	Dwarf_Off origin;
	uint64_t lo;
};

struct dwarf_walk {
	Dwarf *dwarf;
	uint64_t bias;
	const uint64_t *addrs;
	size_t n;
	struct sym_frames *frames;
	struct arena *arena;
	struct sym_units units;
	const struct scope **scope; /* of each address, the innermost */
	VEC(size_t) mine; /* the addresses of the unit, indexes, ascending */
	bool cplus;       /* the unit's language is C++ */
	bool nested;      /* functions within functions are looked for */
	VEC(struct body) bodies; /* of the unit, then */
	struct sym_scopes scopes;
	size_t work;
	bool no_memory;
};

/* The first of the unit's addresses that is at least ADDR. */
static size_t first_at(const struct dwarf_walk *w, uint64_t addr)
{
	return LOWER_BOUND(
		w->mine.n, i, w->addrs[w->mine.v[i]] - w->bias < addr);
}

/*
 * Makes a scope below PARENT for the addresses in the ranges of DIE. NULL where
 * there are none.
 */
static struct scope *assign(
	struct dwarf_walk *w, Dwarf_Die *die, const struct scope *parent)
{
	struct scope *scope = NULL;
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while (w->work++ < SYM_DWARF_WORK_MAX &&
		(at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		for (size_t i = first_at(w, lo); i < w->mine.n; i++) {
			size_t index = w->mine.v[i];

			if (w->addrs[index] - w->bias >= hi)
				break;
			if (!scope)
				scope = arena_alloc(w->arena, sizeof *scope);
			if (!scope) {
				w->no_memory = true;
				return NULL;
			}
			w->scope[index] = scope;
			w->work++;
			if (!parent) {
				w->frames[index].lo = lo + w->bias;
				w->frames[index].hi = hi + w->bias;
			}
		}
	}
	if (scope) {
		scope->parent = parent;
		scope->die = *die;
	}
	return scope;
}

static bool holds_addresses(struct dwarf_walk *w, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	bool any = false;

	while (w->work++ < SYM_DWARF_WORK_MAX &&
		(at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		size_t i = first_at(w, lo);

		any = true;
		if (i < w->mine.n && w->addrs[w->mine.v[i]] - w->bias < hi)
			return true;
	}
	return !any; /* no ranges: its children have them */
}

static bool origin_die(Dwarf_Die *die, Dwarf_Die *origin)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(
		dwarf_attr(die, DW_AT_abstract_origin, &attr), origin);
}

static bool origin_of(Dwarf_Die *die, Dwarf_Off *offset)
{
	Dwarf_Die origin;

	if (!origin_die(die, &origin))
		return false;
	*offset = dwarf_dieoffset(&origin);
	return true;
}

/* Whether the call DIE stands where the function ORIGIN is declared. */
static bool is_called_at_declaration(Dwarf_Die *die, Dwarf_Die *origin)
{
	static const unsigned pairs[][2] = {{DW_AT_call_line, DW_AT_decl_line},
		{DW_AT_call_file, DW_AT_decl_file},
		{DW_AT_call_column, DW_AT_decl_column}};
	Dwarf_Attribute attr;
	Dwarf_Word call, decl;

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		bool called =
			dwarf_formudata(dwarf_attr(die, pairs[i][0], &attr),
				&call) == 0;
		bool declared = dwarf_formudata(dwarf_attr_integrate(origin,
							pairs[i][1], &attr),
					&decl) == 0;

		if (called != declared || (called ? call != decl : i == 0))
			return false;
	}
	return true;
}

/*
 * Whether scope S is a part of its parent's function, and no call. gcc splits
 * the rare part off a function to inline the rest (f.part.0) and may inline it
 * back. That call stands at the function's declaration, to the column. An
 * inlined recursive call stands in the body.
 */
static bool is_part(const struct scope *s)
{
	Dwarf_Die die = s->die, outer, origin;
	Dwarf_Off others;

	if (!s->parent || !origin_die(&die, &origin))
		return false;
	outer = s->parent->die;
	if (!origin_of(&outer, &others))
		others = dwarf_dieoffset(&outer);
	return dwarf_dieoffset(&origin) == others &&
	       is_called_at_declaration(&die, &origin);
}

/*
 * C++ gives inlined static functions no linkage name. A copy that was not
 * inlined has one.
 */
static void note_body(struct dwarf_walk *w, Dwarf_Die *die)
{
	struct body body;
	Dwarf_Addr lo;

	if (!w->cplus || dwarf_lowpc(die, &lo) != 0 ||
		!origin_of(die, &body.origin))
		return;
	body.lo = lo + w->bias;
	if (!vec_add(&w->bodies, body))
		w->no_memory = true;
}

static int by_origin(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	return ORDER(x->origin, y->origin) ?: ORDER(x->lo, y->lo);
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attr));
}

static const char *linkage_of(Dwarf_Die *die)
{
	const char *name = string_of(die, DW_AT_linkage_name);

	return name ? name : string_of(die, DW_AT_MIPS_linkage_name);
}

/* Notes what a call site entry says of the address before the return
   address. */
static void note_call(struct dwarf_walk *w, Dwarf_Die *die)
{
	bool gnu = dwarf_tag(die) == DW_TAG_GNU_call_site;
	struct sym_frames *frames;
	Dwarf_Attribute attr;
	Dwarf_Die origin;
	Dwarf_Addr pc, lo;
	size_t i;

	if (dwarf_formaddr(
		    dwarf_attr(die, gnu ? DW_AT_low_pc : DW_AT_call_return_pc,
			    &attr),
		    &pc) != 0)
		return;
	i = first_at(w, pc - 1);
	if (i >= w->mine.n || w->addrs[w->mine.v[i]] - w->bias != pc - 1)
		return;
	w->work += 8;
	if (!dwarf_formref_die(
		    dwarf_attr(die,
			    gnu ? DW_AT_abstract_origin : DW_AT_call_origin,
			    &attr),
		    &origin))
		return;
	frames = &w->frames[w->mine.v[i]];
	if (dwarf_lowpc(&origin, &lo) == 0) {
		frames->callee = lo + w->bias;
	} else if (dwarf_hasattr_integrate(&origin, DW_AT_external)) {
		frames->callee_symbol = linkage_of(&origin);
		if (!frames->callee_symbol)
			frames->callee_symbol = string_of(&origin, DW_AT_name);
	}
}

static void walk_children(struct dwarf_walk *w, Dwarf_Die *die,
	const struct scope *scope, unsigned depth);

static void walk_die(struct dwarf_walk *w, Dwarf_Die *die,
	const struct scope *scope, unsigned depth)
{
	struct scope *own;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_entry_point:
		if (scope && w->nested)
			break; /* what has no scope is walked, too */
		note_body(w, die);
		own = assign(w, die, NULL);
		if (own)
			walk_children(w, die, own, depth);
		if (w->nested)
			walk_children(w, die, NULL, depth);
		break;
	case DW_TAG_inlined_subroutine:
		if (!scope)
			break;
		own = assign(w, die, scope);
		if (own)
			walk_children(w, die, own, depth);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		if (scope ? holds_addresses(w, die) : w->nested)
			walk_children(w, die, scope, depth);
		break;
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		if (scope)
			note_call(w, die);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		/* Rust and clang put whole functions into these. */
		if (!scope)
			walk_children(w, die, NULL, depth);
		break;
	default:
		break;
	}
}

static void walk_children(struct dwarf_walk *w, Dwarf_Die *die,
	const struct scope *scope, unsigned depth)
{
	Dwarf_Die child;

	if (depth >= DEPTH_MAX || dwarf_child(die, &child) != 0)
		return;
	do {
		if (w->work++ > SYM_DWARF_WORK_MAX || w->no_memory)
			return;
		walk_die(w, &child, scope, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static void name_frame(struct dwarf_walk *w, struct sym_frame *frame,
	Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Off origin;
	size_t i;

	frame->linkage = linkage_of(die);
	frame->name = string_of(die, DW_AT_name);
	frame->decl_line = sym_decl_place(die, unit, &frame->decl_file);
	if (frame->linkage || !w->cplus || !origin_of(die, &origin))
		return;
	i = LOWER_BOUND(w->bodies.n, k, w->bodies.v[k].origin < origin);
	if (i < w->bodies.n && w->bodies.v[i].origin == origin)
		frame->body = w->bodies.v[i].lo;
	else
		frame->name = sym_scopes_name(&w->scopes, die, frame->name);
}

/* Where the inlined call DIE stands in its caller. */
static void locate_call(
	struct sym_frame *frame, Dwarf_Die *die, Dwarf_Files *files)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &value) ==
			0 &&
		value <= UINT32_MAX)
		frame->line = (uint32_t)value;
	if (files && dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr),
			     &value) == 0)
		frame->file = dwarf_filesrc(files, value, NULL, NULL);
}

static void locate_address(
	struct sym_frames *frames, Dwarf_Die *unit, uint64_t addr)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
	int number;

	if (!line)
		return;
	frames->file = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &number) == 0 && number > 0)
		frames->line = (uint32_t)number;
}

/* FILE as a full path: clang's are relative to where the compiler ran. */
static const char *full_path(
	struct dwarf_walk *w, Dwarf_Die *unit, const char *file)
{
	const char *dir;
	size_t dir_len, len;
	char *path;

	if (!file || file[0] == '/')
		return file;
	dir = string_of(unit, DW_AT_comp_dir);
	if (!dir || dir[0] != '/')
		return file;
	dir_len = strlen(dir);
	len = strlen(file);
	w->work += (dir_len + len) / 64;
	path = dir_len + len < PATH_MAX
		       ? arena_alloc(w->arena, dir_len + len + 2)
		       : NULL;
	if (!path)
		return file;
	memcpy(path, dir, dir_len);
	path[dir_len] = '/';
	memcpy(path + dir_len + 1, file, len);
	return path;
}

static int fill(
	struct dwarf_walk *w, size_t index, Dwarf_Die *unit, Dwarf_Files *files)
{
	struct sym_frames *frames = &w->frames[index];
	const struct scope *s;
	struct sym_frame *v;
	uint32_t n = 0;

	locate_address(frames, unit, w->addrs[index] - w->bias);
	for (s = w->scope[index]; s && n < FRAMES_MAX; s = s->parent)
		n += !is_part(s);
	w->work += 4 * (size_t)n;
	if (n == 0 || s || w->work > SYM_DWARF_WORK_MAX)
		return 0;
	v = arena_alloc(w->arena, n * sizeof *v);
	if (!v)
		return -1;
	v[0].file = frames->file;
	v[0].line = frames->line;
	n = 0;
	for (s = w->scope[index]; s; s = s->parent) {
		Dwarf_Die die = s->die;

		if (is_part(s))
			continue;
		name_frame(w, &v[n++], &die, unit);
		v[n - 1].decl_file = sym_scopes_plain(
			&w->scopes, full_path(w, unit, v[n - 1].decl_file));
		if (s->parent)
			locate_call(&v[n], &die, files);
		v[n - 1].file = full_path(w, unit, v[n - 1].file);
	}
	frames->file = v[0].file;
	frames->v = v;
	frames->n = n;
	return 0;
}

/*
 * Walks the functions within functions for the addresses that have no scope
 * yet. gcc puts the code of a lambda into a type in a block of the function
 * around it, whose ranges do not have that code.
 */
static void walk_nested(struct dwarf_walk *w, Dwarf_Die *unit)
{
	size_t n = w->mine.n, *all = w->mine.v, open = 0;
	size_t *rest = calloc(n + 1, sizeof *rest);

	if (!rest) {
		w->no_memory = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (!w->scope[all[i]])
			rest[open++] = all[i];
	if (open) {
		w->mine.v = rest;
		w->mine.n = open;
		w->nested = true;
		walk_children(w, unit, NULL, 0);
		w->nested = false;
		w->mine.v = all;
		w->mine.n = n;
	}
	free(rest);
}

static bool is_cplus(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* elfutils 0.188 has no names for these (C++17, C++20) */
	case 0x2c:
		return true;
	default:
		return false;
	}
}

static int walk_unit(struct dwarf_walk *w, uint32_t number)
{
	Dwarf_Die *die = &w->units.dies.v[number];
	Dwarf_Files *files = NULL;

	w->cplus = is_cplus(die);
	w->bodies.n = 0;
	walk_children(w, die, NULL, 0);
	walk_nested(w, die);
	if (w->no_memory)
		return -1;
	if (w->bodies.n)
		qsort(w->bodies.v, w->bodies.n, sizeof *w->bodies.v, by_origin);
	if (dwarf_getsrcfiles(die, &files, NULL) != 0)
		files = NULL;
	for (size_t i = 0; i < w->mine.n; i++)
		if (fill(w, w->mine.v[i], die, files) < 0)
			return -1;
	return 0;
}

struct by_unit {
	uint32_t unit;
	size_t index;
};

static int by_unit(const void *a, const void *b)
{
	const struct by_unit *x = a, *y = b;

	return ORDER(x->unit, y->unit) ?: ORDER(x->index, y->index);
}

/* Unit by unit, so that each is opened once. */
static int walk_units(struct dwarf_walk *w)
{
	struct by_unit *order = calloc(w->n + 1, sizeof *order);
	size_t known = 0;
	int rc = -1;

	if (!order)
		return -1;
	for (size_t i = 0; i < w->n; i++) {
		const struct span *s =
			spans_find(&w->units.spans, w->addrs[i] - w->bias);

		if (s)
			order[known++] = (struct by_unit){s->id, i};
	}
	qsort(order, known, sizeof *order, by_unit);
	for (size_t i = 0; i < known;) {
		uint32_t unit = order[i].unit;

		w->mine.n = 0;
		for (; i < known && order[i].unit == unit; i++)
			if (!vec_add(&w->mine, order[i].index))
				goto out;
		if (walk_unit(w, unit) < 0)
			goto out;
	}
	rc = 0;
out:
	free(order);
	return rc;
}

int sym_dwarf_frames(Dwarf *dwarf, uint64_t bias, const uint64_t *addrs,
	size_t n, struct sym_frames *frames, struct arena *arena)
{
	struct dwarf_walk w = {.dwarf = dwarf,
		.bias = bias,
		.addrs = addrs,
		.n = n,
		.frames = frames,
		.arena = arena};
	int rc = -1;

	w.scopes = (struct sym_scopes){.arena = arena, .work = &w.work};
	for (size_t i = 0; i < n; i++)
		frames[i] = (struct sym_frames){0};
	w.scope = calloc(n + 1, sizeof *w.scope);
	if (w.scope && sym_units_init(&w.units, dwarf, &w.work) == 0 &&
		walk_units(&w) == 0)
		rc = 0;
	free(w.scope);
	sym_units_fini(&w.units);
	vec_free(&w.mine);
	vec_free(&w.bodies);
	sym_scopes_fini(&w.scopes);
	return rc;
}
