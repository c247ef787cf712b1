/*
 * jit_map.h - where a process writes its perf map: /tmp/perf-PID.map, both as
 * the process itself sees them.
 *
 * The place is looked up while the process lives.  It stays reachable after the
 * end of the process, even if it was in another mount and process namespace.
 * The lines of the map have no times; its sizes at known times tell between
 * which two each line was written.
 */
#ifndef CPPROF_SPACE_JIT_MAP_H
#define CPPROF_SPACE_JIT_MAP_H

#include <sys/types.h>

#include "lib/run/run_files.h"
#include "lib/vec.h"

/*
 * The folders /tmp of all processes: one descriptor for each folder, not for
 * each process.  With more than JIT_FOLDERS_MAX folders the maps in the others
 * are not found.
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
	int tmp;        /* its /tmp, of the folders'; -1: unknown */
	pid_t pid;      /* its number in its innermost process namespace */
	uid_t uid;      /* its user */
	uint64_t began; /* when its process did, as proc_began() */
	uint64_t inode; /* of the file with these sizes */
	VEC(struct size_log)
	size_log; /* ascending, each larger than the last */
};

void jit_map_find(struct jit_map *map, pid_t pid, struct jit_folders *folders);
void jit_map_close(struct jit_map *map);

/*
 * Opens the map: a regular file of the process's user, of this one or of root;
 * -1: there is none.
 */
int jit_map_open(const struct jit_map *map);

/* Notes its size at TIME.  -1: no memory. */
int jit_map_note_size(struct jit_map *map, uint64_t time);

#endif
