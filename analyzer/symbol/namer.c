/*
 * namer.c - turns the addresses of a run into function and address records.
 *
 * It goes module by module, with ascending addresses: each file is opened once,
 * each of its tables is read once, and all is freed before the next module.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/elf/demangle.h"
#include "analyzer/symbol/table/call.h"
#include "analyzer/symbol/dwarf/dwarf.h"
#include "analyzer/symbol/exports.h"
#include "analyzer/symbol/file.h"
#include "analyzer/symbol/guard.h"
#include "analyzer/symbol/jit/jit.h"
#include "analyzer/symbol/limit.h"
#include "analyzer/symbol/notes.h"
#include "analyzer/symbol/table/table.h"
#include "analyzer/symbol/table/tails.h"

#define PROGRESS_STEP 4096

struct namer {
	struct cpd_writer *writer;
	const struct sym_task *task;
	size_t done;
	struct sym_exports *exports;
	/* Of the module at hand: */
	uint32_t module;
	const struct cpd_module *about;
	const struct sym_call *calls, *calls_end; /* left of the module */
	const struct sym_call *all_calls_end;
	struct sym_file file;
	struct sym_table table;         /* empty where there is no file */
	struct sym_tails *tails;        /* NULL: none are looked for */
	struct bytes key;               /* of the function at hand */
	struct strings keys;            /* of functions that are written */
	VEC(uint32_t) ids;              /* by number of the key */
	struct sym_function *generated; /* of code without a file */
	struct sym_jit jit;             /* then: the files with names */
	struct arena arena;
	struct sym_named named; /* of its addresses */
	VEC(struct cpd_frame) frames;
	VEC(struct cpd_tail) chain; /* of the address at hand */
};

/* The last part of a module's path. */
static const char *base_name(const struct cpd_module *module, int *len)
{
	const char *slash = strrchr(module->path, '/'), *base;
	static const char deleted[] = " (deleted)";
	size_t n;

	base = slash && slash[1] ? slash + 1 : module->path;
	n = strlen(base);
	if (n > sizeof deleted - 1 &&
		strcmp(base + n - (sizeof deleted - 1), deleted) == 0)
		n -= sizeof deleted - 1;
	*len = n < 256 ? (int)n : 256;
	return base;
}

static void show_name(const struct namer *n, const struct sym_function *f,
	char buf[DEMANGLE_OUTPUT_MAX])
{
	const char *base;
	int base_len;

	if (!f->name || !*f->name) {
		base = base_name(n->about, &base_len);
		snprintf(buf, DEMANGLE_OUTPUT_MAX, "%.*s+0x%llx", base_len,
			base, (unsigned long long)f->lo);
	} else {
		demangle_or_copy(f->name, buf);
	}
}

/*
 * Where the id of function F is kept, 0 before it is written: by its bounds,
 * its name, and the place of its declaration if it was inlined and so has no
 * bounds.  NULL: no memory.
 */
static uint32_t *id_of(struct namer *n, const struct sym_function *f)
{
	const char *name = f->name ? f->name : "";
	bool placed = !f->hi && f->decl_file;
	struct bytes *key = &n->key;
	uint32_t number;

	key->n = 0;
	bytes_put(key, &f->lo, sizeof f->lo);
	bytes_put(key, &f->hi, sizeof f->hi);
	bytes_put(key, name, strlen(name) + 1);
	if (placed) {
		bytes_le32(key, f->decl_line);
		bytes_put(key, f->decl_file, strlen(f->decl_file));
	}
	if (key->failed)
		return NULL;
	number = strings_add(&n->keys, (const char *)key->v, key->n);
	while (number != UINT32_MAX && n->ids.n <= number)
		if (!vec_push(&n->ids))
			return NULL;
	return number == UINT32_MAX ? NULL : &n->ids.v[number];
}

