/*
 * dataset_ends.c - what files leave unsaid of processes and threads.
 *
 * A fork runs the program of its parent.
 * Files tell of threads that exit.  A process ends with its last thread, or as
 * another program: an exec makes a new process of the same number.
 */
#include "analyzer/data/dataset_private.h"

/* The exec that replaced a process, by the process that it made. */
static void end_at_execs(struct dataset *data)
{
	for (uint32_t i = 1; i <= data->nprocesses; i++) {
		const struct cpd_process *p = &data->processes[i];

		if (p->flags & CPD_PROCESS_EXEC && p->parent &&
			p->parent <= data->nprocesses &&
			data->processes[p->parent].pid == p->pid)
			data->process_end[p->parent] = p->time;
	}
}

static void inherit_programs(struct dataset *data)
{
	for (uint32_t i = 1; i <= data->nprocesses; i++) {
		struct cpd_process *p = &data->processes[i];

		if (!*p->exe && !(p->flags & CPD_PROCESS_EXEC) && p->parent < i)
			p->exe = data->processes[p->parent].exe;
	}
}

void dataset_complete_tasks(struct dataset *data)
{
	uint64_t last = data->file.complete ? data->end.time : 0;

	inherit_programs(data);
	end_at_execs(data);
	for (uint32_t t = 1; t <= data->nthreads; t++) {
		uint32_t p = data->threads[t].process;

		if (p > data->nprocesses)
			continue;
		if (!data->thread_end[t])
			data->thread_end[t] = data->process_end[p]
						      ? data->process_end[p]
						      : last;
	}
	/* An end by exec stands: its threads have ended by then. */
	for (uint32_t t = 1; t <= data->nthreads; t++) {
		uint32_t p = data->threads[t].process;

		if (p <= data->nprocesses &&
			data->thread_end[t] > data->process_end[p])
			data->process_end[p] = data->thread_end[t];
	}
}
