/*
 * task_table.h - the processes and threads of a run, from the stream of
 * records.
 *
 * The kernel's records come in order of time, so at a sample the table has the
 * state of that moment: a library from dlopen, or a second one at the same
 * address, is right without any stop.  Processes and threads are written to the
 * file as they become known.
 *
 * A call that fails returns -1 or NULL.  The reason is the writer's error, else
 * tasks->err: so it is for all that happens from the target's start to the end
 * of the run, here and in the rooms above.
 */
#ifndef CPPROF_TASKS_TASK_TABLE
#define CPPROF_TASKS_TASK_TABLE

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/cpprofdata/writer.h"
#include "lib/err.h"
#include "lib/id_map.h"
#include "lib/vec.h"
#include "monitor/space/address_space.h"
#include "monitor/space/module.h"
#include "monitor/space/objects.h"
#include "monitor/stack/thread_stack.h"
#include "monitor/tasks/blocks.h"

struct process {
	pid_t pid;
	uint32_t id; /* in the file; 0: not written yet */
	uint32_t parent;
	uint64_t time;
	bool exec;
	char name[16];
	struct address_space *space; /* its code */
	struct process_objects objects;
	struct {
		uint64_t start, len;
	} stack; /* executable, and mapped before the program: not yet known */
	unsigned threads;
	struct id_map blocks;           /* that it has allocated (blocks.h) */
	struct interpreter_place place; /* runtime 0: it has none */
	struct interpreted_process *interpreted; /* NULL: it has told nothing */
};

struct thread {
	pid_t tid;
	uint32_t id; /* in the file */
	char name[16];
	struct process *process;
	pid_t origin;  /* attached: the thread that it has events from, over who
			  made it, ...; 0: none, or its own */
	bool whole;    /* ... all of them */
	uint64_t time; /* when it began */
	uint64_t on_since;     /* on a processor since; 0: not on one */
	uint64_t on_ns;        /* time on processors up to the last switch */
	uint64_t pushed_since; /* off its processor since then, though it could
				  run: another took its place; 0: it was not */
	uint64_t pushed_ns;    /* time in that state before */
	uint64_t sampled[RESOURCES_MAX]; /* gticks, by timer */
	uint64_t stack_from, stack_to;   /* its stack; 0: not known yet */
	struct thread_stack stack;
	uint32_t arcs; /* that it has called by: see monitor/sample/arcs.h */
	struct polled_thread *poller; /* what its polls found; NULL: nothing */
};

/* A thread that has ended: on a busy machine it may be sampled much later, on
   its last way out of the kernel. */
struct ended_thread {
	pid_t pid, tid;
	uint32_t process, thread; /* in the file */
	uint64_t time;            /* when the process began its program */
};

#define ENDED_THREADS 4096 /* are remembered */

struct task_table {
	struct cpd_writer *writer;
	struct err err; /* why the run cannot go on; no reason: it can */
	struct modules *modules;
	struct objects *objects; /* the caller's; NULL: nobody asks for them */
	struct id_map threads, processes; /* that run */
	struct ended_thread ended_threads[ENDED_THREADS];
	size_t nended;                 /* of all times */
	uint64_t nprocesses, nthreads; /* written so far */
	uint64_t generations;          /* of address spaces */
	uint64_t execs;        /* how many processes ran another program */
	bool interpreting;     /* a process has mapped an interpreter */
	uint64_t setuid_execs; /* at how many of them counting ended */
	/* The file that the run starts, and what the user calls it; "" if that
	   is the file's name. */
	char launched[PATH_MAX], launched_as[NAME_MAX + 1];
	/* Called when a thread ends, with its times; may be NULL. */
	void (*ended)(void *arg, struct thread *thread, uint64_t time);
	/* Called when a process maps an interpreter; if any has, when one ends
	   (PLACE NULL).  May be NULL. */
	void (*interprets)(
		void *arg, pid_t pid, const struct interpreter_place *place);
	void *arg;
	const struct collection *collection; /* times are those in which it
						collects; NULL: all */
};

