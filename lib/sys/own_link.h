/*
 * own_link.h - follows only links of this user or root.
 *
 * In a folder that others can write, a symbolic link may be another user's, who
 * wants us to overwrite a file of ours.  The kernel guards sticky folders in
 * the same way where fs.protected_symlinks is on.
 */
#ifndef CPPROF_SYS_OWN_LINK_H
#define CPPROF_SYS_OWN_LINK_H

#include <stdbool.h>

/*
 * The path that PATH leads to, to be freed; PATH itself where it is no link,
 * another user's link, or links go round.  What it leads to need not exist.
 * NULL: no memory.
 */
char *own_link_follow(const char *path);

/* Whether PATH is a link, and this user's or root's. */
bool own_link_is(const char *path);

#endif
