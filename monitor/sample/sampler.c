/* Finds the thread of a sample, has its stack unwound, and writes it. */
#include "monitor/sample/sampler.h"

#include <stdio.h>
#include <string.h>

#include "lib/arch/arch.h"
#include "lib/text.h"
#include "monitor/base/proc.h"
#include "monitor/tasks/proc_maps.h"

#define STACK_END 65536     /* what may be behind the outermost frame */
#define AT_PROBE UINT32_MAX /* no node: the thread waits at a probe */

void sampler_init(struct sampler *sampler, struct cpd_writer *writer,
	struct perf_events *events, struct timer *timers, size_t ntimers)
{
	memset(sampler, 0, sizeof *sampler);
	sampler->writer = writer;
	sampler->events = events;
	sampler->timers = timers;
	sampler->ntimers = ntimers;
	sampler->taker.writer = writer;
	sampler->interpreters.writer = writer;
	sampler->calls.writer = sampler->memory.writer = writer;
	sampler->calls.kind = CPD_CALLS;
	sampler->memory.kind = "[memory]";
	sampler->taker.unwinder = &unwinders[0];
	modules_init(&sampler->modules, writer);
	task_table_init(&sampler->tasks, writer, &sampler->modules);
}

void sampler_fini(struct sampler *sampler)
{
	task_table_fini(&sampler->tasks);
	modules_fini(&sampler->modules);
	stack_taker_fini(&sampler->taker);
	interpreters_fini(&sampler->interpreters);
	vec_free(&sampler->exits);
	strings_free(&sampler->calls.labels);
	strings_free(&sampler->memory.labels);
	objects_fini(&sampler->objects);
}

/*
 * Whether the mapping is the thread's stack: its outermost frame is at the end,
 * where only what its library keeps of it follows.
 */
static bool is_stack(struct thread *thread, const struct mapping *mapping,
	const struct taken_stack *stack)
{
	uint64_t size = mapping->end - mapping->start;

	if (stack->inner - mapping->start >= size)
		return false;
	if (stack->outer - mapping->start < size &&
		mapping->end - stack->outer < STACK_END) {
		thread->stack_from = mapping->start;
		thread->stack_to = mapping->end;
	}
	/* where the outermost frame is not known it still is the same */
	return thread->stack_from == mapping->start &&
	       thread->stack_to == mapping->end;
}

/*
 * A call has mapped memory: that is of the module that made the call, which is
 * the innermost function's caller: that function is the C library's for it.
 */
static int note_mapper(struct sampler *sampler, const struct due *due,
	const struct taken_stack *stack)
{
	struct cpd_node at = cpd_writer_node(sampler->writer, stack->node);

	if (at.parent)
		at = cpd_writer_node(sampler->writer, at.parent);
	return objects_mapped(&due->thread->process->objects, stack->address,
		stack->address + (uint64_t)due->block * PAGE_BYTES, at.module);
}

/* What the memory is that a sample's event was at, as far as that is known, and
   its page. */
static int label_memory(struct sampler *sampler, const struct due *due,
	const struct taken_stack *stack, char label[OBJECT_LABEL],
	uint64_t *page)
{
	uint64_t place = stack->address;
	struct thread *thread = due->thread;
	struct process_objects *its = &thread->process->objects;
	const struct objects *objects = &sampler->objects;
	const struct mapping *at = objects_find(its, stack->address);

	if (!at && its->read <= due->time) {
		if (proc_objects(&sampler->tasks, thread->process, thread->tid))
			return -1;
		at = objects_find(its, stack->address);
	}
	if (at)
		place = objects_place(objects, at, place);
	*page = place / PAGE_BYTES + 1;
	if (!at)
		snprintf(label, OBJECT_LABEL, "[unknown]");
	else if (at->object == OBJECT_ANONYMOUS && is_stack(thread, at, stack))
		snprintf(label, OBJECT_LABEL, "[stack of %s]", thread->name);
	else if (at->object == OBJECT_ANONYMOUS && at->mapper)
		snprintf(label, OBJECT_LABEL, "[anonymous of %.255s]",
			text_base_name(
				cpd_writer_module(sampler->writer, at->mapper)
					->path));
	else
		objects_label(objects, at, stack->address, label);
	return 0;
}

