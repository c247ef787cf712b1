/* Looks for allocating functions in the target's files and in the system's. */
#include "monitor/probe/allocators.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/arch/arch.h"
#include "lib/order.h"
#include "lib/text.h"
#include "monitor/probe/allocation.h"
#include "monitor/probe/files.h"
#include "monitor/probe/returns.h"
#include "monitor/probe/symbols.h"

/* The functions, by their names for the linker. */
static const struct known {
	const char *name;
	enum allocation request;
} known[] = {
	{"malloc", ALLOCATION_MALLOC},
	{"mallocx", ALLOCATION_MALLOC},
	{"calloc", ALLOCATION_CALLOC},
	{"realloc", ALLOCATION_REALLOC},
	{"rallocx", ALLOCATION_REALLOC},
	{"reallocarray", ALLOCATION_REALLOCARRAY},
	{"memalign", ALLOCATION_ALIGNED},
	{"aligned_alloc", ALLOCATION_ALIGNED},
	{"posix_memalign", ALLOCATION_POSIX},
	{"valloc", ALLOCATION_PAGES},
	{"pvalloc", ALLOCATION_PAGES},
	{"_Znwm", ALLOCATION_NEW},
	{"_Znam", ALLOCATION_NEW},
	{"_ZnwmRKSt9nothrow_t", ALLOCATION_NEW},
	{"_ZnamRKSt9nothrow_t", ALLOCATION_NEW},
	{"_ZnwmSt11align_val_t", ALLOCATION_NEW},
	{"_ZnamSt11align_val_t", ALLOCATION_NEW},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", ALLOCATION_NEW},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", ALLOCATION_NEW},
	{"free", ALLOCATION_FREE},
	{"dallocx", ALLOCATION_FREE},
	{"sdallocx", ALLOCATION_FREE},
	{"_ZdlPv", ALLOCATION_FREE},
	{"_ZdaPv", ALLOCATION_FREE},
	{"_ZdlPvm", ALLOCATION_FREE},
	{"_ZdaPvm", ALLOCATION_FREE},
	{"_ZdlPvSt11align_val_t", ALLOCATION_FREE},
	{"_ZdaPvSt11align_val_t", ALLOCATION_FREE},
	{"_ZdlPvmSt11align_val_t", ALLOCATION_FREE},
	{"_ZdaPvmSt11align_val_t", ALLOCATION_FREE},
	{"_ZdlPvRKSt9nothrow_t", ALLOCATION_FREE},
	{"_ZdaPvRKSt9nothrow_t", ALLOCATION_FREE},
};

/* jemalloc can be built with other names for its functions. */
static const char *const prefixes[] = {"", "je_", "_rjem_"};

/* Libraries of the system where other programs may find theirs. */
static const char *const libraries[] = {"libc.so.6", "libjemalloc.so.2",
	"libtcmalloc.so.4", "libtcmalloc_minimal.so.4", "libmimalloc.so.2"};

#define LONGEST 8192        /* bytes of a function that are searched */
#define LONGEST_HELPER 4096 /* of one without a name */

struct allocator_function {
	uint64_t addr, offset, size;
	enum allocation request;
};

struct searched_file { /* one that is searched */
	const char *path;
	struct probe_symbols *symbols;
	VEC(struct allocator_function) functions; /* those with known names */
	VEC(struct probe_range) ranges;
	VEC(uint64_t) starts; /* of all functions */
	bool ends;            /* frees are looked for, too */
};

struct allocator_search {
	struct calls *calls;
	bool ends;
	VEC(struct stat) seen; /* files */
	struct err *err;
};

static int no_memory(struct allocator_search *s)
{
	return err_memory(s->err, "allocators", "start");
}

/* --- one file --- */

static const struct known *find_known(const char *name, size_t n)
{
	for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
		size_t skip = strlen(prefixes[p]);

		if (n < skip || memcmp(name, prefixes[p], skip) != 0)
			continue;
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (strlen(known[i].name) == n - skip &&
				memcmp(known[i].name, name + skip, n - skip) ==
					0)
				return &known[i];
	}
	return NULL;
}

