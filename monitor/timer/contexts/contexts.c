/* Reads the transitions that the target's threads have made and counted. */
#include "monitor/timer/contexts/contexts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/sum.h"
#include "monitor/base/proc.h"
#include "monitor/inprocess/context_memory.h"
#include "monitor/space/address_space.h"
#include "monitor/tasks/proc_maps.h"
#include "monitor/unwind/code/code.h"

#define BYTES ((size_t)CONTEXTS_MOST * CONTEXTS_PAGE)

/* A page, as far as it was read. */
struct seen {
	uint32_t kind;                      /* 0: nothing */
	uint32_t id;                        /* a thread's in the file, */
	uint64_t time;                      /* since when it has the page */
	uint32_t n;                         /* bytes of lines */
	VEC(struct address_space *) spaces; /* a process's, by epoch */
};

struct call_nodes {       /* of the file, of a call; 0: not made yet */
	uint32_t outer;   /* what calls it */
	uint32_t context; /* its own */
};

struct contexts {
	char *base;
	int fd;
	const struct timer *timer;
	struct sampler *sampler;
	uint64_t written;
	VEC(struct seen) pages;
	bool complete;                /* no page is missing there */
	VEC(struct call_nodes) nodes; /* by the call's number */
	VEC(uint32_t) path;
};

static struct contexts_shared *shared(const struct contexts *c)
{
	return (struct contexts_shared *)c->base;
}

struct contexts *contexts_new(struct err *err)
{
	struct contexts *c = calloc(1, sizeof *c);
	void *base;

	if (!c) {
		err_memory(err, "contexts", "start");
		return NULL;
	}
	c->fd = memfd_create(
		"cpprof-contexts", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (c->fd < 0 || ftruncate(c->fd, (off_t)BYTES) ||
		fcntl(c->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) ||
		(base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, c->fd, 0)) == MAP_FAILED) {
		err_sys(err, "contexts", "memory to share");
		contexts_free(c);
		return NULL;
	}
	c->base = base;
	shared(c)->used = 1;
	return c;
}

void contexts_free(struct contexts *c)
{
	if (!c)
		return;
	if (c->base)
		munmap(c->base, BYTES);
	if (c->fd >= 0)
		close(c->fd);
	for (size_t i = 0; i < c->pages.n; i++) {
		for (size_t k = 0; k < c->pages.v[i].spaces.n; k++)
			address_space_drop(c->pages.v[i].spaces.v[k]);
		vec_free(&c->pages.v[i].spaces);
	}
	vec_free(&c->pages);
	vec_free(&c->nodes);
	vec_free(&c->path);
	free(c);
}

int contexts_fd(struct contexts *c, uint64_t number)
{
	shared(c)->run = number;
	return c->fd;
}

void contexts_set(struct contexts *c, bool on)
{
	if (c)
		__atomic_store_n(&shared(c)->on, on, __ATOMIC_RELEASE);
}

static struct contexts_page *page_of(const struct contexts *c, uint32_t number)
{
	return (struct contexts_page *)c->base + number;
}

static struct contexts_call *call_of(const struct contexts *c, uint32_t number)
{
	return (struct contexts_call *)c->base + number;
}