/* The node of a stack, with what it is at that is no code, and the page of that
   if it is memory; 0: failed. */
static uint32_t node_of(struct sampler *sampler, const struct due *due,
	const struct taken_stack *stack, uint64_t *page)
{
	char label[OBJECT_LABEL];
	uint32_t node = stack->node;

	if (stack->call) {
		syscall_label(stack->call, label, sizeof label);
		node = no_code_node(&sampler->calls, node, label);
	}
	if (node && stack->address &&
		due->timer->request->resource->counts & COUNTS_MAPPED)
		return note_mapper(sampler, due, stack) ? 0 : node;
	if (!node || !stack->address || !due->timer->request->event.address)
		return node;
	return label_memory(sampler, due, stack, label, page)
		       ? 0
		       : no_code_node(&sampler->memory, node, label);
}

int sampler_record(struct sampler *sampler, const struct timer *timer,
	const struct cpd_sample *sample)
{
	struct tally *tally = &sampler->tally[timer->index];

	tally->samples++;
	tally->hits += sample->hits;
	tally->weight += sample->weight;
	tally->read_later += sample->flags & CPD_SAMPLE_READ_LATER ? 1 : 0;
	return cpd_write_sample(sampler->writer, sample);
}

/* The timer that counts the ends of what TIMER's samples stand for, or NULL. */
static const struct timer *timer_of_ends(
	const struct sampler *sampler, const struct timer *timer)
{
	for (size_t i = 0; i < sampler->ntimers; i++)
		if (sampler->timers[i].ends == timer)
			return &sampler->timers[i];
	return NULL;
}

/* Remembers the sample until its block ends. */
static int follow(struct sampler *sampler, const struct due *due,
	struct cpd_sample *sample)
{
	const struct timer *ends = timer_of_ends(sampler, due->timer);

	if (!ends)
		return 0;
	if (!due->block) {
		sample->flags |= CPD_SAMPLE_UNFOLLOWED;
		sampler->tally[ends->index].unfollowed++;
	} else if (blocks_add(&due->thread->process->blocks, ends->index,
			   due->block, sample)) {
		return task_table_starved(&sampler->tasks);
	}
	return 0;
}

int sampler_end(struct sampler *sampler, struct due *due, uint32_t block)
{
	struct cpd_sample sample;

	/* its sample may be lost, or was not collected */
	if (!blocks_take(&due->thread->process->blocks, due->timer->index,
		    block, &sample))
		return 0;
	sample.resource = due->timer->resource;
	/* records of two processors can be a little out of order */
	sample.life = due->time > sample.time ? due->time - sample.time : 1;
	sample.time = due->time;
	sample.flags = 0;
	return sampler_record(sampler, due->timer, &sample);
}

int sampler_write(struct sampler *sampler, const struct due *due, uint32_t node,
	uint64_t page, bool read_later)
{
	struct cpd_sample sample = {
		.page = page,
		.time = due->time,
		.thread = due->thread->id,
		.resource = due->timer->resource,
		.hits = due->hits,
		.weight = due->weight,
		.node = node,
		.flags = read_later ? CPD_SAMPLE_READ_LATER : 0,
	};

	if (follow(sampler, due, &sample))
		return -1;
	due->thread->sampled[due->timer->index] += due->weight;
	return sampler_record(sampler, due->timer, &sample);
}

static bool peek(void *arg, uint64_t addr, void *buf, size_t n)
{
	struct snapshot *snapshot = arg;

	return snapshot->peek(snapshot, addr, buf, n);
}

/* SNAPSHOT, of a thread that stands still, gets its interpreter's frames. */
static int walk_interpreter(struct sampler *sampler, struct thread *thread,
	struct snapshot *snapshot)
{
	struct told_frames *told = &thread->stack.told;
	struct stopped_thread stopped = {.place = &thread->process->place,
		.read = peek,
		.arg = snapshot,
		.awaits = sampler->awaits};
	struct proc_status status;
	int walked;

	if (!told->own && proc_status(thread->tid, &status))
		told->own = status.inner_tid;
	stopped.number = told->own;
	walked = interpreters_walk(&sampler->interpreters,
		&thread->process->interpreted, told, &stopped);
	if (walked < 0)
		return task_table_starved(&sampler->tasks);
	return walked && snapshot->still(snapshot)
		       ? sampler_interpret(
				 sampler, thread, told->number, snapshot)
		       : 0;
}

