/*
 * Events by perf's names: each has the type and config of linux/perf_event.h.
 * Events of caches by all of perf's words, raw events, and events by a PMU's
 * terms, from a folder like the kernel's.
 */
#include "monitor/resource/pmu.h"
#include "monitor/resource/resource.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "t/lib/tap.h"

static struct resource_request got[RESOURCES_MAX];
static size_t n;
static struct err err;

static bool parse(const char *spec)
{
	n = 0;
	err_clear(&err);
	return resource_parse(spec, got, &n, &err) == 0;
}

/* Whether SPEC is counted by that event. */
static bool counts(const char *spec, uint32_t type, uint64_t config)
{
	const struct perf_source *perf;

	if (!parse(spec) || n != 1)
		return false;
	perf = resource_perf(&got[0]);
	return perf && perf->type == type && perf->config == config &&
	       !perf->config1 && !perf->config2;
}

#define SW(name, event)                                                        \
	ok(counts(name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event), "%s", name)
#define HW(name, event)                                                        \
	ok(counts(name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event), "%s", name)

/* All that `perf list' calls a software or hardware event. */
static void test_symbols(void)
{
	SW("cpu-clock", TASK_CLOCK); /* of a thread they are the same */
	SW("task-clock", TASK_CLOCK);
	SW("context-switches", CONTEXT_SWITCHES);
	SW("cs", CONTEXT_SWITCHES);
	SW("cpu-migrations", CPU_MIGRATIONS);
	SW("migrations", CPU_MIGRATIONS);
	SW("cgroup-switches", CGROUP_SWITCHES);
	SW("minor-faults", PAGE_FAULTS_MIN);
	SW("major-faults", PAGE_FAULTS_MAJ);
	SW("alignment-faults", ALIGNMENT_FAULTS);
	SW("emulation-faults", EMULATION_FAULTS);
	/* of both kinds: one event by one, the other beside it */
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "faults" : "page-faults";

		ok(counts(name, PERF_TYPE_SOFTWARE,
			   PERF_COUNT_SW_PAGE_FAULTS_MIN) &&
				resource_perf(&got[0])->also ==
					PERF_COUNT_SW_PAGE_FAULTS_MAJ,
			"%s", name);
	}
	HW("cycles", CPU_CYCLES);
	HW("cpu-cycles", CPU_CYCLES);
	HW("instructions", INSTRUCTIONS);
	HW("cache-references", CACHE_REFERENCES);
	HW("cache-misses", CACHE_MISSES);
	HW("branches", BRANCH_INSTRUCTIONS);
	HW("branch-instructions", BRANCH_INSTRUCTIONS);
	HW("branch-misses", BRANCH_MISSES);
	HW("bus-cycles", BUS_CYCLES);
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND);
	HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND);
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND);
	HW("idle-cycles-backend", STALLED_CYCLES_BACKEND);
	HW("ref-cycles", REF_CPU_CYCLES);
}

/* perf_event_open(2): id | op << 8 | result << 16 */
static bool cache(const char *spec, unsigned id, unsigned op, unsigned result)
{
	return counts(spec, PERF_TYPE_HW_CACHE, id | op << 8 | result << 16);
}

static void test_caches(void)
{
	static const struct {
		const char *name;
		unsigned id;
		const char *ops; /* perf's: which the cache knows */
	} caches[] = {
		{"L1-dcache", PERF_COUNT_HW_CACHE_L1D, "lsp"},
		{"L1-icache", PERF_COUNT_HW_CACHE_L1I, "lp"},
		{"LLC", PERF_COUNT_HW_CACHE_LL, "lsp"},
		{"dTLB", PERF_COUNT_HW_CACHE_DTLB, "lsp"},
		{"iTLB", PERF_COUNT_HW_CACHE_ITLB, "l"},
		{"branch", PERF_COUNT_HW_CACHE_BPU, "l"},
		{"node", PERF_COUNT_HW_CACHE_NODE, "lsp"},
	};
	static const struct {
		char letter;
		const char *one, *many;
		unsigned op;
	} ops[] = {
		{'l', "load", "loads", PERF_COUNT_HW_CACHE_OP_READ},
		{'s', "store", "stores", PERF_COUNT_HW_CACHE_OP_WRITE},
		{'p', "prefetch", "prefetches",
			PERF_COUNT_HW_CACHE_OP_PREFETCH},
	};
	size_t rows = 0, known = 0;

	for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
		for (size_t k = 0; k < 3; k++) {
			char many[64], misses[64];
			bool knows = strchr(caches[i].ops, ops[k].letter);

			snprintf(many, sizeof many, "%s-%s", caches[i].name,
				ops[k].many);
			snprintf(misses, sizeof misses, "%s-%s-misses",
				caches[i].name, ops[k].one);
			known += 2 * knows;
			ok(cache(many, caches[i].id, ops[k].op,
				   PERF_COUNT_HW_CACHE_RESULT_ACCESS) == knows,
				"%s%s", knows ? "" : "there are no ", many);
			ok(cache(misses, caches[i].id, ops[k].op,
				   PERF_COUNT_HW_CACHE_RESULT_MISS) == knows,
				"%s%s", knows ? "" : "there are no ", misses);
		}
	for (const struct resource *r = resources; r->name; r++)
		rows += r->perf && r->perf->type == PERF_TYPE_HW_CACHE;
	ok(rows == known, "each is a row, and no other cache's (%zu of %zu)",
		rows, known);
}

