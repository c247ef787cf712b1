/*
 * The counting object: malloc and the like, which count and go on to libc's.
 *
 * It must be right before libc is initialized, in signal handlers, in forked
 * children and in ending threads: it takes no lock and no memory, and all that
 * it changes belongs to the calling thread.  Where nothing is due its functions
 * save no register and end in a jump: they are in no stack.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "monitor/arch/preload.h"
#include "monitor/inprocess/next.h"
#include "monitor/inprocess/object.h"
#include "monitor/inprocess/preloadable.h"

/* --- the count --- */

static __thread struct counting_state self
	__attribute__((tls_model("initial-exec")));

/* Is 0 in a forked child until its first request: the kernel sees to that. */
static uint32_t always = 1;
static uint32_t *same_process = &always;

static __thread uint64_t last_random __attribute__((tls_model("initial-exec")));

/* Its destructor is called at the end of each thread that has reported. */
static pthread_key_t ends;
static bool ends_are_known;

void cpprof_passed(const struct counting_state *state);
void cpprof_stop(const struct counting_state *state)
	__attribute__((visibility("hidden")));

/*
 * Where in its part of what is consumed, an INTERVAL long, a sample is due: at
 * its end, or before, by so much as intervals may vary.  So what consumes a
 * part of it has the sample as often, whatever came before; a large request
 * passes many parts at once.
 */
static uint64_t draw(struct counting_state *t, uint64_t interval)
{
	uint64_t range = interval * settings.spread / 100;

	if (!last_random)
		last_random = (uintptr_t)t * 0x9e3779b97f4a7c15u | 1;
	last_random ^= last_random << 13;
	last_random ^= last_random >> 7;
	last_random ^= last_random << 17;
	return interval -
	       last_random % (range < interval ? range + 1 : interval);
}

/*
 * Resource I begins with CONSUMED in its first report.  A thread starts at a
 * random point of its first interval: many short ones are sampled as one that
 * consumes as much.
 */
static void begin(
	struct counting_state *t, int i, uint64_t consumed, bool first)
{
	uint64_t interval = settings.interval[i];

	t->report.consumed[i] = consumed;
	if (!interval) {
		t->from[i] = t->report.left[i] = INT64_MAX / 2;
		return;
	}
	draw(t, interval);
	t->from[i] = t->report.left[i] =
		(int64_t)((first ? interval - 1 : last_random % interval));
	t->report.step[i] = (uint64_t)t->report.left[i] + 1;
	t->report.left[i] -= (int64_t)consumed;
}

/* What counts of a request of SIZE. */
static inline uint64_t counted(uint64_t size)
{
	return size > COUNTING_MOST ? 0 : size;
}

/* Nothing is counted: another allocator serves, which has probes. */
static void rest(struct counting_state *t)
{
	for (int i = 0; i < COUNTINGS; i++)
		t->from[i] = t->report.left[i] = INT64_MAX / 2;
	*same_process = 1;
}

/* A sample of resource I is due: finds where the next one will be. */
static void go_on(struct counting_state *t, int i)
{
	uint64_t interval = settings.interval[i];
	uint64_t over = t->report.step[i] + (uint64_t)(-1 - t->report.left[i]);
	uint64_t parts = over / interval;
	uint64_t at = parts ? draw(t, interval) : t->report.step[i];
	int64_t from = -(int64_t)(over % interval); /* of AT's part */

	if (at <= over % interval) {
		parts++;
		from += (int64_t)interval;
		at = draw(t, interval);
	}
	t->report.hits[i] = parts < UINT32_MAX ? (uint32_t)parts : UINT32_MAX;
	t->report.step[i] = at;
	t->report.left[i] = from + (int64_t)at - 1;
}

static bool object_counts(void);

static bool no_settings;

void object_rest(void)
{
	no_settings = true;
}

