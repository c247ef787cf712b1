#include "monitor/timer/percpu/percpu_private.h"

#ifdef HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/arch/arch.h"
#include "lib/clock.h"
#include "monitor/timer/percpu/features.h"
#include "monitor/timer/percpu/load_watch.h"

_Static_assert(PERCPU_PAGE == PAGE_BYTES, "both count pages alike");

/* The compiled BPF programs, from local.mk. */
__asm__(".section .rodata\n"
	".balign 8\n"
	"percpu_object:\n"
	".incbin \"monitor/timer/percpu/percpu.bpf.o\"\n"
	"percpu_object_end:\n"
	".previous\n");
extern const char percpu_object[], percpu_object_end[];

/* Asks the kernel once and remembers. */
static enum percpu_switch switch_tells(void)
{
	static enum percpu_switch tells;
	static bool asked;
	struct btf *btf;

	if (asked)
		return tells;
	asked = true;
	btf = btf__load_vmlinux_btf();
	if (btf)
		tells = percpu_switch_of(btf);
	btf__free(btf);
	return tells;
}

/*
 * Loads a minimal program and opens an event of the machine; returns an errno
 * when the kernel refuses.
 */
static int probe(void)
{
	static const struct bpf_insn ends[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
	};
	int fd;

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return ENOTSUP;
	percpu_begin_complaint();
	fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "cpprof_probe", "GPL",
		ends, sizeof ends / sizeof *ends, NULL);
	if (fd < 0)
		return errno;
	close(fd);
	/* the newest feature that the programs need: from 5.15 */
	if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT,
		    BPF_FUNC_get_attach_cookie, NULL) != 1 ||
		switch_tells() == PERCPU_SWITCH_UNKNOWN)
		return ENOTSUP;
	fd = perf_events_machine(&attr, 0);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int explain(int error, const char *what, struct err *err)
{
	errno = error;
	if (error == ENOTSUP) {
		err_set(err, what, "bpf",
			"this kernel lacks features that the programs need");
		return err_hint(err, "Linux 5.15 or later has them, built "
				     "with CONFIG_BPF_SYSCALL and "
				     "CONFIG_DEBUG_INFO_BTF");
	}
	err_sys(err, what, "bpf");
	if (error == EPERM || error == EACCES)
		return err_hint(err,
			"run cpprof as root, or give it the capabilities: "
			"'setcap cap_bpf,cap_perfmon+ep' on the binary");
	if (error == ENOSYS)
		return err_hint(err,
			"this kernel was built without CONFIG_BPF_SYSCALL");
	return -1;
}

/*
 * Why programs could not be loaded, by what they count; no reason: they could.
 */
static struct err refusals[COUNT_KINDS];

void percpu_refuse(
	const struct resource_request *request, const struct err *why)
{
	for (size_t i = 0; i < COUNT_KINDS; i++)
		if (!request || request->resource->counted == i)
			refusals[i] = *why;
}

int percpu_can(const struct resource_request *request, struct err *err)
{
	const struct err *refusal = &refusals[request->resource->counted];
	static int asked, answer;

	if (refusal->reason[0]) {
		*err = *refusal;
		snprintf(err->object, sizeof err->object, "%s", request->name);
		return -1;
	}
	if (!asked) {
		answer = probe();
		asked = 1;
	}
	return answer ? explain(answer, request->name, err) : 0;
}

struct percpu *percpu_open(struct err *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "cpprof");
	struct percpu *percpu = calloc(1, sizeof *percpu);

	if (!percpu) {
		err_sys(err, "bpf", "open");
		return NULL;
	}
	percpu_begin_complaint();
	percpu->object = bpf_object__open_mem(percpu_object,
		(size_t)(percpu_object_end - percpu_object), &options);
	if (!percpu->object) {
		err_sys(err, "bpf", "open of the programs");
		free(percpu);
		return NULL;
	}
	return percpu;
}

struct percpu_config *percpu_config(struct percpu *percpu)
{
	return &percpu->config;
}

