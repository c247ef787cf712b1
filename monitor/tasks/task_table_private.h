/*
 * task_table_private.h - what the files behind task_table.h share.
 */
#ifndef CPPROF_TASKS_TASK_TABLE_PRIVATE_H
#define CPPROF_TASKS_TASK_TABLE_PRIVATE_H

#include "monitor/tasks/task_table.h"

/* NULL: it is unknown, or has ended. */
static inline struct thread *find_thread(
	const struct task_table *tasks, pid_t tid)
{
	return id_map_get(&tasks->threads, (unsigned)tid);
}

static inline struct process *find_process(
	const struct task_table *tasks, pid_t pid)
{
	return id_map_get(&tasks->processes, (unsigned)pid);
}

/* Gives PROCESS its number in the file, if it has none.  -1: the writer's
   error. */
int task_table_announce(
	struct task_table *tasks, struct process *process, const char *exe);

#endif
