/* scopes.c - walks from a unit down to a declaration and records the scopes. */

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/lower_bound.h"
#include "analyzer/symbol/dwarf/scopes.h"
#include "analyzer/symbol/dwarf/units.h"
#include "lib/text.h"

#define DEPTH_MAX 32  /* of scopes around a declaration */
#define NAME_MAX 1024 /* longer ones are cut */
#define LAMBDA "<lambda("

struct scope_name {
	char s[NAME_MAX];
	size_t n;
};

static void add(struct scope_name *t, const char *s, size_t n)
{
	if (n > sizeof t->s - 1 - t->n)
		n = sizeof t->s - 1 - t->n;
	memcpy(t->s + t->n, s, n);
	t->s[t->n += n] = '\0';
}

static void add_string(struct scope_name *t, const char *s)
{
	add(t, s, strlen(s));
}

static bool refer(Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(dwarf_attr(die, name, &attr), to);
}

/*
 * Replaces dwarf_decl_file(), which in elfutils 0.188 treats file number 0, the
 * first of DWARF 5, as none.
 */
static const char *decl_file(Dwarf_Die *die)
{
	Dwarf_Die holder = *die, unit, next;
	Dwarf_Attribute attr;
	Dwarf_Half version;
	Dwarf_Files *files;
	Dwarf_Word number;

	for (int i = 0; !dwarf_attr(&holder, DW_AT_decl_file, &attr); i++) {
		if (i == 4 ||
			(!refer(&holder, DW_AT_abstract_origin, &next) &&
				!refer(&holder, DW_AT_specification, &next)))
			return NULL;
		holder = next;
	}
	if (dwarf_formudata(&attr, &number) != 0 ||
		dwarf_cu_die(holder.cu, &unit, &version, NULL, NULL, NULL, NULL,
			NULL) == NULL ||
		(number == 0 && version < 5) ||
		dwarf_getsrcfiles(&unit, &files, NULL) != 0)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static Dwarf_Addr address_of(Dwarf_Line *line)
{
	Dwarf_Addr addr = 0;

	dwarf_lineaddr(line, &addr);
	return addr;
}

/*
 * The first line of the function at ADDR. dwarf_getsrc_die() has the last at an
 * address: there that of an inlined call.
 */
static Dwarf_Line *first_line(Dwarf_Die *unit, Dwarf_Addr addr)
{
	Dwarf_Lines *lines;
	Dwarf_Line *line;
	size_t n;
	bool end;

	if (dwarf_getsrclines(unit, &lines, &n) != 0)
		return NULL;
	for (size_t i = LOWER_BOUND(
		     n, k, address_of(dwarf_onesrcline(lines, k)) < addr);
		i < n; i++) {
		line = dwarf_onesrcline(lines, i);
		if (address_of(line) != addr)
			break;
		if (dwarf_lineendsequence(line, &end) == 0 && !end)
			return line;
	}
	return NULL;
}

uint32_t sym_decl_place(Dwarf_Die *die, Dwarf_Die *unit, const char **file)
{
	Dwarf_Addr base, lo, hi;
	Dwarf_Line *at = NULL;
	int line = 0;

	*file = decl_file(die);
	if (dwarf_decl_line(die, &line) != 0 &&
		dwarf_tag(die) == DW_TAG_subprogram &&
		dwarf_ranges(die, 0, &base, &lo, &hi) > 0)
		at = first_line(unit, lo);
	if (at && !*file)
		*file = dwarf_linesrc(at, NULL, NULL);
	if (at)
		dwarf_lineno(at, &line);
	return line > 0 ? (uint32_t)line : 0;
}

/* "@main.cc:10:20" */
static void add_place(struct scope_name *t, Dwarf_Die *die)
{
	const char *file = decl_file(die);
	char place[64];
	int line, column;

	if (!file || dwarf_decl_line(die, &line) != 0)
		return;
	add_string(t, "@");
	add_string(t, text_base_name(file));
	snprintf(place, sizeof place, ":%d", line);
	add_string(t, place);
	if (dwarf_decl_column(die, &column) == 0 && column > 0) {
		snprintf(place, sizeof place, ":%d", column);
		add_string(t, place);
	}
}

/* Goes from a call or a definition to the entry that stands in its scope. */
static void declaration(Dwarf_Die *die)
{
	Dwarf_Die next;

	for (int i = 0;
		i < 4 && (refer(die, DW_AT_abstract_origin, &next) ||
				 refer(die, DW_AT_specification, &next));
		i++)
		*die = next;
}

static bool has_call_operator(Dwarf_Die *die)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		const char *name = dwarf_diename(&child);

		if (dwarf_tag(&child) == DW_TAG_subprogram && name &&
			!strcmp(name, "operator()"))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/*
 * NAME with the places of lambdas. gcc gives all lambdas that are arguments of
 * the template DIE one spelling.
 */
static void add_template(struct scope_name *t, Dwarf_Die *die, const char *name)
{
	const char *at = strstr(name, LAMBDA);
	Dwarf_Die child, type;

	if (at && dwarf_child(die, &child) == 0) {
		do {
			if (dwarf_tag(&child) !=
					DW_TAG_template_type_parameter ||
				!refer(&child, DW_AT_type, &type) ||
				dwarf_diename(&type))
				continue;
			at += strlen(LAMBDA) - 1;
			add(t, name, (size_t)(at - name));
			add_place(t, &type);
			name = at;
			at = strstr(name, LAMBDA);
		} while (at && dwarf_siblingof(&child, &child) == 0);
	}
	add_string(t, name);
}

static void qualify(struct sym_scopes *scopes, struct scope_name *t,
	Dwarf_Die *die, const char *name, unsigned depth);

/* The scope DIE as a part of a name. */
static void add_scope(struct sym_scopes *scopes, struct scope_name *t,
	Dwarf_Die *die, unsigned depth)
{
	const char *name = dwarf_diename(die);

	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
		add_string(t, name ? name : "(anonymous namespace)");
		break;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		if (name) {
			add_template(t, die, name);
			break;
		}
		add_string(t, has_call_operator(die) ? "{lambda" : "{unnamed");
		add_place(t, die);
		add_string(t, "}");
		break;
	case DW_TAG_subprogram:
		/* the declaration has the scopes */
		t->n = 0;
		qualify(scopes, t, die, name ? name : "{function}", depth + 1);
		break;
	default:
		return; /* a block */
	}
	add_string(t, "::");
}

