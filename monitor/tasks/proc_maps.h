/*
 * proc_maps.h - threads that run already, and the code they have mapped.
 *
 * No record tells of them: /proc does.  A thread or process that has ended is
 * not added.
 */
#ifndef CPPROF_TASKS_PROC_MAPS_H
#define CPPROF_TASKS_PROC_MAPS_H

#include "monitor/tasks/task_table.h"

/* Adds a thread that runs already to TASKS, with its process's mappings. */
int proc_introduce(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time);

/*
 * Adds to TASKS the executable mappings of a process that it does not know yet.
 * TID is one of its threads.  A process that has ended has none.
 */
int proc_maps(struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time);

/* Reads one line of /proc/PID/maps, of which MAP keeps the path, and whether it
   is of code; false: it is none. */
bool proc_maps_line(char *line, struct map_record *map, bool *code);

/* Adds what PROCESS has mapped now to its objects, where none is known. */
int proc_objects(struct task_table *tasks, struct process *process, pid_t tid);

#endif