/* Whether requests of the thread count; before it is known, they do not. */
static bool is_to_count(struct counting_state *t)
{
	int error = errno;
	bool settled = settings.run || object_settings();
	bool counts = settled && object_counts();

	if (!settled && !no_settings)
		memset(t, 0, sizeof *t);
	else if (!counts)
		rest(t);
	errno = error;
	return counts;
}

/*
 * Prepares the report of as many REQUESTS, of SIZE bytes.  False: there is
 * nothing to report.
 */
static __attribute__((noinline)) bool report(
	struct counting_state *t, uint64_t size, uint64_t requests)
{
	const uint64_t amounts[COUNTINGS] = {counted(size), requests};
	bool forked = !*same_process, first;

	t->report.begins = forked || t->report.run == 0;
	if (!is_to_count(t))
		return false;
	first = t->report.begins &&
		__atomic_exchange_n(&settings.first, 0, __ATOMIC_RELAXED);
	*same_process = 1;
	if (!t->report.run && ends_are_known)
		pthread_setspecific(ends, t);
	t->report.run = settings.run;
	t->report.block = 0;
	t->report.frees = t->report.begins ? 0 /* else it is the parent's */
					   : counting_freed(t);
	t->freed = -FREES_UNSEEN;
	for (int i = 0; i < COUNTINGS; i++) {
		t->report.consumed[i] = t->report.hits[i] = 0;
		if (t->report.begins)
			begin(t, i, amounts[i], first);
		else if (t->report.left[i] < 0)
			t->report.consumed[i] =
				(uint64_t)(t->from[i] - t->report.left[i]);
		else
			continue;
		if (t->report.left[i] < 0)
			go_on(t, i);
		t->from[i] = t->report.left[i];
	}
	return true;
}

/* The caller is the one that requests: its stack is the sample. */
static inline __attribute__((always_inline)) void tell(
	const struct counting_state *t)
{
	cpprof_passed(t);
	if (settings.stops)
		cpprof_stop(t);
}

/* Counts a request of SIZE; whether there may be something to report. */
static inline __attribute__((always_inline)) bool count(uint64_t size)
{
	struct counting_state *t = &self;

	t->report.left[COUNTING_BYTES] -= (int64_t)counted(size);
	t->report.left[COUNTING_REQUESTS]--;
	return __builtin_expect(
		(t->report.left[0] | t->report.left[1]) < 0 || !*same_process,
		0);
}

PASSED_FUNCTION(COUNTING_PASSED);
STOP_FUNCTION("cpprof_stop", COUNTING_STOP);

/* --- blocks --- */

static __attribute__((noinline)) bool follows(void)
{
	return is_to_count(&self) && settings.follows;
}

static __attribute__((noinline)) void end_block(uint32_t block)
{
	const struct counting_state end = {
		.report = {.run = settings.run, .block = block, .ended = 1}};

	tell(&end);
}

/* Prepares the report of a request of SIZE bytes that has got P. */
static __attribute__((noinline)) bool report_block(
	struct counting_state *t, uint64_t size, void *p)
{
	if (!report(t, size, 1))
		return false;
	for (int i = 0; i < COUNTINGS && !t->report.block; i++)
		if (t->report.hits[i] && settings.follows & 1u << i)
			t->report.block = followed_add(p);
	return true;
}

/* The same, and reports. */
static inline __attribute__((always_inline)) void follow(uint64_t size, void *p)
{
	struct counting_state *t = &self;

	if (report_block(t, size, p))
		tell(t);
}

void object_flush(void)
{
	struct counting_state *t = &self;
	uint64_t any = counting_freed(t);

	if (!t->report.run || !*same_process)
		return;
	t->report.begins = 0;
	t->report.block = 0;
	t->report.frees = counting_freed(t);
	t->freed = -FREES_UNSEEN;
	for (int i = 0; i < COUNTINGS; i++) {
		t->report.hits[i] = 0;
		t->report.consumed[i] =
			(uint64_t)(t->from[i] - t->report.left[i]);
		t->from[i] = t->report.left[i];
		any |= t->report.consumed[i];
	}
	if (any)
		tell(t);
}

