/*
 * The counting object: the memory in which calls are counted by context, and
 * the processes, threads and mappings that it tells of.
 *
 * What hooks.c calls takes no memory or lock of libc, and of its functions
 * those alone that leave vectors as they are.
 */
#include <fcntl.h>
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
#define FIRST_BLOCK 64    /* transitions */
#define LAST_BLOCK 4096
#define ENDED_MOST 1024 /* threads that the monitor has not taken yet */
#define RANGES 512
#define LINES_BYTES 16384

static const uint32_t closed;

/* Below all entries: where the thread began. */
#define OUTERMOST                                                              \
	{                                                                      \
		.at = UINTPTR_MAX, .callee = UINT64_MAX                        \
	}
static struct entry none = OUTERMOST;

__thread struct automaton_self self = {.gate = &closed, .top = &none};

uint64_t contexts_epoch;
bool contexts_count;

/* Of the process; changed under the lock. */
static char *window;
static size_t window_bytes;
static uint32_t *gate; /* the kernel empties it in forked children */
static struct contexts_process *process;
static uint32_t process_number;
static struct automaton *trees;

static struct range {
	uint64_t start, end;
	struct contexts_map *map;
} ranges[RANGES];
static uint32_t nranges;
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

void contexts_lock(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		PRELOAD_PAUSE();
	self.locked = true;
}

