#include "sampler.h"
#include "wide_abi.h"

#include "scan.h"

#include <stdlib.h>
#include <string.h>

#define WAITING_STACK (64u << 10)

/* How long one stack beyond its copy lets others be expected. */
#define HURRY_ROUNDS 100

int sampler_init(struct sampler *sampler, struct cpd_writer *writer,
	struct perf_events *events, struct timer *timers, size_t ntimers)
{
	memset(sampler, 0, sizeof *sampler);
	sampler->writer = writer;
	sampler->events = events;
	sampler->timers = timers;
	sampler->ntimers = ntimers;
	sampler->unwinder = &unwinders[0];
	if (modules_init(&sampler->modules, writer))
		return -1;
	return tasks_init(&sampler->tasks, writer, &sampler->modules);
}

void sampler_fini(struct sampler *sampler)
{
	tasks_fini(&sampler->tasks);
	modules_fini(&sampler->modules);
	unwind_stack_fini(&sampler->stack);
	unwind_libunwind_fini();
	scan_fini();
	vec_free(&sampler->steps);
	vec_free(&sampler->exits);
	live_fini(&sampler->live);
}

/* The node of the frames that were found, below NODE. */
static uint32_t node_below(struct sampler *sampler, uint32_t node)
{
	struct unwind_frames *found = &sampler->stack.found;
	struct cpd_step *steps;

	if (!vec_reserve(&sampler->steps, found->n))
		return 0;
	steps = sampler->steps.v;
	for (size_t i = found->n; i-- > 0;) {
		const struct unwind_frame *f = &found->v[i];

		*steps++ = (struct cpd_step){f->addr, f->module->id,
			f->exact ? CPD_NODE_EXACT : 0, 0};
	}
	node = cpd_node_path(sampler->writer, node, sampler->steps.v, found->n);
	for (size_t i = 0; i < found->n; i++)
		found->v[i].node = (--steps)->node;
	return node;
}

/*
 * The node of the stack that was just unwound; 0 on a writer error.  During an
 * exec the registers are still those of the program before, whose stack is
 * gone.
 */
static uint32_t node_of(struct sampler *sampler, const struct thread *thread,
	const struct snapshot *snapshot, bool *truncated)
{
	struct unwind_stack *stack = &sampler->stack;
	struct cpd_writer *w = sampler->writer;
	uint32_t node = 0;

	*truncated = false;
	if (stack->kept)
		node = thread->trail.frames.v[stack->kept - 1].node;
	if (stack->end == UNWIND_NO_STACK ||
		(stack->found.n == 0 && !stack->kept &&
			(!thread->process->mapped || !snapshot->size)))
		return cpd_node(w, 0, 0, CPD_NO_STACK, 0);
	*truncated = stack->end != UNWIND_WHOLE ||
		     (stack->found.n == 0 && !stack->kept);
	if (*truncated) {
		node = cpd_node(w, 0, 0, CPD_TRUNCATED, 0);
		if (!node)
			return 0;
	}
	return node_below(sampler, node);
}

/* The node of the snapshot's stack; 0 on a writer error. */
static uint32_t unwind_node(struct sampler *sampler, struct thread *thread,
	struct snapshot *snapshot, bool *truncated)
{
	const struct space *space = thread->process->space;
	uint32_t node;

	if (!snapshot->beyond) /* taken by the kernel, some time ago */
		live_attach(&sampler->live, snapshot, thread->process->pid);
	sampler->unwinder->unwind(
		snapshot, space, &thread->trail, &sampler->stack);
	node = node_of(sampler, thread, snapshot, truncated);
	if (!node)
		return 0;
	if (sampler->stack.end == UNWIND_WHOLE) {
		trail_set(&thread->trail, sampler->stack.kept,
			&sampler->stack.found, snapshot);
		thread->trail.generation = space->generation;
		if (thread->image)
			thread->image->stable =
				snapshot->image ? 0 : UINT64_MAX;
	} else if (snapshot->size < snapshot->room && snapshot->size)
		live_fill_hole(&sampler->live, snapshot);
	if (sampler->live.asked)
		sampler->hurry = HURRY_ROUNDS;
	return node;
}

