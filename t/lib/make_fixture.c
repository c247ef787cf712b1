/*
 * make_fixture - writes small cpprofdata files of known contents.
 *
 *     make_fixture FILE [KIND [PROGRAM]]
 *
 * full (default): a program `shop` with 100 hits of cpu, 3 hits of pagefaults
 * (and 5 faults in no sample) and majorfaults that nothing used.
 * empty: cpu alone, 300 us of it, at an interval of 1 ms.
 * lost: cpu alone, all samples lost.
 * unsampled: cpu alone, 5 ms of it in no sample.
 * large: as full, with 400 functions called by main.
 * tasks: cpu alone, of a process `sh` and its child `shop` with three threads,
 * two of them named `worker`; a loss of one of these, and one of no thread.
 * exact: as full, with 4 major faults, each in a sample, before main.
 * hostile: as full, with names that a shell would take for something else.
 * blocked, in-line: as full, with blocked time, without and with that in line
 * for a processor. waits: as full, with a wait of 10 s, of 6 s of real time
 * consumed, a second thread, and 80 of 100 ms in the kernel. troubled: as
 * waits, with 4 ms of cpu in each kind of loss. recursive: 400 random stacks of
 * a few functions that call each other. varied: as full, with intervals that
 * varied around the mean, and functions of which some are declared, some share
 * a name and one is inlined. calls: cpu in 100 samples, of which
 * db_get_property has 50 from invoice and 30 from receipt, and its calls, each
 * a sample: 10 from invoice, 60 from receipt. code PROGRAM: cpu in samples of
 * PROGRAM, as standard input has them: lines "function NAME LO HI", then "stack
 * N ADDR...", N samples each with the return addresses of the callers from
 * outside inwards and the place itself. unfinished: as full, without names,
 * totals and end.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/cpprofdata/writer.h"

#define MS 1000000ull

enum function {
	F_NONE,
	F_START,
	F_MAIN,
	F_INVOICE,
	F_RECEIPT,
	F_PUSH,
	F_QUOTE,
	F_GET,
	F_READ,
	F_COUNT
};

static struct {
	const char *name;
	unsigned module; /* 1: shop, 2: libdb.so.2 */
} functions[F_COUNT] = {
	[F_START] = {"_start", 1},
	[F_MAIN] = {"main", 1},
	[F_INVOICE] = {"invoice", 1},
	[F_RECEIPT] = {"receipt", 1},
	[F_PUSH] = {"std::vector<int, std::allocator<int> >::push_back", 1},
	[F_QUOTE] = {"<&'a T as shop::Sell>::sell; now", 1},
	[F_GET] = {"db_get_property", 2},
	[F_READ] = {"db_read_record", 2},
};

static const char *const hostile[F_COUNT] = {
	[F_INVOICE] = "hot$(touch PWNED)",
	[F_RECEIPT] = "bad`touch PWNED`",
	[F_PUSH] = "db::say(\"it's\\n\", *)",
	[F_QUOTE] = "new\nline!",
	[F_GET] = "<a b>{lambda()#1} ~;",
};

static const struct {
	const char *name, *file;
	uint32_t line;
} varied[F_COUNT] = {
	[F_INVOICE] = {"invoice", "shop.c", 30},
	[F_RECEIPT] = {"receipt", "shop.go", 0},
	[F_PUSH] = {"invoice", "", 0},
	[F_QUOTE] = {"db_get_property", "", 0},
};

static struct cpd_writer *w;
static bool vary;
static uint32_t thread;
static uint64_t now = 1000 * MS;

static uint32_t add_resource(const char *name, const char *title,
	const char *gtick, enum cpd_unit unit, uint64_t interval)
{
	struct cpd_resource r = {.name = name,
		.title = title,
		.gtick = gtick,
		.unit = unit,
		.interval = interval,
		.flags = vary ? CPD_RESOURCE_RANDOM : 0,
		.timer = "kernel, per-task"};

	return cpd_write_resource(w, &r);
}

static uint64_t address(unsigned f)
{
	return 0x1000 + 0x100 * (uint64_t)f;
}

