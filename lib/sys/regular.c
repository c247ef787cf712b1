/* Opens with O_PATH, looks, and opens that again. */
#include "lib/sys/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FOLDERS_MAX 64 /* one in the other */
#define LINKS_MAX 40   /* of a path, as in the kernel */

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

/*
 * A way below a root that no link leaves: openat2(), with which the kernel goes
 * it, is refused in many a container.
 */
struct way {
	int at[FOLDERS_MAX]; /* the root, and each in the one before it */
	size_t n;
	unsigned links;
};

static void go_up(struct way *w, size_t n)
{
	int saved = errno;

	while (w->n > n)
		close(w->at[--w->n]);
	errno = saved;
}

static int fail(int why)
{
	errno = why;
	return -1;
}

/* Goes on along PATH.  -1 and errno. */
static int go(struct way *w, const char *path)
{
	char name[NAME_MAX + 1], link[PATH_MAX];
	ssize_t size;
	int fd;

	if (*path == '/')
		go_up(w, 1);
	for (size_t n; *(path += strspn(path, "/")); path += n) {
		n = strcspn(path, "/");
		if (n > NAME_MAX || w->n == FOLDERS_MAX)
			return fail(ENAMETOOLONG);
		snprintf(name, sizeof name, "%.*s", (int)n, path);
		if (!strcmp(name, "..") && w->n > 1)
			go_up(w, w->n - 1);
		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		fd = openat(
			w->at[w->n - 1], name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			return -1;
		w->at[w->n++] = fd;
		size = readlinkat(fd, "", link, sizeof link - 1);
		if (size < 0)
			continue;
		go_up(w, w->n - 1);
		link[size] = '\0';
		if (++w->links > LINKS_MAX)
			return fail(ELOOP);
		if (go(w, link))
			return -1;
	}
	return 0;
}

int regular_open_below(const char *root, const char *path)
{
	struct way w = {.n = 1};
	int seen = -1;

	if (!root)
		return regular_open(AT_FDCWD, path, 0, NULL, NULL);
	w.at[0] = open(root, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (w.at[0] < 0)
		return -1;
	if (!go(&w, path))
		seen = w.at[--w.n];
	go_up(&w, 0);
	return open_seen(seen, NULL, NULL);
}
