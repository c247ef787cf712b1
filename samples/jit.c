/*
 * jit - code made at run time, named by a perf map.
 *
 * Emits x86-64 functions into anonymous memory, makes that executable, writes
 * their names to /tmp/perf-PID.map, as JIT compilers do, and calls them. What
 * the cpu profile must show, a quarter of the turns each:
 *
 *   run_framed > jit_framed_outer > jit_framed_inner
 *	frame pointers all through: whole stacks
 *   run_back > jit_calls_back > work_below
 *	compiled C below JIT code: whole stacks through the frame pointer
 *   run_leaf > jit_leaf
 *	no frame at all: the return address is at the stack pointer
 *   run_bare > jit_bare_outer > jit_bare_inner
 *	no frame pointer and 24 bytes of locals: nothing says where the return
 *	address of jit_bare_outer is, so a stack there may end in [truncated];
 *	it must not go on to a function that did not call
 *
 * The map stays when the program ends, since profilers read it when the run
 * ends; with --clean the program removes it.  With --memfd the memory is that
 *of a nameless file, as JIT compilers that never write to executable memory
 *have.
 *
 * --truth tells the cpu of each, us, the clock read in main.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "samples/sample.h"

#define ROUNDS 10
#define TURNS 20000000u /* each, a round */
#define CODE_SIZE 4096u

typedef void code(void);

static uint8_t *memory, *next;
static FILE *map;

static void emit(const void *bytes, size_t n)
{
	if (n > (size_t)(memory + CODE_SIZE - next))
		sample_fail("code too long");
	memcpy(next, bytes, n);
	next += n;
}

#define EMIT(...)                                                              \
	do {                                                                   \
		static const uint8_t bytes_[] = {__VA_ARGS__};                 \
		emit(bytes_, sizeof(bytes_));                                  \
	} while (0)

static void emit_framed_head(void)
{
	EMIT(0x55);             /* push %rbp */
	EMIT(0x48, 0x89, 0xe5); /* mov %rsp,%rbp */
}

static void emit_framed_tail(void)
{
	EMIT(0x5d, 0xc3); /* pop %rbp; ret */
}

/* The loop of SPIN(). */
static void emit_spin(void)
{
	uint32_t turns = TURNS;

	EMIT(0xb8, 1, 0, 0, 0); /* mov $1,%eax */
	EMIT(0xb9);             /* mov $turns,%ecx */
	emit(&turns, sizeof(turns));
	EMIT(0x48, 0x69, 0xc0, 0x2d, 0x7f, 0x95, 0x4c); /* imul $..,%rax,%rax */
	EMIT(0x48, 0xff, 0xc0);                         /* inc %rax */
	EMIT(0x48, 0xff, 0xc9);                         /* dec %rcx */
	EMIT(0x75, 0xf1);                               /* jnz to imul */
}

static void emit_call(code *function)
{
	EMIT(0x48, 0xb8); /* mov $function,%rax */
	emit(&function, sizeof(function));
	EMIT(0xff, 0xd0); /* call *%rax */
}

static code *begin(void)
{
	while ((uintptr_t)next % 16 != 0)
		EMIT(0xcc); /* int3 */
	return (code *)(uintptr_t)next;
}

static void end(code *function, const char *name)
{
	uintptr_t at = (uintptr_t)function;

	fprintf(map, "%lx %lx %s\n", (unsigned long)at,
		(unsigned long)((uintptr_t)next - at), name);
}

static code *make_spinner(bool framed, const char *name)
{
	code *function = begin();

	if (framed)
		emit_framed_head();
	emit_spin();
	if (framed)
		emit_framed_tail();
	else
		EMIT(0xc3);
	end(function, name);
	return function;
}

static code *make_framed_caller(code *callee, const char *name)
{
	code *function = begin();

	emit_framed_head();
	emit_call(callee);
	emit_framed_tail();
	end(function, name);
	return function;
}

static code *make_bare_caller(code *callee, const char *name)
{
	code *function = begin();

	EMIT(0x48, 0x83, 0xec, 24); /* sub $24,%rsp */
	emit_call(callee);
	EMIT(0x48, 0x83, 0xc4, 24, 0xc3); /* add $24,%rsp; ret */
	end(function, name);
	return function;
}

static FRAME void work_below(void)
{
	SPIN(TURNS);
}

static FRAME void run_framed(code *function)
{
	function();
}

static FRAME void run_back(code *function)
{
	function();
}

static FRAME void run_leaf(code *function)
{
	function();
}

static FRAME void run_bare(code *function)
{
	function();
}

static void open_memory(const char *map_path)
{
	int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (sample_flag("--memfd")) {
		fd = memfd_create("code", MFD_CLOEXEC);
		if (fd < 0 || ftruncate(fd, CODE_SIZE) != 0)
			sample_fail("memfd: %s", strerror(errno));
		flags = MAP_SHARED;
	}
	memory = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (memory == MAP_FAILED)
		sample_fail("mmap: %s", strerror(errno));
	next = memory;
	unlink(map_path); /* of an earlier process with this number */
	map = fopen(map_path, "wx");
	if (map == NULL)
		sample_fail("%s: %s", map_path, strerror(errno));
}

static void close_memory(void)
{
	if (mprotect(memory, CODE_SIZE, PROT_READ | PROT_EXEC) != 0)
		sample_fail("mprotect: %s", strerror(errno));
	if (fclose(map) != 0)
		sample_fail("perf map: %s", strerror(errno));
}

#define TOLD(run, function, path)                                              \
	do {                                                                   \
		uint64_t from_ = sample_cpu_ns();                              \
		run(function);                                                 \
		sample_truth_cpu(#run ";" path, sample_cpu_ns() - from_);      \
	} while (0)

int main(int argc, char **argv)
{
	static const char *const options[] = {"--clean", "--memfd", NULL};
	code *framed, *back, *leaf, *bare;
	char map_path[64];

	sample_start(argc, argv, options);
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	open_memory(map_path);
	framed = make_framed_caller(
		make_spinner(true, "jit_framed_inner"), "jit_framed_outer");
	back = make_framed_caller(work_below, "jit_calls_back");
	leaf = make_spinner(false, "jit_leaf");
	bare = make_bare_caller(
		make_spinner(false, "jit_bare_inner"), "jit_bare_outer");
	close_memory();

	for (unsigned round = 0; round < ROUNDS; round++) {
		TOLD(run_framed, framed, "jit_framed_outer;jit_framed_inner");
		TOLD(run_back, back, "jit_calls_back;work_below");
		TOLD(run_leaf, leaf, "jit_leaf");
		TOLD(run_bare, bare, "jit_bare_outer;jit_bare_inner");
	}
	if (sample_flag("--clean"))
		unlink(map_path);
	printf("%u rounds of 4\n", ROUNDS);
	return sample_end();
}