/* Replaces *WAY with its child that holds, or is, the entry at OFFSET. */
static bool step_down(
	struct sym_scopes *scopes, Dwarf_Die *way, Dwarf_Off offset)
{
	Dwarf_Die child, next;
	int last;

	if (dwarf_child(way, &child) != 0)
		return false;
	for (;; child = next) {
		if (++*scopes->work > SYM_DWARF_WORK_MAX)
			return false;
		last = dwarf_siblingof(&child, &next);
		if (last || dwarf_dieoffset(&next) > offset)
			break;
	}
	*way = child;
	return dwarf_dieoffset(&child) <= offset;
}

/* Appends the name of DIE, NAME in its scope. */
static void qualify(struct sym_scopes *scopes, struct scope_name *t,
	Dwarf_Die *die, const char *name, unsigned depth)
{
	Dwarf_Die decl = *die, origin = *die, way;
	Dwarf_Off offset;

	declaration(&decl);
	offset = dwarf_dieoffset(&decl);
	if (depth < 4 && dwarf_diecu(&decl, &way, NULL, NULL))
		for (int i = 0; i < DEPTH_MAX; i++) {
			if (!step_down(scopes, &way, offset) ||
				dwarf_dieoffset(&way) == offset)
				break;
			add_scope(scopes, t, &way, depth);
		}
	/* template arguments stand with the definition */
	if (!refer(die, DW_AT_abstract_origin, &origin))
		origin = *die;
	add_template(t, &origin, name);
}

const char *sym_scopes_name(
	struct sym_scopes *scopes, Dwarf_Die *die, const char *bare)
{
	struct scope_name text = {.n = 0};
	Dwarf_Die origin;
	char *name;

	if (!bare || !refer(die, DW_AT_abstract_origin, &origin))
		return bare;
	name = id_map_get(&scopes->known, dwarf_dieoffset(&origin));
	if (name)
		return name;
	qualify(scopes, &text, die, bare, 0);
	if (*scopes->work > SYM_DWARF_WORK_MAX)
		return bare;
	name = arena_strndup(scopes->arena, text.s, text.n);
	return name && id_map_put(
			       &scopes->known, dwarf_dieoffset(&origin), name)
		       ? name
		       : bare;
}

const char *sym_scopes_plain(struct sym_scopes *scopes, const char *path)
{
	char *plain, *to;
	const char *from, *end;

	if (!path || path[0] != '/' || !strstr(path, "/."))
		return path;
	plain = arena_strndup(scopes->arena, path, strlen(path));
	if (!plain)
		return path;
	to = plain;
	for (from = path; *from; from = end) {
		size_t n = strcspn(from + 1, "/") + 1; /* "/part" */

		end = from + n;
		if (n == 1 || (n == 2 && from[1] == '.'))
			continue;
		if (n == 3 && from[1] == '.' && from[2] == '.') {
			while (to > plain && *--to != '/')
				;
			continue;
		}
		memmove(to, from, n);
		to += n;
	}
	*to = '\0';
	return plain;
}

void sym_scopes_fini(struct sym_scopes *scopes)
{
	id_map_free(&scopes->known);
}