static int write_sample(struct sampler *sampler, const struct due *due,
	uint32_t node, bool read_later)
{
	struct tally *tally = &sampler->tally[due->timer->index];
	struct cpd_sample sample = {
		.time = due->time,
		.thread = due->thread->id,
		.resource = due->timer->resource,
		.hits = due->hits,
		.weight = due->weight,
		.node = node,
		.flags = read_later ? CPD_SAMPLE_READ_LATER : 0,
	};

	tally->samples++;
	tally->hits += due->hits;
	tally->weight += due->weight;
	tally->read_later += read_later;
	due->thread->sampled[due->timer->index] += due->weight;
	return cpd_write_sample(sampler->writer, &sample);
}

int sampler_unwind(struct sampler *sampler, struct thread *thread,
	struct snapshot *snapshot, struct sampler_stack *stack)
{
	stack->node = unwind_node(sampler, thread, snapshot, &stack->truncated);
	stack->read_later = snapshot->read_later;
	return stack->node ? 0 : -1;
}

int sampler_put(struct sampler *sampler, const struct due *due,
	const struct sampler_stack *stack)
{
	sampler->tally[due->timer->index].truncated += stack->truncated;
	return write_sample(sampler, due, stack->node, stack->read_later);
}

int sampler_take(struct sampler *sampler, const struct due *due,
	struct snapshot *snapshot)
{
	struct sampler_stack stack;

	if (sampler_unwind(sampler, due->thread, snapshot, &stack))
		return -1;
	return sampler_put(sampler, due, &stack);
}

/* The thread begins to wait with this stack; what the wait comes to follows. */
static int hold(struct sampler *sampler, const struct due *due,
	struct snapshot *snapshot)
{
	bool truncated;
	uint32_t node = unwind_node(sampler, due->thread, snapshot, &truncated);

	due->thread->held[due->timer->index] = node;
	return node ? 0 : -1;
}

/* The wait is over; its stack is held unless its record was lost. */
static int pay(struct sampler *sampler, const struct due *due)
{
	uint32_t node = due->thread->held[due->timer->index];

	if (!node)
		node = cpd_node(sampler->writer, 0, 0, CPD_NO_STACK, 0);
	return node ? write_sample(sampler, due, node, false) : -1;
}

/* The kernel's order of registers (asm/perf_regs.h) as DWARF numbers. */
static const uint8_t dwarf_of[PERF_REGS_COUNT] = {REG_AX_, REG_BX_, REG_CX_,
	REG_DX_, REG_SI_, REG_DI_, REG_BP_, REG_SP_, REG_IP_, REG_R8_,
	REG_R8_ + 1, REG_R8_ + 2, REG_R8_ + 3, REG_R8_ + 4, REG_R8_ + 5,
	REG_R8_ + 6, REG_R15_};

/*
 * Body of a sample with PERF_SAMPLE_FIELDS, up to what varies: of an output
 * event the size of the raw data and these, then the registers.
 */
struct sample_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t rest[];
};

/* Registers and stack of a sample; what it does not have stays empty. */
static void read_snapshot(const struct sample_record *record,
	const uint64_t *at, struct snapshot *snapshot)
{
	const uint8_t *end = (const uint8_t *)record + record->header.size;
	uint64_t abi = *at++, size, dynamic;

	memset(snapshot, 0, sizeof *snapshot);
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	if ((const uint8_t *)(at + PERF_REGS_COUNT + 1) > end)
		return;
	snapshot->has_regs = true;
	for (size_t i = 0; i < PERF_REGS_COUNT; i++)
		snapshot->regs[dwarf_of[i]] = *at++;
	snapshot->base = snapshot->regs[REG_SP_];
	size = *at++;
	if (size == 0 || abi != PERF_SAMPLE_REGS_ABI_64 ||
		(uint64_t)(end - (const uint8_t *)at) < size + sizeof dynamic)
		return;
	memcpy(&dynamic, (const uint8_t *)at + size, sizeof dynamic);
	snapshot->stack = (const uint8_t *)at;
	snapshot->size = dynamic < size ? dynamic : size;
	snapshot->room = size;
}

