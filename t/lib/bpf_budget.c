/*
 * bpf_budget - what each BPF program asks of the kernel's verifier.
 *
 *     bpf_budget OBJECT
 *
 * For each program a line "NAME ONE ALL STACK": how many instructions the
 * verifier goes through with one counter, which counts everything, and with as
 * many as there can be; and the bytes of stack as Linux 6.1 sums them up: of
 * each frame along a chain of calls, rounded up to 32.  A program that
 * the kernel refuses has "-" three times.  77: programs cannot be loaded here.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/timer/percpu/abi.h"

#define FRAME 32 /* frames are multiples of that */
#define MOST_CALLS 8

static int say_nothing(
	enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* N counters, each of which counts everything. */
static void fill(struct percpu_config *c, unsigned n)
{
	c->ncounters = n;
	c->ncpus = 4;
	c->clocks = c->waits = c->events = c->queues = c->voluntary =
		c->involuntary = (1u << n) - 1;
	c->reads = c->writes = c->io_time = c->maps = (1u << n) - 1;
	c->uprobes = 1;
	for (int i = 0; i < PERCPU_COUNTERS; i++) {
		c->interval[i] = 1000;
		c->spread[i] = 512;
	}
	for (int i = 0; i < PERCPU_CALLS; i++) {
		c->call_counters[i] = (1u << n) - 1;
		c->transfer[i] = PERCPU_TRANSFER_READ_MESSAGES;
	}
	for (int i = 0; i < PERCPU_SIGNALS; i++)
		c->signal_counters[i] = (1u << n) - 1;
}

static int is_call(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) &&
	       in->src_reg == BPF_PSEUDO_CALL;
}

/* Whether a function, not the program itself, begins at AT. */
static int begins(const struct bpf_insn *in, size_t n, size_t at)
{
	for (size_t i = 0; i < n; i++)
		if ((is_call(&in[i]) ||
			    (in[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
				    in[i].src_reg == BPF_PSEUDO_FUNC)) &&
			i + 1 + (size_t)(long)in[i].imm == at)
			return 1;
	return 0;
}

/* How far below its frame's top an instruction reaches, or takes an address. */
static int reach(const struct bpf_insn *in, unsigned *copy)
{
	unsigned class = BPF_CLASS(in->code), add, mov;
	int base = class == BPF_LDX ? in->src_reg : in->dst_reg;

	add = class == BPF_ALU64 && BPF_OP(in->code) == BPF_ADD &&
	      BPF_SRC(in->code) == BPF_K;
	mov = class == BPF_ALU64 && BPF_OP(in->code) == BPF_MOV &&
	      BPF_SRC(in->code) == BPF_X && in->src_reg == BPF_REG_10;
	if ((class == BPF_LDX || class == BPF_ST || class == BPF_STX) &&
		base == BPF_REG_10)
		return -in->off;
	if (add && *copy & 1u << in->dst_reg)
		return -in->imm;
	if (class == BPF_ALU || class == BPF_ALU64 || class == BPF_LDX ||
		class == BPF_LD)
		*copy &= ~(1u << in->dst_reg);
	if (mov)
		*copy |= 1u << in->dst_reg;
	return 0;
}

/* The stack of the function at AT with what it calls. */
static int stack_of(const struct bpf_insn *in, size_t n, size_t at, int depth)
{
	int own = 1, calls = 0;
	unsigned copy = 0;

	for (size_t i = at; i < n && (i == at || !begins(in, n, i)); i++) {
		int far = reach(&in[i], &copy);

		if (far > own)
			own = far;
	}
	for (size_t i = at; i < n && (i == at || !begins(in, n, i)); i++) {
		int below;

		if (depth >= MOST_CALLS ||
			!(is_call(&in[i]) || in[i].src_reg == BPF_PSEUDO_FUNC))
			continue;
		if (!is_call(&in[i]) &&
			in[i].code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		below = stack_of(
			in, n, i + 1 + (size_t)(long)in[i].imm, depth + 1);
		if (below > calls)
			calls = below;
	}
	return (own + FRAME - 1) / FRAME * FRAME + calls;
}

static long verified(int fd)
{
	struct bpf_prog_info info;
	__u32 size = sizeof info;

	memset(&info, 0, sizeof info);
	return bpf_obj_get_info_by_fd(fd, &info, &size) ? 0
							: info.verified_insns;
}

/*
 * Loads program NAME alone, with N counters.  *STACK and how many instructions
 * were verified; -1 with errno.
 */
static long load(const char *file, const char *name, unsigned n, int *stack)
{
	struct bpf_object *object = bpf_object__open_file(file, NULL);
	struct percpu_allocators allocators = {.bytes = (1u << n) - 1,
		.requests = (1u << n) - 1,
		.ends = (1u << n) - 1,
		.follows = 1,
		.run = 1};
	struct percpu_config config = {0};
	struct bpf_program *program;
	static char log[65536];
	long result = -1;

	if (!object)
		return -1;
	fill(&config, n);
	bpf_object__for_each_program(program, object)
	{
		bpf_program__set_autoload(
			program, strcmp(bpf_program__name(program), name) == 0);
		bpf_program__set_log_buf(program, log, sizeof log);
		bpf_program__set_log_level(program, 4);
	}
	log[0] = '\0';
	if (bpf_map__set_initial_value(
		    bpf_object__find_map_by_name(object, ".rodata.config"),
		    &config, sizeof config) == 0 &&
		bpf_map__set_initial_value(bpf_object__find_map_by_name(object,
						   ".rodata.allocators"),
			&allocators, sizeof allocators) == 0 &&
		bpf_map__set_max_entries(
			bpf_object__find_map_by_name(object, "outputs"),
			4096) == 0 &&
		bpf_object__load(object) == 0) {
		program = bpf_object__find_program_by_name(object, name);
		*stack = stack_of(bpf_program__insns(program),
			bpf_program__insn_cnt(program), 0, 1);
		result = verified(bpf_program__fd(program));
	}
	bpf_object__close(object);
	if (result < 0)
		fprintf(stderr, "%s: %s\n%s\n", name, strerror(errno), log);
	return result;
}

int main(int argc, char **argv)
{
	struct bpf_object *object;
	struct bpf_program *program;
	int stack, told = 0;

	libbpf_set_print(say_nothing);
	if (argc != 2 || !(object = bpf_object__open_file(argv[1], NULL)))
		return 2;
	bpf_object__for_each_program(program, object)
	{
		const char *name = bpf_program__name(program);
		long one = load(argv[1], name, 1, &stack), all;

		if (one < 0 && (errno == EPERM || errno == ENOSYS))
			return 77;
		all = one < 0 ? -1
			      : load(argv[1], name, PERCPU_COUNTERS, &stack);
		if (all < 0) {
			printf("%s - - -\n", name);
			continue;
		}
		printf("%s %ld %ld %d\n", name, one, all, stack);
		told++;
	}
	bpf_object__close(object);
	return !told;
}