static int add_range(struct searched_file *f, uint64_t from, uint64_t size)
{
	if (!size || f->ranges.n == ALLOCATION_FILE_RANGES)
		return 0;
	return vec_add(&f->ranges, (struct probe_range){from, size}) ? 0 : -1;
}

static int see(void *arg, const char *name, const struct probe_address *at,
	uint64_t size)
{
	struct searched_file *f = arg;
	size_t n = strcspn(name, "@.");
	const struct known *k = find_known(name, n);

	if (!vec_add(&f->starts, at->addr))
		return -1;
	if (!k || (k->request == ALLOCATION_FREE && !f->ends))
		return 0;
	if (name[n] == '.') /* a piece of it, such as malloc.cold */
		return add_range(f, at->addr, size);
	for (size_t i = 0; i < f->functions.n; i++)
		if (f->functions.v[i].addr == at->addr)
			return 0;
	if (f->functions.n == ALLOCATION_POINTS) /* a hostile file */
		return 0;
	return vec_add(&f->functions,
		       (struct allocator_function){at->addr, at->offset,
			       size ? size : 1, k->request})
		       ? 0
		       : -1;
}

/* The function that begins at ADDR, or NULL. */
static const struct allocator_function *function_at(
	const struct searched_file *f, uint64_t addr)
{
	for (size_t i = 0; i < f->functions.n; i++)
		if (f->functions.v[i].addr == addr)
			return &f->functions.v[i];
	return NULL;
}

/*
 * Calls SEE_TARGET for what may be direct calls and jumps in [FROM, FROM+SIZE),
 * until it returns true.  Some only look like calls: their targets are at
 * random.
 */
static bool each_target(const struct searched_file *f, uint64_t from,
	uint64_t size, bool (*see_target)(void *arg, uint64_t target),
	void *arg)
{
	uint8_t code[LONGEST];
	size_t n = probe_symbols_code(f->symbols, from, code,
		size < sizeof code ? size : sizeof code);

	return code_each_target(code, n, from, see_target, arg);
}

struct look {
	struct searched_file *f;
	bool failed;
};

static bool is_function(void *arg, uint64_t target)
{
	struct look *look = arg;

	return function_at(look->f, target) != NULL;
}

/*
 * An operator new that calls malloc, or another one, needs no probe of its own:
 * the probe on malloc counts the request.
 */
static void drop_new(struct searched_file *f)
{
	struct look look = {.f = f};
	bool probe_other[ALLOCATION_POINTS] = {false};
	size_t n = 0;

	for (size_t i = 0; i < f->functions.n; i++) {
		const struct allocator_function *at = &f->functions.v[i];

		probe_other[i] =
			at->request == ALLOCATION_NEW &&
			each_target(f, at->addr, at->size, is_function, &look);
	}
	for (size_t i = 0; i < f->functions.n; i++)
		if (!probe_other[i])
			f->functions.v[n++] = f->functions.v[i];
	f->functions.n = n;
}

static uint64_t next_start(const struct searched_file *f, uint64_t addr)
{
	uint64_t next = addr + LONGEST_HELPER;

	for (size_t i = 0; i < f->starts.n; i++)
		if (f->starts.v[i] > addr && f->starts.v[i] < next)
			next = f->starts.v[i];
	return next;
}

static bool is_malloc(void *arg, uint64_t target)
{
	struct look *look = arg;
	const struct allocator_function *f = function_at(look->f, target);

	return f && f->request == ALLOCATION_MALLOC;
}

/* Functions between an aligning function and its call of malloc. */
static bool see_helper(void *arg, uint64_t target)
{
	struct look *look = arg;
	struct searched_file *f = look->f;
	uint64_t offset, size;

	for (size_t i = 0; i < f->ranges.n; i++)
		if (target - f->ranges.v[i].from < f->ranges.v[i].size)
			return false;
	if (!probe_symbols_offset(f->symbols, target, &offset))
		return false;
	size = next_start(f, target) - target;
	if (each_target(f, target, size, is_malloc, look))
		look->failed |= add_range(f, target, size) != 0;
	return look->failed;
}