/* One sample with HITS of a stack of functions, outermost first. */
static void add_sample(uint32_t resource, uint32_t hits, uint64_t weight,
	const unsigned *stack)
{
	struct cpd_sample s = {.time = now += MS,
		.thread = thread,
		.resource = resource,
		.hits = hits,
		.weight = weight};

	for (; *stack; stack++) {
		unsigned module =
			*stack < F_COUNT ? functions[*stack].module : 1;

		s.node = cpd_node(w, s.node, module, address(*stack) + 0x10,
			stack[1] ? 0 : CPD_NODE_EXACT);
	}
	cpd_write_sample(w, &s);
}

#define STACK(...)                                                             \
	(const unsigned[])                                                     \
	{                                                                      \
		F_START, F_MAIN, __VA_ARGS__, F_NONE                           \
	}

static void add_cpu_samples(uint32_t cpu)
{
	add_sample(cpu, 50, 50000, STACK(F_INVOICE, F_GET, F_READ));
	add_sample(cpu, 30, 30000, STACK(F_RECEIPT, F_GET, F_READ));
	add_sample(cpu, 10, 10000, STACK(F_INVOICE));
	add_sample(cpu, 6, 6000, STACK(F_PUSH));
	add_sample(cpu, 3, 3000, STACK(F_QUOTE));
	add_sample(cpu, 1, 1000, STACK(F_RECEIPT));
}

static void add_varied_samples(uint32_t cpu)
{
	for (unsigned i = 0; i < 5; i++)
		add_sample(cpu, 1 + i % 2, 700 + 400 * i,
			STACK(F_INVOICE, F_GET, F_READ));
	add_sample(cpu, 1, 1800, STACK(F_PUSH));
}

static void add_random_stacks(uint32_t cpu)
{
	uint32_t seed = 1;
	unsigned stack[32];

	for (unsigned i = 0; i < 400; i++) {
		unsigned depth = 0, most;

		seed = seed * 1103515245 + 12345;
		most = 1 + (seed >> 16) % 24;
		stack[depth++] = F_START;
		while (depth < most) {
			seed = seed * 1103515245 + 12345;
			stack[depth++] = F_MAIN + (seed >> 16) % 5;
		}
		stack[depth] = F_NONE;
		add_sample(cpu, 1, 1 + (seed >> 20) % 1000, stack);
	}
}

static void add_loss(uint32_t resource, enum cpd_loss_kind kind,
	uint64_t gticks, uint64_t samples)
{
	struct cpd_loss loss = {resource, kind, 0, gticks, samples};

	cpd_write_loss(w, &loss);
}

static void add_total(uint32_t resource, uint64_t gticks)
{
	struct cpd_total total = {resource, gticks, 0};

	cpd_write_total(w, &total);
}

/* "invoice" within db_read_record */
static uint32_t add_inlined(void)
{
	return cpd_write_function(w, &(struct cpd_function){.module = 2,
					     .name = "invoice",
					     .linkage = "",
					     .source = CPD_NAME_DWARF,
					     .file = "inline.h",
					     .line = 5});
}

static void name_one(unsigned f, const char *name, unsigned module)
{
	bool inlined = vary && f == F_READ;
	struct cpd_function function = {.module = module,
		.lo = address(f),
		.hi = address(f) + 0x100,
		.name = name,
		.linkage = "",
		.source = CPD_NAME_SYMTAB,
		.flags = f == F_MAIN ? CPD_FUNCTION_MAIN : 0};
	struct cpd_frame frames[2] = {
		{0, 40 + f, module == 1 ? "shop.c" : "db.c"}};
	struct cpd_addr addr = {
		module, address(f) + 0x10, 1, frames, 0, 0, NULL};

	if (vary && f < F_COUNT && varied[f].name) {
		function.file = frames->file = varied[f].file;
		function.line = varied[f].line;
	}
	frames->function = cpd_write_function(w, &function);
	if (inlined) {
		frames[1] = frames[0];
		frames[0] = (struct cpd_frame){add_inlined(), 7, "inline.h"};
		addr.nframes = 2;
	}

	cpd_write_addr(w, &addr);
	addr.addr--;
	cpd_write_addr(w, &addr);
}

static void add_names(unsigned more)
{
	char name[32];

	for (unsigned f = 1; f < F_COUNT; f++)
		name_one(f, functions[f].name, functions[f].module);
	for (unsigned i = 0; i < more; i++) {
		snprintf(name, sizeof name, "leaf_%03u", i);
		name_one(F_COUNT + i, name, 1);
	}
}

