/*
 * pprof_tables.c - the mappings, functions and locations of a profile.proto,
 * each written when a stack first has it.
 */
#include <stdlib.h>

#include "analyzer/export/pprof_private.h"
#include "lib/arch/arch.h"
#include "lib/elf/build_id.h"

/* Mappings. */

static uint64_t page_up(uint64_t n)
{
	return (n | (PAGE_BYTES - 1)) + 1;
}

static void widen(struct pprof_module *m, uint64_t addr)
{
	m->lo = addr < m->lo ? addr : m->lo;
	m->hi = addr > m->hi ? addr : m->hi;
}

/*
 * The range of a file begins with its address 0; memory without a file begins
 * where code was found.  What a hostile file spreads too wide goes without.
 */
static void place_modules(struct pprof *p)
{
	const struct dataset *data = p->data;
	uint64_t next = PAGE_BYTES;

	for (uint32_t i = 1; i <= data->nmodules; i++)
		p->modules[i].lo = UINT64_MAX;
	for (uint32_t i = 1; i <= data->nlocations; i++)
		widen(&p->modules[data->locations[i].module],
			location_address(&data->locations[i]));
	/* Where a function that left by a tail call is said to be. */
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
		if (data->functions[i].hi)
			widen(&p->modules[data->functions[i].module_id],
				data->functions[i].lo);
	for (uint32_t i = 1; i <= data->nmodules; i++) {
		struct pprof_module *m = &p->modules[i];

		if (m->lo > m->hi)
			continue;
		m->lo = data->modules[i].kind == CPD_MODULE_ANON
				? m->lo & ~(uint64_t)(PAGE_BYTES - 1)
				: 0;
		if (m->hi - m->lo > INT64_MAX / 2 - next) {
			m->hi = 0;
			continue;
		}
		m->move = next - m->lo;
		next += page_up(m->hi - m->lo);
	}
}

static void put_mapping(struct pprof *p, uint32_t module)
{
	const struct cpd_module *m = &p->data->modules[module];
	struct pprof_module *known = &p->modules[module];
	char id[BUILD_ID_TEXT];
	struct bytes b = {0};

	if (known->told)
		return;
	known->told = true;
	pb_number(&b, MAPPING_ID, module);
	if (known->hi) {
		pb_number(&b, MAPPING_START, known->lo + known->move);
		pb_number(&b, MAPPING_LIMIT,
			known->lo + known->move +
				page_up(known->hi - known->lo));
	}
	pb_number(&b, MAPPING_FILENAME, pprof_string(p, m->path));
	pb_number(&b, MAPPING_BUILD_ID,
		pprof_string(
			p, build_id_text(m->build_id, m->build_id_len, id)));
	/* The file has all names: pprof need not look for them. */
	pb_number(&b, MAPPING_HAS_FUNCTIONS, 1);
	pb_number(&b, MAPPING_HAS_FILENAMES, 1);
	pb_number(&b, MAPPING_HAS_LINES, 1);
	pb_number(&b, MAPPING_HAS_INLINES, 1);
	pprof_message(p, PPROF_MAPPING, &b);
	bytes_free(&b);
}

/* The program that most stacks are of: of all with a main, by its nodes. */
static uint32_t main_program(const struct dataset *data)
{
	uint32_t *nodes = calloc((size_t)data->nmodules + 1, sizeof *nodes),
		 best = 0;

	if (!nodes)
		return 0;
	for (uint32_t i = 1; i <= data->nnodes; i++)
		nodes[dataset_location(data, i)->module]++;
	nodes[0] = 0;
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++) {
		const struct function *f = &data->functions[i];

		if (f->is_main && nodes[f->module_id] > nodes[best])
			best = f->module_id;
	}
	free(nodes);
	return best;
}

void pprof_modules(struct pprof *p)
{
	uint32_t program = main_program(p->data);

	place_modules(p);
	if (program)
		put_mapping(p, program);
}

/* Functions. */

/* FILE is where a call in it was found, if its declaration is not known. */
static void put_function(struct pprof *p, uint32_t function, const char *file)
{
	const struct function *f = &p->data->functions[function];
	struct bytes b = {0};

	if (p->functions[function])
		return;
	p->functions[function] = true;
	pb_number(&b, FUNCTION_ID, function);
	pb_number(&b, FUNCTION_NAME,
		pprof_string(p, stack_name(&p->stacks, function)));
	pb_number(&b, FUNCTION_SYSTEM_NAME,
		pprof_string(
			p, f->linkage && *f->linkage ? f->linkage : f->name));
	pb_number(&b, FUNCTION_FILENAME,
		pprof_string(p, f->file && *f->file ? f->file : file));
	pb_number(&b, FUNCTION_START_LINE, f->line);
	pprof_message(p, PPROF_FUNCTION, &b);
	bytes_free(&b);
}