/* The id of function F, written if it is new.  0 on error. */
static uint32_t function_id(struct namer *n, const struct sym_function *f)
{
	uint32_t *id = id_of(n, f);
	char shown[DEMANGLE_OUTPUT_MAX], linkage[SYM_NAME_MAX + 1];
	struct cpd_function record = {.module = n->module,
		.lo = f->lo,
		.hi = f->hi < f->lo ? f->lo : f->hi, /* at the very end */
		.name = shown,
		.linkage = linkage,
		.source = f->name ? f->source : CPD_NAME_NONE,
		.flags = f->main ? CPD_FUNCTION_MAIN : 0,
		.file = f->decl_file ? f->decl_file : "",
		.line = f->decl_line};

	if (!id || *id)
		return id ? *id : 0;
	show_name(n, f, shown);
	snprintf(linkage, sizeof linkage, "%s",
		record.source == CPD_NAME_NONE ? "" : f->name);
	return *id = cpd_write_function(n->writer, &record);
}

/* The function that holds ADDR, by symbols, else by DWARF. */
static struct sym_function concrete(
	const struct namer *n, uint64_t addr, const struct sym_frames *inlines)
{
	struct sym_function f = sym_table_find(&n->table, addr);
	const struct sym_frame *outer;

	if (f.source == CPD_NAME_GO)
		go_table_line(&n->table.go,
			&(struct go_function){.lo = f.lo, .record = f.go}, f.lo,
			&f.decl_file, &f.decl_line);
	if (!inlines || inlines->n == 0)
		return f;
	outer = &inlines->v[inlines->n - 1];
	f.decl_file = outer->decl_file;
	f.decl_line = outer->decl_line;
	if (f.name)
		return f;
	f.name = outer->linkage ? outer->linkage : outer->name;
	if (!f.name)
		return f;
	f.lo = inlines->lo;
	f.hi = inlines->hi;
	f.source = CPD_NAME_DWARF;
	f.main = n->table.main && f.lo == n->table.main;
	return f;
}

static int add_frame(struct namer *n, const struct sym_function *f,
	const char *file, uint32_t line)
{
	struct cpd_frame frame = {.function = function_id(n, f),
		.file = file && strlen(file) < SYM_NAME_MAX ? file : "",
		.line = line};

	return frame.function && vec_add(&n->frames, frame) ? 0 : -1;
}

/* Gives an inlined function the linkage name of its copy at ADDR. */
static void name_by_body(
	struct namer *n, uint64_t addr, struct sym_function *inlined)
{
	struct sym_function body = sym_table_find(&n->table, addr);
	char *name;

	if (body.lo != addr || !body.name || !*body.name)
		return;
	name = arena_strndup(
		&n->arena, body.name, demangle_clone_base(body.name));
	if (name)
		inlined->name = name;
}

/* The id of a function of another module; the analyzer merges it with that
   module's own record. */
static uint32_t export_id(struct namer *n, const struct sym_export *export)
{
	struct sym_function f = {.name = export->name};
	char shown[DEMANGLE_OUTPUT_MAX];

	show_name(n, &f, shown);
	return cpd_write_function(
		n->writer, &(struct cpd_function){.module = export->module,
				   .lo = export->lo,
				   .hi = export->hi,
				   .name = shown,
				   .linkage = export->name,
				   .source = CPD_NAME_DYNSYM});
}

/*
 * Whether one of the COUNT calls from one place led elsewhere than to the code
 * from LO to HI of MODULE, which the call names. Stubs and the dynamic linker,
 * which may have to look the function up first, lie between.
 */
static bool leads_elsewhere(const struct namer *n, const struct sym_call *calls,
	size_t count, uint32_t module, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t found = calls[i].callee_module;
		struct sym_function f;

		if (calls[i].callee >= lo && calls[i].callee < hi &&
			sym_exports_same(n->exports, found, module))
			continue;
		if (found == n->module) {
			f = sym_table_find(&n->table, calls[i].callee);
			if (!sym_stub_symbol(&f))
				return true;
		} else if (!sym_exports_is_linker(n->exports, found)) {
			return true;
		}
	}
	return false;
}

