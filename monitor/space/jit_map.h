/*
 * jit_map.h - where a process writes its perf map: /tmp/perf-PID.map, both as
 * the process itself sees them.
 *
 * The place is looked up while the process lives and stays reachable after it
 * has ended, be it in a mount and process namespace of its own.  Its lines have
 * no times; how long it was at times tells between which each was written.
 */
#ifndef CPPROF_SPACE_JIT_MAP_H
#define CPPROF_SPACE_JIT_MAP_H

#include <sys/types.h>

#include "lib/size_log.h"
#include "lib/vec.h"

/*
 * The folders /tmp of all processes: as many descriptors as there are such
 * folders, not processes.  One more than JIT_FOLDERS_MAX, and those processes'
 * maps are not found.
 */
#define JIT_FOLDERS_MAX 32

struct jit_folders {
	struct {
		dev_t dev;
		ino_t ino;
		int fd;
	} v[JIT_FOLDERS_MAX];
	size_t n;
};

void jit_folders_close(struct jit_folders *folders);

struct jit_map {
	int tmp;        /* its /tmp, of the folders'; -1: not known */
	pid_t pid;      /* its number in its innermost process namespace */
	uid_t uid;      /* its user */
	uint64_t inode; /* that grew so */
	VEC(struct size_log)
	size_log; /* ascending, each longer than the last */
};

void jit_map_find(struct jit_map *map, pid_t pid, struct jit_folders *folders);
void jit_map_close(struct jit_map *map);

/*
 * The map, to be closed, if it is there: a regular file of the process's user,
 * of this one or of root.  Else -1.
 */
int jit_map_open(const struct jit_map *map);

/* Notes how long it is at TIME.  -1: no memory. */
int jit_map_look(struct jit_map *map, uint64_t time);

#endif