/* Locations. */

static void put_location(
	struct pprof *p, uint32_t id, const struct pprof_location *l)
{
	const struct number_list *lines = &p->lines.list.v[l->lines];
	struct bytes b = {0}, line = {0};

	if (l->module)
		put_mapping(p, l->module);
	pb_number(&b, LOCATION_ID, id);
	pb_number(&b, LOCATION_MAPPING_ID, l->module);
	if (l->module && p->modules[l->module].hi)
		pb_number(&b, LOCATION_ADDRESS,
			l->addr + p->modules[l->module].move);
	for (uint32_t i = 0; i < lines->n; i += 2) {
		line.n = 0;
		pb_number(&line, LINE_FUNCTION_ID, lines->v[i]);
		pb_number(&line, LINE_LINE, lines->v[i + 1]);
		pb_bytes(&b, LOCATION_LINE, line.v, line.n);
	}
	p->failed |= line.failed;
	pprof_message(p, PPROF_LOCATION, &b);
	bytes_free(&line);
	bytes_free(&b);
}

/* The number of the location of ADDR with N FRAMES; 0: no memory. */
static uint32_t location(struct pprof *p, uint32_t module, uint64_t addr,
	const struct stack_frame *frames, size_t n)
{
	bool code = frames->function <= p->data->nfunctions; /* no group */
	struct pprof_location l = {code ? addr : 0, code ? module : 0, 0};
	uint32_t lines[2 * STACK_FRAMES_MAX], i;
	size_t before = p->locations.n;

	for (size_t k = 0; k < n; k++) {
		lines[2 * k] = frames[k].function;
		lines[2 * k + 1] = frames[k].line;
	}
	l.lines = lists_add(&p->lines, lines, 2 * (uint32_t)n);
	i = set_add(&p->locations, &l, 0);
	if (l.lines == HASH_NONE || i == HASH_NONE) {
		p->failed = true;
		return 0;
	}
	if (p->locations.n == before)
		return i + 1;
	for (size_t k = 0; k < n; k++)
		put_function(p, frames[k].function, frames[k].file);
	put_location(p, i + 1, &l);
	return i + 1;
}

static void push(struct pprof *p, uint32_t id)
{
	p->failed |= !vec_add(&p->node_locations, id);
}

/* Finds the locations of a node; those that left by a tail call have one each.
 */
static void find_locations(struct pprof *p, uint32_t at)
{
	const struct location *node = dataset_location(p->data, at);
	struct stack_frame frames[STACK_FRAMES_MAX];
	size_t n = stack_frames(&p->stacks, at, frames);
	struct pprof_node *found = &p->nodes[at];
	size_t own = 0;

	while (own < n && !frames[own].lost)
		own++;
	found->known = true;
	found->first = (uint32_t)p->node_locations.n;
	if (own)
		push(p, location(p, node->module,
				node->module ? location_address(node) : 0,
				frames, own));
	for (size_t k = own; k < n; k++) {
		const struct function *f =
			&p->data->functions[frames[k].function];

		push(p, location(p, f->module_id, f->lo, &frames[k], 1));
	}
	found->nlocations = (uint16_t)(p->node_locations.n - found->first);
}

static void push_stack(struct pprof *p, uint32_t location)
{
	p->failed |= !vec_add(&p->stack, location);
}

/* A frame that no node has. */
static void push_function(struct pprof *p, uint32_t function)
{
	struct stack_frame frame = {function, 0, "", false};

	push_stack(p, location(p, 0, 0, &frame, 1));
}

static void push_group(struct pprof *p, uint32_t thread)
{
	uint32_t group = stack_group(&p->stacks, thread);

	if (group != FN_NONE)
		push_function(p, group);
}

void pprof_stack(struct pprof *p, uint32_t node, uint32_t thread)
{
	p->stack.n = 0;
	for (uint32_t at = node; at; at = p->data->nodes[at].parent) {
		const struct pprof_node *n = &p->nodes[at];

		if (!n->known)
			find_locations(p, at);
		for (uint32_t i = 0; i < n->nlocations && !p->failed; i++)
			push_stack(p, p->node_locations.v[n->first + i]);
	}
	push_group(p, thread);
	if (!p->stack.n)
		push_function(p, filters_rest(p->stacks.view.elided));
}

void pprof_loss(struct pprof *p, uint32_t function, uint32_t thread)
{
	p->stack.n = 0;
	push_function(p, function);
	push_group(p, thread);
}

void pprof_tables_free(struct pprof *p)
{
	vec_free(&p->node_locations);
	set_free(&p->locations);
	lists_free(&p->lines);
	vec_free(&p->stack);
}