static void test_cache_words(void)
{
#define IS(spec, id, op, result)                                               \
	ok(cache(spec, PERF_COUNT_HW_CACHE_##id, PERF_COUNT_HW_CACHE_OP_##op,  \
		   PERF_COUNT_HW_CACHE_RESULT_##result),                       \
		"%s", spec)
	IS("l1d-read-misses", L1D, READ, MISS);
	IS("L1-data-write-refs", L1D, WRITE, ACCESS);
	IS("L1-D-MISS-STORES", L1D, WRITE, MISS);
	IS("l1i-prefetch", L1I, PREFETCH, ACCESS);
	IS("L1-instruction-misses", L1I, READ, MISS);
	IS("L2", LL, READ, ACCESS);
	IS("llc-speculative-load-miss", LL, PREFETCH, MISS);
	IS("Data-TLB-speculative-read", DTLB, PREFETCH, ACCESS);
	IS("i-tlb-access", ITLB, READ, ACCESS);
	IS("Instruction-TLB-load-misses", ITLB, READ, MISS);
	IS("btb-loads", BPU, READ, ACCESS);
	IS("branches-load-misses", BPU, READ, MISS);
	IS("node", NODE, READ, ACCESS);
	ok(cache("LLC-load-misses:20K", PERF_COUNT_HW_CACHE_LL,
		   PERF_COUNT_HW_CACHE_OP_READ,
		   PERF_COUNT_HW_CACHE_RESULT_MISS) &&
			got[0].interval == 20000 &&
			strcmp(got[0].name, "LLC-load-misses") == 0,
		"a cache's event with an interval");
	ok(!parse("LLC-"), "nothing behind the dash");
	ok(!parse("LLC-loads-stores"), "two operations");
	ok(!parse("LLC-loads-misses-refs"), "two results");
	ok(!parse("LLCloads"), "no dash");
	ok(!parse("itlb-stores"), "an operation that the cache has not");
	ok(!parse("LLC-load-mises") &&
			strstr(err.hint, "'LLC-load-misses'") != NULL,
		"a wrong one has the nearest in its hint");
}

static void test_raw(void)
{
	ok(counts("r1a8", PERF_TYPE_RAW, 0x1a8), "r1a8");
	ok(counts("r0x1A8:10K", PERF_TYPE_RAW, 0x1a8) &&
			got[0].interval == 10000 &&
			strcmp(got[0].name, "r0x1A8") == 0,
		"r0x1A8 with an interval");
	ok(counts("rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX),
		"of 64 bits");
	ok(!parse("rfffffffffffffffff1"), "of more");
	ok(!parse("rNNN") && strstr(err.hint, "r1a8"), "rNNN is none itself");
	ok(!parse("r") && !parse("r12g") && !parse("r-1"), "no number");
	ok(!parse("r1a8=3"), "nothing stands behind =");
	ok(parse("real") && got[0].resource->counts == COUNTS_TIME,
		"real is what it was");
}

static void test_refused(void)
{
	static const char *const names[] = {"bpf-output", "dummy",
		"duration_time", "user_time", "system_time", "time", "wall"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		ok(!parse(names[i]) &&
				strcmp(err.reason, "no such resource") != 0 &&
				err.hint[0],
			"%s: %s", names[i], err.reason);
}

__attribute__((noreturn)) static void bail(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(99);
}

/* ROOT/PATH with TEXT */
static void put(const char *root, const char *path, const char *text)
{
	char whole[512];
	FILE *f;

	snprintf(whole, sizeof whole, "%s/%s", root, path);
	f = fopen(whole, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		bail(whole);
}

static void make_folder(const char *root, const char *path)
{
	char whole[512];

	snprintf(whole, sizeof whole, "%s/%s", root, path);
	if (mkdir(whole, 0700))
		bail(whole);
}

/* As an Intel and an AMD processor have it. */
static void make_sysfs(const char *root)
{
	make_folder(root, "cpu");
	make_folder(root, "cpu/format");
	make_folder(root, "cpu/events");
	put(root, "cpu/type", "4\n");
	put(root, "cpu/format/event", "config:0-7\n");
	put(root, "cpu/format/umask", "config:8-15\n");
	put(root, "cpu/format/edge", "config:18\n");
	put(root, "cpu/format/cmask", "config:24-31\n");
	put(root, "cpu/format/ldlat", "config1:0-15\n");
	put(root, "cpu/format/wide", "config:0-7,32-35\n");
	put(root, "cpu/format/odd", "nothing:0-7\n");
	put(root, "cpu/events/cpu-cycles", "event=0x3c\n");
	put(root, "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put(root, "cpu/events/mem-loads.unit", "x\n");
	put(root, "cpu/events/asks", "event=0x1,umask=?\n");
	put(root, "cpu/events/itself", "itself\n");
	make_folder(root, "bare");
	put(root, "bare/type", "17\n");
}

static const char *sysfs;

static bool pmu(const char *text, uint32_t type, uint64_t config,
	uint64_t config1, uint64_t config2)
{
	struct perf_source s;

	err_clear(&err);
	return pmu_event(sysfs, text, &s, &err) == 0 && s.type == type &&
	       s.config == config && s.config1 == config1 &&
	       s.config2 == config2 && s.scale == 1 && !s.also;
}

static bool no_pmu(const char *text, const char *hint)
{
	struct perf_source s;

	err_clear(&err);
	return pmu_event(sysfs, text, &s, &err) == -1 && err.reason[0] &&
	       strstr(err.hint, hint) != NULL;
}

static void test_pmu(void)
{
	ok(pmu("cpu/event=0x3c,umask=1/", 4, 0x13c, 0, 0), "terms");
	ok(pmu("cpu/event=60/", 4, 0x3c, 0, 0), "a decimal number");
	ok(pmu("cpu/event=0xd1,edge,cmask=0x10/", 4, 0x100400d1, 0, 0),
		"a term without a number is one");
	ok(pmu("cpu/mem-loads/", 4, 0x1cd, 3, 0), "a named event");
	ok(pmu("cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30, 0),
		"... with another number for one of its terms");
	ok(pmu("cpu/cpu-cycles/", 4, 0x3c, 0, 0), "a name with a dash");
	ok(pmu("cpu/wide=0xabc/", 4, 0xa000000bcull, 0, 0),
		"bits in two places");
	ok(pmu("cpu/config=0x1c2,config1=7,config2=8/", 4, 0x1c2, 7, 8),
		"the configs themselves");
	ok(pmu("bare/config=0xffffffffffffffff/", 17, UINT64_MAX, 0, 0),
		"all 64 bits, of a source without terms");
	ok(pmu("bare//", 17, 0, 0, 0), "no terms at all");

	ok(no_pmu("gpu/event=1/", "cpu"), "no such source: those there are");
	ok(no_pmu("cpu/evnt=1/", "event"), "no such term: those there are");
	ok(no_pmu("cpu/mem-loads=1/", "mem-loads"), "a name with a number");
	ok(no_pmu("cpu/event=0x100/", "config:0-7"), "a number too large");
	ok(no_pmu("cpu/event=/", "0x") && no_pmu("cpu/event=x/", "0x") &&
			no_pmu("cpu/event=-1/", "0x") &&
			no_pmu("cpu/event=0x10000000000000000/", "0x"),
		"no number");
	ok(no_pmu("cpu/asks/", ""), "an event that needs a number");
	ok(no_pmu("cpu/itself/", ""), "an event that names itself");
	ok(no_pmu("cpu/odd=1/", "nothing"), "a format that is not known");
	ok(no_pmu("../cpu/event=1/", "") && no_pmu("cpu/..=1/", "") &&
			no_pmu("cpu/events.mem-loads/", "") &&
			no_pmu("cpu/.hidden/", ""),
		"no way out of the folder");
	ok(no_pmu("cpu/event=1", "cpu/"), "no slash at the end");
	ok(no_pmu("cpu/event=1,,umask=1/", ""), "an empty term");
	ok(no_pmu("cpu/mem-loads.unit/", ""), "a unit is no event");
}

static void test_lists(void)
{
	ok(!parse("no-such/event=1,umask=2/:7,cpu") &&
			strcmp(err.object, "no-such/event=1,umask=2/") == 0,
		"commas between slashes join terms");
	if (access(PMU_ROOT "/software/type", R_OK) ||
		access(PMU_ROOT "/breakpoint/type", R_OK)) {
		skip(3, "no " PMU_ROOT " here");
		return;
	}
	ok(parse("software/config=2/:7,cpu") && n == 2 &&
			got[0].interval == 7 &&
			got[0].event.type == PERF_TYPE_SOFTWARE &&
			got[0].event.config == 2 &&
			strcmp(got[0].name, "software/config=2/") == 0 &&
			strcmp(got[1].name, "cpu") == 0,
		"an interval and another resource behind it");
	ok(!parse("software/config=2/u"), "modifiers are not taken");
	ok(!parse("breakpoint/config=1/") && strstr(err.hint, "calls="),
		"breakpoints are not taken by terms");
}

int main(void)
{
	char root[] = "/tmp/cpprof-pmu.XXXXXX", command[128];

	test_symbols();
	test_caches();
	test_cache_words();
	test_raw();
	test_refused();
	sysfs = mkdtemp(root);
	if (!sysfs)
		bail(root);
	make_sysfs(sysfs);
	test_pmu();
	snprintf(command, sizeof command, "rm -rf %s", root);
	if (system(command))
		bail(command);
	test_lists();
	return done_testing();
}
