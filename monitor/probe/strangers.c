/* Looks through /proc for processes that a uprobe may end. */
#include "monitor/probe/strangers.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/base/proc.h"

/* Whether PID is traced by another, or translates code as valgrind's tools. */
static bool is_endangered(pid_t pid)
{
	char exe[PATH_MAX];
	struct proc_status status;

	proc_exe(pid, exe);
	if (strstr(exe, "/valgrind/"))
		return true;
	return proc_status(pid, &status) && status.tracer &&
	       status.tracer != getpid();
}

static bool is_probed(const struct calls *calls, const struct stat *mapped)
{
	struct stat st;

	for (size_t i = 0; i < calls->points.n; i++)
		if (stat(calls->points.v[i].file, &st) == 0 &&
			st.st_dev == mapped->st_dev &&
			st.st_ino == mapped->st_ino)
			return true;
	return false;
}

static bool has_probed(pid_t pid, const struct calls *calls)
{
	char path[64];
	struct dirent *entry;
	struct stat mapped;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/map_files", (int)pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir)))
		found = !fstatat(dirfd(dir), entry->d_name, &mapped, 0) &&
			is_probed(calls, &mapped);
	if (dir)
		closedir(dir);
	return found;
}

size_t strangers_find(const struct calls *calls, pid_t own, pid_t *first)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = atoi(entry->d_name);

		if (pid <= 0 || pid == own || !is_endangered(pid) ||
			!has_probed(pid, calls))
			continue;
		if (!n++)
			*first = pid;
	}
	if (dir)
		closedir(dir);
	return n;
}
