/* The family of the per-CPU timers: their BPF programs, for all of a run. */
#include "monitor/timer/percpu/percpu_private.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/arch/arch.h"
#include "lib/clock.h"
#include "lib/sys/descriptors.h"
#include "monitor/resource/tracepoint.h"
#include "monitor/stack/live.h"
#include "monitor/timer/percpu/decode.h"

#define WAITING_STACK (64u << 10)

_Static_assert(PERCPU_PAGE == PAGE_BYTES, "both count pages alike");

static void *open_programs(struct timer_machine *machine, struct err *err)
{
	struct percpu *percpu = calloc(1, sizeof *percpu);

	perf_events_raise_limit();
	if (percpu)
		percpu->machine = machine;
	else
		err_memory(err, "bpf", "open");
	return percpu;
}

/* All numbers of processors are below this. */
static uint32_t processors(void)
{
	int possible = libbpf_num_possible_cpus();
	long configured = sysconf(_SC_NPROCESSORS_CONF);

	if (configured > possible)
		return (uint32_t)configured;
	return possible > 0 ? (uint32_t)possible : 1;
}

static int explain_refusal(struct err *err)
{
	const char *program = percpu_refused_program();
	int error = errno;
	struct utsname kernel;

	uname(&kernel);
	err_set(err, "bpf", *program ? program : "load",
		"Linux %s refuses %s: %s", kernel.release,
		*program ? "this BPF program" : "the BPF programs",
		strerror(error));
	return err_hint(err, "%s", PERCPU_OTHERS);
}

/*
 * Whether programs at system calls have to be at perf's records of them; only
 * who may read tracefs knows these.
 */
static bool wants_records(void)
{
	struct perf_source source;
	struct utsname kernel;
	uint64_t amount;
	struct err err;

	return !uname(&kernel) && atoi(kernel.release) >= 7 &&
	       !tracepoint_find(
		       "raw_syscalls:sys_enter", &source, &amount, &err);
}

/* On failure *REFUSED has the counters that cannot count: PERCPU_EACH at first.
 */
static int load_programs(
	struct percpu *percpu, uint32_t *refused, struct err *err)
{
	const char *program = percpu_refused_program();
	void *memory;

	percpu->config.ncpus = processors();
	percpu->records = wants_records();
	for (;;) {
		if (percpu_load_object(percpu) == 0)
			break;
		*refused = percpu_needed_by(percpu, program);
		/* before 5.18 the tracepoint does not tell the state */
		if (percpu->stateless || strcmp(program, "on_switch") != 0)
			return explain_refusal(err);
		percpu->stateless = true;
	}
	memory = mmap(NULL, sizeof *percpu->shared, PROT_READ | PROT_WRITE,
		MAP_SHARED, percpu_map(percpu, ".data.shared"), 0);
	if (memory == MAP_FAILED)
		return percpu_error("mmap of the counters", err);
	percpu->shared = memory;
	percpu->shared->collecting = 1;
	return 0;
}

static bool is_on_tracepoint(const struct percpu *percpu, const char *name)
{
	return strncmp(bpf_program__section_name(
			       bpf_object__find_program_by_name(
				       percpu->object, name)),
		       "tp_btf/", 7) == 0;
}

/* One event has the program run on all processors. */
static int attach_record(struct percpu *percpu, const char *program,
	const char *tracepoint, struct err *err)
{
	struct perf_source source;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
	};
	processor_list cpus = {0};
	uint64_t amount;
	int cpu;

	if (processors_list(&cpus))
		return err_sys(err, "bpf", "list of processors");
	cpu = cpus.v[0];
	vec_free(&cpus);
	if (tracepoint_find(tracepoint, &source, &amount, err))
		return -1;
	attr.config = source.config;
	return percpu_attach_event(percpu, program, &attr, cpu, 0, err) < 0 ? -1
									    : 0;
}