static void cpprof_end_thread(void *arg)
{
	(void)arg;
	object_flush();
}

void object_watch(void)
{
	uint32_t *page;

	ends_are_known = pthread_key_create(&ends, cpprof_end_thread) == 0;
	page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return;
	*page = 1;
	if (madvise(page, sizeof *page, MADV_WIPEONFORK))
		munmap(page, sizeof *page);
	else
		same_process = page;
}

/* --- the functions --- */

/* Memory for what dlsym() itself requests, which is not freed. */
static char spare[16384] __attribute__((aligned(16)));
static size_t spared;

static void *spare_memory(size_t size)
{
	size_t at = __atomic_fetch_add(
		&spared, (size + 15) & ~(size_t)15, __ATOMIC_RELAXED);

	if (at > sizeof spare || size > sizeof spare - at) {
		errno = ENOMEM;
		return NULL;
	}
	return spare + at;
}

static bool is_spare(const void *p)
{
	return (uintptr_t)p - (uintptr_t)spare < sizeof spare;
}

static __thread bool searching __attribute__((tls_model("initial-exec")));

/* The next function of that NAME; NULL: this thread searches for one. */
static void *next(const char *name)
{
	void *found;

	if (searching)
		return NULL;
	searching = true;
	found = dlsym(RTLD_NEXT, name);
	searching = false;
	if (!found)
		abort(); /* libc has all of them */
	return found;
}

/*
 * The pointer to the next function of that name, which at first points to the
 * search for it; SPARE_RESULT serves while the search itself requests memory.
 */