/* Once: what is shared may change between two looks at it. */
static uint32_t load(const uint32_t *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static int starved(struct contexts *c)
{
	return task_table_starved(&c->sampler->tasks);
}

/* The page before NUMBER that it is of, which has that KIND; 0: none. */
static uint32_t of(const struct contexts *c, uint32_t number, uint32_t kind)
{
	uint32_t before = load(&page_of(c, number)->of);

	return before < number && c->pages.v[before].kind == kind ? before : 0;
}

/* --- what processes have mapped --- */

static int add_mapping(
	struct contexts *c, pid_t pid, struct address_space **space, char *line)
{
	struct map_record record = {.identity.pid = pid};
	struct mapping mapping = {0};
	bool code;

	if (!proc_maps_line(line, &record, &code) ||
		!module_has_file(record.identity.path))
		return 0;
	mapping.module = modules_get(&c->sampler->modules, &record.identity);
	if (!mapping.module || !address_space_own(space))
		return starved(c);
	mapping.start = record.start;
	mapping.end = record.start + record.len;
	mapping.bias = map_bias(&record, mapping.module);
	return address_space_insert(*space, &mapping) ? starved(c) : 0;
}

/* The space of a PROCESS in that EPOCH; NULL: no memory. */
static struct address_space **space_of(struct seen *process, uint32_t epoch)
{
	while (process->spaces.n <= epoch) {
		struct address_space *none = address_space_new();

		if (!none || !vec_add(&process->spaces, none)) {
			free(none);
			return NULL;
		}
	}
	return &process->spaces.v[epoch];
}

/* The lines of page NUMBER that are new. */
static int take_lines(struct contexts *c, uint32_t number)
{
	const struct contexts_page *page = page_of(c, number);
	struct seen *seen = &c->pages.v[number];
	uint32_t n = least(load(&page->n), sizeof page->lines);
	uint32_t process = seen->kind == CONTEXTS_PROCESS ? number
			   : seen->kind == CONTEXTS_MAPS
				   ? of(c, number, CONTEXTS_PROCESS)
				   : 0;
	struct address_space **space = NULL;
	int bad = 0;

	if (n <= seen->n || !process)
		return 0;
	space = space_of(&c->pages.v[process],
		page->epoch & (UINT64_MAX >> CONTEXTS_EPOCH_SHIFT));
	if (!space)
		return starved(c);
	while (!bad && seen->n < n) {
		const char *from = page->lines + seen->n;
		const char *end = memchr(from, '\n', n - seen->n);
		size_t length = end ? (size_t)(end - from) : n - seen->n;
		char *line = strndup(from, length);

		bad = line ? add_mapping(
				     c, page_of(c, process)->id, space, line)
			   : starved(c);
		free(line);
		seen->n += (uint32_t)length + 1;
	}
	return bad;
}

/* A forked process has what its parent had. */
static int inherit(struct contexts *c, uint32_t number)
{
	uint32_t parent = of(c, number, CONTEXTS_PROCESS);
	struct seen *process = &c->pages.v[number];

	for (size_t i = 0; i < c->pages.v[parent].spaces.n; i++) {
		struct address_space *space = c->pages.v[parent].spaces.v[i];

		if (!vec_add(&process->spaces, space))
			return starved(c);
		space->refs++;
	}
	return 0;
}

/* The mapping of ADDRESS in that EPOCH; NULL: unknown. */
static const struct mapping *find_mapping(
	const struct seen *process, uint64_t address, uint64_t epoch)
{
	return epoch < process->spaces.n
		       ? address_space_find(process->spaces.v[epoch], address)
		       : NULL;
}

/* --- nodes --- */

static uint32_t node(struct contexts *c, uint32_t outer,
	const struct mapping *place, uint64_t address, uint32_t flags)
{
	return place ? cpd_node(c->sampler->writer, outer, place->module->id,
			       address - place->bias, flags)
		     : cpd_node(c->sampler->writer, 0, 0, CPD_TRUNCATED, 0);
}

/* The node of a call that returns to SITE; what a signal interrupted returns to
   the beginning of a function. */
static uint32_t site_node(struct contexts *c, uint32_t outer,
	const struct mapping *place, uint64_t site)
{
	return node(c, outer, place, site,
		unwind_exact_row(place->module, site - place->bias).kind ==
				ROW_SIGNAL
			? CPD_NODE_EXACT
			: 0);
}

/*
 * Where the function of ADDRESS begins; where that is not known, ADDRESS.  A
 * hook of -pg tells of an address behind its call, which may be in inlined
 * code.
 */
static uint64_t begin_of(const struct mapping *place, uint64_t address)
{
	struct unwind_code *code = place ? unwind_code(place->module) : NULL;
	uint64_t begin;

	return code && cfi_function(code->cfi, address - place->bias, &begin)
		       ? begin + place->bias
		       : address;
}

/*
 * The node that calls CALL, from the context BY with that node's OUTER; BY is
 * NULL where the thread began.  The function is there as the return address
 * where that is in its code.  If not, it was inlined, or not all of its code is
 * together: then it is there by its beginning.  If the address is another
 * module's, a function without hooks is in between.
 */
static uint32_t outer_node(struct contexts *c, const struct seen *process,
	const struct contexts_call *by, uint32_t outer,
	const struct contexts_call *call)
{
	const struct mapping *own,
		*site = find_mapping(process, call->site,
			call->callee >> CONTEXTS_EPOCH_SHIFT);
	uint64_t begin;

	if (!by)
		return site ? site_node(c, 0, site, call->site) : 0;
	begin = by->callee & CONTEXTS_ADDRESS;
	own = find_mapping(process, begin, by->callee >> CONTEXTS_EPOCH_SHIFT);
	begin = begin_of(own, begin);
	if (call->site == by->site && call->callee != by->callee)
		return node(c, outer, own, begin + 1, 0);
	if (own && site && own->module == site->module &&
		begin_of(own, call->site - 1) == begin)
		return site_node(c, outer, site, call->site);
	outer = node(c, outer, own, begin + 1, 0);
	return outer && own && site && own->module != site->module
		       ? site_node(c, outer, site, call->site)
		       : outer;
}

/* The nodes of call NUMBER, of which those of its caller BY are made; BY is 0
   where the thread began. */
static struct call_nodes make_nodes(struct contexts *c,
	const struct seen *process, uint32_t number, uint32_t by)
{
	const struct contexts_call *call = call_of(c, number);
	uint64_t callee = call->callee & CONTEXTS_ADDRESS;
	const struct mapping *own = find_mapping(
		process, callee, call->callee >> CONTEXTS_EPOCH_SHIFT);
	struct call_nodes made;

	made.outer = outer_node(c, process, by ? call_of(c, by) : NULL,
		c->nodes.v[by].outer, call);
	made.context =
		node(c, made.outer, own, begin_of(own, callee), CPD_NODE_EXACT);
	return made;
}

/* The node of the context with that NUMBER; 0: failed. */
static uint32_t context_node(
	struct contexts *c, const struct seen *process, uint32_t number)
{
	uint32_t i = number, by;

	c->path.n = 0;
	while (i && !c->nodes.v[i].context) {
		if (!vec_add(&c->path, i)) {
			starved(c);
			return 0;
		}
		by = load(&call_of(c, i)->from);
		i = by < i ? by : 0;
	}
	for (by = i; c->path.n--; by = i) {
		i = c->path.v[c->path.n];
		c->nodes.v[i] = make_nodes(c, process, i, by);
		if (!c->nodes.v[i].context)
			return 0;
	}
	return c->nodes.v[number].context;
}

static int write_calls(struct contexts *c, const struct seen *process,
	uint32_t thread, uint32_t number)
{
	struct contexts_call *call = call_of(c, number);
	uint64_t calls = __atomic_exchange_n(&call->calls, 0, __ATOMIC_RELAXED);
	struct cpd_sample sample = {.time = clock_now(),
		.thread = thread,
		.resource = c->timer->resource};
	uint32_t to = load(&call->to);

	if (!calls)
		return 0;
	sample.node =
		context_node(c, process, to && to <= number ? to : number);
	if (!sample.node)
		return -1;
	c->written += calls;
	for (; calls; calls -= sample.weight) {
		sample.weight = least(calls, UINT32_MAX);
		sample.hits = (uint32_t)sample.weight;
		if (sampler_record(c->sampler, c->timer, &sample))
			return -1;
	}
	return 0;
}

/* --- threads --- */

/* The thread's id is that of who uses the page now. */
static int identify(struct contexts *c, uint32_t number)
{
	const struct contexts_page *page = page_of(c, number);
	uint32_t process = of(c, number, CONTEXTS_PROCESS);
	uint64_t time = __atomic_load_n(&page->time, __ATOMIC_ACQUIRE);
	struct seen *seen = &c->pages.v[number];

	if (seen->kind != CONTEXTS_THREAD || !process || !time ||
		time == seen->time)
		return 0;
	seen->time = time;
	seen->id = task_table_id(
		&c->sampler->tasks, page_of(c, process)->id, page->id, time);
	return seen->id ? 0 : -1;
}

/* Writes the transitions in page NUMBER of a thread that has ended, or ALL. */
static int take_calls(struct contexts *c, uint32_t number, bool all)
{
	const struct contexts_page *page = page_of(c, number);
	uint32_t thread = c->pages.v[number].kind == CONTEXTS_THREAD
				  ? number
				  : of(c, number, CONTEXTS_THREAD);
	uint32_t process = thread ? of(c, thread, CONTEXTS_PROCESS) : 0;
	uint32_t first = (uint32_t)(page->calls - call_of(c, 0));
	uint32_t n = least(load(&page->n), CONTEXTS_CALLS_MOST), id;

	if (!process ||
		(!all && load(&page_of(c, thread)->state) != CONTEXTS_TAKEN))
		return 0;
	id = c->pages.v[thread].id;
	for (uint32_t i = first; id && i < first + n; i++)
		if (write_calls(c, &c->pages.v[process], id, i))
			return -1;
	return 0;
}

/* Changes the state of those threads that have the state FROM. */
static void change_states(struct contexts *c, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < c->pages.n; i++) {
		uint32_t state = from;

		if (c->pages.v[i].kind == CONTEXTS_THREAD)
			__atomic_compare_exchange_n(&page_of(c, i)->state,
				&state, to, false, __ATOMIC_ACQ_REL,
				__ATOMIC_RELAXED);
	}
}