/* The same for a call that names SYMBOL. */
static int lost_symbol(struct namer *n, const struct sym_call *calls,
	size_t count, const char *symbol, uint32_t *id)
{
	const struct sym_export *export = sym_exports_find(n->exports, symbol);

	if (!export || !leads_elsewhere(n, calls, count, export->module,
			       export->lo, export->hi))
		return 0;
	*id = export_id(n, export);
	return *id ? 0 : -1;
}

/* Adds the functions between TARGET and the one that CALL reached. */
static int add_chain(struct namer *n, const struct sym_function *target,
	const struct sym_call *call)
{
	struct sym_function found = sym_table_find(&n->table, call->callee);
	struct sym_goal goal = {found.lo, found.hi};
	uint64_t between[SYM_TAILS_MAX];
	uint32_t id;
	size_t count;

	if (found.lo == target->lo || found.hi - found.lo <= 1 ||
		sym_stub_symbol(&found))
		return 0;
	id = function_id(n, &found);
	for (size_t i = 0; i < n->chain.n; i++)
		if (n->chain.v[i].found == id)
			return 0; /* another address in it */
	count = sym_tails_between(n->tails, target->lo, &goal, between);
	for (size_t i = 0; id && i < count; i++) {
		struct sym_function via = sym_table_find(&n->table, between[i]);
		struct cpd_tail tail = {
			.found = id, .via = function_id(n, &via)};

		if (!tail.via || !vec_add(&n->chain, tail))
			return -1;
	}
	return id ? 0 : -1;
}

/* The same for COUNT calls from one place, in this module. */
static int add_chains(struct namer *n, const struct sym_function *target,
	const struct sym_call *calls, size_t count)
{
	if (!n->tails)
		n->tails = sym_tails_new(&n->table);
	for (size_t i = 0; i < count && n->tails; i++)
		if (sym_exports_same(
			    n->exports, calls[i].callee_module, n->module) &&
			add_chain(n, target, &calls[i]) < 0)
			return -1;
	return 0;
}

/*
 * Sets *ID to the function that the call before ADDR + 1 names, if a different
 * one was found called from there: the named one left by a tail call. Else 0.
 */
static int lost_function(struct namer *n, uint64_t addr,
	const struct sym_frames *inlines, uint32_t *id)
{
	const struct sym_call *calls;
	struct sym_callee callee;
	size_t count = 0;

	*id = 0;
	n->chain.n = 0;
	while (n->calls < n->calls_end && n->calls->addr < addr)
		n->calls++;
	for (calls = n->calls;
		n->calls < n->calls_end && n->calls->addr == addr; n->calls++)
		count++;
	if (count == 0)
		return 0;
	sym_call_read(&n->table, addr + 1, &callee);
	if (!callee.known && !callee.symbol[0] && inlines && inlines->callee)
		callee.known = sym_call_function(
			&n->table, inlines->callee, &callee.function);
	if (callee.known) {
		if (leads_elsewhere(n, calls, count, n->module,
			    callee.function.lo, callee.function.hi))
			*id = function_id(n, &callee.function);
		else
			return 0;
		return *id ? add_chains(n, &callee.function, calls, count) : -1;
	}
	if (callee.symbol[0])
		return lost_symbol(n, calls, count, callee.symbol, id);
	if (inlines && inlines->callee_symbol)
		return lost_symbol(n, calls, count, inlines->callee_symbol, id);
	return 0;
}

