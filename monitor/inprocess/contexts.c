/*
 * The counting object: the memory in which calls are counted by context, and
 * the processes, threads and mappings that it tells of.
 *
 * What hooks.c calls takes no memory or lock of libc, and of its functions
 * those alone that leave vectors as they are.
 */
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "monitor/arch/preload.h"
#include "monitor/inprocess/automaton.h"
#include "monitor/inprocess/object.h"

#define WINDOW (1u << 20) /* bytes that are mapped at first */
#define ENDED_MOST 1024   /* threads that the monitor has not taken yet */
#define RANGES 512

static const uint32_t closed;

/* Below all entries: where the thread began. */
static struct entry outermost = {.at = UINTPTR_MAX, .callee = UINT64_MAX};
static struct automaton none = {.gate = &closed, .top = &outermost};

__thread struct automaton *self = &none;
__thread uintptr_t busy;
static __thread bool locked __attribute__((tls_model("initial-exec")));

uint64_t contexts_epoch;
bool contexts_count;

/* Of the process; changed under the lock. */
static char *window;
static size_t window_bytes;
static uint32_t *gate; /* the kernel empties it in forked children */
static struct contexts_page *process, *maps;
static struct automaton *automata;

/* Mappings that the monitor knows. */
static struct range {
	uint64_t start, end;
} ranges[RANGES];
static uint32_t nranges;
static unsigned long long nunmapped; /* libraries */

static uint32_t lock;
static pthread_key_t ends;
static bool has_ends;

static struct contexts_shared *shared(void)
{
	return (struct contexts_shared *)window;
}

void contexts_lose(void)
{
	__atomic_fetch_add(&shared()->lost, shared()->on, __ATOMIC_RELAXED);
}

static void take_lock(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		PRELOAD_PAUSE();
	locked = true;
}

