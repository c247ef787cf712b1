/* Reads /proc/PID/maps, or asks for single mappings where the kernel can. */
#include "monitor/tasks/proc_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
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

bool proc_maps_line(char *line, struct map_record *map, bool *code)
{
	struct module_identity *id = &map->identity;
	char perms[5];
	int path = 0;

	if (sscanf(line,
		    "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		    " %n",
		    &id->start, &id->end, perms, &id->offset, &id->major,
		    &id->minor, &id->inode, &path) < 7 ||
		!path)
		return false;
	unescape(line + path);
	id->path = line + path;
	map->start = id->start;
	map->len = id->end - id->start;
	*code = perms[2] == 'x';
	return true;
}

/* Takes all lines: of OBJECTS, or of code alone. */
static int take_lines(struct task_table *tasks, pid_t pid, pid_t tid,
	bool objects, uint64_t time)
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
		struct map_record map = {.identity.pid = pid};
		bool code;

		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (!proc_maps_line(line, &map, &code))
			continue;
		if (objects)
			bad = task_table_object(tasks, &map, code, true);
		else if (code)
			bad = take_map(tasks, tid, &map, time);
	}
	free(line);
	if (f)
		fclose(f);
	return bad;
}

static struct map_record record_of(pid_t pid, const struct procmap_query *q)
{
	return (struct map_record){
		.start = q->vma_start,
		.len = q->vma_end - q->vma_start,
		.identity = {.pid = pid,
			.start = q->vma_start,
			.end = q->vma_end,
			.offset = q->vma_offset,
			.build_id_len = q->build_id_size,
			.major = q->dev_major,
			.minor = q->dev_minor,
			.inode = q->inode},
	};
}

/*
 * 1: this kernel cannot; nothing is added.  It reads a build id from the file,
 * which takes longer than all else: those that are known are not asked for.
 */
static int take_queries(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	struct procmap_query q = {0}, named;
	uint8_t build_id[PROCMAP_BUILD_ID];
	int bad = 0, fd = procmap_open(tid);
	char path[PATH_MAX];

	if (fd < 0)
		return 0;
	errno = 0;
	while (!bad &&
		procmap_find(fd, q.vma_end,
			PROCMAP_EXECUTABLE | PROCMAP_OR_NEXT, &q, NULL, NULL)) {
		struct map_record map = record_of(pid, &q);

		if (!task_table_has_map(tasks, tid, &map) &&
			procmap_find(fd, q.vma_start, PROCMAP_EXECUTABLE,
				&named, path, build_id)) {
			map = record_of(pid, &named);
			map.identity.path = path;
			map.identity.build_id = build_id;
			bad = take_map(tasks, tid, &map, time);
		}
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

	return bad > 0 ? take_lines(tasks, pid, tid, false, time) : bad;
}

int proc_objects(struct task_table *tasks, struct process *process, pid_t tid)
{
	process->objects.read = clock_now();
	return take_lines(tasks, process->pid, tid, true, 0);
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
