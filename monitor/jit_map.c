#include "jit_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last number of the line NSpid, or PID on kernels without it. */
static pid_t inner_pid(pid_t pid)
{
	char path[32], line[256];
	FILE *status;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof line, status)) {
		const char *last;

		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		last = strrchr(line, '\t');
		if (last && atoi(last + 1) > 0)
			pid = (pid_t)atoi(last + 1);
		break;
	}
	if (status)
		fclose(status);
	return pid;
}

void jit_map_find(struct jit_map *map, pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d/root/tmp", (int)pid);
	map->tmp = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	map->pid = inner_pid(pid);
	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	map->uid = stat(path, &st) == 0 ? st.st_uid : geteuid();
}

void jit_map_close(struct jit_map *map)
{
	if (map->tmp >= 0)
		close(map->tmp);
	map->tmp = -1;
}

int jit_map_open(const struct jit_map *map)
{
	char name[32];
	struct stat st;
	int fd;

	if (map->tmp < 0)
		return -1;
	snprintf(name, sizeof name, "perf-%d.map", (int)map->pid);
	fd = openat(map->tmp, name,
		O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd >= 0 &&
		(fstat(fd, &st) || !S_ISREG(st.st_mode) ||
			(st.st_uid != map->uid && st.st_uid != geteuid() &&
				st.st_uid != 0))) {
		close(fd);
		fd = -1;
	}
	return fd;
}
