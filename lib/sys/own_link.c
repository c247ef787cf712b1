/* Follows links step by step, with a look at each owner. */
#include "lib/sys/own_link.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as in the kernel */

/* One step: what the link PATH holds, as a path from the same place. */
static char *step(const char *path)
{
	const char *base = strrchr(path, '/');
	char to[PATH_MAX], *next;
	ssize_t n = readlink(path, to, sizeof to - 1);

	if (n <= 0)
		return NULL;
	to[n] = '\0';
	base = base && to[0] != '/' ? base + 1 : path;
	if (asprintf(&next, "%.*s%s", (int)(base - path), path, to) < 0)
		return NULL;
	return next;
}

bool own_link_is(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
	       (st.st_uid == geteuid() || st.st_uid == 0);
}

char *own_link_follow(const char *path)
{
	char *at = strdup(path);
	struct stat st;

	for (int i = 0; at && i <= LINKS_MAX; i++) {
		char *next;

		if (lstat(at, &st) != 0) {
			if (errno == ENOENT) /* a file to be made */
				return at;
			break;
		}
		if (!S_ISLNK(st.st_mode))
			return at;
		if (!own_link_is(at))
			break;
		next = step(at);
		if (!next)
			break;
		free(at);
		at = next;
	}
	free(at);
	return strdup(path);
}
