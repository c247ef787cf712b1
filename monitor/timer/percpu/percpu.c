/* Loads the BPF programs, attaches them and reads their counts. */
#include "monitor/timer/percpu/percpu_private.h"

#ifdef HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
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

_Static_assert(PERCPU_PAGE == PAGE_BYTES, "both count pages alike");

struct percpu *percpu_open(struct err *err)
{
	struct percpu *percpu = calloc(1, sizeof *percpu);

	if (!percpu)
		err_sys(err, "bpf", "open");
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

/* On failure *REFUSED has the counters that cannot count: PERCPU_EACH at first.
 */
static int load_programs(
	struct percpu *percpu, uint32_t *refused, struct err *err)
{
	const char *program = percpu_refused_program();
	void *memory;

	percpu->config.ncpus = processors();
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
	percpu->shared->stopped = clock_now();
	percpu_collect(percpu, true);
	return 0;
}

static bool is_on_tracepoint(const struct percpu *percpu, const char *name)
{
	return strncmp(bpf_program__section_name(
			       bpf_object__find_program_by_name(
				       percpu->object, name)),
		       "tp_btf/", 7) == 0;
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
			       percpu_attach_counters(percpu, &refused, err)
		       ? percpu_refuse(percpu, refused, err)
		       : 0;
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
	for (size_t i = 0; i < percpu->fds.n; i++)
		close(percpu->fds.v[i]);
	if (percpu->shared)
		munmap(percpu->shared, sizeof *percpu->shared);
	bpf_object__close(percpu->object);
	vec_free(&percpu->fds);
	vec_free(&percpu->clocks);
	free(percpu);
}

#endif
