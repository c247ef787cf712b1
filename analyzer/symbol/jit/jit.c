/* jit.c - finds a process's JIT files, reads maps and chooses names by time. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/symbol/jit/jit.h"
#include "lib/lower_bound.h"
#include "lib/regular.h"

#define TEXT_MAX (256ULL << 20) /* bytes of a map that are read: its end */
#define LINES_MAX 4000000
#define WORK_MAX 40000000 /* pairs of a claim and an address */

/* The last part of PATH, " (deleted)" and all. */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The module that is process PID's jitdump, or NULL. */
static const char *find_dump(const struct cpd_writer *w, int pid)
{
	char name[32];

	snprintf(name, sizeof name, "jit-%d.dump", pid);
	for (uint32_t i = 1; i <= cpd_writer_modules(w); i++) {
		const struct cpd_module *m = cpd_writer_module(w, i);

		if (m->kind == CPD_MODULE_ELF && m->path[0] == '/' &&
			strcmp(base_of(m->path), name) == 0)
			return m->path;
	}
	return NULL;
}

static bool is_own(const void *arg, const struct stat *st)
{
	(void)arg;
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* A descriptor, or -1; then JIT has the reason, unless the file does not
   exist. */
static int open_own(struct sym_jit *jit, const char *path)
{
	int fd = regular_open(AT_FDCWD, path, O_NOFOLLOW, is_own, NULL);

	if (fd < 0 && errno != ENOENT)
		snprintf(jit->why, sizeof jit->why, "%.64s %.48s",
			base_of(path),
			errno == ELOOP    ? "is a link"
			: errno == EINVAL ? "is no regular file"
			: errno == EPERM  ? "belongs to another user"
					  : strerror(errno));
	return fd;
}

/* The text of FD from *START on, at most its last TEXT_MAX bytes; NULL: no
 * memory. */
static char *read_text(int fd, size_t *len, uint64_t *from)
{
	struct stat st = {0};
	uint64_t size, start;
	char *text;

	*len = 0;
	if (fstat(fd, &st) < 0 || st.st_size < 0)
		st.st_size = 0;
	size = (uint64_t)st.st_size;
	start = size > TEXT_MAX ? size - TEXT_MAX : 0;
	size -= start;
	*from = start;
	text = malloc(size + 1);
	while (text && *len < size) {
		ssize_t got = pread(
			fd, text + *len, size - *len, (off_t)(start + *len));

		if (got <= 0)
			break;
		*len += (size_t)got;
	}
	return text;
}

static bool hex_field(const char **at, const char *end, uint64_t *value)
{
	const char *p = *at, *first;

	*value = 0;
	while (p < end && *p == ' ')
		p++;
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (first = p; p < end && *p != ' '; p++) {
		int c = (unsigned char)*p | 0x20;
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
						   : 16;

		if (digit > 15 || *value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)digit;
	}
	*at = p;
	return p > first && p < end;
}

static bool parse_line(const char *p, const char *end, struct jit_claim *claim)
{
	const char *nul;
	uint64_t size;

	if (!hex_field(&p, end, &claim->lo) || !hex_field(&p, end, &size) ||
		size == 0 || claim->lo + size < claim->lo)
		return false;
	claim->hi = claim->lo + size;
	while (p < end && *p == ' ')
		p++;
	if (p >= end)
		return false;
	nul = memchr(p, '\0', (size_t)(end - p));
	end = nul ? nul : end;
	while (end > p && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	claim->name = p;
	claim->len = (size_t)(end - p);
	return end > p;
}

struct map_text {
	const char *text;
	size_t len;
	uint64_t from; /* of the file */
	const struct size_log *size_log;
	size_t n;
};

/*
 * The latest time at which the map ended before OFFSET, so that line is not
 * older. 0: not known.
 */
static uint64_t written_at(const struct map_text *map, uint64_t offset)
{
	size_t n = LOWER_BOUND(map->n, i, map->size_log[i].size <= offset);

	return n ? map->size_log[n - 1].time : 0;
}

/* The last LINES_MAX lines of a map, in their order. */
static int read_map(const struct map_text *map, struct jit_claims *claims)
{
	const char *text = map->text;
	size_t len = map->len;
	const char *at = text, *end = text + len;
	size_t lines = 0;

	while (end > text && lines < LINES_MAX) {
		lines += end[-1] == '\n';
		end--;
	}
	for (at = end, end = text + len; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct jit_claim claim = {0}, *to;

		stop = stop ? stop : end;
		if (parse_line(at, stop, &claim)) {
			to = vec_push(claims);
			if (!to)
				return -1;
			claim.time = written_at(
				map, map->from + (uint64_t)(at - text));
			*to = claim;
		}
		at = stop + 1;
	}
	return 0;
}

struct choice {
	const struct jit_claim *claim;
	bool in_time; /* it was there when the address was first sampled */
	bool reused;
};

struct chooser {
	const struct sym_address *lookups;
	size_t n;
	struct choice *choices;
	size_t *next; /* the first unsettled one at or above it */
};

static bool same_name(const struct jit_claim *a, const struct jit_claim *b)
{
	return a->len == b->len && memcmp(a->name, b->name, a->len) == 0;
}

static size_t unsettled(struct chooser *c, size_t i)
{
	size_t end = i;

	while (c->next[end] != end)
		end = c->next[end];
	while (c->next[i] != end) {
		size_t after = c->next[i];

		c->next[i] = end;
		i = after;
	}
	return end;
}

static size_t first_at(const struct chooser *c, uint64_t addr)
{
	return LOWER_BOUND(c->n, i, c->lookups[i].addr < addr);
}

/* Whether no earlier claim can name the address better. */
static bool offer(struct choice *choice, const struct jit_claim *claim,
	const struct sym_address *lookup)
{
	bool in_time =
		!claim->time || !lookup->time || claim->time <= lookup->time;

	if (choice->claim && !same_name(choice->claim, claim))
		choice->reused = true;
	if (choice->in_time)
		return true; /* of a map: only to see whether there are two */
	choice->claim = claim;
	choice->in_time = in_time;
	return in_time && (claim->time || choice->reused);
}

/*
 * Goes from the last claim to the first. An address takes the latest claim that
 * existed at its first sample, or the earliest if all came later.
 */
static void choose(struct chooser *c, const struct jit_claims *claims)
{
	size_t work = 0;

	for (size_t k = claims->n; k-- > 0 && work < WORK_MAX;) {
		const struct jit_claim *claim = &claims->v[k];
		size_t i = unsettled(c, first_at(c, claim->lo));

		work++;
		while (i < c->n && c->lookups[i].addr < claim->hi) {
			work++;
			if (offer(&c->choices[i], claim, &c->lookups[i]))
				c->next[i] = i + 1;
			i = unsettled(c, i + 1);
		}
	}
}

/* Names the addresses that have no name yet by the claims. */
static int apply(const struct jit_claims *claims,
	const struct sym_address *lookups, size_t n,
	struct sym_function *functions, struct arena *arena,
	struct sym_jit *jit)
{
	struct chooser c = {.lookups = lookups, .n = n};
	const struct jit_claim *last = NULL;
	const char *name = NULL;
	int rc = -1;

	c.choices = calloc(n + 1, sizeof *c.choices);
	c.next = calloc(n + 2, sizeof *c.next);
	if (!c.choices || !c.next)
		goto out;
	for (size_t i = 0; i <= n + 1; i++)
		c.next[i] = i < n && functions[i].name ? i + 1 : i;
	choose(&c, claims);
	for (size_t i = 0; i < n; i++) {
		const struct jit_claim *claim = c.choices[i].claim;

		if (!claim)
			continue;
		if (claim != last)
			name = arena_strndup(arena, claim->name,
				claim->len < SYM_NAME_MAX ? claim->len
							  : SYM_NAME_MAX);
		if (!name)
			goto out;
		last = claim;
		jit->reused += c.choices[i].reused;
		functions[i] = (struct sym_function){.lo = claim->lo,
			.hi = claim->hi,
			.name = name,
			.source = CPD_NAME_JIT};
	}
	rc = 0;
out:
	free(c.choices);
	free(c.next);
	return rc;
}

static int apply_dump(int fd, const struct sym_address *lookups, size_t n,
	struct sym_function *functions, struct arena *arena,
	struct sym_jit *jit)
{
	struct jit_claims claims = {0};
	int rc = sym_jitdump_read(fd, &claims, arena);

	if (rc == 0)
		rc = apply(&claims, lookups, n, functions, arena, jit);
	vec_free(&claims);
	return rc;
}

static int apply_map(int fd, struct map_text *map,
	const struct sym_address *lookups, size_t n,
	struct sym_function *functions, struct arena *arena,
	struct sym_jit *jit)
{
	struct jit_claims claims = {0};
	char *text = read_text(fd, &map->len, &map->from);
	int rc;

	map->text = text;
	rc = text ? read_map(map, &claims) : -1;
	jit->timed = map->n > 1;
	if (rc == 0)
		rc = apply(&claims, lookups, n, functions, arena, jit);
	vec_free(&claims);
	free(text);
	return rc;
}

/* The files of one process, the one with times first. */
static int names_of(const struct cpd_writer *w, uint32_t process, int pid,
	const struct run_files *files, int map_fd, struct map_text *map,
	const struct sym_address *lookups, size_t n,
	struct sym_function *functions, struct arena *arena,
	struct sym_jit *jit)
{
	int fd = run_files_dump(files, process), rc = 0;

	if (fd < 0 && find_dump(w, pid))
		fd = open_own(jit, find_dump(w, pid));
	if (fd >= 0) {
		jit->has_dump = true;
		rc = apply_dump(fd, lookups, n, functions, arena, jit);
		close(fd);
	}
	snprintf(jit->map, sizeof jit->map, "/tmp/perf-%d.map", pid);
	fd = map_fd;
	if (rc == 0 && fd < 0)
		fd = open_own(jit, jit->map);
	if (rc == 0 && fd >= 0) {
		jit->has_map = true;
		rc = apply_map(fd, map, lookups, n, functions, arena, jit);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

int sym_jit_names(const struct cpd_writer *w, const struct cpd_module *about,
	const struct run_files *files, int map_fd,
	const struct sym_address *lookups, size_t n,
	struct sym_function *functions, struct arena *arena,
	struct sym_jit *jit)
{
	uint32_t process = about->process, from;
	int32_t pid = cpd_writer_pid(w, process, &from);
	struct map_text map = {.len = 0};
	int rc = 0;

	if (map_fd >= 0)
		map.size_log = run_files_size_log(files, about->id, &map.n);
	*jit = (struct sym_jit){0};
	memset(functions, 0, n * sizeof *functions);
	while (pid && rc == 0) {
		rc = names_of(w, process, pid, files, map_fd, &map, lookups, n,
			functions, arena, jit);
		map_fd = -1;
		map = (struct map_text){.len = 0};
		if (jit->has_map || jit->has_dump)
			break;
		process = from;
		pid = cpd_writer_pid(w, process, &from);
	}
	if (map_fd >= 0)
		close(map_fd);
	return rc;
}