int sampler_unwind(struct sampler *sampler, struct thread *thread,
	struct snapshot *snapshot, struct taken_stack *stack)
{
	if (!snapshot->read_memory)
		snapshot->pid = thread->process->pid;
	else if (thread->process->place.runtime &&
		 walk_interpreter(sampler, thread, snapshot))
		return -1;
	if (stack_take(&sampler->taker, &thread->stack, snapshot,
		    thread->process->space, stack))
		return task_table_starved(&sampler->tasks);
	if (snapshot->interpreted) {
		sampler->interpreters.samples++;
		sampler->interpreters.native += !stack->interpreted;
	}
	return 0;
}

int sampler_tell(struct sampler *sampler, struct thread *thread,
	const struct told_part *part)
{
	return interpreters_tell(&sampler->interpreters,
		       &thread->process->interpreted, &thread->stack.told, part)
		       ? task_table_starved(&sampler->tasks)
		       : 0;
}

int sampler_interpret(struct sampler *sampler, struct thread *thread,
	uint16_t number, struct snapshot *snapshot)
{
	struct interpreters *all = &sampler->interpreters;

	if (!number)
		return 0;
	if (interpreters_take(all, thread->process->interpreted,
		    &thread->stack.told, number))
		return task_table_starved(&sampler->tasks);
	/* else it executes nothing: it begins, or ends */
	if (all->stack.activations.n || all->stack.torn || all->stack.begins)
		snapshot->interpreted = &all->stack;
	return 0;
}

int sampler_put(struct sampler *sampler, const struct due *due,
	const struct taken_stack *stack)
{
	uint64_t page = 0;
	uint32_t node = node_of(sampler, due, stack, &page);

	sampler->tally[due->timer->index].truncated += stack->truncated;
	return node ? sampler_write(sampler, due, node, page, stack->read_later)
		    : -1;
}

int sampler_take(struct sampler *sampler, const struct due *due,
	struct snapshot *snapshot)
{
	struct taken_stack stack;

	if (sampler_unwind(sampler, due->thread, snapshot, &stack))
		return -1;
	return sampler_put(sampler, due, &stack);
}

void sampler_set_regs(struct snapshot *snapshot, const void *regs)
{
	snapshot->has_regs = true;
	registers_of_sample(regs, snapshot->regs);
}

void sampler_snapshot(
	const struct perf_sample *sample, struct snapshot *snapshot)
{
	memset(snapshot, 0, sizeof *snapshot);
	snapshot->address = sample->address;
	if (!sample->regs)
		return;
	sampler_set_regs(snapshot, sample->regs);
	snapshot->base = snapshot->regs[REG_SP_];
	if (sample->abi != PERF_SAMPLE_REGS_ABI_64)
		return;
	snapshot->stack = sample->stack;
	snapshot->size = sample->stack_size;
	snapshot->room = sample->stack_room;
}

void sampler_weigh(struct sampler *sampler, struct due *due, uint64_t weight)
{
	struct tally *tally = &sampler->tally[due->timer->index];
	uint32_t scale = resource_scale(due->timer->request->resource);

	tally->part += weight;
	due->weight = tally->part / scale;
	tally->part %= scale;
}

/* Whether a sample in user mode, or not, counts for the timer. */
static bool in_mode(const struct timer *timer, bool user)
{
	unsigned cpu = timer->request->resource->counts & COUNTS_CPU;

	return !cpu || cpu & (user ? COUNTS_USER : COUNTS_SYSTEM);
}

bool sampler_can_see_probes(const struct timer *timer)
{
	const struct resource *r = timer->request->resource;

	return r->counts & (COUNTS_TIME | COUNTS_SWITCHES) ||
	       (r->perf && r->perf->type != PERF_TYPE_SOFTWARE);
}