/* Which of a timer's samples belong to its resource. */
static enum perf_mode mode_of(const struct timer *timer)
{
	switch (timer->request->resource->counted) {
	case COUNT_USER:
		return PERF_MODE_USER;
	case COUNT_SYSTEM:
		return PERF_MODE_SYSTEM;
	default:
		return PERF_MODE_ALL;
	}
}

/* Whether the sample is one of the timer's resource; counts both modes. */
static bool in_mode(struct tally *tally, enum perf_mode mode, uint16_t misc)
{
	bool user =
		(misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;

	if (user)
		tally->user++;
	else
		tally->system++;
	return mode == PERF_MODE_ALL || (mode == PERF_MODE_USER) == user;
}

static int on_event(struct sampler *sampler, const struct sample_record *record,
	struct due *due)
{
	struct snapshot snapshot;

	due->thread = tasks_thread(&sampler->tasks, (pid_t)record->pid,
		(pid_t)record->tid, due->time);
	if (!due->thread)
		return -1;
	due->hits = 1;
	due->weight = due->timer->request->interval;
	read_snapshot(record, record->rest, &snapshot);
	return sampler_take(sampler, due, &snapshot);
}

/* A piece of the stack for the samples that follow. */
static int on_chunk(struct sampler *sampler, const struct sample_record *record,
	uint64_t time)
{
	struct thread *thread = tasks_thread(
		&sampler->tasks, (pid_t)record->pid, (pid_t)record->tid, time);
	const uint8_t *raw = (const uint8_t *)record->rest + sizeof(uint32_t);
	struct wide_chunk chunk;

	if (!thread)
		return -1;
	memcpy(&chunk, raw, sizeof chunk);
	if (chunk.size > WIDE_CHUNK_BYTES)
		return 0;
	if (!thread->image)
		thread->image = stack_image_new();
	/* without memory the stack is as good as it can be without */
	if (thread->image)
		stack_image_put(thread->image, &chunk, raw + sizeof chunk);
	return 0;
}

/* A sample that a BPF program emitted: it says what it is. */
static int on_output(struct sampler *sampler,
	const struct sample_record *record, const struct wide_sample *said,
	struct due *due)
{
	struct tally *tally = &sampler->tally[due->timer->index];
	uint32_t scale = resource_scale(due->timer->request->resource);
	struct snapshot snapshot;

	due->hits = said->hits;
	tally->part += said->weight;
	due->weight = tally->part / scale;
	tally->part %= scale;
	if (said->what == WIDE_PAID)
		return pay(sampler, due);
	read_snapshot(record,
		record->rest + (sizeof(uint32_t) + sizeof *said) / 8,
		&snapshot);
	if (said->from)
		snapshot.image = due->thread->image;
	snapshot.fits = said->copy;
	return said->what == WIDE_HELD ? hold(sampler, due, &snapshot)
				       : sampler_take(sampler, due, &snapshot);
}

/* The thread that a sample of a BPF program is of; NULL: no memory. */
static struct thread *output_thread(struct sampler *sampler,
	const struct sample_record *record, const struct wide_sample *said,
	uint64_t time)
{
	bool paid = said->what == WIDE_PAID;
	/* the clock found a thread that is all but gone */
	bool gone = record->tid == UINT32_MAX || record->pid == UINT32_MAX;
	struct thread *thread = tasks_thread(&sampler->tasks,
		(pid_t)(paid || gone ? said->pid : record->pid),
		(pid_t)(paid || gone ? said->tid : record->tid), time);

	if (thread && thread->image && !paid)
		stack_image_settle(thread->image, said);
	return thread;
}

static int on_sample(struct sampler *sampler,
	const struct sample_record *record, uint64_t time)
{
	const struct perf_fd *event =
		perf_events_find(sampler->events, record->id);
	struct due due = {.time = time};
	struct wide_sample said;

	if (event && event->tag == PERF_CHUNK_TAG)
		return on_chunk(sampler, record, time);
	if (!event || event->tag >= sampler->ntimers)
		return 0;
	if (event->output) {
		memcpy(&said, (const uint32_t *)record->rest + 1, sizeof said);
		due.thread = output_thread(sampler, record, &said, time);
		if (!due.thread)
			return -1;
	}
	due.timer = &sampler->timers[event->tag];
	if (!in_mode(&sampler->tally[event->tag], mode_of(due.timer),
		    record->header.misc))
		return 0;
	return event->output ? on_output(sampler, record, &said, &due)
			     : on_event(sampler, record, &due);
}

int sampler_waiting(struct sampler *sampler, struct timer *timer,
	const struct wide_waiting *said, uint64_t time)
{
	struct due due = {.timer = timer, .time = time, .hits = said->hits};
	struct tally *tally = &sampler->tally[timer->index];
	uint32_t scale = resource_scale(timer->request->resource);
	struct snapshot snapshot = {.has_regs = true};
	uint8_t stack[WAITING_STACK];

	due.thread = tasks_thread(
		&sampler->tasks, (pid_t)said->pid, (pid_t)said->tid, time);
	if (!due.thread)
		return -1;
	tally->part += said->weight;
	due.weight = tally->part / scale;
	tally->part %= scale;
	if (said->held)
		return pay(sampler, &due);
	for (size_t i = 0; i < WIDE_REGS; i++)
		snapshot.regs[dwarf_of[i]] = said->regs[i];
	snapshot.has_regs = live_waiting(&snapshot, (pid_t)said->pid,
		(pid_t)said->tid, stack, sizeof stack);
	return sampler_take(sampler, &due, &snapshot);
}

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
	char filename[];
};