static int write_address(struct namer *n, uint64_t addr,
	const struct sym_function *generated, const struct sym_frames *inlines)
{
	struct sym_function f = generated && generated->name
					? *generated
					: concrete(n, addr, inlines);
	struct cpd_addr record = {.module = n->module, .addr = addr};
	uint32_t outer = inlines && inlines->n ? inlines->n - 1 : 0;
	/* where a function is called nothing is at work that it inlines */
	uint32_t first = addr == f.lo ? outer : 0;
	const char *file = inlines ? inlines->file : NULL;
	uint32_t line = inlines ? inlines->line : 0;

	n->named.nameless += !f.name;
	n->frames.n = 0;
	for (uint32_t i = first; i < outer; i++) {
		const struct sym_frame *frame = &inlines->v[i];
		struct sym_function inlined = {
			.name = frame->linkage ? frame->linkage : frame->name,
			.source = CPD_NAME_DWARF,
			.decl_file = frame->decl_file,
			.decl_line = frame->decl_line};

		if (frame->body)
			name_by_body(n, frame->body, &inlined);
		if (!inlined.name)
			inlined.name = "[inlined]";
		if (add_frame(n, &inlined, frame->file, frame->line) < 0)
			return -1;
	}
	if (outer > 0) {
		file = inlines->v[outer].file;
		line = inlines->v[outer].line;
	}
	if (!file && f.file) {
		file = f.file;
		line = f.line;
	}
	if (!file && f.source == CPD_NAME_GO)
		go_table_line(&n->table.go,
			&(struct go_function){.lo = f.lo, .record = f.go}, addr,
			&file, &line);
	if (add_frame(n, &f, file, line) < 0 ||
		lost_function(n, addr, inlines, &record.target) < 0)
		return -1;
	record.nframes = (uint32_t)n->frames.n;
	record.frames = n->frames.v;
	record.ntails = (uint32_t)n->chain.n;
	record.tails = n->chain.v;
	return cpd_write_addr(n->writer, &record);
}

static void report_progress(struct namer *n, size_t step)
{
	n->done += step;
	if (n->task->progress)
		n->task->progress(n->task->arg, n->done, n->task->addresses.n);
}

/* Writes main even without a sample: a tail call may have replaced it. */
static int write_main(struct namer *n)
{
	struct sym_function f;

	if (!n->table.main)
		return 0;
	f = sym_table_find(&n->table, n->table.main);
	return f.main && !function_id(n, &f) ? -1 : 0;
}

/*
 * Writes the functions that hold the addresses, where DWARF knows them: calls
 * name them later, and must find them with their places.
 */
static int write_placed(struct namer *n, const uint64_t *addrs, size_t count,
	const struct sym_frames *inlines)
{
	for (size_t i = 0; i < count; i++) {
		struct sym_function f = concrete(n, addrs[i], &inlines[i]);

		if (f.decl_file && !function_id(n, &f))
			return -1;
	}
	return 0;
}

static int write_addresses(struct namer *n, const uint64_t *addrs, size_t count)
{
	struct sym_frames *inlines = NULL;
	size_t reported = 0;
	int rc = -1;

	if (n->file.opened.dwarf) {
		inlines = calloc(count, sizeof *inlines);
		if (!inlines ||
			sym_dwarf_frames(n->file.opened.dwarf,
				n->file.opened.dwarf_bias, addrs, count,
				inlines, &n->arena) < 0 ||
			write_placed(n, addrs, count, inlines) < 0)
			goto out;
		sym_limit_check(n->task->limit);
	}
	for (size_t i = 0; i < count; i++) {
		if (write_address(n, addrs[i],
			    n->generated ? &n->generated[i] : NULL,
			    inlines ? &inlines[i] : NULL) < 0)
			goto out;
		if (i - reported >= PROGRESS_STEP) {
			report_progress(n, i - reported);
			reported = i;
		}
	}
	report_progress(n, count - reported);
	rc = 0;
out:
	free(inlines);
	return rc;
}

static void open_module(struct namer *n)
{
	const char *refused = n->task->refused[n->module];

	n->about = cpd_writer_module(n->writer, n->module);
	if (n->about->kind == CPD_MODULE_ANON)
		return;
	if (n->task->late && !n->about->build_id_len)
		refused = "nothing shows which file ran";
	if (refused) {
		n->file.state = SYM_FILE_BROKEN;
		snprintf(n->file.why, sizeof n->file.why, "%s", refused);
		return;
	}
	sym_file_open(&n->file, n->about, n->task, n->task->plain[n->module]);
	if (n->file.state == SYM_FILE_OK &&
		sym_table_init(&n->table, n->file.opened.module,
			n->file.opened.elf, n->file.opened.debug) < 0) {
		n->file.state = SYM_FILE_BROKEN;
		snprintf(n->file.why, sizeof n->file.why, "bad ELF");
		sym_tails_free(n->tails);
		n->tails = NULL;
		n->table = (struct sym_table){0};
	}
}