struct percpu_allocators *percpu_allocators(struct percpu *percpu)
{
	return &percpu->allocators;
}

int percpu_add(struct percpu *percpu, const struct percpu_counter *counter)
{
	uint32_t i = percpu->config.ncounters;

	if (i == PERCPU_COUNTERS)
		return -1;
	percpu->counters[i] = *counter;
	percpu->config.interval[i] = counter->interval;
	percpu->config.spread[i] = counter->randomize * 1024 / 100;
	if (counter->source == PERCPU_BY_CLOCK)
		percpu->config.clocks |= 1u << i;
	percpu->config.uprobes |= counter->calls != NULL;
	percpu->config.ncounters++;
	return (int)i;
}

static bool any(const void *of, size_t n)
{
	const uint8_t *bytes = of;

	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return true;
	return false;
}

static bool has_source(const struct percpu *percpu, enum percpu_source source)
{
	for (uint32_t i = 0; i < percpu->config.ncounters; i++)
		if (percpu->counters[i].source == source)
			return true;
	return false;
}

/*
 * Only the programs that the counters need: a tracepoint makes all processes
 * slower.
 */
static void choose_programs(struct percpu *percpu)
{
	const struct percpu_config *c = &percpu->config;
	bool moves = c->reads | c->writes | c->io_time;
	bool state = switch_tells() == PERCPU_SWITCH_STATE;
	const struct {
		const char *name;
		bool wanted;
	} programs[] = {
		{"on_switch", state},
		{"on_stateless_switch", !state},
		{"end_waits", c->waits},
		{"on_enter", c->io_time || any(c->call_counters,
						   sizeof c->call_counters)},
		{"on_exit", moves || c->waits},
		{"on_signal",
			any(c->signal_counters, sizeof c->signal_counters)},
		{"on_event", has_source(percpu, PERCPU_BY_EVENT)},
		{"on_clock", has_source(percpu, PERCPU_BY_CLOCK)},
		{"on_call", has_source(percpu, PERCPU_BY_CALL)},
		{"on_request", has_source(percpu, PERCPU_BY_REQUEST)},
	};

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(
				percpu->object, programs[i].name),
			programs[i].wanted);
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

/* The kernel does not get done with the programs; others are no quicker. */
static int explain_late(struct err *err)
{
	err_set(err, "bpf", "load of the programs",
		"the kernel had not checked them after %d s of CPU time",
		LOAD_WATCH_S);
	err_hint(err, "--timer=stop works without BPF");
	percpu_refuse(NULL, err);
	return -1;
}

static int load_object(struct percpu *percpu, struct err *err)
{
	struct load_watch watch;
	bool late;
	int failed, error;

	load_watch_begin(&watch);
	failed = bpf_object__load(percpu->object);
	error = errno;
	late = load_watch_end(&watch);
	if (!failed)
		return 0;
	if (late)
		return explain_late(err);
	errno = error;
	return percpu_error("load of the programs", err);
}

static int load_programs(struct percpu *percpu, struct err *err)
{
	struct bpf_map *outputs = percpu_map(percpu, "outputs");
	void *memory;

	percpu->config.ncpus = processors();
	choose_programs(percpu);
	percpu_choose_uprobes(percpu);
	percpu_begin_complaint();
	percpu->config.loops = libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT,
				       BPF_FUNC_loop, NULL) == 1;
	if (bpf_map__set_initial_value(percpu_map(percpu, ".rodata.config"),
		    &percpu->config, sizeof percpu->config) ||
		bpf_map__set_initial_value(
			percpu_map(percpu, ".rodata.allocators"),
			&percpu->allocators, sizeof percpu->allocators) ||
		bpf_map__set_max_entries(
			outputs, PERCPU_OUTPUTS(percpu->config.ncounters) *
					 percpu->config.ncpus))
		return percpu_error("settings of the programs", err);
	if (load_object(percpu, err))
		return -1;
	memory = mmap(NULL, sizeof *percpu->shared, PROT_READ | PROT_WRITE,
		MAP_SHARED, bpf_map__fd(percpu_map(percpu, ".data.shared")), 0);
	if (memory == MAP_FAILED)
		return percpu_error("mmap of the counters", err);
	percpu->shared = memory;
	percpu->shared->stopped = clock_now();
	percpu_collect(percpu, true);
	return 0;
}