static void begin(const char *path)
{
	const char *argv[] = {"shop", "--big", "a b"};
	struct cpd_head head = {.start_unix = 1700000000ull * 1000 * MS,
		.start = now,
		.argc = 3,
		.argv = argv,
		.cwd = "/srv",
		.host = "host",
		.kernel = "6.1",
		.machine = "x86_64",
		.version = "0",
		.ncpu = 2};
	struct err err;

	w = cpd_writer_open(path, &err);
	if (w)
		cpd_write_head(w, &head);
}

static void add_program(const char *path)
{
	struct cpd_process process = {.pid = 100,
		.time = now,
		.name = "shop",
		.exe = path,
		.flags = CPD_PROCESS_EXEC};
	struct cpd_thread t = {.tid = 100, .time = now, .name = "shop"};

	t.process = cpd_write_process(w, &process);
	thread = cpd_write_thread(w, &t);
	cpd_write_module(w, &(struct cpd_module){.path = path});
}

static void add_process(void)
{
	add_program("/usr/bin/shop");
	cpd_write_module(
		w, &(struct cpd_module){.path = "/usr/lib/libdb.so.2"});
}

static uint32_t add_thread(uint32_t process, int tid, const char *name)
{
	struct cpd_thread t = {
		.process = process, .tid = tid, .time = now, .name = name};

	return cpd_write_thread(w, &t);
}

static void add_tasks(uint32_t cpu)
{
	struct cpd_process sh = {.pid = 200,
		.time = now,
		.name = "sh",
		.exe = "/bin/dash",
		.flags = CPD_PROCESS_EXEC};
	struct cpd_process shop = {.pid = 201,
		.time = now + 500 * MS,
		.name = "shop",
		.exe = "/usr/bin/shop",
		.flags = CPD_PROCESS_EXEC};
	struct cpd_loss loss = {cpu, CPD_UNSAMPLED, 0, 3000, 0};
	struct cpd_exit ended = {0};
	uint32_t threads[4];

	shop.parent = cpd_write_process(w, &sh);
	threads[0] = add_thread(shop.parent, 200, "sh");
	now += 500 * MS;
	ended.process = cpd_write_process(w, &shop);
	threads[1] = add_thread(ended.process, 201, "shop");
	ended.thread = add_thread(ended.process, 202, "worker");
	threads[2] = loss.thread = ended.thread;
	threads[3] = add_thread(ended.process, 203, "worker");
	cpd_write_module(w, &(struct cpd_module){.path = "/usr/bin/shop"});
	cpd_write_module(
		w, &(struct cpd_module){.path = "/usr/lib/libdb.so.2"});
	thread = threads[0];
	add_sample(cpu, 10, 10000, STACK(F_PUSH));
	thread = threads[1];
	add_sample(cpu, 50, 50000, STACK(F_INVOICE, F_GET, F_READ));
	thread = threads[2];
	add_sample(cpu, 30, 30000, STACK(F_RECEIPT, F_GET, F_READ));
	thread = threads[3];
	add_sample(cpu, 6, 6000, STACK(F_RECEIPT, F_GET, F_RECEIPT, F_READ));
	ended.time = now + 250 * MS;
	cpd_write_exit(w, &ended);
	cpd_write_loss(w, &loss);
	add_loss(cpu, CPD_LOST, 1000, 1);
	add_total(cpu, 100000);
	now += 494 * MS;
}

/* One sample for each of N intervals. */
static void add_each(
	uint32_t resource, unsigned n, uint64_t interval, const unsigned *stack)
{
	for (unsigned i = 0; i < n; i++)
		add_sample(resource, 1, interval, stack);
}

static void add_calls(uint32_t cpu)
{
	uint32_t calls = add_resource("calls=db_get_property",
		"Calls of db_get_property", "call", CPD_COUNT, 1);

	add_process();
	add_each(cpu, 50, 1000, STACK(F_INVOICE, F_GET, F_READ));
	add_each(cpu, 30, 1000, STACK(F_RECEIPT, F_GET));
	add_each(cpu, 20, 1000, STACK(F_PUSH));
	add_each(calls, 10, 1, STACK(F_INVOICE, F_GET));
	add_each(calls, 60, 1, STACK(F_RECEIPT, F_GET));
	add_total(cpu, 100000);
	add_total(calls, 70);
}

