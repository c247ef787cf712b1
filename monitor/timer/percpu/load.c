/*
 * Loads the BPF programs.
 *
 * They are adjusted to the kernel's structures.  libbpf reads the types of all
 * of the kernel for that, 5 MB, which is two thirds of the CPU time that
 * loading takes.  From 5.17 on the kernel can adjust them: libbpf makes a
 * program that loads the others, which runs once.  What that cannot do is left
 * to libbpf, which also tells which program was refused.
 */
#include "monitor/timer/percpu/percpu_private.h"

#include <errno.h>
#include <string.h>

#include <bpf/skel_internal.h>

/* The compiled BPF programs, from local.mk. */
__asm__(".section .rodata\n"
	".balign 8\n"
	"percpu_object:\n"
	".incbin \"monitor/timer/percpu/bpf/percpu.bpf.o\"\n"
	"percpu_object_end:\n"
	".previous\n");
extern const char percpu_object[], percpu_object_end[];

static uint32_t any(const uint32_t *masks, size_t n)
{
	uint32_t all = 0;

	for (size_t i = 0; i < n; i++)
		all |= masks[i];
	return all;
}

static uint32_t by_source(
	const struct percpu *percpu, enum percpu_source source)
{
	uint32_t counters = 0;

	for (uint32_t i = 0; i < percpu->config.ncounters; i++)
		if (percpu->counters[i].source == source)
			counters |= 1u << i;
	return counters;
}

uint32_t percpu_needed_by(const struct percpu *percpu, const char *name)
{
	const struct percpu_config *c = &percpu->config;
	uint32_t reported = percpu->allocators.run
				    ? by_source(percpu, PERCPU_BY_REQUEST)
				    : 0;
	uint32_t enter =
		c->maps | c->io_time | any(c->call_counters, PERCPU_CALLS);
	uint32_t leave = c->maps | c->reads | c->writes | c->io_time | c->waits;
	uint32_t followed = percpu->allocators.follows
				    ? by_source(percpu, PERCPU_BY_REQUEST)
				    : 0;
	const struct {
		const char *name;
		uint32_t counters;
	} programs[] = {
		{"on_switch", percpu->stateless ? 0 : PERCPU_EACH},
		{"on_stateless_switch", percpu->stateless ? PERCPU_EACH : 0},
		{"on_wakeup", c->events ^ c->queues},
		{"end_waits", c->waits},
		{"on_enter", percpu->records ? 0 : enter},
		{"on_exit", percpu->records ? 0 : leave},
		{"on_enter_record", percpu->records ? enter : 0},
		{"on_exit_record", percpu->records ? leave : 0},
		{"on_signal", any(c->signal_counters, PERCPU_SIGNALS)},
		{"on_event", by_source(percpu, PERCPU_BY_EVENT) |
				     by_source(percpu, PERCPU_BY_CLOCK)},
		{"on_tracepoint", by_source(percpu, PERCPU_BY_RECORD)},
		{"on_call", by_source(percpu, PERCPU_BY_CALL)},
		{"on_request", by_source(percpu, PERCPU_BY_REQUEST)},
		{"on_return", followed},
		{"on_report", reported},
		{"on_thread_end", reported},
	};

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (strcmp(programs[i].name, name) == 0)
			return programs[i].counters;
	return PERCPU_EACH;
}

/*
 * Only the programs that the counters need: a tracepoint makes all processes
 * slower.  With a log of their own libbpf does not load what was refused once
 * more for the sake of its log, which takes long; this one has statistics
 * alone.
 */
static void choose_programs(struct percpu *percpu)
{
	struct bpf_program *program;

	percpu->nloaded = 0;
	bpf_object__for_each_program(program, percpu->object)
	{
		const char *name = bpf_program__name(program);
		bool needed = percpu_needed_by(percpu, name) != 0;

		bpf_program__set_autoload(program, needed);
		bpf_program__set_log_buf(
			program, percpu->log, sizeof percpu->log);
		bpf_program__set_log_level(program, 4);
		if (needed && percpu->nloaded < PERCPU_LOADED)
			percpu->loaded[percpu->nloaded++].name = name;
	}
}

