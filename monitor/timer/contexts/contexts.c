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
#include "monitor/tasks/proc_maps.h"
#include "monitor/unwind/code/code.h"

#define BYTES ((size_t)CONTEXTS_MOST * CONTEXTS_UNIT)

struct place { /* a mapping of a process */
	const struct contexts_map *map;
	uint64_t start, end, bias;
	struct module *module;
};

struct seen_process {
	uint32_t number, maps; /* the last one that is in PLACES */
	VEC(struct place) places;
};

struct seen_thread {
	uint32_t number;
	uint32_t id;   /* in the file */
	uint64_t time; /* whose id that is: since when it uses the memory */
};

struct seen_call {        /* nodes of the file; 0: not made yet */
	uint32_t outer;   /* what calls it */
	uint32_t context; /* its own */
};

struct contexts {
	char *base;
	int fd;
	const struct timer *timer;
	struct sampler *sampler;
	uint64_t written;
	uint32_t newest_process, newest_thread;
	VEC(struct seen_process) processes;
	VEC(struct seen_thread) threads;
	VEC(struct seen_call) calls; /* by number */
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
	shared(c)->used = sizeof *shared(c) / CONTEXTS_UNIT;
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
	for (size_t i = 0; i < c->processes.n; i++)
		vec_free(&c->processes.v[i].places);
	vec_free(&c->processes);
	vec_free(&c->threads);
	vec_free(&c->calls);
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

/* What has that NUMBER and SIZE; NULL: nothing has. */
static void *at(const struct contexts *c, uint32_t number, size_t size)
{
	size_t from = (size_t)number * CONTEXTS_UNIT;

	return number && from < BYTES && size <= BYTES - from ? c->base + from
							      : NULL;
}

/* Once: what is shared may change between two looks at it. */
static uint32_t load(const uint32_t *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

/* --- what processes have mapped --- */

static int add_place(struct contexts *c, struct seen_process *process,
	pid_t pid, const struct contexts_map *map)
{
	struct map_record record = {.identity.pid = pid};
	struct place place = {.map = map};
	uint32_t bytes = map->bytes;
	char *line;
	bool code;

	if (!bytes || bytes > BYTES - (size_t)((const char *)map - c->base) -
				      sizeof *map)
		return 0;
	line = strndup(map->line, bytes);
	if (!line)
		return task_table_starved(&c->sampler->tasks);
	if (proc_maps_line(line, &record, &code) &&
		module_has_file(record.identity.path)) {
		place.start = record.start;
		place.end = record.start + record.len;
		place.module =
			modules_get(&c->sampler->modules, &record.identity);
		if (place.module)
			place.bias = map_bias(&record, place.module);
	}
	free(line);
	return !place.module || vec_add(&process->places, place)
		       ? 0
		       : task_table_starved(&c->sampler->tasks);
}

/* Its mappings that are new. */
static int take_places(struct contexts *c, struct seen_process *process)
{
	const struct contexts_process *p = at(c, process->number, sizeof *p);
	uint32_t last = p ? load(&p->maps) : 0, most = CONTEXTS_MOST;

	for (uint32_t i = last; i != process->maps && most--;) {
		const struct contexts_map *map = at(c, i, sizeof *map);

		if (!map)
			break;
		if (add_place(c, process, p->pid, map))
			return -1;
		i = map->before;
	}
	process->maps = last;
	return 0;
}

/* The place of ADDRESS in that EPOCH; NULL: unknown. */
static const struct place *find_place(
	const struct seen_process *process, uint64_t address, uint32_t epoch)
{
	for (size_t i = 0; i < process->places.n; i++) {
		const struct place *p = &process->places.v[i];
		uint32_t died = p->map->died;

		if (address - p->start < p->end - p->start &&
			p->map->born <= epoch && (!died || epoch < died))
			return p;
	}
	return NULL;
}

/* --- nodes --- */

static uint32_t node(struct contexts *c, uint32_t outer,
	const struct place *place, uint64_t address, uint32_t flags)
{
	return place ? cpd_node(c->sampler->writer, outer, place->module->id,
			       address - place->bias, flags)
		     : cpd_node(c->sampler->writer, outer, 0, CPD_TRUNCATED, 0);
}

/* The node of a call that returns to SITE; what a signal interrupted returns to
   the beginning of a function. */
static uint32_t site_node(struct contexts *c, uint32_t outer,
	const struct place *place, uint64_t site)
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
static uint64_t begin_of(const struct place *place, uint64_t address)
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
static uint32_t outer_node(struct contexts *c,
	const struct seen_process *process, const struct contexts_call *by,
	uint32_t outer, const struct contexts_call *call)
{
	uint32_t epoch = (uint32_t)(call->callee >> CONTEXTS_EPOCH_SHIFT);
	const struct place *site = find_place(process, call->site, epoch), *own;
	uint64_t begin;

	if (!by)
		return site ? site_node(c, 0, site, call->site) : 0;
	begin = by->callee & CONTEXTS_ADDRESS;
	own = find_place(
		process, begin, (uint32_t)(by->callee >> CONTEXTS_EPOCH_SHIFT));
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

/* The node of the context with that NUMBER; 0: failed. */
static uint32_t context_node(
	struct contexts *c, const struct seen_process *process, uint32_t number)
{
	const struct contexts_call *call, *by;
	const struct place *own;
	struct seen_call *seen;
	uint32_t i = number, n;

	c->path.n = 0;
	for (; i && !c->calls.v[i].context; i = n) {
		call = at(c, i, sizeof *call);
		n = load(&call->from);
		n = n < i ? n : 0;
		if (!vec_add(&c->path, i)) {
			task_table_starved(&c->sampler->tasks);
			return 0;
		}
	}
	for (n = i; c->path.n--; n = i) {
		i = c->path.v[c->path.n];
		call = at(c, i, sizeof *call);
		by = at(c, n, sizeof *by);
		seen = &c->calls.v[i];
		seen->outer = outer_node(
			c, process, by, n ? c->calls.v[n].outer : 0, call);
		own = find_place(process, call->callee & CONTEXTS_ADDRESS,
			(uint32_t)(call->callee >> CONTEXTS_EPOCH_SHIFT));
		seen->context = node(c, seen->outer, own,
			begin_of(own, call->callee & CONTEXTS_ADDRESS),
			CPD_NODE_EXACT);
		if (!seen->context)
			return 0;
	}
	return c->calls.v[number].context;
}

static int write_calls(struct contexts *c, const struct seen_process *process,
	uint32_t thread, uint32_t number)
{
	struct contexts_call *call = at(c, number, sizeof *call);
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

static struct seen_process *find_process(struct contexts *c, uint32_t number)
{
	for (size_t i = c->processes.n; i-- > 0;)
		if (c->processes.v[i].number == number)
			return &c->processes.v[i];
	return NULL;
}

static int write_thread(struct contexts *c, const struct seen_thread *seen,
	const struct contexts_thread *thread)
{
	const struct seen_process *process = find_process(c, thread->process);
	uint32_t i = load(&thread->blocks), most = CONTEXTS_MOST;
	uint64_t used = least(shared(c)->used, CONTEXTS_MOST);

	if (!process || !seen->id)
		return 0;
	if (!vec_reserve(&c->calls, used))
		return task_table_starved(&c->sampler->tasks);
	if (used > c->calls.n)
		memset(c->calls.v + c->calls.n, 0,
			(used - c->calls.n) * sizeof *c->calls.v);
	c->calls.n = used;
	while (most--) {
		const struct contexts_block *block = at(c, i, sizeof *block);
		uint32_t n = block ? load(&block->n) : 0;

		if (!block || n > used - i)
			break;
		for (uint32_t k = i + 1; k <= i + n && k < used; k++)
			if (write_calls(c, process, seen->id, k))
				return -1;
		i = block->before;
	}
	return 0;
}

/* The thread's id is that of who uses the memory now. */
static int identify(struct contexts *c, struct seen_thread *seen,
	const struct contexts_thread *thread)
{
	const struct contexts_process *p = at(c, thread->process, sizeof *p);
	uint64_t time = __atomic_load_n(&thread->time, __ATOMIC_ACQUIRE);

	if (!p || !time || time == seen->time)
		return 0;
	seen->time = time;
	seen->id = task_table_id(&c->sampler->tasks, p->pid, thread->tid, time);
	return seen->id ? 0 : -1;
}

static int take_thread(struct contexts *c, struct seen_thread *seen, bool all)
{
	struct contexts_thread *thread = at(c, seen->number, sizeof *thread);
	uint32_t state = CONTEXTS_ENDED;
	bool ended = thread && load(&thread->state) == CONTEXTS_ENDED;

	if (!thread)
		return 0;
	if (identify(c, seen, thread))
		return -1;
	if (!ended || !__atomic_compare_exchange_n(&thread->state, &state,
			      CONTEXTS_TAKEN, false, __ATOMIC_ACQ_REL,
			      __ATOMIC_RELAXED))
		return all ? write_thread(c, seen, thread) : 0;
	if (write_thread(c, seen, thread))
		return -1;
	__atomic_store_n(&thread->state, CONTEXTS_FREE, __ATOMIC_RELEASE);
	return 0;
}

/* --- processes --- */

/* No record tells of it; what had its number has ended. */
static int tell_process(
	struct contexts *c, const struct contexts_process *process)
{
	struct task_table *tasks = &c->sampler->tasks;
	char name[sizeof process->name + 1] = "", exe[PATH_MAX] = "";
	const struct found_record found = {
		.pid = process->pid,
		.tid = process->pid,
		.parent = process->parent,
		.name = name,
		.exe = exe,
		.thread_name = name,
		.exec = !task_table_knows(tasks, process->parent),
	};

	memcpy(name, process->name, sizeof process->name);
	proc_exe(process->pid, exe);
	task_table_forget(tasks, process->pid, process->time);
	return task_table_found(tasks, &found, process->time);
}

/* The numbers of the list from HEAD to LAST, oldest last, in C->path. */
static int find_new(struct contexts *c, uint32_t head, uint32_t last)
{
	const uint32_t *before;

	c->path.n = 0;
	while (head != last && (before = at(c, head, CONTEXTS_UNIT)) &&
		c->path.n < CONTEXTS_MOST) {
		if (!vec_add(&c->path, head))
			return task_table_starved(&c->sampler->tasks);
		head = *before;
	}
	return 0;
}

static int find_processes(struct contexts *c, bool told)
{
	uint32_t head = load(&shared(c)->processes);

	if (find_new(c, head, c->newest_process))
		return -1;
	c->newest_process = head;
	while (c->path.n--) {
		struct seen_process seen = {.number = c->path.v[c->path.n]};
		const struct contexts_process *p =
			at(c, seen.number, sizeof *p);

		if (!p)
			continue;
		if (!vec_add(&c->processes, seen))
			return task_table_starved(&c->sampler->tasks);
		if (!told && tell_process(c, p))
			return -1;
	}
	for (size_t i = 0; i < c->processes.n; i++)
		if (take_places(c, &c->processes.v[i]))
			return -1;
	return 0;
}

static int find_threads(struct contexts *c)
{
	uint32_t head = load(&shared(c)->threads);

	if (find_new(c, head, c->newest_thread))
		return -1;
	c->newest_thread = head;
	while (c->path.n--)
		if (!vec_add(&c->threads,
			    (struct seen_thread){
				    .number = c->path.v[c->path.n]}))
			return task_table_starved(&c->sampler->tasks);
	return 0;
}

int contexts_collect(
	struct contexts *c, struct sampler *sampler, bool all, bool told)
{
	if (!c)
		return 0;
	c->sampler = sampler;
	/* threads first: their processes were there before them */
	if (find_threads(c) || find_processes(c, told))
		return -1;
	for (size_t i = 0; i < c->threads.n; i++)
		if (take_thread(c, &c->threads.v[i], all))
			return -1;
	return 0;
}

int contexts_note(const struct contexts *c, struct cpd_writer *writer)
{
	const struct cpd_note note = {"warning",
		"contexts: no function of the run told of a call: "
		"compile with -finstrument-functions, or with -pg"};

	return c && !c->newest_process ? cpd_write_note(writer, &note) : 0;
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
	err_set(why, request->name, NULL, "each call is counted: no interval");
	return err_hint(why, "leave the interval out");
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
