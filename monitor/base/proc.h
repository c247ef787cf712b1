/*
 * proc.h - what /proc says of a thread.
 *
 * Threads and processes can end at any moment; then the answer is that there is
 * none.
 */
#ifndef CPPROF_BASE_PROC
#define CPPROF_BASE_PROC

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/vec.h"

/*
 * Reads the start of a file into BUF (SIZE bytes, terminated).  The length, or
 * -1 with errno.
 */
ssize_t proc_read(const char *path, char *buf, size_t size);

/* The same of file NAME in the folder of a thread of process PID. */
ssize_t proc_thread_file(
	pid_t pid, pid_t tid, const char *name, char *buf, size_t size);

struct proc_status { /* of /proc/TID/status */
	pid_t tgid, parent, tracer;
	pid_t inner;      /* tgid in its own PID namespace */
	pid_t inner_tid;  /* and its own number there */
	uid_t uid;        /* real */
	bool one_uid;     /* effective, saved and real are the same */
	uint64_t ignored; /* signals: bit n - 1 is signal n */
	uint64_t caught;
	uint64_t blocked;
	char state; /* 'R', 'S', ... */
};

/* False: there is no such thread, or no longer. */
bool proc_status(pid_t tid, struct proc_status *status);

/* Whether a thread has ended and waits for its parent. */
static inline bool proc_is_dead(const struct proc_status *status)
{
	return status->state == 'Z' || status->state == 'X';
}

/* Whose its files in /proc are; this process's user if it has ended. */
uid_t proc_owner(pid_t pid);

/*
 * When a process began, ns of CLOCK_REALTIME by what that and the clock since
 * the boot say now; 0: it has ended.
 */
uint64_t proc_began(pid_t pid);

/* Whether a process is a part of the kernel. */
bool proc_is_kernel(pid_t pid);

/* Whether all threads of a process have ended, or there is no such process. */
bool proc_has_ended(pid_t pid);

/* The thread's name; false: it has ended. */
bool proc_comm(pid_t tid, char name[16]);

/* The path of the program that a process runs; "" if it is gone. */
void proc_exe(pid_t tid, char exe[PATH_MAX]);

/* What the kernel told a process of that type, getauxval(3); 0: not known. */
uint64_t proc_auxv(pid_t pid, uint64_t type);

/*
 * The last part of the name by which execve(2) was told to run EXE, the program
 * of a process; "" where that is no name of its file (of a script it is the
 * script's), or is not known, as when it already runs another.
 */
void proc_called(pid_t pid, const char *exe, char called[NAME_MAX + 1]);

/* The arguments of a process that runs EXE, with blanks between, cut to fit; ""
   where they are not known. */
#define PROC_ARGS 1024
void proc_args(pid_t pid, const char *exe, char args[PROC_ARGS]);

/* Whether a thread's descriptor FD is open for reading only. */
bool proc_fd_read_only(pid_t tid, int fd);

/* The numbers in a folder of /proc: threads of a process, all processes. */
typedef VEC(pid_t) proc_list;

/* Appends the threads of a process, none if it has ended; -1: no memory. */
int proc_threads(pid_t pid, proc_list *list);

/* Appends the numbers in a file, none if it is missing; -1: no memory. */
int proc_numbers(const char *path, proc_list *list);

/*
 * Whether the process of a pidfd still has its number: then what was read by
 * the number is of this process, and not of a later one.
 */
bool proc_is_there(int pidfd);

/*
 * Appends all descendants of PID, nearest first; -1: no memory.  Afterwards
 * each number may be another process's.
 */
int proc_descendants(pid_t pid, proc_list *list);

/*
 * The number of the system call that a thread waits in; -1: it runs, or waits
 * outside of one; -2: it has ended, or this user may not know.
 */
long proc_syscall(pid_t tid);

#endif
