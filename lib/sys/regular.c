/* Opens with O_PATH, looks, and opens that again. */
#include "lib/sys/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int regular_open(int dir, const char *path, int flags,
	bool (*check)(const void *arg, const struct stat *st), const void *arg)
{
	int seen = openat(dir, path, O_PATH | O_CLOEXEC | flags), fd = -1;
	char again[32];
	struct stat st;
	int saved;

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