/* A program as standard input describes it. */
#define CODE_MAX 64 /* functions, and addresses of each */
static struct {
	char name[64];
	unsigned long lo, hi;
	uint64_t addrs[CODE_MAX];
	size_t n;
} code[CODE_MAX];
static size_t ncode;

/* ADDR is named when all is read. */
static void note_address(uint64_t addr)
{
	for (size_t f = 0; f < ncode; f++) {
		size_t i = 0;

		if (addr < code[f].lo || addr >= code[f].hi)
			continue;
		while (i < code[f].n && code[f].addrs[i] != addr)
			i++;
		if (i == code[f].n && i < CODE_MAX)
			code[f].addrs[code[f].n++] = addr;
	}
}

/* "stack 3 401005 401020": returns what its samples weigh. */
static uint64_t add_stack(uint32_t cpu, const char *line)
{
	struct cpd_sample s = {
		.thread = thread, .resource = cpu, .hits = 1, .weight = 1000};
	unsigned long addr;
	unsigned n;
	int read;

	if (sscanf(line, "stack %u%n", &n, &read) != 1)
		return 0;
	for (line += read; sscanf(line, "%lx%n", &addr, &read) == 1;) {
		line += read;
		/* a caller is looked up in the call */
		note_address(strchr(line, ' ') ? addr - 1 : addr);
		s.node = cpd_node(w, s.node, 1, addr,
			strchr(line, ' ') ? 0 : CPD_NODE_EXACT);
	}
	for (unsigned i = 0; i < n; i++) {
		s.time = now += MS;
		cpd_write_sample(w, &s);
	}
	return n * s.weight;
}

static void name_code(void)
{
	for (size_t f = 0; f < ncode; f++) {
		struct cpd_function function = {.module = 1,
			.lo = code[f].lo,
			.hi = code[f].hi,
			.name = code[f].name,
			.linkage = "",
			.source = CPD_NAME_SYMTAB};
		struct cpd_frame frame = {
			cpd_write_function(w, &function), 0, ""};

		for (size_t i = 0; i < code[f].n; i++)
			cpd_write_addr(
				w, &(struct cpd_addr){1, code[f].addrs[i], 1,
					   &frame, 0, 0, NULL});
	}
}

static void add_code(uint32_t cpu, const char *program)
{
	uint64_t total = 0;
	char line[4096];

	add_program(program);
	while (fgets(line, sizeof line, stdin))
		if (ncode < CODE_MAX &&
			sscanf(line, "function %63s %lx %lx", code[ncode].name,
				&code[ncode].lo, &code[ncode].hi) == 3)
			ncode++;
		else
			total += add_stack(cpu, line);
	add_total(cpu, total);
	name_code();
}

static uint32_t add_time(const char *name, const char *title, uint32_t flags)
{
	struct cpd_resource r = {.name = name,
		.title = title,
		.gtick = "us",
		.unit = CPD_USEC,
		.interval = 10000,
		.flags = CPD_RESOURCE_CLOCK | flags,
		.timer = "kernel, per-CPU"};

	return cpd_write_resource(w, &r);
}

/* A wait of which the count knows a part only. */
static void add_wait(uint32_t real)
{
	add_sample(real, 1000, 10000000, STACK(F_INVOICE, F_GET, F_READ));
	add_total(real, 6000000);
}

/* The functions' names that the kind of file has, before anything is written.
 */
static void set_names(bool evil)
{
	for (unsigned f = 1; evil && f < F_COUNT; f++)
		if (hostile[f])
			functions[f].name = hostile[f];
	for (unsigned f = 1; vary && f < F_COUNT; f++)
		if (varied[f].name)
			functions[f].name = varied[f].name;
}

