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

#include "lib/clock.h"
#include "monitor/timer/percpu/features.h"

/* The BPF programs, as local.mk has them compiled. */
__asm__(".section .rodata\n"
	".balign 8\n"
	"percpu_object:\n"
	".incbin \"monitor/timer/percpu/percpu.bpf.o\"\n"
	"percpu_object_end:\n"
	".previous\n");
extern const char percpu_object[], percpu_object_end[];

/* The library's last word on what went wrong, for the error. */
static char complaint[256];

__attribute__((format(printf, 2, 0))) static int keep_complaint(
	enum libbpf_print_level level, const char *format, va_list args)
{
	char line[sizeof complaint];
	size_t n;

	if (level != LIBBPF_WARN || complaint[0])
		return 0;
	vsnprintf(line, sizeof line, format, args);
	n = strcspn(line, "\n");
	line[n] = '\0';
	snprintf(complaint, sizeof complaint, "%s", line);
	return 0;
}

void wide_begin_complaint(void)
{
	complaint[0] = '\0';
	libbpf_set_print(keep_complaint);
}

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
 * Loads the least program there is and opens an event of the machine; an errno
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
	wide_begin_complaint();
	fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "cpprof_probe", "GPL",
		ends, sizeof ends / sizeof *ends, NULL);
	if (fd < 0)
		return errno;
	close(fd);
	/* the youngest of what the programs ask of the kernel: of 5.15 */
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
			"this kernel has not what the programs need");
		return err_hint(err, "a kernel of 5.15 or later has it, built "
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

/* Why programs could not be loaded, by what they count; no reason: they were.
 */
static struct err refusals[COUNT_KINDS];

void wide_refuse(const struct resource_request *request, const struct err *why)
{
	for (size_t i = 0; i < COUNT_KINDS; i++)
		if (!request || request->resource->counted == i)
			refusals[i] = *why;
}

int wide_can(const struct resource_request *request, struct err *err)
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

struct wide *wide_open(struct err *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "cpprof");
	struct wide *wide = calloc(1, sizeof *wide);

	if (!wide) {
		err_sys(err, "bpf", "open");
		return NULL;
	}
	wide_begin_complaint();
	wide->object = bpf_object__open_mem(percpu_object,
		(size_t)(percpu_object_end - percpu_object), &options);
	if (!wide->object) {
		err_sys(err, "bpf", "open of the programs");
		free(wide);
		return NULL;
	}
	return wide;
}

struct wide_config *wide_config(struct wide *wide)
{
	return &wide->config;
}

struct wide_allocators *wide_allocators(struct wide *wide)
{
	return &wide->allocators;
}

int wide_add(struct wide *wide, const struct wide_slot *slot)
{
	uint32_t i = wide->config.nslots;

	if (i == WIDE_SLOTS)
		return -1;
	wide->slots[i] = *slot;
	wide->config.interval[i] = slot->interval;
	wide->config.spread[i] = slot->randomize * 1024 / 100;
	if (slot->source == WIDE_BY_CLOCK)
		wide->config.clocks |= 1u << i;
	wide->config.nslots++;
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

static bool has_source(const struct wide *wide, enum wide_source source)
{
	for (uint32_t i = 0; i < wide->config.nslots; i++)
		if (wide->slots[i].source == source)
			return true;
	return false;
}

/* Only the programs that the slots need; a tracepoint costs all processes. */
static void choose_programs(struct wide *wide)
{
	const struct wide_config *c = &wide->config;
	bool moves = c->reads | c->writes | c->io_time;
	bool state = switch_tells() == PERCPU_SWITCH_STATE;
	const struct {
		const char *name;
		bool wanted;
	} programs[] = {
		{"on_switch", state},
		{"on_stateless_switch", !state},
		{"end_waits", c->waits},
		{"on_enter",
			c->io_time || any(c->call_slots, sizeof c->call_slots)},
		{"on_exit", moves || c->waits},
		{"on_signal", any(c->signal_slots, sizeof c->signal_slots)},
		{"on_event", has_source(wide, WIDE_BY_EVENT)},
		{"on_clock", has_source(wide, WIDE_BY_CLOCK)},
		{"on_call", has_source(wide, WIDE_BY_CALL)},
		{"on_request", has_source(wide, WIDE_BY_REQUEST)},
	};

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(
				wide->object, programs[i].name),
			programs[i].wanted);
}

struct bpf_map *wide_map(const struct wide *wide, const char *name)
{
	return bpf_object__find_map_by_name(wide->object, name);
}

int wide_error(const char *operation, struct err *err)
{
	err_sys(err, "bpf", operation);
	if (complaint[0])
		return err_hint(
			err, "%s; --timer=stop works without BPF", complaint);
	return err_hint(err, "--timer=stop works without BPF");
}

/* Stacks beyond the copy ask for a kernel of 5.17. */
static bool can_send_chunks(void)
{
	return libbpf_probe_bpf_helper(
		       BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_loop, NULL) == 1 &&
	       libbpf_probe_bpf_helper(
		       BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_find_vma, NULL) == 1;
}

/* Numbers of processors are below this. */
static uint32_t processors(void)
{
	int possible = libbpf_num_possible_cpus();
	long configured = sysconf(_SC_NPROCESSORS_CONF);

	if (configured > possible)
		return (uint32_t)configured;
	return possible > 0 ? (uint32_t)possible : 1;
}

