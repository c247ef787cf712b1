/*
 * dataset_resolve.c - from addresses to functions.
 *
 * Each location gets the frames of its address, and where the file does not
 * name it, a function of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"
#include "lib/set.h"
#include "lib/text.h"

#define COMM_LENGTH 15 /* of a process's name, at most */

struct addr_key {
	uint64_t addr;
	uint32_t module;
	uint32_t raw; /* number of the raw_addr */
};

typedef SET_OF(struct addr_key) addr_set;

/* A program that was started by links to its file. */
struct started_program {
	uint32_t path;      /* among the strings */
	const char *called; /* NULL: by different names */
};
#define PROGRAM_KEY sizeof(uint32_t)

struct resolver {
	struct dataset_private *impl;
	const char **module_names; /* by module id: base name of its path */
	uint32_t *keys; /* by module id: the first module that is the same */
	uint32_t *functions; /* by id in the file: number in the dataset */
	SET_OF(struct started_program) programs;
	addr_set addrs; /* raw_addrs */
	addr_set bare;  /* raw_addrs made up for want of one */
};

static const char *const pseudo_names[FN_FIRST_REAL] = {
	[FN_NONE] = "",
	[FN_ALL] = "[all]",
	[FN_TRUNCATED] = "[truncated]",
	[FN_NO_STACK] = "[no user stack]",
	[FN_ELIDED] = "[elided]",
	[FN_OTHER] = "[other]",
	[FN_IDLE] = "[idle]",
};

/* Modules. */

/* Generated code has one, whichever processes made it: names tell it apart. */
struct module_key {
	uint32_t kind;
	uint32_t path; /* without a build id; among the strings */
	uint32_t build_id_len;
	uint8_t build_id[CPD_BUILD_ID_MAX];
	uint32_t first; /* module that is the same */
};

static struct module_key module_key(struct dataset_private *impl,
	const struct cpd_module *module, uint32_t i)
{
	struct module_key key = {.kind = module->kind,
		.build_id_len = module->build_id_len,
		.first = i};
	const char *path = dataset_generated(module) ?: module->path;

	memcpy(key.build_id, module->build_id, module->build_id_len);
	if (!key.build_id_len)
		key.path = strings_add(&impl->strings, path, strlen(path));
	return key;
}

/* A process ran a program that other processes were started by links to. */
static void compare_name(
	struct started_program *program, const struct cpd_process *p)
{
	/* of one that ended too early the kernel's name tells */
	if (program->called &&
		(*p->called ? strcmp(program->called, p->called)
			    : strncmp(program->called, p->name, COMM_LENGTH)))
		program->called = NULL;
}

/*
 * What people call a program: the link to its file by which it was started, if
 * all processes that ran it were started by that one.
 */
static int find_programs(struct resolver *r)
{
	const struct cpd_process *p = r->impl->processes.v;
	size_t n = r->impl->processes.n;

	for (size_t k = 0; k < 2 * n; k++, p = r->impl->processes.v + k % n) {
		struct started_program program = {
			strings_add(&r->impl->strings, p->exe, strlen(p->exe)),
			p->called};
		uint32_t i =
			k < n && *p->called
				? set_add(&r->programs, &program, PROGRAM_KEY)
				: set_find(&r->programs, &program, PROGRAM_KEY);

		if (program.path == UINT32_MAX ||
			(i == HASH_NONE && k < n && *p->called))
			return -1;
		if (i != HASH_NONE && k >= n)
			compare_name(&r->programs.v[i], p);
	}
	return 0;
}

static const char *module_name(
	struct resolver *r, const struct cpd_module *module)
{
	struct started_program key = {
		.path = strings_add(
			&r->impl->strings, module->path, strlen(module->path))};
	uint32_t i = set_find(&r->programs, &key, PROGRAM_KEY);

	return i != HASH_NONE && r->programs.v[i].called
		       ? r->programs.v[i].called
		       : text_base_name(module->path);
}

static int resolve_modules(struct resolver *r)
{
	const struct cpd_module *modules = r->impl->modules.v;
	size_t n = r->impl->modules.n;
	SET_OF(struct module_key) known = {0};
	uint32_t i;

	r->keys = calloc(n, sizeof *r->keys);
	r->module_names = calloc(n, sizeof *r->module_names);
	if (!r->keys || !r->module_names || find_programs(r))
		return -1;
	r->module_names[0] = "";
	for (i = 1; i < n; i++) {
		struct module_key key = module_key(r->impl, &modules[i], i);
		uint32_t same = set_add(
			&known, &key, offsetof(struct module_key, first));

		if (same == HASH_NONE || key.path == UINT32_MAX)
			break;
		r->keys[i] = known.v[same].first;
		r->module_names[i] = module_name(r, &modules[i]);
	}
	set_free(&known);
	return i < n ? -1 : 0;
}

/* Functions. */