/* The samples of all but the small files; MORE functions, one sample each. */
static void add_samples(const char *kind, uint32_t cpu, uint32_t faults,
	uint32_t major, unsigned more)
{
	add_cpu_samples(cpu);
	if (strcmp(kind, "recursive") == 0)
		add_random_stacks(cpu);
	if (vary)
		add_varied_samples(cpu);
	add_sample(faults, 3, 30, STACK(F_INVOICE));
	for (unsigned i = 0; strcmp(kind, "exact") == 0 && i < 4; i++)
		add_sample(major, 1, 1,
			(const unsigned[]){F_START, F_GET, F_NONE});
	for (unsigned i = 0; i < more; i++)
		add_sample(cpu, 1, 1000, STACK(F_COUNT + i));
}

/* Waits where there are such resources (0: none). */
static void add_waits(uint32_t blocked, uint32_t real)
{
	if (blocked)
		add_wait(blocked);
	if (!real)
		return;
	add_wait(real);
	add_thread(1, 101, "worker");
	cpd_write_usage(
		w, &(struct cpd_usage){
			   .user = 20000, .system = 80000, .minor = 100});
}

/* Losses and totals of cpu, faults and major faults; of TROUBLED cpu all
   losses there are. */
static void add_totals(
	const uint32_t resources[3], unsigned more, bool exact, bool troubled)
{
	uint64_t used = 100000 + 1000ull * more;

	add_loss(resources[1], CPD_UNSAMPLED, 5, 0);
	for (int k = 0; troubled && k < CPD_LOSS_KINDS; k++) {
		add_loss(resources[0], k, 4000, 0);
		used += 4000;
	}
	add_total(resources[0], used);
	add_total(resources[1], 35);
	add_total(resources[2], exact ? 4 : 0);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[2] : "full";
	bool lost = strcmp(kind, "lost") == 0;
	bool tasks = strcmp(kind, "tasks") == 0;
	bool evil = strcmp(kind, "hostile") == 0;
	bool exact = strcmp(kind, "exact") == 0;
	bool unsampled = strcmp(kind, "unsampled") == 0;
	bool calls = strcmp(kind, "calls") == 0;
	bool coded = strcmp(kind, "code") == 0 && argc > 3;
	bool apart = strcmp(kind, "blocked") == 0;
	bool troubled = strcmp(kind, "troubled") == 0;
	bool small = lost || tasks || calls || coded || unsampled ||
		     !strcmp(kind, "empty");
	uint64_t used = lost || unsampled ? 5000 : 300;
	unsigned more = strcmp(kind, "large") == 0 ? 400 : 0;
	struct cpd_end end = {.samples = 7, .monitor_usec = 1234};
	uint32_t cpu, faults = 0, major = 0, real = 0, blocked = 0;
	struct err err;

	if (argc < 2)
		return 2;
	begin(argv[1]);
	if (!w)
		return 1;
	vary = strcmp(kind, "varied") == 0;
	set_names(evil);
	cpu = add_resource(evil ? "cpu$(touch${IFS}PWNED)" : "cpu", "CPU Time",
		"us", CPD_USEC, 1000);
	if (!small) {
		faults = add_resource(
			"pagefaults", "Page Faults", "fault", CPD_COUNT, 10);
		major = add_resource("majorfaults", "Major Page Faults",
			"fault", CPD_COUNT, 1);
	}
	if (strcmp(kind, "waits") == 0 || troubled)
		real = add_time("real", "Real Time", 0);
	if (apart || strcmp(kind, "in-line") == 0)
		blocked = add_time("blocked", "Blocked Time",
			apart ? CPD_RESOURCE_APART : 0);
	cpd_writer_publish(w);
	if (!tasks && !calls && !coded)
		add_process();
	if (!small)
		add_samples(kind, cpu, faults, major, more);
	add_waits(blocked, real);
	if (strcmp(kind, "unfinished") == 0)
		return cpd_writer_flush(w) != 0;
	if (tasks) {
		add_tasks(cpu);
	} else if (calls) {
		add_calls(cpu);
	} else if (coded) {
		add_code(cpu, argv[3]);
	} else if (small) {
		add_loss(cpu, lost ? CPD_LOST : CPD_UNSAMPLED, used,
			lost ? 5 : 0);
		add_total(cpu, used);
	} else {
		add_totals((uint32_t[]){cpu, faults, major}, more, exact,
			troubled);
	}
	if (!coded)
		add_names(more);
	end.time = now += MS;
	return cpd_writer_close(w, &end, &err) != 0;
}