static int on_mmap2(struct sampler *sampler, const struct mmap2_record *record,
	uint64_t time)
{
	struct map_record map = {
		.start = record->addr,
		.len = record->len,
		.offset = record->pgoff,
		.identity =
			{
				.path = record->filename,
				.pid = (pid_t)record->pid,
				.start = record->addr,
				.end = record->addr + record->len,
			},
	};

	if (record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		map.identity.build_id = record->build_id;
		map.identity.build_id_len = record->build_id_size;
	} else {
		map.identity.major = record->major;
		map.identity.minor = record->minor;
		map.identity.inode = record->inode;
		map.identity.generation = record->generation;
	}
	return tasks_map(&sampler->tasks, (pid_t)record->tid, &map, time);
}

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

struct task_record { /* fork and exit */
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

static enum tasks_switch switch_of(uint16_t misc)
{
	if (!(misc & PERF_RECORD_MISC_SWITCH_OUT))
		return TASKS_SWITCH_IN;
	return misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? TASKS_SWITCH_PUSHED
							  : TASKS_SWITCH_OUT;
}

/* Any record but a sample ends with these (sample_id_all). */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time, id;
};

static void on_lost(struct sampler *sampler, const struct lost_record *record)
{
	uint32_t tag = perf_events_tag(sampler->events, record->id);

	if (tag < sampler->ntimers)
		sampler->tally[tag].lost_records += record->lost;
	else if (tag != PERF_CHUNK_TAG) /* its sample tells */
		sampler->lost_news += record->lost;
}

/*
 * What a thread does after its exit record, on its last way out of the kernel,
 * a BPF program still samples.
 */
#define LATE_NS 20000000

/*
 * Lets the threads go that ended before TIME, and those of the number ID, the
 * thread's or its process's, whenever they ended.
 */
static int end_threads(struct sampler *sampler, uint64_t time, pid_t id)
{
	size_t left = 0;

	for (size_t i = 0; i < sampler->exits.n; i++) {
		struct sampler_exit e = sampler->exits.v[i];

		if (e.time >= time && e.tid != id && e.pid != id)
			sampler->exits.v[left++] = e;
		else if (tasks_exit(&sampler->tasks, e.pid, e.tid, e.time))
			return -1;
	}
	sampler->exits.n = left;
	return 0;
}

int sampler_finish(struct sampler *sampler)
{
	return end_threads(sampler, UINT64_MAX, 0);
}

