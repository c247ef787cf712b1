/*
 * jitdump.c - reads the log of a JIT compiler.
 *
 * Format: Linux, tools/perf/Documentation/jitdump-specification.txt, version 1.
 * Only heads and names of records are read; code is skipped. The log may end
 * anywhere: its writer may have been killed.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/hash.h"
#include "analyzer/symbol/jit/jit.h"

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

/* The latest load of an index, and its claim. */
struct loaded {
	uint64_t index;
	size_t claim;
};

struct log {
	int fd;
	struct jit_claims *claims;
	struct arena *arena;
	bool timed;
	size_t names; /* bytes of them so far */
	VEC(struct loaded) loads;
	struct hash known; /* they by index */
};

/* How many of N bytes at OFFSET exist. */
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

static struct loaded *find_load(const struct log *log, uint64_t index)
{
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&log->known, hash_mix(index), &probe)) !=
		HASH_NONE)
		if (log->loads.v[i].index == index)
			return &log->loads.v[i];
	return NULL;
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
	size_t size = prefix->size - sizeof *prefix, got, len, before;
	struct loaded *loaded;
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
	loaded = find_load(log, load.index);
	if (!loaded && hash_add(&log->known, hash_mix(load.index),
			       (uint32_t)log->loads.n))
		loaded = vec_push(&log->loads);
	if (!loaded)
		return -1;
	*loaded = (struct loaded){load.index, before};
	return 0;
}

static int read_move(struct log *log, const struct prefix *prefix, uint64_t at)
{
	const struct loaded *loaded;
	struct jit_claim claimed;
	struct move move;

	if (prefix->size < sizeof *prefix + sizeof move ||
		read_at(log->fd, &move, sizeof move, at) < sizeof move)
		return 0;
	loaded = find_load(log, move.index);
	if (!loaded)
		return 0;
	claimed = log->claims->v[loaded->claim];
	return claim(log, prefix->time, move.to, move.size, claimed.name,
		claimed.len);
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
	vec_free(&log.loads);
	hash_free(&log.known);
	return rc;
}
