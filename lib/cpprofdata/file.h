/*
 * file.h - the file under a writer, and its names.
 *
 * A new file has mode 0600 whatever the umask, and a temporary name beside the
 * final one (PATH.partial.PID) until cpd_file_publish().  Standard output ("-",
 * /dev/stdout, /dev/fd/N), pipes and character devices are written as they are
 * and have no names to change.  A symbolic link to a file is followed, and so
 * it stays, if it is this user's or root's (own_link.h); another user's is
 * treated as an older file, and its target is left alone.
 *
 * Writing to a pipe that nobody reads, or beyond the limit on file sizes, is an
 * error like any other: the signals that the kernel sends for it (SIGPIPE,
 * SIGXFSZ) are held back during the write and removed.
 */
#ifndef CPPROF_CPPROFDATA_FILE_H
#define CPPROF_CPPROFDATA_FILE_H

#include <stddef.h>

#include "lib/err.h"

struct cpd_file;

/* An error where PATH is a file that is there and no cpprofdata file. */
struct cpd_file *cpd_file_open(const char *path, struct err *err);

/* Writes all of DATA.  If it fails, what was written before stays whole. */
int cpd_file_write(
	struct cpd_file *f, const void *data, size_t n, struct err *err);

/* In a forked process: what is written goes to FD. */
void cpd_file_redirect(struct cpd_file *f, int fd);

/* Gives the file its name; an older one of that name becomes PATH.old. */
int cpd_file_publish(struct cpd_file *f, struct err *err);

/* Closes a whole file, publishes it if it is not, and frees F. */
int cpd_file_close(struct cpd_file *f, struct err *err);

/*
 * After a failure: the whole chunks become PATH.partial (nothing, if they are
 * at most EMPTY bytes), or keep their name if that is refused; an older file
 * gets its name back, and ERR's hint says so.  Frees F.
 */
void cpd_file_fail(struct cpd_file *f, size_t empty, struct err *err);

/* Removes the temporary file; a published one stays.  Frees F. */
void cpd_file_abandon(struct cpd_file *f);

/* The path as the user gave it, for errors.  Lent until F is freed. */
const char *cpd_file_path(const struct cpd_file *f);

#endif