static int load_programs(struct wide *wide, struct err *err)
{
	struct bpf_map *outputs = wide_map(wide, "outputs");
	void *memory;

	wide->config.ncpus = processors();
	choose_programs(wide);
	wide_choose_uprobes(wide);
	wide_begin_complaint();
	wide->config.chunks = can_send_chunks();
	if (bpf_map__set_initial_value(wide_map(wide, ".rodata.config"),
		    &wide->config, sizeof wide->config) ||
		bpf_map__set_initial_value(wide_map(wide, ".rodata.allocators"),
			&wide->allocators, sizeof wide->allocators) ||
		bpf_map__set_max_entries(
			outputs, WIDE_OUTPUTS(wide->config.nslots) *
					 wide->config.ncpus) ||
		bpf_map__set_max_entries(wide_map(wide, "scratches"),
			wide->config.chunks ? 2 * wide->config.ncpus : 1) ||
		bpf_object__load(wide->object))
		return wide_error("load of the programs", err);
	memory = mmap(NULL, sizeof *wide->shared, PROT_READ | PROT_WRITE,
		MAP_SHARED, bpf_map__fd(wide_map(wide, ".data.shared")), 0);
	if (memory == MAP_FAILED)
		return wide_error("mmap of the counters", err);
	wide->shared = memory;
	wide->shared->stopped = clock_now();
	wide_collect(wide, true);
	return 0;
}

int wide_keep_link(struct wide *wide, struct bpf_link *link)
{
	struct bpf_link **slot = link ? vec_push(&wide->links) : NULL;

	if (!slot)
		return -1;
	*slot = link;
	return 0;
}

static int attach_tracepoints(struct wide *wide, struct err *err)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, wide->object)
	{
		if (!bpf_program__autoload(program) ||
			strncmp(bpf_program__section_name(program), "tp_btf/",
				7) != 0)
			continue;
		wide_begin_complaint();
		if (wide_keep_link(wide, bpf_program__attach(program)))
			return wide_error("attachment to a tracepoint", err);
	}
	return 0;
}

int wide_load(struct wide *wide, struct err *err)
{
	return load_programs(wide, err) || attach_tracepoints(wide, err) ||
			       wide_attach_slots(wide, err)
		       ? -1
		       : 0;
}

/* An iterator over all tasks, to be read; -1 with errno. */
static int open_iterator(struct wide *wide, const char *program)
{
	struct bpf_link *link = bpf_program__attach_iter(
		bpf_object__find_program_by_name(wide->object, program), NULL);
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

/* Runs an iterator that says nothing. */
static int iterate(struct wide *wide, const char *program)
{
	int fd = open_iterator(wide, program);
	char nothing[64];
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read_iterator(fd, nothing, sizeof nothing);
	close(fd);
	return n < 0 ? -1 : 0;
}

int wide_end_waits(struct wide *wide,
	int (*take)(void *arg, uint32_t tag, const struct wide_waiting *said),
	void *arg)
{
	struct wide_waiting said;
	int failed = 0, fd;
	ssize_t n;

	if (!wide->config.waits)
		return 0;
	fd = open_iterator(wide, "end_waits");
	if (fd < 0)
		return -1;
	while (!failed &&
		(n = read_iterator(fd, &said, sizeof said)) == sizeof said)
		if (said.slot < wide->config.nslots)
			failed = take(arg, wide->slots[said.slot].tag, &said);
	close(fd);
	return failed || n < 0 ? -1 : 0;
}

int wide_adopt(struct wide *wide, pid_t pid, bool armed)
{
	struct wide_shared *shared = wide->shared;
	uint32_t before;

	shared->adopt = (uint32_t)pid;
	shared->adopt_armed = armed;
	shared->adopted = 0;
	do { /* until all that make threads are known and followed */
		before = shared->adopted;
		if (iterate(wide, "adopt_process"))
			return -1;
	} while (shared->adopted != before);
	return (int)shared->adopted;
}

void wide_collect(struct wide *wide, bool on)
{
	struct wide_shared *shared = wide->shared;

	if (!shared || on == (bool)shared->collecting)
		return;
	/* in an order in which the programs never see time leap */
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

static uint32_t slot_of(const struct wide *wide, uint32_t tag)
{
	uint32_t i = 0;

	while (i + 1 < wide->config.nslots && wide->slots[i].tag != tag)
		i++;
	return i;
}

int wide_read(struct wide *wide, uint32_t tag, struct wide_count *count)
{
	struct wide_shared *shared = wide->shared;
	uint32_t slot = slot_of(wide, tag);
	bool clock = wide->config.clocks >> slot & 1;
	bool waits = wide->config.waits >> slot & 1;

	memset(shared->living, 0, sizeof shared->living);
	shared->living_on_cpu = shared->living_on_wall = 0;
	if (iterate(wide, "add_living"))
		return -1;
	count->count = shared->count[slot] + shared->living[slot];
	if (clock)
		count->count += waits ? shared->on_wall + shared->living_on_wall
				      : shared->on_cpu + shared->living_on_cpu;
	count->weight = shared->emitted[slot];
	count->lost = shared->lost[slot];
	count->lost_weight = shared->lost_weight[slot];
	return 0;
}

uint64_t wide_missed(const struct wide *wide)
{
	return wide->shared ? wide->shared->missed : 0;
}

uint64_t wide_silent(const struct wide *wide)
{
	const struct wide_allocators *a = &wide->allocators;

	return wide->shared && (a->bytes | a->requests) ? wide->shared->silent
							: 0;
}

void wide_close(struct wide *wide)
{
	if (!wide)
		return;
	for (size_t i = 0; i < wide->links.n; i++)
		bpf_link__destroy(wide->links.v[i]);
	for (size_t i = 0; i < wide->fds.n; i++)
		if (wide->fds.v[i] >= 0)
			close(wide->fds.v[i]);
	if (wide->shared)
		munmap(wide->shared, sizeof *wide->shared);
	bpf_object__close(wide->object);
	vec_free(&wide->links);
	vec_free(&wide->fds);
	vec_free(&wide->clocks);
	free(wide);
}

#endif