#define NEXT_POINTER(type, name, parameters, arguments, spare_result)          \
	static type first_##name parameters;                                   \
	static type(*next_##name) parameters = first_##name;                   \
	static bool find_##name(void)                                          \
	{                                                                      \
		void *found = next(#name);                                     \
                                                                               \
		if (found)                                                     \
			next_##name = (type(*) parameters)(uintptr_t)found;    \
		return found;                                                  \
	}                                                                      \
	static type first_##name parameters                                    \
	{                                                                      \
		return find_##name() ? next_##name arguments : spare_result;   \
	}
/* Before the end of a function: it returns there, and ends in no jump.  The
   stack says which function the program called. */
#define STAYS_ON_STACK __asm__ volatile("")

/*
 * And a function of ours before it, for a request of SIZE; BLOCK is the memory
 * that it GOT.  What is seldom due is a function of its own: the other way
 * needs no register to be saved.
 */
#define FUNCTION(type, name, parameters, arguments, size, spare_result, block) \
	NEXT_POINTER(type, name, parameters, arguments, spare_result)          \
	static __attribute__((noinline)) type seldom_##name parameters         \
	{                                                                      \
		bool followed = follows();                                     \
		type got;                                                      \
                                                                               \
		if (!followed && report(&self, size, 1))                       \
			tell(&self);                                           \
		got = next_##name arguments;                                   \
		if (followed)                                                  \
			follow(size, block);                                   \
		return got;                                                    \
	}                                                                      \
	EXPORT type name parameters                                            \
	{                                                                      \
		type got;                                                      \
                                                                               \
		if (!count(size))                                              \
			return next_##name arguments;                          \
		got = seldom_##name arguments;                                 \
		STAYS_ON_STACK;                                                \
		return got;                                                    \
	}

static uint64_t product(size_t n, size_t size)
{
	uint64_t all;

	return __builtin_mul_overflow(n, size, &all) ? ~0ull : all;
}

FUNCTION(void *, malloc, (size_t size), (size), size, spare_memory(size), got)
FUNCTION(void *, calloc, (size_t n, size_t size), (n, size), product(n, size),
	spare_memory(product(n, size)), got)
FUNCTION(void *, memalign, (size_t align, size_t size), (align, size), size,
	NULL, got)
FUNCTION(void *, aligned_alloc, (size_t align, size_t size), (align, size),
	size, NULL, got)
FUNCTION(int, posix_memalign, (void **result, size_t align, size_t size),
	(result, align, size), size, ENOMEM, got ? NULL : *result)
FUNCTION(void *, valloc, (size_t size), (size), size, NULL, got)
FUNCTION(void *, pvalloc, (size_t size), (size), size, NULL, got)

NEXT_POINTER(void *, realloc, (void *p, size_t size), (p, size), NULL)
NEXT_POINTER(void, free, (void *p), (p), (void)0)

static void *copy_spare(const char *p, size_t size)
{
	void *copy = next_malloc(size);
	size_t most = (size_t)(spare + sizeof spare - p);

	return copy ? memcpy(copy, p, size < most ? size : most) : NULL;
}

void object_start(void)
{
	if (!self.report.run && report(&self, 0, 0))
		tell(&self);
}

/* A thread that only frees has reports, too. */
static __attribute__((noinline)) void see_frees(struct counting_state *t)
{
	if (t->report.run && *same_process)
		object_flush();
	else if (report(t, 0, 0))
		tell(t);
	else if (t->from[COUNTING_REQUESTS]) /* it is known that nothing is */
		t->freed = -FREES_UNSEEN;
}

static inline uint32_t take_block(void *p)
{
	return __builtin_expect(followed_may_have(p), 0) ? followed_take(p) : 0;
}

/* The new block is another one, also at the same address; without one the old
   one lives, but after realloc(p, 0). */
static __attribute__((noinline)) void *seldom_realloc(
	void *p, size_t size, bool due)
{
	bool followed = due && follows();
	uint32_t old;
	void *got;

	if (due && !followed && report(&self, size, 1))
		tell(&self);
	if (is_spare(p))
		return copy_spare(p, size);
	old = take_block(p);
	got = next_realloc(p, size);
	if (settings.follows)
		self.freed += p && (got || !size);
	if (old && (got || !size || !followed_put(p, old)))
		end_block(old);
	if (followed)
		follow(size, got);
	return got;
}

/* Libc's reallocarray() calls this one. */
EXPORT void *realloc(void *p, size_t size)
{
	bool due = count(size);
	void *got;

	if (!due && !is_spare(p) && (!settings.follows || !p))
		return next_realloc(p, size);
	got = seldom_realloc(p, size, due);
	STAYS_ON_STACK;
	return got;
}

static __attribute__((noinline)) void seldom_free(void *p)
{
	uint32_t block;

	if (self.freed >= 0 || !*same_process)
		see_frees(&self);
	self.freed++;
	block = take_block(p);
	if (block)
		end_block(block);
	next_free(p);
}

EXPORT void free(void *p)
{
	if (!p || is_spare(p))
		return;
	if (__builtin_expect(
		    self.freed >= 0 || !*same_process || followed_may_have(p),
		    0)) {
		seldom_free(p);
		STAYS_ON_STACK;
		return;
	}
	self.freed++;
	next_free(p);
}

/* Whether no allocator serves that has probes, where there are any. */
static bool object_counts(void)
{
	static int known; /* 1: so it is, -1: not */
	Dl_info info;
	void *found;

	if (known)
		return known > 0;
	found = next("malloc");
	if (!found) /* this thread searches just now */
		return false;
	known = !settings.stops && dladdr(found, &info) &&
				has_probes(info.dli_fname)
			? -1
			: 1;
	return known > 0;
}

void object_find(void)
{
	static bool (*const each[])(void) = {find_malloc, find_calloc,
		find_memalign, find_aligned_alloc, find_posix_memalign,
		find_valloc, find_pvalloc, find_realloc, find_free};

	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		each[i]();
}