static void name_maps(struct percpu *percpu)
{
	struct bpf_map *map;

	percpu->nmaps = 0;
	bpf_object__for_each_map(map, percpu->object)
	{
		if (percpu->nmaps < PERCPU_LOADED)
			percpu->maps[percpu->nmaps++].name = bpf_map__name(map);
	}
}

static int set_value(
	struct percpu *percpu, const char *map, const void *value, size_t size)
{
	return bpf_map__set_initial_value(
		bpf_object__find_map_by_name(percpu->object, map), value, size);
}

static int open_object(struct percpu *percpu)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "cpprof");
	const struct percpu_config *config = &percpu->config;

	bpf_object__close(percpu->object);
	percpu_begin_complaint();
	percpu->object = bpf_object__open_mem(percpu_object,
		(size_t)(percpu_object_end - percpu_object), &options);
	if (!percpu->object)
		return -1;
	choose_programs(percpu);
	name_maps(percpu);
	percpu_choose_uprobes(percpu);
	return set_value(percpu, ".rodata.config", config, sizeof *config) ||
			       set_value(percpu, ".rodata.allocators",
				       &percpu->allocators,
				       sizeof percpu->allocators) ||
			       bpf_map__set_max_entries(
				       bpf_object__find_map_by_name(
					       percpu->object, "outputs"),
				       PERCPU_OUTPUTS(config->ncounters) *
					       config->ncpus) ||
			       bpf_map__set_max_entries(
				       bpf_object__find_map_by_name(
					       percpu->object, "blocks"),
				       percpu->allocators.follows
					       ? PERCPU_BLOCKS
					       : 1) ||
			       bpf_map__set_max_entries(
				       bpf_object__find_map_by_name(
					       percpu->object, "arcs"),
				       config->arcs ? PERCPU_ARCS : 1)
		       ? -1
		       : 0;
}

/* Runs the loader, which fills in a descriptor for each map and program. */
static int run_loader(
	struct percpu *percpu, const struct gen_loader_opts *loader)
{
	struct {
		struct bpf_loader_ctx head;
		struct bpf_map_desc maps[PERCPU_LOADED];
		struct bpf_prog_desc room[PERCPU_LOADED];
	} ctx = {.head = {0}};
	struct bpf_prog_desc *programs =
		(struct bpf_prog_desc *)(ctx.maps + percpu->nmaps);
	struct bpf_load_and_run_opts options = {
		.ctx = &ctx.head,
		.data = loader->data,
		.insns = loader->insns,
		.data_sz = loader->data_sz,
		.insns_sz = loader->insns_sz,
	};

	ctx.head.sz =
		(__u32)((char *)(programs + percpu->nloaded) - (char *)&ctx);
	if (bpf_load_and_run(&options))
		return -1;
	for (size_t i = 0; i < percpu->nmaps; i++) {
		percpu->maps[i].fd = ctx.maps[i].map_fd;
		if (percpu_keep(percpu, percpu->maps[i].fd))
			return -1;
	}
	for (size_t i = 0; i < percpu->nloaded; i++) {
		percpu->loaded[i].fd = programs[i].prog_fd;
		if (percpu_keep(percpu, percpu->loaded[i].fd))
			return -1;
	}
	return 0;
}

static int load_by_kernel(struct percpu *percpu)
{
	LIBBPF_OPTS(gen_loader_opts, loader);

	return open_object(percpu) ||
			       bpf_object__gen_loader(
				       percpu->object, &loader) ||
			       bpf_object__load(percpu->object)
		       ? -1
		       : run_loader(percpu, &loader);
}

static int load_by_libbpf(struct percpu *percpu)
{
	const struct bpf_object *object;

	if (open_object(percpu) || bpf_object__load(percpu->object))
		return -1;
	object = percpu->object;
	for (size_t i = 0; i < percpu->nmaps; i++)
		percpu->maps[i].fd = bpf_object__find_map_fd_by_name(
			object, percpu->maps[i].name);
	for (size_t i = 0; i < percpu->nloaded; i++)
		percpu->loaded[i].fd =
			bpf_program__fd(bpf_object__find_program_by_name(
				object, percpu->loaded[i].name));
	return 0;
}

int percpu_load_object(struct percpu *percpu)
{
	return load_by_kernel(percpu) ? load_by_libbpf(percpu) : 0;
}
