/*
 * The counting object: the blocks whose ends are to be reported, by address.
 *
 * Its functions are called in signal handlers and by all threads at once.  An
 * address has few slots in a table, all in two lines of the cache; where they
 * are taken those of the next table serve, which is mapped then.  The kernel
 * empties the tables in forked children: what a child inherits ends in its
 * parent.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "monitor/inprocess/object.h"

struct slot {
	uintptr_t address; /* 0: free */
	uint64_t block;
};

#define FILLING 1 /* no address: its block is not known yet */
#define WAYS 8
#define LINE 4 /* slots in a line of the cache */

static const unsigned char bits[] = {12, 16, 20, 24};
#define TABLES (sizeof bits)

static struct slot *tables[TABLES];
uint16_t *followed_filter;

/* Memory that forked children have empty; what *AT is then, or NULL. */
static void *map(void *at, size_t size)
{
	int error = errno;
	void *none = NULL,
	     *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED) {
		memory = NULL;
	} else if (madvise(memory, size, MADV_WIPEONFORK) ||
		   !__atomic_compare_exchange_n((void **)at, &none, memory,
			   false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		munmap(memory, size);
		memory = none; /* another thread's */
	}
	errno = error;
	return memory;
}

static struct slot *table(size_t i)
{
	struct slot *t = __atomic_load_n(&tables[i], __ATOMIC_ACQUIRE);

	return t ? t : map(&tables[i], sizeof *t << bits[i]);
}

static struct slot *slot(struct slot *t, size_t i, const void *p, size_t way)
{
	size_t at = followed_hash(p) >> (64 - bits[i]) & ~(size_t)(LINE - 1);

	return &t[(at + way) & (((size_t)1 << bits[i]) - 1)];
}

static void weigh(const void *p, uint16_t n)
{
	__atomic_fetch_add(
		&followed_filter[followed_place(p)], n, __ATOMIC_RELEASE);
}

bool followed_put(void *p, uint32_t block)
{
	struct slot *t, *s;
	uintptr_t none;

	if (!followed_filter &&
		!map(&followed_filter,
			sizeof *followed_filter << FOLLOWED_FILTER_BITS))
		return false;
	for (size_t i = 0; i < TABLES && (t = table(i)); i++)
		for (size_t way = 0; way < WAYS; way++) {
			s = slot(t, i, p, way);
			none = 0;
			if (!__atomic_compare_exchange_n(&s->address, &none,
				    FILLING, false, __ATOMIC_ACQUIRE,
				    __ATOMIC_RELAXED))
				continue;
			s->block = block;
			__atomic_store_n(
				&s->address, (uintptr_t)p, __ATOMIC_RELEASE);
			weigh(p, 1);
			return true;
		}
	return false;
}

uint32_t followed_add(void *p)
{
	static uint32_t last;
	uint32_t block = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);

	return p && followed_put(p, block) ? block : 0;
}

uint32_t followed_take(void *p)
{
	struct slot *t, *s;

	for (size_t i = 0; p && i < TABLES; i++) {
		t = __atomic_load_n(&tables[i], __ATOMIC_ACQUIRE);
		for (size_t way = 0; t && way < WAYS; way++) {
			uint32_t block;

			s = slot(t, i, p, way);
			if (__atomic_load_n(&s->address, __ATOMIC_ACQUIRE) !=
				(uintptr_t)p)
				continue;
			block = (uint32_t)s->block;
			weigh(p, (uint16_t)-1);
			__atomic_store_n(&s->address, 0, __ATOMIC_RELEASE);
			return block;
		}
	}
	return 0;
}
