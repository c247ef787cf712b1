/* Opens with O_PATH, looks, and opens that again. */
#include "lib/sys/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Closes SEEN, which O_PATH opened. */
static int open_seen(int seen,
	bool (*check)(const void *arg, const struct stat *st), const void *arg)
{
	char again[32];
	struct stat st;
	int saved, fd = -1;

	if (seen < 0)
		return -1;
	if (fstat(seen, &st) != 0) {
		/* errno is set */
	} else if (S_ISLNK(st.st_mode)) {
		errno = ELOOP;
	} else if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
	} else if (check && !check(arg, &st)) {
		errno = EPERM;
	} else {
		snprintf(again, sizeof again, "/proc/self/fd/%d", seen);
		fd = open(again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	saved = errno;
	close(seen);
	errno = saved;
	return fd;
}

int regular_open(int dir, const char *path, int flags,
	bool (*check)(const void *arg, const struct stat *st), const void *arg)
{
	return open_seen(
		openat(dir, path, O_PATH | O_CLOEXEC | flags), check, arg);
}

int regular_open_below(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int dir, seen;

	if (!root)
		return regular_open(AT_FDCWD, path, 0, NULL, NULL);
	dir = open(root, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (dir < 0)
		return -1;
	seen = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
	close(dir);
	return open_seen(seen, NULL, NULL);
}