static void drop_lock(void)
{
	locked = false;
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

void contexts_leave(void)
{
	if (locked)
		drop_lock();
	busy = 0;
}

/* --- memory --- */

void *contexts_map(size_t size)
{
	long at = preload_syscall(SYS_mmap, 0, (long)size,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at < 0 && at > -4096 ? NULL : (void *)at;
}

void contexts_unmap(void *at, size_t size)
{
	preload_syscall(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

/*
 * Maps BYTES of the file.  What was mapped before stays: others use it.  An old
 * size of 0 makes a second mapping of the same pages.
 */
static bool widen(size_t bytes)
{
	size_t size = window_bytes;
	long at;

	if (bytes <= size)
		return true;
	while (size < bytes)
		size *= 2;
	at = preload_syscall(
		SYS_mremap, (long)window, 0, (long)size, MREMAP_MAYMOVE, 0, 0);
	if (at < 0 && at > -4096)
		return false;
	preload_syscall(SYS_madvise, at, (long)size, MADV_DONTDUMP, 0, 0, 0);
	window = (char *)at;
	window_bytes = size;
	return true;
}

/* A page of the run, all zero but for its NUMBER and OF; NULL: none is left. */
static struct contexts_page *take(uint32_t of)
{
	uint32_t number = __atomic_load_n(&shared()->used, __ATOMIC_RELAXED);
	struct contexts_page *page;

	do {
		if (number >= CONTEXTS_MOST ||
			!widen((number + (size_t)1) * CONTEXTS_PAGE))
			return NULL;
	} while (!__atomic_compare_exchange_n(&shared()->used, &number,
		number + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	page = (struct contexts_page *)window + number;
	page->number = number;
	page->of = of;
	return page;
}

static void publish(struct contexts_page *page, uint32_t kind)
{
	__atomic_store_n(&page->kind, kind, __ATOMIC_RELEASE);
}

/* --- mappings --- */

/* A line of /proc/self/maps, as far as it was read. */
struct map_line {
	char text[sizeof maps->lines];
	uint32_t n; /* may be more than have room */
	unsigned field;
	struct range range;
};

static bool is_known(uint64_t addr)
{
	for (uint32_t i = __atomic_load_n(&nranges, __ATOMIC_ACQUIRE); i-- > 0;)
		if (addr - ranges[i].start < ranges[i].end - ranges[i].start)
			return true;
	return false;
}

static void tell_line(const struct map_line *line)
{
	uint32_t epoch = (uint32_t)(contexts_epoch >> CONTEXTS_EPOCH_SHIFT);

	if (nranges == RANGES || line->n > sizeof maps->lines)
		return;
	if (maps->n + line->n > sizeof maps->lines || maps->epoch != epoch) {
		struct contexts_page *page = take(process->number);

		if (!page)
			return;
		page->epoch = epoch;
		publish(page, CONTEXTS_MAPS);
		maps = page;
	}
	for (uint32_t i = 0; i < line->n; i++)
		maps->lines[maps->n + i] = line->text[i];
	__atomic_store_n(&maps->n, maps->n + line->n, __ATOMIC_RELEASE);
	ranges[nranges] = line->range;
	__atomic_store_n(&nranges, nranges + 1, __ATOMIC_RELEASE);
}

/* Adds C to the line.  Whether that ends the line of ADDR. */
static bool add_char(struct map_line *line, uint64_t addr, char c)
{
	struct range *r = &line->range;
	uint64_t *number = line->field ? &r->end : &r->start;

	if (line->n < sizeof line->text)
		line->text[line->n] = c;
	line->n++;
	if (c == '\n') {
		if (addr - r->start < r->end - r->start)
			return true;
		line->n = line->field = 0;
		r->start = r->end = 0;
	} else if (c == ' ' || (c == '-' && !line->field)) {
		line->field++;
	} else if (line->field < 2) {
		*number = *number << 4 |
			  (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return false;
}

void contexts_tell_map(uint64_t addr)
{
	static struct map_line line;
	static char text[1024];
	bool found = false;
	long fd, n = 1;

	if (is_known(addr))
		return;
	take_lock();
	line.n = line.field = 0;
	line.range.start = line.range.end = 0;
	fd = preload_syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/maps",
		O_RDONLY | O_CLOEXEC, 0, 0, 0);
	while (fd >= 0 && !found && n > 0) {
		n = preload_syscall(
			SYS_read, fd, (long)text, (long)sizeof text, 0, 0, 0);
		for (long i = 0; i < n && !found; i++)
			found = add_char(&line, addr, text[i]);
	}
	if (fd >= 0)
		preload_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	if (found)
		tell_line(&line);
	drop_lock();
}

static int count_unmapped(struct dl_phdr_info *info, size_t size, void *n)
{
	(void)size;
	*(unsigned long long *)n = info->dlpi_subs;
	return 1;
}

void contexts_unmapped(void)
{
	unsigned long long n = nunmapped;

	if (!process || busy)
		return;
	dl_iterate_phdr(count_unmapped, &n);
	busy = (uintptr_t)&n;
	take_lock();
	if (n != nunmapped) {
		contexts_epoch += 1ull << CONTEXTS_EPOCH_SHIFT;
		nranges = 0;
	}
	nunmapped = n;
	contexts_leave();
}

/* --- processes and threads --- */

static uint64_t now(void)
{
	struct timespec t;

	preload_syscall(
		SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int32_t get(long number)
{
	return (int32_t)preload_syscall(number, 0, 0, 0, 0, 0, 0);
}

/* This process, which can be one that was just forked; under the lock. */
static bool begin_process(void)
{
	struct contexts_page *p = take(process ? process->number : 0);

	if (!p)
		return false;
	p->id = get(SYS_getpid);
	p->parent = get(SYS_getppid);
	p->time = now();
	p->epoch = (uint32_t)(contexts_epoch >> CONTEXTS_EPOCH_SHIFT);
	preload_syscall(SYS_prctl, PR_GET_NAME, (long)p->name, 0, 0, 0, 0);
	publish(p, CONTEXTS_PROCESS);
	*gate = 1; /* before it is known: else it was forked */
	__atomic_store_n(&process, p, __ATOMIC_RELEASE);
	maps = p;
	automata = NULL;
	return true;
}

/* Has A begin as a thread that was not there. */
static bool renew(struct automaton *a)
{
	size_t size = FIRST_TABLE * sizeof *a->table;
	uint32_t *table = contexts_map(size);
	struct contexts_page *thread = table ? take(process->number) : NULL;

	if (!thread) {
		if (table)
			contexts_unmap(table, size);
		return false;
	}
	if (a->table)
		contexts_unmap(a->table, (a->mask + 1) * sizeof *a->table);
	a->table = table;
	a->mask = FIRST_TABLE - 1;
	a->n = 0;
	a->thread = a->page = thread;
	publish(thread, CONTEXTS_THREAD);
	a->next = automata;
	automata = a;
	return true;
}

static struct automaton *new_automaton(void)
{
	struct automaton *a = contexts_map(sizeof *a);

	if (!a)
		return NULL;
	a->room = FIRST_DEPTH;
	a->entries = a->top = contexts_map(a->room * sizeof *a->entries);
	if (a->entries && renew(a)) {
		*a->entries = outermost;
		return a;
	}
	if (a->entries)
		contexts_unmap(a->entries, a->room * sizeof *a->entries);
	contexts_unmap(a, sizeof *a);
	return NULL;
}

static bool has_state(struct automaton *a, uint32_t state)
{
	return __atomic_compare_exchange_n(&a->thread->state, &state,
		CONTEXTS_LIVE, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* One that no thread uses and the monitor has taken, or does not take. */
static struct automaton *find_automaton(void)
{
	unsigned n = 0;

	for (struct automaton *a = automata; a; a = a->next)
		if (has_state(a, CONTEXTS_FREE) ||
			(n++ > ENDED_MOST && has_state(a, CONTEXTS_ENDED)))
			return a;
	return new_automaton();
}

/* This thread; one of a forked child goes on where its parent was. */
static bool begin_thread(void)
{
	struct automaton *a = self;

	if (a == &none)
		a = find_automaton();
	else if (!renew(a))
		a = NULL;
	self = a ? a : &none;
	if (!a)
		return false;
	a->base = window;
	a->gate = gate;
	a->thread->id = get(SYS_gettid);
	__atomic_store_n(&a->thread->time, now(), __ATOMIC_RELEASE);
	return true;
}

bool contexts_new_page(void)
{
	struct contexts_page *page;

	take_lock();
	page = take(self->thread->number);
	if (page) {
		publish(page, CONTEXTS_CALLS);
		self->page = page;
		self->base = window;
	}
	drop_lock();
	return page;
}

static void cpprof_end_thread(void *arg)
{
	struct automaton *a = self;

	(void)arg;
	if (!*a->gate)
		return;
	self = &none;
	BARRIER();
	contexts_leave();
	a->top = a->entries;
	__atomic_store_n(&a->thread->state, CONTEXTS_ENDED, __ATOMIC_RELEASE);
}

/*
 * A hook is at work already, or has not begun in this thread or process.
 * Whether the call at AT is to be counted.
 */
bool contexts_enter(uintptr_t at)
{
	bool forked = process && !*gate, good;

	if (!window && !contexts_begin())
		return false;
	if (busy) {
		contexts_lose();
		return false;
	}
	busy = at;
	if (forked)
		lock = 0;
	take_lock();
	good = ((process && !forked) || begin_process()) && begin_thread();
	drop_lock();
	if (good && has_ends)
		PRELOAD_KEEP_VECTORS(pthread_setspecific(ends, &self));
	if (!good)
		contexts_lose();
	busy = 0;
	return good;
}

bool contexts_begin(void)
{
	char path[64];
	void *at;
	int fd;

	if (!settings.run || !settings.fd)
		return false;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", settings.monitor,
		settings.fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	settings.fd = 0;
	if (fd < 0)
		return false;
	at = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return false;
	gate = contexts_map(sizeof *gate);
	if (((struct contexts_shared *)at)->run != settings.run || !gate ||
		madvise(gate, sizeof *gate, MADV_WIPEONFORK)) {
		munmap(at, WINDOW);
		return false;
	}
	madvise(at, WINDOW, MADV_DONTDUMP);
	has_ends = pthread_key_create(&ends, cpprof_end_thread) == 0;
	window_bytes = WINDOW;
	window = at;
	contexts_count = true;
	return true;
}
