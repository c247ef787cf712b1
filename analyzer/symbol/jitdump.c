/*
 * jitdump.c - reads the log of a JIT compiler.
 *
 * Format: Linux, tools/perf/Documentation/jitdump-specification.txt, version 1.
 * Only the heads and names of its records are read, the code in them is passed
 * over.  The log may end anywhere: its writer may have been killed.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/hash.h"
#include "analyzer/symbol/jit.h"

#define MAGIC 0x4A695444u
#define RECORDS_MAX 4000000
#define NAMES_MAX (256u << 20) /* bytes of names, in all */
#define ARCH_TIMES 1           /* flag: times are no nanoseconds */

enum { CODE_LOAD, CODE_MOVE, DEBUG_INFO, CODE_CLOSE };

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct prefix {
	uint32_t kind, size;
	uint64_t time;
};

struct load { /* the name follows, then the code */
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

struct log {
	int fd;
	struct jit_claims *claims;
	struct arena *arena;
	bool timed;
	size_t names;       /* bytes of them so far */
	uint32_t *by_index; /* slots: claim number + 1, of the latest load */
	uint64_t *indexes;
	size_t used, mask;
};

/* How much of N bytes at OFFSET is there. */
static size_t read_at(int fd, void *buf, size_t n, uint64_t offset)
{
	size_t done = 0;

	while (done < n && offset <= INT64_MAX - n) {
		ssize_t got = pread(fd, (char *)buf + done, n - done,
			(off_t)(offset + done));

		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static size_t slot_of(const struct log *log, uint64_t index)
{
	size_t at = hash_mix(index) & log->mask;

	while (log->by_index[at] && log->indexes[at] != index)
		at = (at + 1) & log->mask;
	return at;
}

static int grow(struct log *log)
{
	struct log old = *log;
	size_t size = old.mask ? (old.mask + 1) * 2 : 1024;

	log->by_index = calloc(size, sizeof *log->by_index);
	log->indexes = calloc(size, sizeof *log->indexes);
	log->mask = size - 1;
	if (!log->by_index || !log->indexes) {
		free(log->by_index);
		free(log->indexes);
		*log = old;
		return -1;
	}
	for (size_t i = 0; old.by_index && i <= old.mask; i++) {
		size_t at;

		if (!old.by_index[i])
			continue;
		at = slot_of(log, old.indexes[i]);
		log->by_index[at] = old.by_index[i];
		log->indexes[at] = old.indexes[i];
	}
	free(old.by_index);
	free(old.indexes);
	return 0;
}

static int claim(struct log *log, uint64_t time, uint64_t lo, uint64_t size,
	const char *name, size_t len)
{
	struct jit_claim *c;

	if (size == 0 || lo + size < lo || len == 0)
		return 0;
	c = vec_push(log->claims);
	if (!c)
		return -1;
	*c = (struct jit_claim){
		log->timed ? time : 0, lo, lo + size, name, len};
	return 0;
}

static int read_load(struct log *log, const struct prefix *prefix, uint64_t at)
{
	char buf[sizeof(struct load) + SYM_NAME_MAX];
	size_t size = prefix->size - sizeof *prefix, got, len, slot, before;
	struct load load;
	const char *name;

	got = read_at(log->fd, buf, size < sizeof buf ? size : sizeof buf, at);
	if (got <= sizeof load)
		return 0;
	memcpy(&load, buf, sizeof load);
	len = strnlen(buf + sizeof load, got - sizeof load);
	log->names += len;
	if (log->names > NAMES_MAX)
		return 0;
	name = arena_strndup(log->arena, buf + sizeof load, len);
	before = log->claims->n;
	if (!name ||
		claim(log, prefix->time, load.addr, load.size, name, len) < 0)
		return -1;
	if (log->claims->n == before)
		return 0;
	if (log->used * 2 >= log->mask && grow(log) < 0)
		return -1;
	slot = slot_of(log, load.index);
	log->used += !log->by_index[slot];
	log->by_index[slot] = (uint32_t)log->claims->n;
	log->indexes[slot] = load.index;
	return 0;
}

static int read_move(struct log *log, const struct prefix *prefix, uint64_t at)
{
	struct jit_claim loaded;
	struct move move;
	size_t slot;

	if (prefix->size < sizeof *prefix + sizeof move || !log->mask ||
		read_at(log->fd, &move, sizeof move, at) < sizeof move)
		return 0;
	slot = slot_of(log, move.index);
	if (!log->by_index[slot])
		return 0;
	loaded = log->claims->v[log->by_index[slot] - 1];
	return claim(
		log, prefix->time, move.to, move.size, loaded.name, loaded.len);
}

static int read_records(struct log *log, uint64_t at)
{
	struct prefix prefix;

	for (size_t n = 0; n < RECORDS_MAX; n++) {
		uint64_t body = at + sizeof prefix;
		int rc = 0;

		if (read_at(log->fd, &prefix, sizeof prefix, at) <
				sizeof prefix ||
			prefix.size < sizeof prefix ||
			prefix.kind == CODE_CLOSE)
			return 0;
		if (prefix.kind == CODE_LOAD)
			rc = read_load(log, &prefix, body);
		else if (prefix.kind == CODE_MOVE)
			rc = read_move(log, &prefix, body);
		if (rc < 0)
			return -1;
		at += prefix.size;
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct jit_claim *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

int sym_jitdump_read(int fd, struct jit_claims *claims, struct arena *arena)
{
	struct log log = {.fd = fd, .claims = claims, .arena = arena};
	struct header header;
	bool sorted = true;
	int rc;

	if (read_at(fd, &header, sizeof header, 0) < sizeof header ||
		header.magic != MAGIC || header.version != 1 ||
		header.size < sizeof header)
		return 0;
	log.timed = !(header.flags & ARCH_TIMES);
	rc = read_records(&log, header.size);
	for (size_t i = 1; i < claims->n; i++)
		sorted = sorted && claims->v[i - 1].time <= claims->v[i].time;
	if (!sorted)
		qsort(claims->v, claims->n, sizeof *claims->v, by_time);
	free(log.by_index);
	free(log.indexes);
	return rc;
}
