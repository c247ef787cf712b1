/*
 * regular.h - opens a file only if it is a regular one.
 *
 * Other users can choose a name: of a mapping in a mount namespace of their
 * own, or in a debug link.  Opening a device can have an effect (a tape
 * rewinds, a watchdog starts), opening a pipe waits or wakes its writer. O_PATH
 * does neither.
 */
#ifndef CPPROF_SYS_REGULAR_H
#define CPPROF_SYS_REGULAR_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * The regular file PATH (from the folder DIR, or AT_FDCWD), for reading; -1 and
 * errno: EINVAL if it is none.  FLAGS: O_NOFOLLOW or 0.  CHECK, if not NULL, is
 * called before it is opened: false refuses it, with EPERM.
 */
int regular_open(int dir, const char *path, int flags,
	bool (*check)(const void *arg, const struct stat *st), const void *arg);

/*
 * The same of PATH on another machine whose root is the folder ROOT; links in
 * it lead there, too.  NULL: this machine.
 */
int regular_open_below(const char *root, const char *path);

#endif