static int attach_records(
	struct percpu *percpu, uint32_t *refused, struct err *err)
{
	static const char *const records[][2] = {
		{"on_enter_record", "raw_syscalls:sys_enter"},
		{"on_exit_record", "raw_syscalls:sys_exit"}};

	for (size_t i = 0; i < 2; i++) {
		*refused = percpu_needed_by(percpu, records[i][0]);
		if (*refused && attach_record(percpu, records[i][0],
					records[i][1], err))
			return -1;
	}
	return 0;
}

static int attach_tracepoints(
	struct percpu *percpu, uint32_t *refused, struct err *err)
{
	for (size_t i = 0; i < percpu->nloaded; i++) {
		const struct percpu_loaded *program = &percpu->loaded[i];

		if (!is_on_tracepoint(percpu, program->name))
			continue;
		*refused = percpu_needed_by(percpu, program->name);
		if (percpu_keep(percpu, bpf_link_create(program->fd, 0,
						BPF_TRACE_RAW_TP, NULL)))
			return percpu_error("attachment to a tracepoint", err);
	}
	return 0;
}

int percpu_load(struct percpu *percpu, struct err *err)
{
	uint32_t refused = PERCPU_EACH;

	return load_programs(percpu, &refused, err) ||
			       attach_tracepoints(percpu, &refused, err) ||
			       attach_records(percpu, &refused, err) ||
			       percpu_attach_counters(percpu, &refused, err)
		       ? percpu_refuse(percpu, refused, err)
		       : 0;
}

/*
 * Whether there are enough descriptors for what is opened later: the outputs,
 * the rings, and a few more.
 */
static int leave_room(size_t ntimers, struct err *err)
{
	size_t n = PERCPU_OUTPUTS(ntimers) + 3;
	processor_list cpus = {0};
	bool fits =
		!processors_list(&cpus) && descriptors_left(n * cpus.n + 12);

	vec_free(&cpus);
	if (fits)
		return 0;
	err_sys(err, "bpf", "descriptors");
	return err_hint(err, "raise the limit of open files (ulimit -n) or "
			     "profile fewer resources at once");
}

static int load(void *percpu, size_t ntimers, struct err *err)
{
	return percpu_load(percpu, err) || leave_room(ntimers, err) ? -1 : 0;
}

/* Opens an iterator over all tasks; -1 with errno. */
static int open_iterator(struct percpu *percpu, const char *program)
{
	int link = bpf_link_create(
		    percpu_program(percpu, program), 0, BPF_TRACE_ITER, NULL),
	    fd;

	if (link < 0)
		return -1;
	fd = bpf_iter_create(link);
	close(link);
	return fd;
}

/* As read(2) of SIZE bytes; less only at the end. */
static ssize_t read_iterator(int fd, void *buf, size_t size)
{
	size_t had = 0;

	while (had < size) {
		ssize_t n = read(fd, (char *)buf + had, size - had);

		if (n == 0)
			break;
		if (n > 0)
			had += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return -1;
	}
	return (ssize_t)had;
}

/* Runs an iterator that writes nothing. */
static int iterate(struct percpu *percpu, const char *program)
{
	int fd = open_iterator(percpu, program);
	char nothing[64];
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read_iterator(fd, nothing, sizeof nothing);
	close(fd);
	return n < 0 ? -1 : 0;
}

/*
 * A thread still waits when collecting is over.  Its stack, if it waits in a
 * system call, is read from the live thread.
 */
static int take_waiting(struct sampler *sampler, uint32_t tag, uint64_t time,
	const struct percpu_waiting *said)
{
	struct due due = {.timer = &sampler->timers[tag],
		.time = time,
		.hits = said->hits};
	struct snapshot snapshot = {0};
	uint8_t stack[WAITING_STACK];

	due.thread = task_table_thread(
		&sampler->tasks, (pid_t)said->pid, (pid_t)said->tid, time);
	if (!due.thread)
		return -1;
	sampler_weigh(sampler, &due, said->weight);
	if (said->off_cpu_sent)
		return sampler_settle(sampler, &due);
	sampler_set_regs(&snapshot, said->regs);
	snapshot.call = said->call;
	snapshot.has_regs = live_waiting(&snapshot, (pid_t)said->pid,
		(pid_t)said->tid, stack, sizeof stack);
	return sampler_take(sampler, &due, &snapshot);
}