/* --- processes --- */

/* No record tells of it; what had its number has ended. */
static int tell_process(struct contexts *c, const struct contexts_page *process)
{
	struct task_table *tasks = &c->sampler->tasks;
	char name[sizeof process->name + 1] = "", exe[PATH_MAX] = "";
	const struct found_record found = {
		.pid = process->id,
		.tid = process->id,
		.parent = process->parent,
		.name = name,
		.exe = exe,
		.thread_name = name,
		.exec = !task_table_knows(tasks, process->parent),
	};

	memcpy(name, process->name, sizeof process->name);
	proc_exe(found.pid, exe);
	task_table_forget(tasks, found.pid, process->time);
	return task_table_found(tasks, &found, process->time);
}

/* Page NUMBER is new. */
static int add_page(struct contexts *c, uint32_t number, bool told)
{
	struct seen seen = {0};

	if (number) /* the first one is no page of these */
		seen.kind = load(&page_of(c, number)->kind);
	if (!vec_add(&c->pages, seen))
		return starved(c);
	return seen.kind == CONTEXTS_PROCESS &&
			       (inherit(c, number) ||
				       (!told && tell_process(c,
							 page_of(c, number))))
		       ? -1
		       : 0;
}

/* Nodes for the calls of USED pages. */
static int reserve_nodes(struct contexts *c, uint32_t used)
{
	size_t n = (size_t)used * (CONTEXTS_PAGE / CONTEXTS_CALL);

	if (n <= c->nodes.n)
		return 0;
	if (!vec_reserve(&c->nodes, n))
		return starved(c);
	memset(c->nodes.v + c->nodes.n, 0,
		(n - c->nodes.n) * sizeof *c->nodes.v);
	c->nodes.n = n;
	return 0;
}

