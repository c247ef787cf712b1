/*
 * jit_map.h - where a process writes its perf map: /tmp/perf-PID.map, both as
 * the process itself sees them.
 *
 * The place is looked up while the process lives and stays reachable after it
 * has ended, be it in a mount and process namespace of its own.
 */
#ifndef CPPROF_JIT_MAP_H
#define CPPROF_JIT_MAP_H

#include <sys/types.h>

struct jit_map {
	int tmp;   /* its /tmp; -1: not known */
	pid_t pid; /* its number in its innermost process namespace */
	uid_t uid; /* its user */
};

void jit_map_find(struct jit_map *map, pid_t pid);
void jit_map_close(struct jit_map *map);

/*
 * The map, to be closed, if it is there: a regular file of the process's user,
 * of this one or of root.  Else -1.
 */
int jit_map_open(const struct jit_map *map);

#endif