static int end_waits(void *impl, struct sampler *sampler, uint64_t time)
{
	struct percpu *percpu = impl;
	struct percpu_waiting said;
	int failed = 0, fd;
	ssize_t n;

	if (!percpu->config.waits)
		return 0;
	fd = open_iterator(percpu, "end_waits");
	if (fd < 0)
		return -1;
	while (!failed &&
		(n = read_iterator(fd, &said, sizeof said)) == sizeof said)
		if (said.counter < percpu->config.ncounters)
			failed = take_waiting(sampler,
				percpu->counters[said.counter].tag, time,
				&said);
	close(fd);
	return failed || n < 0 ? -1 : 0;
}

static int track(void *impl, pid_t pid, uint64_t begun, bool armed)
{
	struct percpu *percpu = impl;
	struct percpu_shared *shared = percpu->shared;
	uint32_t before;

	shared->track_existing = (uint32_t)pid;
	shared->track_begun = begun;
	shared->track_armed = armed;
	shared->tracked = 0;
	do { /* until all threads that make others are tracked */
		before = shared->tracked;
		if (iterate(percpu, "track_process"))
			return -1;
	} while (shared->tracked != before);
	return (int)shared->tracked;
}

/* A process that has run another program since has none: it does not matter. */
static void interpret(
	void *impl, pid_t pid, const struct interpreter_place *place)
{
	const struct percpu *percpu = impl;
	struct interpreter_place entry;

	if (!place) {
		bpf_map_delete_elem(percpu_map(percpu, "interpreters"), &pid);
		return;
	}
	entry = *place;
	entry.number = __atomic_add_fetch(
		&percpu->shared->interpreters, 1, __ATOMIC_RELAXED);
	bpf_map_update_elem(
		percpu_map(percpu, "interpreters"), &pid, &entry, BPF_ANY);
}

static void collect(void *impl, bool on)
{
	struct percpu *percpu = impl;
	struct percpu_shared *shared = percpu->shared;

	if (!shared || on == (bool)shared->collecting)
		return;
	/* in this order the programs never see a leap in time */
	if (on) {
		__atomic_store_n(&shared->skipped,
			clock_now() - shared->stopped, __ATOMIC_RELEASE);
		__atomic_add_fetch(&shared->turns, 1, __ATOMIC_RELEASE);
		__atomic_store_n(&shared->collecting, 1, __ATOMIC_RELEASE);
	} else {
		__atomic_store_n(&shared->stopped,
			clock_now() - shared->skipped, __ATOMIC_RELEASE);
		__atomic_store_n(&shared->collecting, 0, __ATOMIC_RELEASE);
		__atomic_add_fetch(&shared->turns, 1, __ATOMIC_RELEASE);
	}
	percpu_collect_clocks(percpu, on);
}

static void watch(void *impl, uint64_t now)
{
	percpu_watch_arcs(impl, now);
	percpu_watch_clocks(impl, now);
}

static int bell(const void *impl)
{
	const struct percpu *percpu = impl;

	return percpu->bell ? ring_buffer__epoll_fd(percpu->bell) : -1;
}

/*
 * A thread that ends can be switched away when the kernel's list of tasks has
 * lost it and its last event, with which it hands on its counts, is to come: if
 * others keep the processors busy, for tens of ms, and longer where it has a
 * small share of them.
 */
#define LAST_EVENTS_NS 5000000000u

/*
 * Adds up the living threads; *MISSED: others count, too, and did not end in
 * time.  A thread that begins meanwhile must not stand for one of those.
 */