static int find_ranges(struct searched_file *f)
{
	struct look look = {.f = f};

	for (size_t i = 0; i < f->functions.n; i++)
		if (f->functions.v[i].request != ALLOCATION_FREE &&
			add_range(f, f->functions.v[i].addr,
				f->functions.v[i].size))
			return -1;
	for (size_t i = 0; i < f->functions.n; i++) {
		const struct allocator_function *at = &f->functions.v[i];

		if (at->request == ALLOCATION_ALIGNED ||
			at->request == ALLOCATION_PAGES ||
			at->request == ALLOCATION_POSIX)
			each_target(f, at->addr, at->size, see_helper, &look);
	}
	return look.failed ? -1 : 0;
}

static uint64_t size_at(void *arg, uint64_t addr)
{
	return next_start(arg, addr) - addr;
}

static int see_return(void *arg, uint64_t addr, bool tail)
{
	struct searched_file *f = arg;
	uint64_t offset;

	if (function_at(f, addr) || f->functions.n == ALLOCATION_POINTS ||
		!probe_symbols_offset(f->symbols, addr, &offset))
		return 0;
	return vec_add(&f->functions,
		       (struct allocator_function){addr, offset, 1,
			       tail ? ALLOCATION_TAIL : ALLOCATION_RETURN})
		       ? 0
		       : -1;
}

static int by_request(const void *a, const void *b)
{
	const struct allocator_function *x = a, *y = b;

	return ORDER(x->request, y->request);
}

/* Adds where those that allocate return. */
static int find_returns(struct searched_file *f)
{
	size_t n = f->functions.n;

	for (size_t i = 0; f->ends && i < n; i++) {
		const struct allocator_function at = f->functions.v[i];

		if (at.request != ALLOCATION_FREE &&
			returns_each(f->symbols, at.addr, at.size, size_at,
				see_return, f))
			return -1;
	}
	if (f->ends)
		qsort(f->functions.v, f->functions.n, sizeof *f->functions.v,
			by_request);
	return 0;
}

/* Takes the functions of F, as far as there is room. */
static int take(
	struct allocator_search *s, const struct searched_file *f, bool program)
{
	struct calls *calls = s->calls;
	uint32_t first = (uint32_t)calls->ranges.n;

	if (calls->points.n + f->functions.n > ALLOCATION_POINTS ||
		first + f->ranges.n > ALLOCATION_RANGES)
		return 0;
	for (size_t i = 0; i < f->ranges.n; i++)
		if (!vec_add(&calls->ranges, f->ranges.v[i]))
			return -1;
	for (size_t i = 0; i < f->functions.n; i++) {
		const struct probe_point point = {.file = strdup(f->path),
			.offset = f->functions.v[i].offset,
			.addr = f->functions.v[i].addr,
			.program = program,
			.request = f->functions.v[i].request,
			.first = first,
			.ranges = (uint32_t)f->ranges.n};

		if (!point.file || !vec_add(&calls->points, point))
			return -1;
	}
	return 0;
}

/* Whether it can serve malloc, not only operator new. */
static bool allocates(const struct searched_file *f)
{
	for (size_t i = 0; i < f->functions.n; i++)
		if (f->functions.v[i].request == ALLOCATION_MALLOC)
			return true;
	return false;
}

/* 1: searched before, or missing. */
static int is_new(struct allocator_search *s, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return 0;
	for (size_t i = 0; i < s->seen.n; i++)
		if (s->seen.v[i].st_dev == st.st_dev &&
			s->seen.v[i].st_ino == st.st_ino)
			return 0;
	return vec_add(&s->seen, st) ? 1 : -1;
}

static int look_through(struct allocator_search *s,
	struct probe_symbols *symbols, const char *path, bool program)
{
	struct searched_file f = {
		.path = path, .symbols = symbols, .ends = s->ends};
	int bad = probe_symbols_each(symbols, see, &f);

