/* Reads a live process's stack, and compares it with the sample's copy. */
#include "monitor/stack/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "lib/arch/arch.h"
#include "lib/sys/process_memory.h"
#include "monitor/base/proc.h"

#define OVERLAP_BELOW 512 /* bytes compared below and above the last word */
#define OVERLAP_ABOVE 512
#define LEAST_OVERLAP 256
#define FIRST_CHUNK (64 << 10)
#define LARGEST_CHUNK (4 << 20)
#define HOLE_PAGES 16
#define WAITING_PAGES 17

/* The part of the copy around the word that the unwinder read last. */
static void overlap_of(
	const struct snapshot *snapshot, uint64_t *start, size_t *size)
{
	uint64_t at = snapshot->last - snapshot->base;
	uint64_t lo = at > OVERLAP_BELOW ? at - OVERLAP_BELOW : 0;
	uint64_t hi = at + OVERLAP_ABOVE;

	if (hi > snapshot->size)
		hi = snapshot->size;
	*start = snapshot->base + lo;
	*size = hi - lo;
}

/* One call reads both, so that they are almost from one moment. */
static bool read_window(
	struct live *live, struct snapshot *snapshot, uint64_t addr)
{
	uint8_t check[OVERLAP_BELOW + OVERLAP_ABOVE];
	struct iovec local[2], remote[2];
	uint64_t start;
	size_t size;
	ssize_t n;

	overlap_of(snapshot, &start, &size);
	if (live->chunk > live->room) {
		free(live->window);
		live->window = malloc(live->chunk);
		live->room = live->window ? live->chunk : 0;
	}
	if (!live->window)
		return false;
	local[0] = (struct iovec){check, size};
	local[1] = (struct iovec){live->window, live->chunk};
	remote[0] = (struct iovec){(void *)(uintptr_t)start, size};
	remote[1] = (struct iovec){(void *)(uintptr_t)addr, live->chunk};
	n = process_vm_readv(live->pid, local, 2, remote, 2, 0);
	if (n < (ssize_t)(size + sizeof(uint64_t)) ||
		(!snapshot->unverified &&
			memcmp(check,
				snapshot->stack + (start - snapshot->base),
				size)))
		return false;
	live->start = addr;
	live->size = (size_t)n - size;
	if (live->chunk < LARGEST_CHUNK)
		live->chunk *= 4;
	return true;
}

static bool read_live(
	struct snapshot *snapshot, uint64_t addr, void *buf, size_t n)
{
	struct live *live = snapshot->live;
	uint64_t at = addr - live->start;

	live->asked = true;
	/* nothing was read yet: the innermost frame itself is too long */
	if (!snapshot->last && snapshot->size >= LEAST_OVERLAP)
		snapshot->last = snapshot->base;
	if ((live->refused && !snapshot->unverified) || !snapshot->last ||
		(addr < snapshot->base && snapshot->base - addr < PAGE_BYTES))
		return false;
	if (at >= live->size || live->size - at < n) {
		if (!read_window(live, snapshot, addr)) {
			live->refused = true;
			return false;
		}
		at = 0;
	}
	memcpy(buf, live->window + at, n);
	snapshot->read_later = true;
	return true;
}

static bool peek(struct snapshot *snapshot, uint64_t addr, void *buf, size_t n)
{
	struct live *live = snapshot->live;

	live->asked = true;
	return process_memory(live->pid, addr, buf, n) == n;
}

void live_attach(struct live *live, struct snapshot *snapshot)
{
	live->pid = snapshot->pid;
	live->size = 0;
	live->refused = live->asked = false;
	live->chunk = FIRST_CHUNK;
	snapshot->read_memory = read_live;
	snapshot->peek = peek;
	snapshot->live = live;
	snapshot->running = true;
	snapshot->read_later = false;
	snapshot->last = 0;
}

void live_fill_hole(const struct live *live, const struct snapshot *snapshot)
{
	const uint64_t page = PAGE_BYTES;
	uint64_t at = (snapshot->base + snapshot->size) & ~(page - 1);
	uint64_t end = snapshot->base + snapshot->room;
	struct iovec remote[HOLE_PAGES];
	char bytes[HOLE_PAGES];
	struct iovec local = {bytes, sizeof bytes};
	unsigned long n = 0;

	for (; at < end && n < HOLE_PAGES; at += page)
		remote[n++] = (struct iovec){(void *)(uintptr_t)at, 1};
	process_vm_readv(live->pid, &local, 1, remote, n, 0);
}

/*
 * Whether the thread waits with exactly this stack and instruction pointer,
 * which are the last that /proc says of it.
 */
static bool waits_at(pid_t pid, pid_t tid, const struct snapshot *snapshot)
{
	char text[256], there[64];
	size_t n = (size_t)snprintf(there, sizeof there, " 0x%jx 0x%jx\n",
		(uintmax_t)snapshot->regs[REG_SP_],
		(uintmax_t)snapshot->regs[REG_IP_]);
	ssize_t got = proc_thread_file(pid, tid, "syscall", text, sizeof text);

	return got > (ssize_t)n && strcmp(text + (size_t)got - n, there) == 0;
}

/* Page by page: a missing page ends a read. */
bool live_waiting(struct snapshot *snapshot, pid_t pid, pid_t tid, uint8_t *buf,
	size_t size)
{
	struct iovec local = {buf, size};
	struct iovec remote[WAITING_PAGES];
	unsigned long n = 0;
	ssize_t got;

	snapshot->base = snapshot->regs[REG_SP_];
	snapshot->stack = buf;
	for (uint64_t at = snapshot->base; size && n < WAITING_PAGES; n++) {
		size_t part = PAGE_BYTES - at % PAGE_BYTES;

		if (part > size)
			part = size;
		remote[n] = (struct iovec){(void *)(uintptr_t)at, part};
		at += part;
		size -= part;
	}
	if (!waits_at(pid, tid, snapshot))
		return false;
	got = process_vm_readv(pid, &local, 1, remote, n, 0);
	snapshot->size = snapshot->room = got > 0 ? (size_t)got : 0;
	return waits_at(pid, tid, snapshot);
}

void live_fini(struct live *live)
{
	free(live->window);
	live->window = NULL;
	live->room = 0;
}
