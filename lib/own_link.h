/*
 * own_link.h - where a name leads by links that may be followed.
 *
 * In a folder that others can write, a symbolic link may be another user's, and
 * lead to a file of ours that it is to harm.  So only links that this user or
 * root made are followed, as the kernel does in sticky folders where
 * fs.protected_symlinks is on.
 */
#ifndef CPPROF_OWN_LINK_H
#define CPPROF_OWN_LINK_H

#include <stdbool.h>

/*
 * The path that PATH leads to, to be freed; PATH itself where it is no link,
 * one of another user, or one that leads nowhere.  NULL: no memory.
 */
char *own_link_follow(const char *path);

/* Whether PATH is a link, and this user's or root's. */
bool own_link_is(const char *path);

#endif