	if (!bad && allocates(&f)) {
		drop_new(&f);
		bad = find_ranges(&f) || find_returns(&f) ||
		      take(s, &f, program);
	}
	vec_free(&f.functions);
	vec_free(&f.ranges);
	vec_free(&f.starts);
	return bad ? no_memory(s) : 0;
}

/* The dynamic linker's functions are for itself, unless it is the C library. */
static bool is_linker(const char *path)
{
	return strncmp(text_base_name(path), "ld-linux", 8) == 0;
}

static int look_in_library(struct allocator_search *s, const char *path)
{
	struct probe_symbols *symbols;
	struct err ignored;
	int fresh = is_linker(path) ? 0 : is_new(s, path), bad;

	if (fresh <= 0)
		return fresh ? no_memory(s) : 0;
	symbols = probe_symbols_open(path, &s->calls->debug_files, &ignored);
	if (!symbols)
		return 0;
	bad = look_through(s, symbols, path, false);
	probe_symbols_close(symbols);
	return bad;
}

/* --- all files --- */

static int look_in_all(struct allocator_search *s, const probe_libraries *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (look_in_library(s, list->v[i].path))
			return -1;
	return 0;
}

static bool is_go(struct probe_symbols *symbols)
{
	struct probe_found found;
	bool is = !probe_symbols_find(symbols, "runtime.mallocgc", &found) &&
		  found.addresses.n;

	vec_free(&found.addresses);
	return is;
}

/* The target's functions; without any it cannot be profiled. */
static int search_target(
	struct allocator_search *s, struct probe_symbols *symbols, pid_t pid)
{
	const char *program = s->calls->program;
	const char *linker = probe_symbols_linker(symbols);
	probe_libraries list = {0};
	int bad;

	if (is_new(s, program) < 0 || look_through(s, symbols, program, true))
		return no_memory(s);
	bad = pid ? probe_libraries_mapped(pid, &list)
		  : probe_libraries_of(program, linker, &list);
	bad = bad ? no_memory(s) : look_in_all(s, &list);
	probe_libraries_free(&list);
	if (bad || s->calls->points.n)
		return bad;
	err_set(s->err, program, "allocators", "no malloc is found in it%s",
		*linker ? " or its libraries" : ", and it loads no libraries");
	return err_hint(s->err,
		probe_symbols_stripped(symbols)
			? "it is stripped: a build with symbols has more names"
		: is_go(symbols)
			? "Go has an allocator of its own: 'cpprof report "
			  "--up=runtime.mallocgc' of cpu shows who calls it, "
			  "and calls=runtime.mallocgc counts the calls, of "
			  "which each then takes many times as long"
			: "it may have an allocator of its own: count calls of "
			  "that by calls=FUNC");
}

static int look_in_system(struct allocator_search *s)
{
	probe_libraries list = {0};
	int bad = probe_libraries_known(&list) ? no_memory(s) : 0;

	for (size_t i = 0; !bad && i < list.n; i++)
		for (size_t k = 0; k < sizeof libraries / sizeof *libraries;
			k++)
			if (strcmp(list.v[i].name, libraries[k]) == 0)
				bad |= look_in_library(s, list.v[i].path);
	probe_libraries_free(&list);
	return bad;
}

int allocators_find(struct calls *calls, char *const *argv, pid_t pid,
	bool ends, struct err *err)
{
	struct allocator_search search = {
		.calls = calls, .ends = ends, .err = err};
	struct probe_symbols *symbols;
	int bad = probe_target(calls, argv, pid, err);

	if (bad || !calls->program)
		return bad;
	symbols = probe_symbols_open(calls->program, &calls->debug_files, err);
	if (!symbols)
		return -1;
	bad = search_target(&search, symbols, argv ? 0 : pid) ||
	      look_in_system(&search);
	probe_symbols_close(symbols);
	vec_free(&search.seen);
	return bad ? -1 : 0;
}
