/* Chooses between a file with a temporary name and a pipe, writes, renames. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/cpprofdata/file.h"
#include "lib/cpprofdata/format.h"
#include "lib/sys/own_link.h"

struct cpd_file {
	char *given; /* as the user has it */
	char *path, *temp, *old,
		*partial; /* NULL where it is written directly */
	int fd;
	bool published, replaced; /* replaced: path became old */
	uint64_t whole;           /* bytes of whole records */
};

const char *cpd_file_path(const struct cpd_file *f)
{
	return f->given;
}

static void file_free(struct cpd_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f->given);
	free(f->path);
	free(f->temp);
	free(f->old);
	free(f->partial);
	free(f);
}

/* err_sys() with the way out of common write errors. */
static int write_error(struct err *err, const char *path, const char *op)
{
	int saved = errno;

	err_sys(err, path, op);
	switch (saved) {
	case ENOSPC:
		return err_hint(err, "the disk is full; free some space, or "
				     "write to another one with -o");
	case EDQUOT:
		return err_hint(err, "the disk quota is used up; remove some "
				     "files, or write elsewhere with -o");
	case EFBIG:
		return err_hint(err, "the limit on file sizes was reached; "
				     "raise it ('ulimit -f'), or sample less "
				     "often with a longer interval");
	case EPIPE:
		return err_hint(err, "the program that read this pipe ended "
				     "before it had everything");
	case EACCES:
	case EPERM:
	case EROFS:
	case ENOENT:
	case ENOTDIR:
		return err_hint(err, "choose a file in a folder that exists "
				     "and is writable with -o");
	default:
		return -1;
	}
}

