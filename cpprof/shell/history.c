/* Finds the history's file, and appends each line to it. */
#include "cpprof/shell/history.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

#define HISTORY_LINES 1000

/* Makes all folders of PATH's file. */
static bool make_folders(char *path)
{
	for (char *s = path + 1; *s; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
		*s = '/';
		if (!made)
			return false;
	}
	return true;
}

static bool find_path(char path[PATH_MAX])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	if (state && *state == '/')
		n = snprintf(path, PATH_MAX, "%s/cpprof/history", state);
	else if (home && *home == '/')
		n = snprintf(
			path, PATH_MAX, "%s/.local/state/cpprof/history", home);
	else
		return false;
	return n > 0 && (size_t)n < PATH_MAX;
}

void history_begin(struct history *history)
{
	char *path = history->path;
	int fd;

	using_history();
	if (!find_path(path) || !make_folders(path)) {
		path[0] = '\0';
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0) {
		path[0] = '\0';
		return;
	}
	close(fd);
	read_history(path);
	stifle_history(HISTORY_LINES);
}

static bool worth_keeping(const char *line)
{
	const HIST_ENTRY *last;

	while (isspace((unsigned char)*line))
		line++;
	if (!*line)
		return false;
	last = history_length ? history_get(history_base + history_length - 1)
			      : NULL;
	return !last || strcmp(last->line, line) != 0;
}

/* Written at once: another shell or a crash takes nothing away. */
void history_add(const struct history *history, const char *line)
{
	if (!worth_keeping(line))
		return;
	add_history(line);
	if (*history->path)
		append_history(1, history->path);
}

void history_end(const struct history *history)
{
	if (*history->path)
		history_truncate_file(history->path, HISTORY_LINES);
}
