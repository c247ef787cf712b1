/*
 * preloadable.h - whether a program can have the counting object.
 *
 * It can if the dynamic linker that this process has would load it without a
 * word, and if the object would see all its requests.
 */
#ifndef CPPROF_INPROCESS_PRELOADABLE_H
#define CPPROF_INPROCESS_PRELOADABLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether exec of PATH ends in such a program; WHY gets the reason why not, a
 * constant.  Takes no memory: it is called between vfork and exec.
 */
bool preloadable(const char *path, const char **why);

/*
 * Whether the library PATH is an allocator whose functions have probes: it may
 * serve requests that the object does not see.  Where it does, the object
 * counts nothing.
 */
bool has_probes(const char *path);

/* Whether the object does beside the other objects of LD_PRELOAD. */
bool preloadable_beside(const char *list);

#endif