static int add_up_living(struct percpu *percpu, bool *missed)
{
	struct percpu_shared *shared = percpu->shared;
	uint64_t until = clock_now() + LAST_EVENTS_NS;

	for (;;) {
		memset(shared->living, 0, sizeof shared->living);
		shared->living_on_cpu = shared->living_on_wall = 0;
		shared->living_counting = 0;
		if (iterate(percpu, "add_living"))
			return -1;
		*missed = shared->living_counting <
			  __atomic_load_n(&shared->counting, __ATOMIC_ACQUIRE);
		if (!*missed || clock_now() > until)
			return 0;
		usleep(1000);
	}
}

int percpu_read(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	uint32_t scale = resource_scale(timer->request->resource);
	struct percpu *percpu = timer->impl;
	struct percpu_shared *shared = percpu->shared;
	uint32_t counter = percpu_counter(percpu, timer->index);
	bool missed;
	uint64_t all;

	if (add_up_living(percpu, &missed))
		return err_sys(err, timer->request->name, "read of the counts");
	all = shared->count[counter] + shared->living[counter];
	if (percpu->config.clocks >> counter & 1)
		all += percpu->config.waits >> counter & 1
			       ? shared->on_wall + shared->living_on_wall
			       : shared->on_cpu + shared->living_on_cpu;
	/* what such threads have samples of was consumed */
	if (missed && all < shared->emitted[counter])
		all = shared->emitted[counter];
	count->gticks = all / scale;
	count->lost = shared->lost[counter];
	count->lost_gticks = shared->lost_weight[counter] / scale;
	return 0;
}

static int note(struct cpd_writer *writer, uint64_t n, const char *what,
	const char *how)
{
	char text[256];
	struct cpd_note note = {"warning", text};

	if (!n)
		return 0;
	snprintf(text, sizeof text, "%ju %s%s %s", (uintmax_t)n, what,
		n == 1 ? "" : "s", how);
	return cpd_write_note(writer, &note);
}

/* How often the kernel did not run a program: it was in it already. */
static uint64_t misses(const struct percpu *percpu)
{
	uint64_t all = 0;

	for (size_t i = 0; i < percpu->nloaded; i++) {
		struct bpf_prog_info info = {0};
		__u32 size = sizeof info;

		if (!bpf_obj_get_info_by_fd(percpu->loaded[i].fd, &info, &size))
			all += info.recursion_misses;
	}
	return all;
}

/* What the counts lack. */
static int note_lacks(const void *impl, struct cpd_writer *writer)
{
	const struct percpu *percpu = impl;
	const struct percpu_allocators *a = &percpu->allocators;

	if (!percpu->shared)
		return 0;
	if ((a->bytes | a->requests) &&
		note(writer, percpu->shared->silent, "program",
			"made no request for memory that cpprof "
			"sees; profile a program with an allocator of its own "
			"(linked statically) in a run of its own"))
		return -1;
	if (note(writer, misses(percpu), "event",
		    "of this machine kept from cpprof by the kernel; "
		    "those of the program are in no figure"))
		return -1;
	return note(writer, percpu->shared->unread, "event",
		"not counted: the number was in memory that could not "
		"be read then");
}

static void close_programs(void *impl)
{
	struct percpu *percpu = impl;

	ring_buffer__free(percpu->bell);
	percpu_close(percpu->fds.v, percpu->fds.n);
	if (percpu->shared)
		munmap(percpu->shared, sizeof *percpu->shared);
	bpf_object__close(percpu->object);
	vec_free(&percpu->fds);
	vec_free(&percpu->clocks);
	free(percpu);
}

const struct timer_family percpu_family = {
	.open = open_programs,
	.load = load,
	.start = percpu_start,
	.track = track,
	.collect = collect,
	.decode = percpu_decode,
	.interpret = interpret,
	.take_arc = percpu_take_arc,
	.watch = watch,
	.bell = bell,
	.end_waits = end_waits,
	.note = note_lacks,
	.close = close_programs,
};