/* The descriptor that /dev/stdout and the like stand for, or -1. */
static int named_fd(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (int i = 0; i < 2; i++) {
		size_t n = strlen(folders[i]);
		char *end;
		long fd;

		if (strncmp(path, folders[i], n) || path[n] < '0' ||
			path[n] > '9')
			continue;
		fd = strtol(path + n, &end, 10);
		if (!*end && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

/* A duplicate of the descriptor that PATH names: 1; 0 if it names none. */
static int open_named_fd(struct cpd_file *f, const char *path, struct err *err)
{
	int fd = named_fd(path);

	if (fd < 0)
		return 0;
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return f->fd >= 0 ? 1 : write_error(err, path, "open");
}

/* Another user's pipe in a folder that anyone can write to may be a trap. */
static bool is_strange(const char *path, const struct stat *st)
{
	const char *slash = strrchr(path, '/');
	struct stat folder;
	char *name;
	bool strange;

	if (st->st_uid == geteuid() || st->st_uid == 0)
		return false;
	name = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	strange = !name || stat(name, &folder) != 0 ||
		  (folder.st_mode & (S_IWGRP | S_IWOTH));
	free(name);
	return strange;
}

/*
 * Opens PATH, which is no link to follow, if it is to be written as it is: 1. 0
 * if it is an ordinary file, a link or missing; -1 on error.
 */
static int open_directly(struct cpd_file *f, const char *path, struct err *err)
{
	bool follow = own_link_is(path); /* /proc/PID/fd/N */
	struct stat st;

	if ((follow ? stat(path, &st) : lstat(path, &st)) ||
		S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
		return 0;
	if (S_ISDIR(st.st_mode))
		return err_say(err, path, "open", "Is a directory",
			"name a file in it, as in -o %s/cpprofdata", path);
	if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
		return err_set(err, path, "open",
			"Neither a file nor a pipe nor a character device");
	if (S_ISFIFO(st.st_mode) && is_strange(path, &st))
		return err_say(err, path, "open",
			"Another user's pipe, in a folder that others can "
			"write",
			"choose another name with -o");
	f->fd = open(path,
		O_WRONLY | O_CLOEXEC | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
	if (f->fd < 0)
		return write_error(err, path, "open");
	/* a file that has taken its place is not overwritten */
	if (fstat(f->fd, &st) != 0 || S_ISREG(st.st_mode))
		return err_set(err, path, "open", "It changes all the time");
	return 1;
}

/* Sets the four names. */
static int make_names(struct cpd_file *f, const char *path, int attempt)
{
	char again[16] = "";
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path; /* of a folder's none */
	int bad;

	if (attempt)
		snprintf(again, sizeof again, ".%d", attempt);
	free(f->temp);
	free(f->path);
	free(f->old);
	free(f->partial);
	f->temp = f->path = f->old = f->partial = NULL;
	bad = asprintf(&f->temp, "%.*s%.200s.partial.%ld%s", (int)(base - path),
		      path, base, (long)getpid(), again) < 0;
	bad = asprintf(&f->path, "%s", path) < 0 || bad;
	bad = asprintf(&f->old, "%s.old", path) < 0 || bad;
	bad = asprintf(&f->partial, "%s.partial", path) < 0 || bad;
	return bad ? -1 : 0;
}

/* Only a profile may become PATH.old: another file is somebody's, or PROG. */
static int check_older(const char *path, struct err *err)
{
	char head[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : 0;

	if (fd >= 0)
		close(fd);
	if (n <= 0 || cpd_is_ours(head, (size_t)n))
		return 0;
	return err_say(err, path, "write",
		"It is there, and no cpprofdata file",
		"choose another file with -o, or remove this one");
}

static int open_temp(struct cpd_file *f, const char *path, struct err *err)
{
	if (check_older(path, err))
		return -1;
	/* Another writer may have the name, or one with our number that
	   died. */
	for (int attempt = 0; attempt < 100; attempt++) {
		if (make_names(f, path, attempt))
			return err_memory(err, path, "open");
		f->fd = open(f->temp,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
		if (f->fd >= 0 || errno != EEXIST)
			break;
	}
	if (f->fd < 0)
		return write_error(err, path, "create");
	if (fchmod(f->fd, 0600)) { /* the umask may have removed bits */
		write_error(err, path, "chmod");
		unlink(f->temp);
		return -1;
	}
	return 0;
}

struct cpd_file *cpd_file_open(const char *path, struct err *err)
{
	struct cpd_file *f = calloc(1, sizeof *f);
	char *real = own_link_follow(path);
	int direct;

	if (!f || !real) {
		err_memory(err, path, "open");
		goto out;
	}
	f->fd = -1;
	f->given = strdup(strcmp(path, "-") ? path : "standard output");
	if (!f->given || !*path) {
		err_set(err, path, "open",
			*path ? "Out of memory" : "The file's name is empty");
		goto out;
	}
	direct = open_named_fd(f, path, err);
	if (!direct)
		direct = open_directly(f, real, err);
	if (direct < 0 || (!direct && open_temp(f, real, err)))
		goto out;
	free(real);
	return f;
out:
	free(real);
	file_free(f);
	return NULL;
}

/* One write(), waiting where the descriptor was made non-blocking. */
static ssize_t write_some(int fd, const char *data, size_t n)
{
	for (;;) {
		ssize_t done = write(fd, data, n);
		struct pollfd p = {.fd = fd, .events = POLLOUT};

		if (done >= 0)
			return done;
		if (errno == EAGAIN)
			poll(&p, 1, -1);
		else if (errno != EINTR)
			return -1;
	}
}

/* write() of all, without the signals that an error may raise. */
static int write_all(int fd, const char *data, size_t n)
{
	const struct timespec now = {0};
	sigset_t both, before, pending;
	int saved;

	sigemptyset(&both);
	sigaddset(&both, SIGPIPE);
	sigaddset(&both, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &both, &before);
	sigpending(&pending);
	while (n) {
		ssize_t done = write_some(fd, data, n);

		if (done < 0)
			break;
		data += done;
		n -= (size_t)done;
	}
	saved = errno;
	if (n) { /* remove ours, keep an earlier one pending */
		if (sigismember(&pending, SIGPIPE))
			sigdelset(&both, SIGPIPE);
		if (sigismember(&pending, SIGXFSZ))
			sigdelset(&both, SIGXFSZ);
		while (sigtimedwait(&both, NULL, &now) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return n ? -1 : 0;
}

int cpd_file_write(
	struct cpd_file *f, const void *data, size_t n, struct err *err)
{
	if (write_all(f->fd, data, n))
		return write_error(err, f->given, "write");
	f->whole += n;
	return 0;
}

void cpd_file_redirect(struct cpd_file *f, int fd)
{
	f->fd = fd;
}

int cpd_file_publish(struct cpd_file *f, struct err *err)
{
	struct stat st;

	if (!f->temp || f->published)
		return 0;
	if (!lstat(f->path, &st)) {
		if (S_ISDIR(st.st_mode))
			return err_set(
				err, f->given, "rename", "Is a directory");
		if (rename(f->path, f->old))
			return write_error(err, f->old, "rename");
		f->replaced = true;
	}
	if (rename(f->temp, f->path)) {
		write_error(err, f->given, "rename");
		if (f->replaced && !rename(f->old, f->path))
			f->replaced = false;
		return -1;
	}
	f->published = true;
	return 0;
}

int cpd_file_close(struct cpd_file *f, struct err *err)
{
	int fd = f->fd;

	if (cpd_file_publish(f, err))
		goto fail;
	f->fd = -1;
	/* Some file systems report a full disk only now. */
	if (close(fd) && errno != EINTR) {
		write_error(err, f->given, "close");
		goto fail;
	}
	file_free(f);
	return 0;
fail:
	cpd_file_fail(f, 0, err);
	return -1;
}

/* Whether NAME is still the file that F wrote. */
static bool is_ours(const struct cpd_file *f, const char *name)
{
	struct stat a, b;

	return f->fd < 0 ||
	       (!fstat(f->fd, &a) && !lstat(name, &b) && a.st_dev == b.st_dev &&
		       a.st_ino == b.st_ino);
}

void cpd_file_fail(struct cpd_file *f, size_t empty, struct err *err)
{
	const char *name = f->published ? f->path : f->temp;
	char hint[sizeof err->hint];
	int cut;

	if (!name || !is_ours(f, name)) {
		file_free(f);
		return;
	}
	/* If this fails too: the reader accepts half a chunk. */
	cut = f->fd >= 0 ? ftruncate(f->fd, (off_t)f->whole) : 0;
	(void)cut;
	if (f->whole <= empty) {
		unlink(name);
	} else {
		if (!rename(name, f->partial))
			name = f->partial;
		memcpy(hint, err->hint, sizeof hint);
		err_hint(err, "%.300s%swhat was collected until then is in %s",
			hint, *hint ? "; " : "", name);
	}
	if (f->replaced && name != f->path)
		rename(f->old, f->path);
	file_free(f);
}

void cpd_file_abandon(struct cpd_file *f)
{
	if (f->temp && !f->published)
		unlink(f->temp);
	file_free(f);
}