static bool is_at_probe(struct sampler *sampler, const struct due *due,
	const struct snapshot *snapshot, bool user)
{
	uint64_t at, word = 0;

	if (!sampler->probes || !sampler_can_see_probes(due->timer) ||
		!snapshot->has_regs)
		return false;
	at = snapshot->regs[REG_SP_] - snapshot->base;
	if (at < snapshot->size && snapshot->size - at >= sizeof word)
		memcpy(&word, snapshot->stack + at, sizeof word);
	return probe_cost_is(sampler->probes, due->thread->process->space,
		snapshot->regs[REG_IP_], user, word);
}

/* Time that a probe takes is not its function's. */
static void put_at_probe(struct sampler *sampler, const struct due *due)
{
	struct tally *tally = &sampler->tally[due->timer->index];

	tally->probes += due->weight;
	tally->probe_samples++;
	due->thread->sampled[due->timer->index] += due->weight;
}

int sampler_keep_off_cpu(struct sampler *sampler, const struct due *due,
	struct snapshot *snapshot)
{
	struct taken_stack stack = {.node = AT_PROBE};

	if (!is_at_probe(sampler, due, snapshot, false) &&
		sampler_unwind(sampler, due->thread, snapshot, &stack))
		return -1;
	due->thread->stack.off_cpu[due->timer->index] = stack.node;
	return 0;
}

int sampler_settle(struct sampler *sampler, const struct due *due)
{
	uint32_t node = due->thread->stack.off_cpu[due->timer->index];

	if (node == AT_PROBE) {
		put_at_probe(sampler, due);
		return 0;
	}
	if (!node)
		node = cpd_node(sampler->writer, 0, 0, CPD_NO_STACK, 0);
	return node ? sampler_write(sampler, due, node, 0, false) : -1;
}

int sampler_take_in_mode(struct sampler *sampler, struct due *due,
	struct snapshot *snapshot, bool user, bool probe)
{
	const struct timer *clock = due->timer;
	struct tally *tally = &sampler->tally[clock->index];
	struct taken_stack stack = {0};

	probe |= is_at_probe(sampler, due, snapshot, user);
	*(user ? &tally->user : &tally->system) += due->hits;
	for (size_t i = 0; i < sampler->ntimers; i++) {
		due->timer = &sampler->timers[i];
		if ((due->timer != clock && due->timer->clock != clock) ||
			!in_mode(due->timer, user))
			continue;
		if (probe) {
			put_at_probe(sampler, due);
			continue;
		}
		if (!stack.node &&
			sampler_unwind(sampler, due->thread, snapshot, &stack))
			return -1;
		if (sampler_put(sampler, due, &stack))
			return -1;
	}
	return 0;
}

static int on_event(struct sampler *sampler, const struct perf_sample *sample,
	bool user, struct due *due)
{
	struct snapshot snapshot;

	due->thread = task_table_thread(&sampler->tasks, (pid_t)sample->pid,
		(pid_t)sample->tid, due->time);
	if (!due->thread)
		return -1;
	due->hits = 1;
	due->weight = due->timer->request->interval;
	if (due->timer->kind->weigh)
		due->timer->kind->weigh(due);
	if (!due->hits)
		return 0;
	sampler_snapshot(sample, &snapshot);
	return sampler_take_in_mode(sampler, due, &snapshot, user, false);
}

static int on_sample(struct sampler *sampler, const struct perf_fd *event,
	const struct perf_sample *sample, bool user)
{
	struct due due = {.time = sample->time};

	if (event->tag >= sampler->ntimers)
		return 0;
	due.timer =
		&sampler->timers[perf_events_lent_tag(sampler->events, event)];
	return event->output
		       ? sampler->family->decode(sampler, sample, user, &due)
		       : on_event(sampler, sample, user, &due);
}

/* A broken sample belongs to no thread; the kernel's count includes it. */
int sampler_sample(struct sampler *sampler,
	const struct perf_event_header *header, uint64_t time)
{
	const uint8_t *body = (const uint8_t *)(header + 1);
	struct perf_sample sample;
	const struct perf_fd *event;
	uint64_t id;

	sampler->last_time = time;
	memcpy(&id, body, sizeof id);
	event = perf_events_find(sampler->events, id);
	if (!event || !perf_sample_parse(event->sample_type, body,
			      header->size - sizeof *header, &sample))
		return 0;
	return on_sample(sampler, event, &sample,
		(header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			PERF_RECORD_MISC_USER);
}