void contexts_unlock(void)
{
	self.locked = false;
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
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

/* Memory of the run for BYTES, all zero, and its NUMBER; NULL: none is left. */
static void *take(size_t bytes, uint32_t *number)
{
	uint64_t n = (bytes + CONTEXTS_UNIT - 1) / CONTEXTS_UNIT, at;

	if (shared()->used + n > CONTEXTS_MOST)
		return NULL;
	at = __atomic_fetch_add(&shared()->used, n, __ATOMIC_RELAXED);
	if (at + n > CONTEXTS_MOST || !widen((at + n) * CONTEXTS_UNIT))
		return NULL;
	*number = (uint32_t)at;
	return window + at * CONTEXTS_UNIT;
}

/* Puts an object of that NUMBER, whose first word is *BEFORE, before HEAD. */
static void put(uint32_t *head, uint32_t *before, uint32_t number)
{
	*before = __atomic_load_n(head, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(head, before, number, false,
		__ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* --- mappings --- */

struct map_lines {
	long fd;
	size_t from, n;
	char *bytes;
};

static bool lines_open(struct map_lines *lines)
{
	*lines = (struct map_lines){.bytes = contexts_map(LINES_BYTES)};
	lines->fd = lines->bytes ? preload_syscall(SYS_openat, AT_FDCWD,
					   (long)"/proc/self/maps",
					   O_RDONLY | O_CLOEXEC, 0, 0, 0)
				 : -1;
	return lines->fd >= 0;
}

static void lines_close(struct map_lines *lines)
{
	if (lines->fd >= 0)
		preload_syscall(SYS_close, lines->fd, 0, 0, 0, 0, 0);
	if (lines->bytes)
		contexts_unmap(lines->bytes, LINES_BYTES);
}

/* The next line, without its end; NULL: there is none. */
static const char *lines_next(struct map_lines *lines)
{
	for (;;) {
		char *line = lines->bytes + lines->from;
		size_t n = lines->n - lines->from;
		long got;

		for (size_t i = 0; i < n; i++)
			if (line[i] == '\n') {
				line[i] = '\0';
				lines->from += i + 1;
				return line;
			}
		for (size_t i = 0; i < n; i++)
			lines->bytes[i] = line[i];
		lines->from = 0;
		lines->n = n;
		got = preload_syscall(SYS_read, lines->fd,
			(long)(lines->bytes + n), (long)(LINES_BYTES - n), 0, 0,
			0);
		if (got <= 0)
			return NULL;
		lines->n += (size_t)got;
	}
}

static uint64_t hex(const char **text)
{
	uint64_t value = 0;

	for (;; ++*text) {
		unsigned digit = (unsigned char)**text;

		if (digit - '0' < 10)
			value = value << 4 | (digit - '0');
		else if (digit - 'a' < 6)
			value = value << 4 | (digit - 'a' + 10);
		else
			return value;
	}
}

static struct range range_of(const char *line)
{
	struct range range;

	range.start = hex(&line);
	line++;
	range.end = hex(&line);
	return range;
}

static void record(const struct range *range, const char *line)
{
	struct contexts_map *map;
	uint32_t bytes = 0, number;

	while (line[bytes++])
		;
	if (nranges == RANGES)
		return;
	map = take(sizeof *map + bytes, &number);
	if (!map)
		return;
	map->bytes = bytes;
	map->start = range->start;
	map->end = range->end;
	map->born = (uint32_t)(contexts_epoch >> CONTEXTS_EPOCH_SHIFT);
	for (uint32_t i = 0; i < bytes; i++)
		map->line[i] = line[i];
	put(&process->maps, &map->before, number);
	ranges[nranges] = (struct range){range->start, range->end, map};
	__atomic_store_n(&nranges, nranges + 1, __ATOMIC_RELEASE);
}

static bool is_known(uint64_t addr)
{
	for (uint32_t i = __atomic_load_n(&nranges, __ATOMIC_ACQUIRE); i-- > 0;)
		if (addr - ranges[i].start < ranges[i].end - ranges[i].start)
			return true;
	return false;
}

/* Has the monitor know what is mapped at ADDR. */
void contexts_tell_map(uint64_t addr)
{
	struct map_lines lines;
	const char *line;

	if (is_known(addr))
		return;
	contexts_lock();
	for (bool more = lines_open(&lines);
		more && (line = lines_next(&lines));) {
		struct range range = range_of(line);

		if (addr - range.start >= range.end - range.start)
			continue;
		record(&range, line);
		break;
	}
	lines_close(&lines);
	contexts_unlock();
}

static bool is_line(const struct range *range, const char *line)
{
	const char *text = range->map->line;

	while (*text && *text == *line)
		text++, line++;
	return *text == *line;
}

void contexts_unmapped(void)
{
	bool there[RANGES] = {0}, gone = false;
	struct map_lines lines;
	const char *line;
	uint32_t n = 0;

	if (!nranges || self.busy)
		return;
	self.busy = (uintptr_t)&lines;
	contexts_lock();
	if (lines_open(&lines)) {
		while ((line = lines_next(&lines)))
			for (uint32_t i = 0; i < nranges; i++)
				there[i] |= is_line(&ranges[i], line);
		for (uint32_t i = 0; i < nranges; i++)
			gone |= !there[i];
	}
	lines_close(&lines);
	if (gone) {
		contexts_epoch += 1ull << CONTEXTS_EPOCH_SHIFT;
		for (uint32_t i = 0; i < nranges; i++)
			if (there[i])
				ranges[n++] = ranges[i];
			else
				ranges[i].map->died =
					(uint32_t)(contexts_epoch >>
						   CONTEXTS_EPOCH_SHIFT);
		nranges = n;
	}
	contexts_unlock();
	self.busy = 0;
}

/* --- processes and threads --- */

static uint64_t now(void)
{
	struct timespec t;

	preload_syscall(
		SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static long get(long number)
{
	return preload_syscall(number, 0, 0, 0, 0, 0, 0);
}

/* This process, which can be one that was just forked; under the lock. */
static bool begin_process(void)
{
	uint32_t number, n = nranges;
	struct contexts_process *p = take(sizeof *p, &number);

	if (!p)
		return false;
	p->pid = (int32_t)get(SYS_getpid);
	p->parent = (int32_t)get(SYS_getppid);
	p->time = now();
	preload_syscall(SYS_prctl, PR_GET_NAME, (long)p->name, 0, 0, 0, 0);
	process_number = number;
	*gate = 1; /* before it is known: else it was forked */
	__atomic_store_n(&process, p, __ATOMIC_RELEASE);
	trees = NULL;
	nranges = 0;
	for (uint32_t i = 0; i < n; i++)
		record(&(struct range){ranges[i].start, ranges[i].end, NULL},
			ranges[i].map->line);
	put(&shared()->processes, &p->before, number);
	return true;
}

static struct automaton *new_tree(void)
{
	struct automaton *tree = contexts_map(sizeof *tree);
	uint32_t number;

	if (!tree)
		return NULL;
	tree->thread = take(sizeof *tree->thread, &number);
	if (!tree->thread)
		return NULL;
	tree->table = tree->first_table;
	tree->mask = FIRST_TABLE - 1;
	tree->entries = tree->first_entries;
	tree->entries[0] = (struct entry)OUTERMOST;
	tree->room = FIRST_DEPTH;
	tree->thread->process = process_number;
	tree->thread->state = CONTEXTS_ENDED;
	tree->next = trees;
	trees = tree;
	put(&shared()->threads, &tree->thread->before, number);
	return tree;
}

bool contexts_new_block(void)
{
	struct automaton *tree = self.tree;
	uint32_t room = tree->block ? 2 * tree->block->room : FIRST_BLOCK;
	struct contexts_block *block;
	uint32_t number;

	if (room > LAST_BLOCK)
		room = LAST_BLOCK;
	contexts_lock();
	block = take(sizeof *block + room * sizeof *block->calls, &number);
	if (block) {
		block->room = room;
		put(&tree->thread->blocks, &block->before, number);
		tree->block = block;
		tree->block_number = number;
		self.base = window;
	}
	contexts_unlock();
	return block;
}

static bool has_state(struct automaton *tree, uint32_t state)
{
	return __atomic_compare_exchange_n(&tree->thread->state, &state,
		CONTEXTS_LIVE, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* One that no thread uses and the monitor has taken, or does not take. */
static struct automaton *find_tree(void)
{
	struct automaton *tree;
	unsigned n = 0;

	for (tree = trees; tree; tree = tree->next, n++)
		if (has_state(tree, CONTEXTS_FREE))
			return tree;
	for (tree = n < ENDED_MOST ? NULL : trees; tree; tree = tree->next)
		if (has_state(tree, CONTEXTS_ENDED))
			return tree;
	tree = new_tree();
	if (tree)
		tree->thread->state = CONTEXTS_LIVE;
	return tree;
}

/* This thread; one of a forked child goes on where its parent was. */
static bool begin_thread(void)
{
	struct automaton *tree = find_tree();

	if (!tree)
		return false;
	if (!self.tree) {
		self.entries = self.top = tree->entries;
		self.room = tree->room;
	}
	self.tree = tree;
	self.table = tree->table;
	self.mask = tree->mask;
	self.base = window;
	self.on = &shared()->on;
	self.gate = gate;
	tree->thread->tid = (int32_t)get(SYS_gettid);
	__atomic_store_n(&tree->thread->time, now(), __ATOMIC_RELEASE);
	return true;
}

static void end_thread(void *arg)
{
	struct automaton *tree = self.tree;

	(void)arg;
	if (!tree || !*self.gate)
		return;
	if (self.locked)
		contexts_unlock();
	self.gate = &closed;
	BARRIER();
	self.busy = 0;
	tree->table = self.table;
	tree->mask = self.mask;
	tree->entries = self.entries;
	tree->room = self.room;
	self.tree = NULL;
	self.top = &none;
	__atomic_store_n(
		&tree->thread->state, CONTEXTS_ENDED, __ATOMIC_RELEASE);
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
	if (self.busy) {
		contexts_lose();
		return false;
	}
	self.busy = at;
	if (forked)
		lock = 0;
	contexts_lock();
	good = (process && !forked) || begin_process();
	good = good && begin_thread();
	contexts_unlock();
	if (good && has_ends)
		PRELOAD_KEEP_VECTORS(pthread_setspecific(ends, &self));
	if (!good)
		contexts_lose();
	self.busy = 0;
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
	has_ends = pthread_key_create(&ends, end_thread) == 0;
	window_bytes = WINDOW;
	window = at;
	contexts_count = true;
	return true;
}