static uint32_t add_function(struct resolver *r, const struct function *from)
{
	if (r->impl->functions.n >= UINT32_MAX - 1 ||
		!vec_add(&r->impl->functions, *from))
		return 0;
	return (uint32_t)r->impl->functions.n - 1;
}

static int add_pseudo_functions(struct resolver *r)
{
	for (uint32_t i = 0; i < FN_FIRST_REAL; i++) {
		struct function *to = vec_push(&r->impl->functions);

		if (!to)
			return -1;
		to->name = pseudo_names[i] ? pseudo_names[i]
					   : cpd_loss_names[i - FN_LOST];
		to->linkage = to->module = to->file = "";
	}
	return 0;
}

/* Addresses. */

#define ADDR_KEY offsetof(struct addr_key, raw)

/* The number of that raw_addr, 0: none. */
static uint32_t find_addr(const addr_set *set, uint32_t module, uint64_t addr)
{
	struct addr_key key = {.addr = addr, .module = module};
	uint32_t i = set_find(set, &key, ADDR_KEY);

	return i == HASH_NONE ? 0 : set->v[i].raw;
}

/* The first counts; false: no memory. */
static bool add_addr(
	addr_set *set, uint32_t module, uint64_t addr, uint32_t raw)
{
	struct addr_key key = {addr, module, raw};

	return set_add(set, &key, ADDR_KEY) != HASH_NONE;
}

/* Appends the chain of tails that begins at FIRST, innermost first. */
static int add_chain(struct resolver *r, const struct raw_addr *addr,
	uint32_t first, uint32_t end, struct cpd_tail *to)
{
	struct dataset_private *impl = r->impl;
	uint32_t n = 0;

	to->found = r->functions[addr->tails[first].found];
	to->via = (uint32_t)impl->lost.n;
	for (uint32_t i = end; i-- > first && n < DATASET_LOST_MAX - 2; n++)
		if (!vec_add(&impl->lost, r->functions[addr->tails[i].via]))
			return -1;
	return vec_add(&impl->lost, r->functions[addr->target]) &&
			       vec_add(&impl->lost, 0)
		       ? 0
		       : -1;
}

static int resolve_tails(struct resolver *r, struct raw_addr *addr)
{
	uint32_t n = 0;

	for (uint32_t i = 0, end; i < addr->ntails; i = end) {
		struct cpd_tail tail;

		for (end = i + 1;
			end < addr->ntails &&
			addr->tails[end].found == addr->tails[i].found;)
			end++;
		if (add_chain(r, addr, i, end, &tail))
			return -1;
		addr->tails[n++] = tail;
	}
	addr->ntails = n;
	return 0;
}

/* The first of several records of an address counts. */
static int resolve_addrs(struct resolver *r)
{
	struct raw_addr *addrs = r->impl->raw_addrs.v;
	size_t n = r->impl->raw_addrs.n;

	for (size_t i = 1; i < n; i++) {
		for (uint32_t k = 0; k < addrs[i].nframes; k++)
			addrs[i].frames[k].function =
				r->functions[addrs[i].frames[k].function];
		if (resolve_tails(r, &addrs[i]))
			return -1;
		addrs[i].target = r->functions[addrs[i].target];
		if (!add_addr(&r->addrs, addrs[i].module, addrs[i].addr,
			    (uint32_t)i))
			return -1;
	}
	return 0;
}

/* An address without a record: a function "module+0xaddr", or all generated
   code as one; 0: no memory. */
static uint32_t name_address(struct resolver *r, uint32_t module, uint64_t addr)
{
	const char *base = r->module_names[module];
	const char *made = dataset_generated(&r->impl->modules.v[module]);
	struct function function = {.linkage = "", .module = base, .file = ""};
	size_t size = strlen(base) + 32;
	char *name = arena_alloc(&r->impl->arena, size);
	struct raw_addr *raw = vec_push(&r->impl->raw_addrs);
	struct frame *frame = arena_alloc(&r->impl->arena, sizeof *frame);

	if (!name || !raw || !frame)
		return 0;
	snprintf(name, size, "%s+0x%" PRIx64, base, addr);
	function.name = made ? made : name;
	function.module_id = module;
	function.lo = made ? 0 : addr;
	function.hi = made ? 0 : addr + 1;
	raw->module = module;
	raw->addr = addr;
	raw->nframes = 1;
	raw->frames = frame;
	frame->file = "";
	frame->function = add_function(r, &function);
	return frame->function ? (uint32_t)r->impl->raw_addrs.n - 1 : 0;
}