/* The process of that number has ended before TIME, whoever told of it. */
static int forget(struct sampler *sampler, pid_t pid, uint64_t time)
{
	if (end_threads(sampler, time - LATE_NS, pid))
		return -1;
	tasks_forget(&sampler->tasks, pid, time);
	return 0;
}

static int on_exit_record(
	struct sampler *sampler, const struct task_record *r, uint64_t time)
{
	struct sampler_exit *late;

	if (!sampler->late)
		return tasks_exit(
			&sampler->tasks, (pid_t)r->pid, (pid_t)r->tid, time);
	late = vec_push(&sampler->exits);
	if (!late)
		return -1;
	*late = (struct sampler_exit){(pid_t)r->pid, (pid_t)r->tid, time};
	return 0;
}

static int on_task(struct sampler *sampler, const struct task_record *r,
	bool fork, uint64_t time)
{
	const struct fork_record record = {
		(pid_t)r->pid, (pid_t)r->tid, (pid_t)r->ppid, (pid_t)r->ptid};

	if (!fork)
		return on_exit_record(sampler, r, time);
	if (end_threads(sampler, time - LATE_NS, record.tid))
		return -1;
	return tasks_fork(&sampler->tasks, &record, time);
}

static int on_comm(
	struct sampler *sampler, const struct comm_record *comm, uint64_t time)
{
	bool exec = comm->header.misc & PERF_RECORD_MISC_COMM_EXEC;

	/* an exec gives its thread the number of the leader, which ended */
	if (exec && end_threads(sampler, time - LATE_NS, (pid_t)comm->pid))
		return -1;
	return tasks_comm(&sampler->tasks, (pid_t)comm->pid, (pid_t)comm->tid,
		comm->comm, exec, time);
}

/* Of all side records: whose it is, then of a fork also by whom. */
struct side_record {
	struct perf_event_header header;
	uint32_t pid, ppid;
};

/*
 * Of the records of the whole machine those of the target: 1, of others: 0.
 * The target is a process from its exec on, and who descends from it.
 */
static int is_ours(struct sampler *sampler, const struct side_record *record,
	uint64_t time)
{
	bool known = tasks_knows(&sampler->tasks, (pid_t)record->pid);

	switch (record->header.type) {
	case PERF_RECORD_COMM:
		if ((pid_t)record->pid != sampler->root ||
			!(record->header.misc & PERF_RECORD_MISC_COMM_EXEC))
			return known;
		sampler->root = 0;
		return 1;
	case PERF_RECORD_FORK:
		if (tasks_knows(&sampler->tasks, (pid_t)record->ppid))
			return 1;
		/* a stranger has the number of one that is gone */
		return known ? forget(sampler, (pid_t)record->pid, time) : 0;
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_EXIT:
		return known;
	default:
		return 1;
	}
}

int sampler_record(struct sampler *sampler,
	const struct perf_event_header *header, uint64_t time)
{
	const struct sample_id *id = (const void *)((const uint8_t *)header +
						    header->size - sizeof *id);

	if (sampler->events->machine) {
		int ours = is_ours(sampler, (const void *)header, time);

		if (ours <= 0)
			return ours;
	}
	sampler->last_time = time;
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return on_sample(sampler, (const void *)header, time);
	case PERF_RECORD_MMAP2:
		return on_mmap2(sampler, (const void *)header, time);
	case PERF_RECORD_COMM:
		return on_comm(sampler, (const void *)header, time);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return on_task(sampler, (const void *)header,
			header->type == PERF_RECORD_FORK, time);
	case PERF_RECORD_SWITCH:
		return tasks_switch(&sampler->tasks, (pid_t)id->pid,
			(pid_t)id->tid, switch_of(header->misc), time);
	case PERF_RECORD_LOST:
		on_lost(sampler, (const void *)header);
		return 0;
	case PERF_RECORD_THROTTLE: /* wide ones happen to others too */
		sampler->throttled +=
			tasks_knows(&sampler->tasks, (pid_t)id->pid);
		return 0;
	default:
		return 0;
	}
}
