/*
 * proc.h - what /proc says of a thread.
 *
 * Everything may be gone at any moment; then the answer is that there is none.
 */
#ifndef CPPROF_PROC_H
#define CPPROF_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "space.h"

/*
 * Reads the start of a file into BUF (SIZE bytes, terminated).  The length, or
 * -1 with errno.
 */
ssize_t proc_read(const char *path, char *buf, size_t size);

struct proc_status { /* of /proc/TID/status */
	pid_t tgid, parent, tracer;
	uid_t uid;        /* real */
	uint64_t ignored; /* signals: bit n - 1 is signal n */
	uint64_t caught;
	uint64_t blocked;
	char state; /* 'R', 'S', ... */
};

/* False: there is no such thread (any more). */
bool proc_status(pid_t tid, struct proc_status *status);

/* A thread's name; false: it is gone. */
bool proc_comm(pid_t tid, char name[16]);

/* Whether a thread's descriptor FD is open for reading alone. */
bool proc_fd_read_only(pid_t tid, int fd);

/*
 * Tells TASKS of the executable mappings of a process that it does not know
 * yet.  TID is one of its threads.  0, or -1 for a writer error or no memory; a
 * process that is gone has none.
 */
int proc_maps(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time);

#endif
