/* Opens perf-PID.map by the namespaces of its process, and notes its size. */
#include "monitor/space/jit_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/regular.h"
#include "monitor/base/proc.h"

/* A process's /tmp, or -1. */
static int folder_of(pid_t pid, struct jit_folders *folders)
{
	char path[32];
	struct stat st;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/root/tmp", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		for (size_t i = 0; i < folders->n; i++)
			if (folders->v[i].dev == st.st_dev &&
				folders->v[i].ino == st.st_ino) {
				close(fd);
				return folders->v[i].fd;
			}
		if (folders->n < JIT_FOLDERS_MAX) {
			folders->v[folders->n].dev = st.st_dev;
			folders->v[folders->n].ino = st.st_ino;
			return folders->v[folders->n++].fd = fd;
		}
	}
	close(fd);
	return -1;
}

void jit_folders_close(struct jit_folders *folders)
{
	while (folders->n)
		close(folders->v[--folders->n].fd);
}

void jit_map_find(struct jit_map *map, pid_t pid, struct jit_folders *folders)
{
	struct proc_status status;

	map->tmp = folder_of(pid, folders);
	map->pid = proc_status(pid, &status) ? status.inner : pid;
	map->uid = proc_owner(pid);
	map->began = proc_began(pid);
}

void jit_map_close(struct jit_map *map)
{
	map->tmp = -1;
	vec_free(&map->size_log);
}

static void name_of(const struct jit_map *map, char name[32])
{
	snprintf(name, 32, "perf-%d.map", (int)map->pid);
}

int jit_map_note_size(struct jit_map *map, uint64_t time)
{
	struct size_log *last = NULL;
	char name[32];
	struct stat st;

	name_of(map, name);
	if (map->tmp < 0 || fstatat(map->tmp, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (map->size_log.n)
		last = &map->size_log.v[map->size_log.n - 1];
	/* another file, or written from the start: the earlier sizes are
	   void */
	if (last && (st.st_ino != map->inode ||
			    (uint64_t)st.st_size < last->size)) {
		map->size_log.n = 0;
		last = NULL;
	}
	if (last && last->size == (uint64_t)st.st_size) {
		last->time = time;
		return 0;
	}
	map->inode = st.st_ino;
	return vec_add(&map->size_log,
		       (struct size_log){time, (uint64_t)st.st_size})
		       ? 0
		       : -1;
}

static bool is_own(const void *arg, const struct stat *st)
{
	const struct jit_map *map = arg;

	return st->st_uid == map->uid || st->st_uid == geteuid() ||
	       st->st_uid == 0;
}

int jit_map_open(const struct jit_map *map)
{
	char name[32];

	if (map->tmp < 0)
		return -1;
	name_of(map, name);
	return regular_open(map->tmp, name, O_NOFOLLOW, is_own, map);
}
