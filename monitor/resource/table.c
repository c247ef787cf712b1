/* The resources, a row each. */
#include "monitor/resource/resource.h"

#include <linux/perf_event.h>

#define SOURCE(type_, event, events_per_gtick, ...)                            \
	&(const struct perf_source)                                            \
	{                                                                      \
		.type = (type_), .config = (event),                            \
		.scale = (events_per_gtick), __VA_ARGS__                       \
	}
#define CLOCK(which)                                                           \
	SOURCE(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1000,             \
		.mode = (which))
#define SOFTWARE(event) SOURCE(PERF_TYPE_SOFTWARE, event, 1, .kernel = false)
#define FAULTS(event) SOURCE(PERF_TYPE_SOFTWARE, event, 1, .address = true)
#define IN_KERNEL(event) SOURCE(PERF_TYPE_SOFTWARE, event, 1, .kernel = true)
#define HARDWARE(event) SOURCE(PERF_TYPE_HARDWARE, event, 1, .kernel = false)

/*
 * PERF_COUNT_SW_PAGE_FAULTS is raised before a fault is served.  At a fault on
 * the stack there is no stack to copy: the page of the stack pointer is the
 * missing one.  The two kinds are raised when the page is there.
 */
#define FAULTS_OF_BOTH_KINDS                                                   \
	SOURCE(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, 1,           \
		.also = PERF_COUNT_SW_PAGE_FAULTS_MAJ, .address = true)

/* The kernel's clock events fire at most every 10 us. */
#define MIN_CLOCK 10

/*
 * More interrupts than one in so many events would be too many for a machine.
 */
#define MIN_HARDWARE 1000

/* The rates: what one processor of today can consume in a second. */
#define PER_SECOND_TIME 1000000
#define PER_SECOND_FAULTS 500000
#define PER_SECOND_CALLS 5000000
#define PER_SECOND_BYTES 20000000000
#define PER_SECOND_ALLOCATED 2000000000
#define PER_SECOND_CYCLES 5000000000
#define PER_SECOND_RARE 10000

/* By per-CPU timers, per-task timers, stops: see struct resource. */
#define SLOWS(cpu, task, stop)                                                 \
	.slows = {[TIMER_PERCPU] = (cpu),                                      \
		[TIMER_PERTASK] = (task),                                      \
		[TIMER_STOP] = (stop)}

/* A placeholder: the argument names the event. */
#define ANY_COUNTER HARDWARE(PERF_COUNT_HW_CPU_CYCLES)

/*
 * The accesses of a cache, and its misses.  The names, and which cache has
 * which operation, are perf's.
 */
#define CACHE_EVENT(cache, op, result)                                         \
	SOURCE(PERF_TYPE_HW_CACHE,                                             \
		PERF_COUNT_HW_CACHE_##cache |                                  \
			PERF_COUNT_HW_CACHE_OP_##op << 8 |                     \
			PERF_COUNT_HW_CACHE_RESULT_##result << 16,             \
		1, .kernel = false)
#define OFTEN 1000000
#define SELDOM 100000
#define MISSES 10000
#define CACHE(name, title, cache, OP, op, ops, every, help, group)             \
	{name "-" ops, title ": " ops, op, TEXT_COUNT, every, MIN_HARDWARE,    \
		PER_SECOND_CYCLES, help,                                       \
		.perf = CACHE_EVENT(cache, OP, ACCESS), .grouped = group},     \
	{                                                                      \
		name "-" op "-misses", title ": " op " misses", "miss",        \
			TEXT_COUNT, MISSES, MIN_HARDWARE, PER_SECOND_CYCLES,   \
			help " in vain", .perf = CACHE_EVENT(cache, OP, MISS), \
					 .grouped = true                       \
	}
#define LOADS(name, title, cache, every, group)                                \
	CACHE(name, title, cache, READ, "load", "loads", every,                \
		"look-ups there, to read", group)
#define STORES(name, title, cache, every)                                      \
	CACHE(name, title, cache, WRITE, "store", "stores", every,             \
		"look-ups there, to write", true)
#define PREFETCHES(name, title, cache, every)                                  \
	CACHE(name, title, cache, PREFETCH, "prefetch", "prefetches", every,   \
		"look-ups there, in advance", true)

