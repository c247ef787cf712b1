/*
 * jitdump.c - reads the log of a JIT compiler.
 *
 * Format: Linux, tools/perf/Documentation/jitdump-specification.txt, version 1.
 * Only heads and names of records are read, and the lines of code that was
 * sampled; code is skipped. The log may end anywhere: its writer may have been
 * killed.
 */

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/symbol/jit/jit.h"
#include "lib/id_map.h"
#include "lib/lower_bound.h"
#include "lib/vec.h"

#define MAGIC 0x4A695444u
#define RECORDS_MAX 4000000
#define NAMES_MAX (256u << 20) /* bytes of names, in all; of lines, too */
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

struct jit_debug { /* entries follow, each with the name of its file */
	uint64_t addr, n;
};

struct jit_entry {
	uint64_t addr;
	uint32_t line, column;
};

struct log {
	int fd;
	struct jit_choices *choices;
	struct arena *arena;
	bool timed;
	size_t bytes;       /* of names so far */
	uint64_t described; /* code whose lines were the last ones, */
	uint64_t lines;     /* where they are, 0: nowhere, and their size */
	uint32_t lines_size;
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

/* By so much V8 shifts the addresses of lines: perf puts an ELF header before
   the code. */
#define SHIFT 64

/* The lines of code stand before it. */
static void read_debug(
	struct log *log, const struct prefix *prefix, uint64_t at)
{
	struct {
		struct jit_debug debug;
		struct jit_entry first;
	} head;

	if (prefix->size < sizeof *prefix + sizeof head ||
		read_at(log->fd, &head, sizeof head, at) < sizeof head)
		return;
	if (head.first.addr - head.debug.addr < SHIFT)
		log->choices->shift = 0;
	log->described = head.debug.addr;
	log->lines = at;
	log->lines_size = prefix->size - (uint32_t)sizeof *prefix;
}

/* Whether V8's lines of code are by bytecode, not by address ("JS:^name"). */
static bool is_baseline(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && colon[1] == '^';
}

static bool claim(struct log *log, uint64_t time, uint64_t lo, uint64_t size,
	const char *name)
{
	struct jit_claim c = {
		log->timed ? time : 0, lo, lo + size, name, strlen(name), 0, 0};

	if (log->described == lo && !is_baseline(name)) {
		c.lines = log->lines;
		c.lines_size = log->lines_size;
	}
	log->lines = 0;
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
		if (prefix.kind == DEBUG_INFO)
			read_debug(log, &prefix, body);
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
	choices->shift = SHIFT;
	rc = read_records(&log, header.size);
	id_map_free(&log.names);
	return rc;
}

/* --- lines --- */

struct jit_line {
	uint64_t addr;
	const char *file;
	uint32_t line;
};

struct jit_text {
	const char *v;
	size_t n;
};

struct jit_lines {
	const struct jit_choices *choices;
	/* Of the record at hand: */
	const struct jit_claim *claim;
	const char *at, *end;      /* what is left of it */
	VEC(struct jit_line) v;    /* by address */
	struct jit_text last, own; /* of the last line; in the code's name */
	const char *file;          /* the last one's path */
};

/* A name may be a URL. */
static const char *path_of(struct arena *arena, const char *name, size_t len)
{
	static const char scheme[] = "file://";
	char *path = arena_strndup(arena, name, len), *to = path;

	if (!path || strncmp(path, scheme, sizeof scheme - 1) != 0)
		return path;
	for (const char *p = path + sizeof scheme - 1; *p; p++) {
		unsigned byte = (unsigned char)*p;

		if (*p == '%' && isxdigit((unsigned char)p[1]) &&
			isxdigit((unsigned char)p[2])) {
			sscanf(p + 1, "%2x", &byte);
			p += 2;
		}
		*to++ = (char)byte;
	}
	*to = '\0';
	return path;
}

/* The path in "JS:name /PATH:LINE:COLUMN", as V8 calls code. */
static struct jit_text own_path(const struct jit_claim *claim)
{
	size_t end = claim->len, begin;

