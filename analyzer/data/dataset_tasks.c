/*
 * dataset_tasks.c - names of processes and threads, and what files leave unsaid
 * of them.
 *
 * A fork runs the program of its parent.
 * Files tell of threads that exit, and of processes that an exec replaces by
 * another one of the same number.  Else a process ends with its last thread.
 */

#include <stdio.h>

#include "analyzer/data/dataset_private.h"
#include "lib/text.h"

const char *dataset_noted(const struct dataset *data, const char *key)
{
	for (size_t i = 0; i < data->nnotes; i++)
		if (!strcmp(data->notes[i].key, key))
			return data->notes[i].text;
	return NULL;
}

uint64_t dataset_collected(const struct dataset *data, uint64_t *from)
{
	const char *text = dataset_noted(data, "attached");
	uint64_t run = (data->end.time - data->head.start) / 1000;
	double found, s;

	*from = data->head.start;
	if (!text ||
		sscanf(text,
			"all threads were found %lf s after the start; on for "
			"%lf s",
			&found, &s) != 2 ||
		found < 0 || s < 0 || (found + s) * 1e6 > (double)run)
		return run;
	*from += (uint64_t)(found * 1e9);
	return (uint64_t)(s * 1e6);
}

const char *dataset_program(const struct cpd_process *process)
{
	return text_base_name(process->exe);
}

const char *dataset_called(const struct cpd_process *process)
{
	const char *program = dataset_program(process);

	return *process->called ? process->called
	       : *program       ? program
				: process->name;
}

bool dataset_runs(const struct cpd_process *process, const char *module)
{
	return !strcmp(module, dataset_program(process)) ||
	       (*process->called && !strcmp(module, process->called));
}

static const struct cpd_process *process_of(
	const struct dataset *data, uint32_t thread)
{
	uint32_t process = data->threads[thread].process;

	return &data->processes[process <= data->nprocesses ? process : 0];
}

const char *dataset_thread_name(const struct dataset *data, uint32_t thread)
{
	const char *name = data->threads[thread].name;

	return *name ? name : process_of(data, thread)->name;
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
	for (uint32_t t = 1; t <= data->nthreads; t++) {
		uint32_t p = data->threads[t].process;

		if (p > data->nprocesses)
			continue;
		if (!data->thread_end[t])
			data->thread_end[t] = data->process_end[p]
						      ? data->process_end[p]
						      : last;
	}
	/* A process that an exec ended keeps that end: its threads have
	   ended by then. */
	for (uint32_t t = 1; t <= data->nthreads; t++) {
		uint32_t p = data->threads[t].process;

		if (p <= data->nprocesses &&
			data->thread_end[t] > data->process_end[p])
			data->process_end[p] = data->thread_end[t];
	}
}

/* How often a process went on as another program. */
static uint32_t execs(const struct dataset *data)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i <= data->nprocesses; i++) {
		const struct cpd_process *p = &data->processes[i];

		n += p->flags & CPD_PROCESS_EXEC && p->parent &&
		     data->processes[p->parent].pid == p->pid;
	}
	return n;
}

uint32_t dataset_processes(const struct dataset *data)
{
	return data->nprocesses - execs(data);
}

bool dataset_is_waiting(const struct cpd_resource *r)
{
	return !strcmp(r->name, "real") || !strcmp(r->name, "blocked") ||
	       !strcmp(r->name, "runqueue") ||
	       !strcmp(r->name, CPD_BLOCKED_IN_LINE);
}

uint32_t dataset_threads_run(const struct dataset *data)
{
	uint32_t n = execs(data);

	return data->nthreads > n ? data->nthreads - n : data->nthreads;
}