void task_table_init(struct task_table *tasks, struct cpd_writer *writer,
	struct modules *modules);
void task_table_fini(struct task_table *tasks);

/*
 * The thread, made if it is unknown (its fork was before the stream), or again
 * if it has ended.
 */
struct thread *task_table_thread(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time);

/*
 * The id in the file of the thread that had these numbers at TIME, also if it
 * has ended.  0: failed.
 */
uint32_t task_table_id(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time);

/*
 * A process that runs already, by one of its threads, and its names; to be used
 * before any other record of it.
 */
struct found_record {
	pid_t pid, tid, parent;
	const char *name, *exe; /* of the process */
	const char *thread_name;
	bool exec; /* it began with the program that it runs */
};
int task_table_found(struct task_table *tasks, const struct found_record *found,
	uint64_t time);

/* There was no memory: -1, and the error is set. */
int task_table_starved(struct task_table *tasks);

/* Whether a process with that number is known and runs. */
bool task_table_knows(const struct task_table *tasks, pid_t pid);

/*
 * The process has ended and no record has told so.  Does nothing if it is
 * unknown.
 */
void task_table_forget(struct task_table *tasks, pid_t pid, uint64_t time);

struct fork_record {
	pid_t pid, tid;
	pid_t parent_pid, parent_tid; /* the one that called fork or clone */
	pid_t origin;                 /* whose events tell of it; 0: nobody's */
};
int task_table_fork(struct task_table *tasks, const struct fork_record *fork,
	uint64_t time);
int task_table_comm(struct task_table *tasks, pid_t pid, pid_t tid,
	const char *name, bool exec, uint64_t time);
/*
 * Whether an exit record of the thread is none: one right after an exec and
 * before any mapping says that the kernel removed the thread's own events
 * because the program gained privilege.
 */
bool task_table_gains(const struct task_table *tasks, pid_t tid);
/*
 * A thread ends, or task_table_gains() and is not counted any more; samples of
 * it may follow until task_table_end().
 */
int task_table_exit(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time);
void task_table_end(struct task_table *tasks, pid_t tid, uint64_t time);
/* A thread leaves its processor to wait, or another thread takes its place. */
enum task_table_switch {
	TASKS_SWITCH_IN,
	TASKS_SWITCH_OUT,
	TASKS_SWITCH_PUSHED
};
int task_table_switch(struct task_table *tasks, pid_t pid, pid_t tid,
	enum task_table_switch how, uint64_t time);

struct map_record {
	uint64_t start, len;
	struct module_identity identity;
};

/* The distance from MODULE's link-time addresses to those in the process. */
uint64_t map_bias(const struct map_record *map, const struct module *module);

int task_table_map(struct task_table *tasks, pid_t tid,
	const struct map_record *map, uint64_t time);

/*
 * The same of any mapping, CODE or not, where objects are asked for.  LATE: it
 * was found later, and is taken where nothing is known.
 */
int task_table_object(struct task_table *tasks, const struct map_record *map,
	bool code, bool late);

/* Whether the mapping is known already; without a path, by its inode. */
bool task_table_has_map(
	struct task_table *tasks, pid_t tid, const struct map_record *map);

/* Calls tasks->ended for all threads that still run. */
void task_table_finish(struct task_table *tasks, uint64_t time);

/* The origin of the thread with that number; 0 also if there is none. */
pid_t task_table_origin(const struct task_table *tasks, pid_t tid);

/* It has all its events, and from there. */
void task_table_whole(struct task_table *tasks, pid_t tid, pid_t origin);

/* The thread from which it has a part of its events; 0: all of them, or none.
 */
pid_t task_table_part(const struct task_table *tasks, pid_t tid);

/* From now on they have their events from no other thread. */
void task_table_disown(struct task_table *tasks, pid_t origin);

#endif
