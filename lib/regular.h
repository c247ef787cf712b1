/*
 * regular.h - opens a file only after having seen that it is one.
 *
 * A name may be another's choice: of a program's mapping in a mount namespace
 * of its own, of a debug link.  To open a device can have an effect (a tape
 * rewinds, a watchdog starts), to open a pipe waits or wakes its writer.
 * O_PATH touches neither.
 */
#ifndef CPPROF_REGULAR_H
#define CPPROF_REGULAR_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * The regular file PATH (from the folder DIR, or AT_FDCWD), for reading; -1 and
 * errno: EINVAL if it is none.  FLAGS: O_NOFOLLOW or 0.  CHECK, if not NULL, is
 * asked before it is opened: false refuses it, with EPERM.
 */
int regular_open(int dir, const char *path, int flags,
	bool (*check)(const void *arg, const struct stat *st), const void *arg);

#endif
