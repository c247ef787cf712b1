/* Reads /proc/PID/maps, or asks for single mappings where the kernel can. */
#include "monitor/tasks/proc_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/sys/procmap.h"
#include "monitor/base/proc.h"

/* Line breaks in names are written \012. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; path++) {
		if (strncmp(path, "\\012", 4) == 0) {
			*to++ = '\n';
			path += 3;
		} else {
			*to++ = *path;
		}
	}
	*to = '\0';
}

/* An executable mapping, unless it is known. */
static int take_map(struct task_table *tasks, pid_t tid, struct map_record *map,
	uint64_t time)
{
	if (!map->identity.path[0])
		map->identity.path = "//anon";
	if (strcmp(map->identity.path, "[vsyscall]") == 0 ||
		task_table_has_map(tasks, tid, map))
		return 0;
	return task_table_map(tasks, tid, map, time);
}

/* Takes one line of the file; 0 also for a mapping without code. */
static int take_line(struct task_table *tasks, pid_t pid, pid_t tid, char *line,
	uint64_t time)
{
	struct map_record map = {.identity.pid = pid};
	struct module_identity *id = &map.identity;
	char perms[5];
	int path = 0;

	if (sscanf(line,
		    "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		    " %n",
		    &id->start, &id->end, perms, &id->offset, &id->major,
		    &id->minor, &id->inode, &path) < 7 ||
		!path || perms[2] != 'x')
		return 0;
	unescape(line + path);
	id->path = line + path;
	map.start = id->start;
	map.len = id->end - id->start;
	return take_map(tasks, tid, &map, time);
}

static int take_lines(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	char path[64], *line = NULL;
	size_t room = 0;
	ssize_t n;
	int bad = 0;
	FILE *f;

	/* the thread's file: the leader may have ended before the others */
	snprintf(path, sizeof path, "/proc/%d/maps", (int)tid);
	f = fopen(path, "re");
	while (f && !bad && (n = getline(&line, &room, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		bad = take_line(tasks, pid, tid, line, time);
	}
	free(line);
	if (f)
		fclose(f);
	return bad;
}

/* One mapping, as the kernel tells it. */
struct queried {
	struct procmap_query query;
	char path[PATH_MAX];
	uint8_t build_id[PROCMAP_BUILD_ID];
};

/* Finds the first executable mapping that ends behind FROM. */
static bool query_map(int fd, uint64_t from, struct queried *map)
{
	return procmap_find(fd, from, PROCMAP_EXECUTABLE | PROCMAP_OR_NEXT,
		&map->query, map->path, map->build_id);
}

static int take_query(struct task_table *tasks, pid_t pid, pid_t tid,
	const struct queried *found, uint64_t time)
{
	const struct procmap_query *query = &found->query;
	struct map_record map = {
		.start = query->vma_start,
		.len = query->vma_end - query->vma_start,
		.identity =
			{
				.path = found->path,
				.pid = pid,
				.start = query->vma_start,
				.end = query->vma_end,
				.offset = query->vma_offset,
				.build_id = found->build_id,
				.build_id_len = query->build_id_size,
				.major = query->dev_major,
				.minor = query->dev_minor,
				.inode = query->inode,
			},
	};

	return take_map(tasks, tid, &map, time);
}

/* 1: this kernel cannot; nothing is added. */
static int take_queries(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	struct queried map;
	uint64_t from = 0;
	int bad = 0, fd;

	fd = procmap_open(tid);
	if (fd < 0)
		return 0;
	errno = 0;
	while (!bad && query_map(fd, from, &map)) {
		bad = take_query(tasks, pid, tid, &map, time);
		from = map.query.vma_end;
		errno = 0;
	}
	if (!bad && errno && errno != ENOENT && errno != ESRCH)
		bad = 1;
	close(fd);
	return bad;
}

int proc_maps(struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	int bad = take_queries(tasks, pid, tid, time);

	return bad > 0 ? take_lines(tasks, pid, tid, time) : bad;
}

int proc_moved_code(struct task_table *tasks, pid_t pid, pid_t tid,
	uint64_t addr, uint64_t time)
{
	struct queried map;
	int bad = 0, fd;

	fd = procmap_open(tid);
	if (fd < 0)
		return 0;
	if (query_map(fd, addr, &map) && map.query.vma_start <= addr &&
		!map.query.inode &&
		(!map.path[0] || strncmp(map.path, "[anon", 5) == 0)) {
		map.path[0] = '\0'; /* as the kernel's records have it */
		bad = take_query(tasks, pid, tid, &map, time);
	}
	close(fd);
	return bad;
}

int proc_introduce(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	char name[16] = "", thread_name[16] = "", exe[PATH_MAX];
	struct proc_status status;
	struct found_record found = {
		.pid = pid,
		.tid = tid,
		.name = name,
		.exe = exe,
		.thread_name = thread_name,
	};

	if (!proc_status(tid, &status) || proc_is_dead(&status) ||
		!proc_comm(tid, thread_name))
		return 0; /* gone */
	if (!proc_comm(pid, name))
		strcpy(name, thread_name);
	found.parent = status.parent;
	proc_exe(tid, exe);
	if (task_table_found(tasks, &found, time))
		return -1;
	return proc_maps(tasks, pid, tid, time);
}