	for (int colons = 0; end && colons < 2; end--)
		colons += claim->name[end - 1] == ':';
	for (begin = end; begin && memcmp(claim->name + begin - 1, " /", 2);)
		begin--;
	return (struct jit_text){claim->name + begin, begin ? end - begin : 0};
}

/* Whether an entry, then its ADDR, or the record's end is at AT. */
static bool is_entry(const struct jit_lines *l, const char *at, uint64_t *addr)
{
	size_t left = at < l->end ? (size_t)(l->end - at) : 0;

	if (left < sizeof(struct jit_entry))
		return left < 8; /* bytes that fill it up */
	memcpy(addr, at, sizeof *addr);
	*addr -= l->choices->shift;
	return *addr >= l->claim->lo && *addr <= l->claim->hi;
}

/* The name at AT.  V8 11.3 may write one whose memory it has freed; it is
   as long as the right one.  n is 0: no sense. */
static struct jit_text read_name(const struct jit_lines *l, const char *at)
{
	size_t left = (size_t)(l->end - at), n = strnlen(at, left);
	uint64_t addr;

	if (is_entry(l, at + n + 1, &addr))
		return (struct jit_text){at, n};
	if (l->own.n < left && is_entry(l, at + l->own.n + 1, &addr))
		return l->own;
	return (struct jit_text){at, 0};
}

/* Adds the entry at hand.  1: there is none, -1: no memory. */
static int read_line(struct jit_lines *l)
{
	struct jit_entry entry;
	struct jit_text name;
	uint64_t addr;

	if ((size_t)(l->end - l->at) < sizeof entry ||
		!is_entry(l, l->at, &addr))
		return 1;
	memcpy(&entry, l->at, sizeof entry);
	l->at += sizeof entry;
	name = read_name(l, l->at);
	if (!name.n)
		return 1;
	l->at += name.n + 1;
	if (l->file && name.n == 1 && *name.v == '\xff')
		name = l->last;
	if (!l->file || name.n != l->last.n ||
		memcmp(name.v, l->last.v, name.n) != 0)
		l->file = path_of(l->choices->task->arena, name.v, name.n);
	l->last = name;
	if (!l->file)
		return -1;
	if (l->v.n && l->v.v[l->v.n - 1].addr > addr)
		return 0;
	return vec_add(&l->v, (struct jit_line){addr, l->file, entry.line})
		       ? 0
		       : -1;
}

/* Reads the lines of CLAIM, whose record is BUF, a byte larger.  -1: no
   memory. */
static int read_lines(
	struct jit_lines *l, int fd, const struct jit_claim *claim, char *buf)
{
	size_t got = read_at(fd, buf, claim->lines_size, claim->lines);
	int rc = 0;

	buf[got] = '\0';
	l->claim = claim;
	l->at = buf + sizeof(struct jit_debug);
	l->end = buf + (got > sizeof(struct jit_debug)
				       ? got
				       : sizeof(struct jit_debug));
	l->v.n = 0;
	l->file = NULL;
	l->own = own_path(claim);
	while (rc == 0)
		rc = read_line(l);
	return rc < 0 ? -1 : 0;
}

int sym_jitdump_lines(int fd, const struct jit_choices *choices)
{
	const struct sym_jit_task *task = choices->task;
	struct jit_lines l = {.choices = choices};
	size_t bytes = 0, at;
	int rc = 0;

	for (size_t i = 0; i < task->n && rc == 0; i++) {
		const struct jit_claim *claim = &choices->v[i].claim;
		char *buf;

		if (!claim->name || !claim->lines)
			continue;
		if (!l.claim || l.claim->lines != claim->lines) {
			bytes += claim->lines_size;
			if (bytes > NAMES_MAX)
				break;
			buf = malloc(claim->lines_size + (size_t)1);
			rc = buf ? read_lines(&l, fd, claim, buf) : -1;
			free(buf);
		}
		at = LOWER_BOUND(
			l.v.n, k, l.v.v[k].addr <= task->lookups[i].addr);
		if (!at)
			continue;
		task->functions[i].file = l.v.v[at - 1].file;
		task->functions[i].line = l.v.v[at - 1].line;
	}
	vec_free(&l.v);
	return rc;
}