/* Asks the files that JIT compilers write. */
static int name_generated(
	struct namer *n, const struct sym_address *lookups, size_t count)
{
	n->generated = calloc(count, sizeof *n->generated);
	if (!n->generated)
		return -1;
	if (n->task->refused[n->module] || n->task->late)
		return 0;
	return sym_jit_names(&(struct sym_jit_task){.writer = n->writer,
				     .about = n->about,
				     .files = n->task->files,
				     .lookups = lookups,
				     .n = count,
				     .functions = n->generated,
				     .arena = &n->arena},
		run_files_module(n->task->files, n->module), &n->jit);
}

static void close_module(struct namer *n)
{
	sym_table_fini(&n->table);
	sym_file_close(&n->file);
	vec_free(&n->ids);
	strings_free(&n->keys);
	arena_fini(&n->arena);
	free(n->generated);
	n->generated = NULL;
	sym_tails_free(n->tails);
	n->tails = NULL;
	n->table = (struct sym_table){0};
	n->arena = (struct arena){0};
	n->named = (struct sym_named){0};
}

/* Says what has no name, and why. */
static int note(const struct namer *n)
{
	if (!n->generated && n->task->late && n->file.state != SYM_FILE_OK)
		return sym_note_left(n->writer, n->about, &n->file);
	if (!n->generated)
		return sym_note_file(
			n->writer, n->about, &n->file, &n->table, &n->named);
	return n->task->late
		       ? 0
		       : sym_note_jit(n->writer, n->about, &n->jit, &n->named);
}

/* The COUNT lookups of one module, the next that has any. */
static int name_module(
	struct namer *n, const struct sym_address *lookups, size_t count)
{
	uint64_t *addrs = calloc(count, sizeof *addrs);
	int rc = -1;

	n->named.addresses = count;
	n->module = lookups[0].module;
	n->calls = n->calls_end;
	while (n->calls < n->all_calls_end && n->calls->module < n->module)
		n->calls++;
	for (n->calls_end = n->calls; n->calls_end < n->all_calls_end &&
				      n->calls_end->module == n->module;)
		n->calls_end++;
	if (!addrs)
		goto out;
	for (size_t i = 0; i < count; i++)
		addrs[i] = lookups[i].addr;
	sym_limit_module(n->task->limit, count);
	if (sym_task_module(n->task, n->module) < 0)
		goto out;
	open_module(n);
	if (n->about->kind == CPD_MODULE_ANON &&
		name_generated(n, lookups, count) < 0)
		goto out;
	if (sym_called_add(
		    &n->table, n->calls, (size_t)(n->calls_end - n->calls)) < 0)
		goto out;
	rc = write_addresses(n, addrs, count) < 0 ? -1 : write_main(n);
	if (rc == 0)
		rc = note(n);
out:
	close_module(n);
	free(addrs);
	return rc;
}

int sym_name_all(const struct sym_task *task)
{
	struct namer n = {
		.writer = task->writer, .task = task, .done = task->first};
	const struct sym_address *lookups = task->addresses.v;
	size_t all = task->addresses.n;
	struct sym_guard guard;
	int rc = 0;

	n.calls = n.calls_end = task->addresses.calls;
	n.all_calls_end = n.calls ? n.calls + task->addresses.ncalls : NULL;
	n.exports = sym_exports_new(task);
	if (!n.exports)
		rc = -1;
	sym_guard_begin(&guard);
	for (size_t i = task->first, end; rc == 0 && i < all; i = end) {
		for (end = i;
			end < all && lookups[end].module == lookups[i].module;)
			end++;
		rc = name_module(&n, lookups + i, end - i);
	}
	sym_exports_free(n.exports);
	sym_guard_end(&guard);
	vec_free(&n.frames);
	vec_free(&n.chain);
	bytes_free(&n.key);
	return rc;
}
