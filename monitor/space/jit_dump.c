/* Opens jit-PID.dump, if it is the target's own file. */
#include "monitor/space/jit_dump.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/regular.h"
#include "monitor/base/proc.h"
#include "monitor/space/module_identity.h"

/* PID is the number in its own namespace. */
bool jit_dump_is(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned pid;
	int end = 0;

	return name && sscanf(name, "/jit-%u.dump%n", &pid, &end) == 1 && end &&
	       (!name[end] || strcmp(name + end, " (deleted)") == 0);
}

/* Accepted under the same rules as a perf map (jit_map.h). */
static bool is_own(const void *arg, const struct stat *st)
{
	const struct module_identity *id = arg;

	return st->st_uid == geteuid() || st->st_uid == 0 ||
	       st->st_uid == proc_owner(id->pid);
}

static int open_at(const char *path, const struct module_identity *id)
{
	int fd = regular_open(AT_FDCWD, path, 0, is_own, id);

	if (fd < 0 || module_is_file(id, fd, NULL))
		return fd;
	close(fd);
	return -1;
}

int jit_dump_open(const struct module_identity *id)
{
	char path[4200];
	int fd = open_at(id->path, id);

	if (fd < 0) {
		snprintf(path, sizeof path, "/proc/%d/root%s", (int)id->pid,
			id->path);
		fd = open_at(path, id);
	}
	if (fd < 0) {
		snprintf(path, sizeof path, "/proc/%d/map_files/%jx-%jx",
			(int)id->pid, (uintmax_t)id->start, (uintmax_t)id->end);
		fd = open_at(path, id);
	}
	return fd;
}
