/* lookup.c - one file at a time, guarded against its being truncated. */

#include <stdlib.h>

#include "analyzer/symbol/dwarf/dwarf.h"
#include "analyzer/symbol/file.h"
#include "analyzer/symbol/guard.h"
#include "analyzer/symbol/lookup.h"
#include "analyzer/symbol/table/table.h"
#include "lib/elf/demangle.h"

struct sym_lookup {
	struct sym_file file;
	struct sym_table table;
	bool known;
	char name[DEMANGLE_OUTPUT_MAX];
};

struct sym_lookup *sym_lookup_open(
	const struct cpd_module *module, struct debug_search *search)
{
	struct sym_lookup *lookup = calloc(1, sizeof *lookup);
	struct sym_guard guard;

	if (!lookup)
		return NULL;
	sym_guard_begin(&guard);
	sym_file_open(&lookup->file, module,
		&(struct sym_task){.search = search}, false);
	if (lookup->file.state == SYM_FILE_OK)
		lookup->known = sym_table_init(&lookup->table,
					lookup->file.opened.module,
					lookup->file.opened.elf,
					lookup->file.opened.debug) == 0;
	sym_guard_end(&guard);
	return lookup;
}

void sym_lookup_close(struct sym_lookup *lookup)
{
	struct sym_guard guard;

	if (!lookup)
		return;
	sym_guard_begin(&guard);
	if (lookup->known)
		sym_table_fini(&lookup->table);
	sym_file_close(&lookup->file);
	sym_guard_end(&guard);
	free(lookup);
}

const char *sym_lookup_name(
	struct sym_lookup *lookup, uint64_t addr, uint64_t *begin)
{
	struct sym_function function;
	struct sym_guard guard;
	bool found = false;

	if (!lookup->known)
		return NULL;
	sym_guard_begin(&guard);
	function = sym_table_find(&lookup->table, addr);
	if (function.name) {
		found = true;
		*begin = function.lo;
		demangle_or_copy(function.name, lookup->name);
	}
	sym_guard_end(&guard);
	return found ? lookup->name : NULL;
}

const char *sym_lookup_slot(struct sym_lookup *lookup, uint64_t addr)
{
	struct sym_guard guard;
	const char *symbol;

	if (!lookup->known)
		return NULL;
	sym_guard_begin(&guard);
	symbol = sym_table_slot(&lookup->table, addr);
	if (symbol)
		demangle_or_copy(symbol, lookup->name);
	sym_guard_end(&guard);
	return symbol ? lookup->name : NULL;
}

static int copy_places(const struct sym_frames *frames, size_t n, bool outer,
	struct sym_place *places, struct arena *arena)
{
	const char *before = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct sym_frame *last =
			outer && frames[i].n ? &frames[i].v[frames[i].n - 1]
					     : NULL;
		const char *file = last ? last->file : frames[i].file;
		bool same = i && file == before;

		before = file;
		places[i].line = last ? last->line : frames[i].line;
		places[i].file = same ? places[i - 1].file
				      : arena_strdup(arena, file ? file : "");
		if (!places[i].file)
			return -1;
	}
	return 0;
}

int sym_lookup_places(struct sym_lookup *lookup, const uint64_t *addrs,
	size_t n, bool outer, struct sym_place *places, struct arena *arena)
{
	struct sym_frames *frames = calloc(n + 1, sizeof *frames);
	struct arena own = {0};
	struct sym_guard guard;
	int status = 0;

	if (!frames)
		return -1;
	sym_guard_begin(&guard);
	if (lookup->known && lookup->file.opened.dwarf)
		status = sym_dwarf_frames(lookup->file.opened.dwarf,
			lookup->file.opened.dwarf_bias, addrs, n, frames, &own);
	if (!status)
		status = copy_places(frames, n, outer, places, arena);
	sym_guard_end(&guard);
	arena_fini(&own);
	free(frames);
	return status;
}
