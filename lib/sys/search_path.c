/* Cuts PATH and #! lines. */
#include "lib/sys/search_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of execvp where PATH is not set (confstr(3), _CS_PATH). */
#define DEFAULT_PATH "/bin:/usr/bin"

const char *search_path(void)
{
	const char *path = getenv("PATH");

	return path ? path : DEFAULT_PATH;
}

bool search_path_next(const char **list, const char *name, char file[PATH_MAX])
{
	const char *folder = *list;
	size_t n;

	if (!folder)
		return false;
	n = strcspn(folder, ":");
	*list = folder[n] ? folder + n + 1 : NULL;
	/* an empty entry is the current folder; what is too long is no file */
	if (snprintf(file, PATH_MAX, "%.*s%s%s", (int)n, folder, n ? "/" : "",
		    name) >= PATH_MAX)
		*file = '\0';
	return true;
}

bool script_interpreter(int fd, char file[PATH_MAX])
{
	char line[256];
	ssize_t n = pread(fd, line, sizeof line - 1, 0);
	const char *name;

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = '\0';
	name = line + 2 + strspn(line + 2, " \t");
	snprintf(file, PATH_MAX, "%.*s", (int)strcspn(name, " \t\n"), name);
	return true;
}