int contexts_collect(
	struct contexts *c, struct sampler *sampler, bool all, bool told)
{
	uint32_t used, i;

	if (!c)
		return 0;
	c->sampler = sampler;
	/* first: all pages of those threads are there */
	change_states(c, CONTEXTS_ENDED, CONTEXTS_TAKEN);
	used = least(load(&shared(c)->used), CONTEXTS_MOST);
	if (reserve_nodes(c, used))
		return -1;
	for (i = 0; i < used; i++) {
		bool unseen = i >= c->pages.n;

		if (unseen && i && !all && !load(&page_of(c, i)->kind))
			break; /* it is being made */
		if ((unseen && add_page(c, i, told)) || take_lines(c, i))
			return -1;
	}
	for (uint32_t k = 0; k < i; k++)
		if (identify(c, k) || take_calls(c, k, all))
			return -1;
	if (i == used)
		change_states(c, CONTEXTS_TAKEN, CONTEXTS_FREE);
	return 0;
}

int contexts_note(const struct contexts *c, struct cpd_writer *writer)
{
	const struct cpd_note note = {"warning",
		"contexts: no function of the run told of a call: "
		"compile with -finstrument-functions, or with -pg"};

	return c && shared(c)->used < 2 ? cpd_write_note(writer, &note) : 0;
}

/* --- the timer --- */

static bool counts(const struct resource_request *request)
{
	return request->resource->counts & COUNTS_INSTRUMENTED;
}

static int can(const struct resource_request *request,
	struct timer_machine *machine, struct err *why)
{
	(void)machine;
	if (request->interval == 1)
		return 0;
	return err_say(why, request->name, NULL,
		"each call is counted: no interval", "leave the interval out");
}

static int arm(struct timer *timer, struct err *err)
{
	struct contexts *c = timer->impl;

	(void)err;
	c->timer = timer;
	return 0;
}

static int read_count(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	const struct contexts *c = timer->impl;

	(void)err;
	count->lost = count->lost_gticks = shared(c)->lost;
	count->gticks = c->written + count->lost;
	return 0;
}

const struct timer_kind context_timer = {
	.name = "in-process",
	.costs = "6-8 ns",
	.families = 1u << TIMER_KERNEL | 1u << TIMER_PERCPU |
		    1u << TIMER_PERTASK | 1u << TIMER_STOP,
	.counts = counts,
	.can = can,
	.arm = arm,
	.read = read_count,
};