static int attach_tracepoints(struct percpu *percpu, struct err *err)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, percpu->object)
	{
		if (!bpf_program__autoload(program) ||
			strncmp(bpf_program__section_name(program), "tp_btf/",
				7) != 0)
			continue;
		percpu_begin_complaint();
		if (percpu_keep_link(percpu, bpf_program__attach(program)))
			return percpu_error("attachment to a tracepoint", err);
	}
	return 0;
}

int percpu_load(struct percpu *percpu, struct err *err)
{
	return load_programs(percpu, err) || attach_tracepoints(percpu, err) ||
			       percpu_attach_counters(percpu, err)
		       ? -1
		       : 0;
}

/* Opens an iterator over all tasks; -1 with errno. */
static int open_iterator(struct percpu *percpu, const char *program)
{
	struct bpf_link *link = bpf_program__attach_iter(
		bpf_object__find_program_by_name(percpu->object, program),
		NULL);
	int fd;

	if (!link)
		return -1;
	fd = bpf_iter_create(bpf_link__fd(link));
	bpf_link__destroy(link);
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

int percpu_end_waits(struct percpu *percpu,
	int (*take)(void *arg, uint32_t tag, const struct percpu_waiting *said),
	void *arg)
{
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
			failed = take(
				arg, percpu->counters[said.counter].tag, &said);
	close(fd);
	return failed || n < 0 ? -1 : 0;
}

int percpu_track_existing(
	struct percpu *percpu, pid_t pid, uint64_t begun, bool armed)
{
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

void percpu_collect(struct percpu *percpu, bool on)
{
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
}

static uint32_t counter_of(const struct percpu *percpu, uint32_t tag)
{
	uint32_t i = 0;

	while (i + 1 < percpu->config.ncounters &&
		percpu->counters[i].tag != tag)
		i++;
	return i;
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

int percpu_read(struct percpu *percpu, uint32_t tag, struct percpu_count *count)
{
	struct percpu_shared *shared = percpu->shared;
	uint32_t counter = counter_of(percpu, tag);
	bool clock = percpu->config.clocks >> counter & 1;
	bool waits = percpu->config.waits >> counter & 1;
	bool missed;

	if (add_up_living(percpu, &missed))
		return -1;
	count->count = shared->count[counter] + shared->living[counter];
	if (clock)
		count->count += waits ? shared->on_wall + shared->living_on_wall
				      : shared->on_cpu + shared->living_on_cpu;
	count->weight = shared->emitted[counter];
	/* what such threads have samples of was consumed */
	if (missed && count->count < count->weight)
		count->count = count->weight;
	count->lost = shared->lost[counter];
	count->lost_weight = shared->lost_weight[counter];
	return 0;
}

uint64_t percpu_silent(const struct percpu *percpu)
{
	const struct percpu_allocators *a = &percpu->allocators;

	return percpu->shared && (a->bytes | a->requests)
		       ? percpu->shared->silent
		       : 0;
}

void percpu_close(struct percpu *percpu)
{
	if (!percpu)
		return;
	for (size_t i = 0; i < percpu->links.n; i++)
		bpf_link__destroy(percpu->links.v[i]);
	for (size_t i = 0; i < percpu->fds.n; i++)
		if (percpu->fds.v[i] >= 0)
			close(percpu->fds.v[i]);
	if (percpu->shared)
		munmap(percpu->shared, sizeof *percpu->shared);
	bpf_object__close(percpu->object);
	vec_free(&percpu->links);
	vec_free(&percpu->fds);
	vec_free(&percpu->clocks);
	free(percpu);
}

#endif
