/*
 * jitdump.c - reads the log of a JIT compiler.
 *
 * Format: Linux, tools/perf/Documentation/jitdump-specification.txt, version 1.
 * Only heads and names of records are read; code is skipped. The log may end
 * anywhere: its writer may have been killed.
 */

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/symbol/jit/jit.h"
#include "lib/id_map.h"

#define MAGIC 0x4A695444u
#define RECORDS_MAX 4000000
#define NAMES_MAX (256u << 20) /* bytes of names, in all */
#define ARCH_TIMES 1           /* flag: times are no nanoseconds */

enum { CODE_LOAD, CODE_MOVE, DEBUG_INFO, CODE_CLOSE };

struct jitdump_header {
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
	struct jit_choices *choices;
	struct arena *arena;
	bool timed;
	size_t bytes;        /* of names so far */
	struct id_map names; /* of the latest load of each index */
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

static bool claim(struct log *log, uint64_t time, uint64_t lo, uint64_t size,
	const char *name)
{
	struct jit_claim c = {
		log->timed ? time : 0, lo, lo + size, name, strlen(name)};

	if (c.hi <= lo || !c.len)
		return false;
	sym_jit_claim(log->choices, &c);
	return true;
}

static int read_load(struct log *log, const struct prefix *prefix, uint64_t at)
{
	char buf[sizeof(struct load) + SYM_NAME_MAX], *name;
	size_t size = prefix->size - sizeof *prefix, got, len;
	struct load load;

	got = read_at(log->fd, buf, size < sizeof buf ? size : sizeof buf, at);
	if (got <= sizeof load)
		return 0;
	memcpy(&load, buf, sizeof load);
	len = strnlen(buf + sizeof load, got - sizeof load);
	log->bytes += len;
	if (log->bytes > NAMES_MAX)
		return 0;
	name = arena_strndup(log->arena, buf + sizeof load, len);
	if (!name)
		return -1;
	return !claim(log, prefix->time, load.addr, load.size, name) ||
			       id_map_put(&log->names, load.index, name)
		       ? 0
		       : -1;
}

static void read_move(struct log *log, const struct prefix *prefix, uint64_t at)
{
	const char *name;
	struct move move;

	if (prefix->size < sizeof *prefix + sizeof move ||
		read_at(log->fd, &move, sizeof move, at) < sizeof move)
		return;
	name = id_map_get(&log->names, move.index);
	if (name)
		claim(log, prefix->time, move.to, move.size, name);
}

static int read_records(struct log *log, uint64_t at)
{
	struct prefix prefix;

	for (size_t n = 0; n < RECORDS_MAX; n++) {
		uint64_t body = at + sizeof prefix;

		if (read_at(log->fd, &prefix, sizeof prefix, at) <
				sizeof prefix ||
			prefix.size < sizeof prefix ||
			prefix.kind == CODE_CLOSE)
			return 0;
		if (prefix.kind == CODE_LOAD &&
			read_load(log, &prefix, body) < 0)
			return -1;
		if (prefix.kind == CODE_MOVE)
			read_move(log, &prefix, body);
		at += prefix.size;
	}
	return 0;
}

int sym_jitdump_read(int fd, struct jit_choices *choices, struct arena *arena)
{
	struct log log = {.fd = fd, .choices = choices, .arena = arena};
	struct jitdump_header header;
	int rc;

	if (read_at(fd, &header, sizeof header, 0) < sizeof header ||
		header.magic != MAGIC || header.version != 1 ||
		header.size < sizeof header)
		return 0;
	log.timed = !(header.flags & ARCH_TIMES);
	rc = read_records(&log, header.size);
	id_map_free(&log.names);
	return rc;
}