/* Frames of code; BARE finds those of addresses that have no record. */
static int resolve_code(struct resolver *r, struct location *at, uint32_t *site)
{
	uint64_t addr = location_address(at);
	uint32_t i = find_addr(&r->addrs, at->module, addr);
	const struct raw_addr *raw;

	if (!i) {
		uint32_t key = r->keys[at->module];

		if (dataset_generated(&r->impl->modules.v[key]))
			addr = 0;
		i = find_addr(&r->bare, key, addr);
		if (!i) {
			i = name_address(r, key, addr);
			if (!i || !add_addr(&r->bare, key, addr, i))
				return -1;
		}
	}
	raw = &r->impl->raw_addrs.v[i];
	at->frames = raw->frames;
	at->nframes = (uint16_t)raw->nframes;
	*site = raw->target ? i : 0;
	return 0;
}

static int resolve_locations(struct resolver *r)
{
	static const struct frame pseudo[] = {
		{FN_TRUNCATED, 0, ""},
		{FN_NO_STACK, 0, ""},
	};
	struct location *at = r->impl->locations.v;
	size_t n = r->impl->locations.n;

	uint32_t *sites;

	if (!vec_reserve(&r->impl->sites, n))
		return -1;
	sites = r->impl->sites.v;
	memset(sites, 0, n * sizeof *sites);
	r->impl->sites.n = n;
	for (size_t i = 1; i < n; i++) {
		if (at[i].module) {
			if (resolve_code(r, &at[i], &sites[i]))
				return -1;
			continue;
		}
		at[i].nframes = 1;
		at[i].frames = &pseudo[at[i].addr == CPD_NO_STACK];
	}
	return 0;
}

/*
 * Since version 2.41 glibc makes each system call in which a thread can be
 * cancelled in the same few functions of its own.
 */
static bool is_cancellation(
	const struct dataset_private *impl, const struct location *at)
{
	for (uint32_t k = 0; k < at->nframes; k++) {
		const char *name =
			impl->functions.v[at->frames[k].function].name;

		if (strncmp(name, "__syscall_cancel", 16) != 0 &&
			strcmp(name, "__internal_syscall_cancel") != 0)
			return false;
	}
	return at->nframes > 0;
}

/* A sample there is one of their caller, the function that has the call's name.
 */
static void fold_cancellation(struct dataset_private *impl)
{
	struct node *nodes = impl->nodes.v;

	for (size_t i = 0; i < impl->aggregates.n; i++) {
		uint32_t *node = &impl->aggregates.v[i].node;
		uint32_t object = impl->aggregates.v[i].leaf;

		/* the outermost; none if another sample there came before */
		while (object && nodes[object].parent != *node)
			object = nodes[object].parent;
		while (nodes[*node].parent &&
			is_cancellation(impl,
				&impl->locations.v[nodes[*node].location]))
			*node = nodes[*node].parent;
		if (object)
			nodes[object].parent = *node;
	}
}

/* The kind of what is at a location AT; none if that is code of any kind. */
static enum object_kind object_at(
	const struct dataset_private *impl, const struct location *at)
{
	const struct cpd_module *module = impl->modules.v + at->module;

	if (!at->module || module->kind != CPD_MODULE_NO_CODE ||
		function_is_runtime(&impl->functions.v[at->frames->function]))
		return OBJECTS_NONE;
	return strcmp(module->path, CPD_CALLS) ? OBJECTS_ALL : OBJECTS_CALLS;
}

/* Samples are at code; what they are at that is none is their leaf. */
static void find_leaves(struct dataset_private *impl)
{
	const struct node *nodes = impl->nodes.v;

	for (size_t i = 0; i < impl->locations.n; i++)
		impl->locations.v[i].object =
			object_at(impl, &impl->locations.v[i]);
	for (size_t i = 0; i < impl->aggregates.n; i++) {
		struct aggregate *a = &impl->aggregates.v[i];
		uint32_t leaf = a->node;

		while (impl->locations.v[nodes[a->node].location].object &&
			nodes[a->node].parent)
			a->node = nodes[a->node].parent;
		a->leaf = a->node == leaf ? 0 : leaf;
	}
}

/* Gives locations their frames, then restores what tail calls took away. */
static int finish(struct resolver *r, struct dataset_private *impl)
{
	if (resolve_locations(r) ||
		(!impl->imported && dataset_restore_main(impl, r->keys)) ||
		dataset_fold_clones(impl) || dataset_restore_tails(impl) ||
		dataset_leave_trampolines_out(impl) ||
		dataset_find_interpreters(impl) || dataset_leave_own_out(impl))
		return -1;
	find_leaves(impl);
	if (!impl->imported)
		fold_cancellation(impl);
	return dataset_show_names(impl);
}

int dataset_resolve(struct dataset *data)
{
	struct resolver r = {.impl = data->impl};
	int status = -1;

	if (!resolve_modules(&r) && !add_pseudo_functions(&r) &&
		!dataset_merge_functions(
			r.impl, r.keys, r.module_names, &r.functions) &&
		!resolve_addrs(&r))
		status = finish(&r, data->impl);
	free(r.module_names);
	free(r.keys);
	free(r.functions);
	set_free(&r.programs);
	set_free(&r.addrs);
	set_free(&r.bare);
	return status;
}