/* clang-format off */
const struct resource resources[] = {
	/* the first one is the default */
	{"cpu", "CPU Time", "us", TEXT_USEC, 1000, MIN_CLOCK, PER_SECOND_TIME,
		"time on a processor, user and system",
		.perf = CLOCK(PERF_MODE_ALL), .counts = COUNTS_CPU},
	{"user", "User Time", "us", TEXT_USEC, 1000, MIN_CLOCK, PER_SECOND_TIME,
		"time on a processor in the program's own code",
		.perf = CLOCK(PERF_MODE_USER), .counts = COUNTS_USER},
	{"system", "System Time", "us", TEXT_USEC, 1000, MIN_CLOCK, PER_SECOND_TIME,
		"time on a processor in the kernel, for the program",
		.perf = CLOCK(PERF_MODE_SYSTEM), .counts = COUNTS_SYSTEM},
	{"real", "Real Time", "us", TEXT_USEC, 10000, 100, PER_SECOND_TIME,
		"time that passes for each thread, running or not",
		.counts = COUNTS_TIME,
		SLOWS("1.3x dd", NULL, NULL)},
	{"blocked", "Blocked Time", "us", TEXT_USEC, 10000, 100, PER_SECOND_TIME,
		"time in which a thread waits for an event",
		.counts = COUNTS_WAITING, .of_calls = true,
		SLOWS("1.3x dd", NULL, NULL)},
	{"runqueue", "Run Queue Time", "us", TEXT_USEC, 1000, 100, PER_SECOND_TIME,
		"time in which a thread could run and others do",
		.counts = COUNTS_IN_LINE,
		SLOWS("1.3x dd", NULL, NULL)},
	{"pagefaults", "Page Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"page faults of both kinds, as getrusage counts",
		.perf = FAULTS_OF_BOTH_KINDS,
		SLOWS("1.7x touch", "2.5x touch", NULL)},
	{"minorfaults", "Minor Page Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"page faults served without reading from a disk",
		.perf = FAULTS(PERF_COUNT_SW_PAGE_FAULTS_MIN),
		SLOWS("1.7x touch", "2.5x touch", NULL)},
	{"majorfaults", "Major Page Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_RARE,
		"page faults that had to read from a disk",
		.perf = FAULTS(PERF_COUNT_SW_PAGE_FAULTS_MAJ)},
	{"syscalls", "System Calls", "call", TEXT_COUNT, 10, 1, PER_SECOND_CALLS,
		"system calls, all or those named",
		.counts = COUNTS_SYSCALLS, .argument = ARGUMENT_SYSCALLS,
		.of_calls = true,
		SLOWS("2.1x dd", NULL, "200x dd")},
	{"bytes-read", "Bytes Read", "byte", TEXT_BYTES, 4096, 1, PER_SECOND_BYTES,
		"bytes that system calls moved into the program",
		.counts = COUNTS_READS,
		SLOWS("1.3x dd", NULL, "200x dd")},
	{"bytes-written", "Bytes Written", "byte", TEXT_BYTES, 4096, 1, PER_SECOND_BYTES,
		"bytes that system calls moved out of the program",
		.counts = COUNTS_WRITES,
		SLOWS("1.3x dd", NULL, "200x dd")},
	{"bytes", "Bytes Moved", "byte", TEXT_BYTES, 4096, 1, PER_SECOND_BYTES,
		"bytes that system calls moved, either way",
		.counts = COUNTS_READS | COUNTS_WRITES,
		SLOWS("1.3x dd", NULL, "200x dd")},
	{"bytes-allocated", "Bytes Allocated", "byte", TEXT_BYTES, 1048576, 1,
		PER_SECOND_ALLOCATED,
		"bytes that the program requests from malloc and the like",
		.counts = COUNTS_ALLOCATED,
		SLOWS("1.01x perl", NULL, "35x dd")},
	{"allocations", "Allocations", "request", TEXT_COUNT, 10000, 1,
		PER_SECOND_FAULTS,
		"requests for memory to malloc and the like",
		.counts = COUNTS_ALLOCATIONS,
		SLOWS("1.02x perl", NULL, "35x dd")},
	{"bytes-freed", "Bytes Freed", "byte", TEXT_BYTES, 1048576, 1,
		PER_SECOND_ALLOCATED,
		"bytes of such requests that are freed, by who allocated",
		.counts = COUNTS_FREED, .ends = "bytes-allocated",
		SLOWS("1.01x perl", NULL, "35x dd")},
	{"frees", "Frees", "block", TEXT_COUNT, 10000, 1, PER_SECOND_FAULTS,
		"requests whose memory is freed, by who allocated",
		.counts = COUNTS_FREES, .ends = "allocations",
		SLOWS("1.02x perl", NULL, "35x dd")},
	{"bytes-mapped", "Bytes Mapped", "byte", TEXT_BYTES, 65536, 1,
		PER_SECOND_ALLOCATED,
		"address space that mmap, mremap and brk give the program",
		.counts = COUNTS_MAPPED,
		SLOWS("1.6x dd", NULL, NULL)},
	{"iotime", "I/O Time", "us", TEXT_USEC, 1000, 1, PER_SECOND_TIME,
		"time in the system calls that move bytes or sync",
		.counts = COUNTS_IOTIME, .of_calls = true,
		SLOWS("2x dd", NULL, "300x dd")},
	{"switches", "Context Switches", "switch", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"times a thread left its processor",
		.perf = IN_KERNEL(PERF_COUNT_SW_CONTEXT_SWITCHES), .counts = COUNTS_SWITCHES, .argument = ARGUMENT_SWITCHES,
		SLOWS("2.4x pipe", "3.7x pipe", NULL)},
	{"signals", "Signals", "signal", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"signals delivered, all or those named",
		.counts = COUNTS_SIGNALS, .argument = ARGUMENT_SIGNALS,
		SLOWS("1.6x kill", NULL, "20x kill")},
	{"fpe", "Floating Point Exceptions", "exception", TEXT_COUNT, 1, 1, PER_SECOND_RARE,
		"exceptions of arithmetic that give infinity, NaN and denormals",
		.counts = COUNTS_EXCEPTIONS, .argument = ARGUMENT_EXCEPTIONS,
		SLOWS(NULL, NULL, "500x inf")},
	{"calls", "Calls", "call", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"calls of a function, of the program or a library",
		.counts = COUNTS_CALLS, .argument = ARGUMENT_FUNCTION,
		SLOWS("70x dd", "70x dd", NULL)},
	{"arcs", "Counted Calls", "call", TEXT_COUNT, 1, 1, PER_SECOND_RARE,
		"calls of all functions, counted by caller (--count-calls)",
		.counts = COUNTS_ARCS,
		SLOWS("3x dd", NULL, NULL)},
	{"contexts", "Calls by Context", "call", TEXT_COUNT, 1, 1, PER_SECOND_CALLS,
		"all calls of functions compiled with -finstrument-functions or -pg",
		.counts = COUNTS_INSTRUMENTED,
		SLOWS(NULL, NULL, "5x queens")},
	{"cpu-migrations", "CPU Migrations", "migration", TEXT_COUNT, 1, 1, PER_SECOND_RARE,
		"moves of a thread from one processor to another",
		.perf = IN_KERNEL(PERF_COUNT_SW_CPU_MIGRATIONS),
		SLOWS("1.1x pipe", "1.1x pipe", NULL)},
	{"cgroup-switches", "Control Group Switches", "switch", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"context switches to a thread of another control group",
		.perf = IN_KERNEL(PERF_COUNT_SW_CGROUP_SWITCHES),
		SLOWS("1.1x pipe", "1.1x pipe", NULL)},
	{"alignment-faults", "Alignment Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"unaligned accesses that the kernel completed",
		.perf = SOFTWARE(PERF_COUNT_SW_ALIGNMENT_FAULTS)},
	{"emulation-faults", "Emulation Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"instructions that the kernel emulated",
		.perf = SOFTWARE(PERF_COUNT_SW_EMULATION_FAULTS)},
	{"cycles", "Cycles", "cycle", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"processor cycles",
		.perf = HARDWARE(PERF_COUNT_HW_CPU_CYCLES)},
	{"ref-cycles", "Reference Cycles", "cycle", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"processor cycles at a steady frequency",
		.perf = HARDWARE(PERF_COUNT_HW_REF_CPU_CYCLES)},
	{"bus-cycles", "Bus Cycles", "cycle", TEXT_COUNT, 100000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"bus cycles",
		.perf = HARDWARE(PERF_COUNT_HW_BUS_CYCLES)},
	{"instructions", "Instructions", "instruction", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"instructions retired",
		.perf = HARDWARE(PERF_COUNT_HW_INSTRUCTIONS)},
	{"cache-references", "Cache References", "reference", TEXT_COUNT, 100000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"accesses that reached the last level cache",
		.perf = HARDWARE(PERF_COUNT_HW_CACHE_REFERENCES)},
	{"cache-misses", "Cache Misses", "miss", TEXT_COUNT, 10000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"accesses that missed the last level cache",
		.perf = HARDWARE(PERF_COUNT_HW_CACHE_MISSES)},
	{"branches", "Branches", "branch", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"branch instructions retired",
		.perf = HARDWARE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS)},
	{"branch-misses", "Branch Misses", "miss", TEXT_COUNT, 10000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"branches that the processor predicted wrongly",
		.perf = HARDWARE(PERF_COUNT_HW_BRANCH_MISSES)},
	{"stalled-cycles-frontend", "Frontend Stalls", "cycle", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"cycles in which it waited for instructions",
		.perf = HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND)},
	{"stalled-cycles-backend", "Backend Stalls", "cycle", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"cycles in which it waited for data or units",
		.perf = HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_BACKEND)},
	LOADS("LLC", "Last Level Cache", LL, SELDOM, false),
	STORES("LLC", "Last Level Cache", LL, SELDOM),
	PREFETCHES("LLC", "Last Level Cache", LL, SELDOM),
	LOADS("L1-dcache", "L1 Data Cache", L1D, OFTEN, true),
	STORES("L1-dcache", "L1 Data Cache", L1D, OFTEN),
	PREFETCHES("L1-dcache", "L1 Data Cache", L1D, OFTEN),
	LOADS("L1-icache", "L1 Instruction Cache", L1I, OFTEN, true),
	PREFETCHES("L1-icache", "L1 Instruction Cache", L1I, OFTEN),
	LOADS("dTLB", "Data TLB", DTLB, OFTEN, true),
	STORES("dTLB", "Data TLB", DTLB, OFTEN),
	PREFETCHES("dTLB", "Data TLB", DTLB, OFTEN),
	LOADS("iTLB", "Instruction TLB", ITLB, OFTEN, true),
	LOADS("branch", "Branch Predictor", BPU, OFTEN, true),
	LOADS("node", "Memory Node", NODE, SELDOM, true),
	STORES("node", "Memory Node", NODE, SELDOM),
	PREFETCHES("node", "Memory Node", NODE, SELDOM),
	{"rNNN", "Raw Event", "event", TEXT_COUNT, 100000, 1, PER_SECOND_CYCLES,
		"an event of the processor by its number in hex",
		.perf = ANY_COUNTER, .argument = ARGUMENT_RAW},
	{"PMU/.../", "Event", "event", TEXT_COUNT, 100000, 1, PER_SECOND_CYCLES,
		"an event by the terms in /sys/bus/event_source/devices",
		.perf = ANY_COUNTER, .argument = ARGUMENT_PMU},
	{"tracepoint:SYSTEM:NAME", "Tracepoint", "event", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"an event of the kernel",
		.counts = COUNTS_RECORDS, .argument = ARGUMENT_TRACEPOINT,
		SLOWS("5x dd", "12x dd", NULL)},
	{"usdt:PROVIDER:NAME", "Probe", "event", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"a probe that the program or a library declares",
		.counts = COUNTS_CALLS, .argument = ARGUMENT_USDT,
		SLOWS("70x dd", "70x dd", NULL)},
	{0},
};

const struct resource resource_amounts[] = {
	{"tracepoint:SYSTEM:NAME.FIELD", "Tracepoint", "unit", TEXT_COUNT, 1, 1, PER_SECOND_BYTES,
		"a number in each event of the kernel",
		.counts = COUNTS_RECORDS | COUNTS_AMOUNT, .argument = ARGUMENT_TRACEPOINT,
		SLOWS("5x dd", "12x dd", NULL)},
	{"usdt:PROVIDER:NAME.argN", "Probe", "unit", TEXT_COUNT, 1, 1, PER_SECOND_BYTES,
		"an argument of a probe",
		.counts = COUNTS_CALLS | COUNTS_AMOUNT, .argument = ARGUMENT_USDT,
		SLOWS("70x dd", "70x dd", NULL)},
	{0},
};
/* clang-format on */
