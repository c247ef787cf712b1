/* jit.c - finds a process's JIT files, reads maps and chooses names by time. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/symbol/jit/jit.h"
#include "lib/lower_bound.h"
#include "lib/sys/regular.h"
#include "lib/text.h"

#define TEXT_MAX (256ULL << 20) /* bytes of a map that are read: its end */

/* The module that is process PID's jitdump, or NULL. */
static const char *find_dump(const struct cpd_writer *w, int pid)
{
	char name[32];

	snprintf(name, sizeof name, "jit-%d.dump", pid);
	for (uint32_t i = 1; i <= cpd_writer_modules(w); i++) {
		const struct cpd_module *m = cpd_writer_module(w, i);

		if (m->kind == CPD_MODULE_ELF && m->path[0] == '/' &&
			strcmp(text_base_name(m->path), name) == 0)
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
			text_base_name(path),
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

static bool hex_field(const char **at, uint64_t *value)
{
	const char *first = *at + strspn(*at, " ");
	char *end;

	if (!isxdigit((unsigned char)*first))
		return false;
	errno = 0;
	*value = strtoull(first, &end, 16);
	*at = end;
	return *end == ' ' && errno == 0;
}

static bool parse_line(const char *p, struct jit_claim *claim)
{
	uint64_t size;

	if (!hex_field(&p, &claim->lo) || !hex_field(&p, &size) || size == 0 ||
		claim->lo + size < claim->lo)
		return false;
	claim->hi = claim->lo + size;
	claim->name = p += strspn(p, " ");
	claim->len = strlen(p);
	while (claim->len && strchr("\r ", p[claim->len - 1]))
		claim->len--;
	return claim->len > 0;
}

struct map_text {
	int fd; /* -1: to be opened */
	char *text;
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

static void read_map(struct map_text *map, struct jit_choices *choices)
{
	char *end = map->text + map->len, *stop;

	for (char *at = map->text; at < end; at = stop + 1) {
		struct jit_claim claim = {
			.time = written_at(
				map, map->from + (uint64_t)(at - map->text))};

		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		*stop = '\0';
		if (parse_line(at, &claim))
			sym_jit_claim(choices, &claim);
	}
}

/* Of a jitdump where MAP is NULL. */
static int apply_file(const struct sym_jit_task *task, int fd,
	struct map_text *map, struct sym_jit *jit)
{
	struct jit_choices choices = {.task = task};
	int rc = -1;

	choices.v = calloc(task->n + 1, sizeof *choices.v);
	if (choices.v && map) {
		map->text = read_text(fd, &map->len, &map->from);
		if (map->text) {
			read_map(map, &choices);
			rc = sym_jit_choose(&choices, jit);
		}
		free(map->text);
	} else if (choices.v) {
		rc = sym_jitdump_read(fd, &choices, task->arena);
		if (rc == 0)
			rc = sym_jit_choose(&choices, jit);
		if (rc == 0)
			rc = sym_jitdump_lines(fd, &choices);
	}
	free(choices.v);
	return rc;
}

/* Both times are those of ticks of a clock: so little earlier is none. */
#define TICK_NS 100000000

/*
 * Whether the map was last written before the process began: another one with
 * its number left it.
 */
static bool is_stale(int fd, uint64_t began)
{
	struct stat st;

	return began && fstat(fd, &st) == 0 &&
	       (uint64_t)st.st_mtim.tv_sec * 1000000000u +
			       (uint64_t)st.st_mtim.tv_nsec + TICK_NS <
		       began;
}

/* The files of one process, the one with times first. */
static int names_of(const struct sym_jit_task *task, uint32_t process, int pid,
	struct map_text *map, struct sym_jit *jit)
{
	int fd = run_files_dump(task->files, process), rc = 0;

	if (fd < 0 && find_dump(task->writer, pid))
		fd = open_own(jit, find_dump(task->writer, pid));
	if (fd >= 0) {
		jit->has_dump = true;
		rc = apply_file(task, fd, NULL, jit);
		close(fd);
	}
	snprintf(jit->map, sizeof jit->map, "/tmp/perf-%d.map", pid);
	if (rc == 0 && map->fd < 0)
		map->fd = open_own(jit, jit->map);
	if (map->fd >= 0 &&
		is_stale(map->fd, run_files_began(task->files, process)))
		snprintf(jit->why, sizeof jit->why,
			"perf-%d.map is older than the process", pid);
	else if (rc == 0 && map->fd >= 0) {
		jit->has_map = true;
		jit->timed = map->n > 1;
		rc = apply_file(task, map->fd, map, jit);
	}
	if (map->fd >= 0)
		close(map->fd);
	return rc;
}

int sym_jit_names(
	const struct sym_jit_task *task, int map_fd, struct sym_jit *jit)
{
	uint32_t process = task->about->process, from;
	int32_t pid = cpd_writer_pid(task->writer, process, &from);
	struct map_text map = {.fd = map_fd};
	int rc = 0;

	if (map_fd >= 0)
		map.size_log = run_files_size_log(
			task->files, task->about->id, &map.n);
	*jit = (struct sym_jit){0};
	memset(task->functions, 0, task->n * sizeof *task->functions);
	while (pid && rc == 0 && !jit->has_map && !jit->has_dump) {
		rc = names_of(task, process, pid, &map, jit);
		map = (struct map_text){.fd = -1};
		process = from;
		pid = cpd_writer_pid(task->writer, process, &from);
	}
	if (map.fd >= 0)
		close(map.fd);
	return rc;
}
