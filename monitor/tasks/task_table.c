/* Processes and threads by their numbers, changed by each record. */
#include "monitor/tasks/task_table_private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "monitor/base/collection.h"
#include "monitor/base/proc.h"

void task_table_init(struct task_table *tasks, struct cpd_writer *writer,
	struct modules *modules)
{
	memset(tasks, 0, sizeof *tasks);
	tasks->writer = writer;
	tasks->modules = modules;
}

int task_table_starved(struct task_table *tasks)
{
	return err_memory(&tasks->err, "monitor", NULL);
}

static void thread_free(struct thread *thread)
{
	previous_fini(&thread->stack.previous);
	vec_free(&thread->stack.told.items);
	free(thread->poller);
	free(thread);
}

static void process_free(struct process *process)
{
	address_space_drop(process->space);
	objects_drop(&process->objects);
	blocks_free(&process->blocks);
	interpreted_process_free(process->interpreted);
	free(process);
}

void task_table_fini(struct task_table *tasks)
{
	for (size_t i = 0; i < tasks->threads.n; i++)
		thread_free(tasks->threads.v[i].thing);
	for (size_t i = 0; i < tasks->processes.n; i++)
		process_free(tasks->processes.v[i].thing);
	id_map_free(&tasks->threads);
	id_map_free(&tasks->processes);
	memset(tasks, 0, sizeof *tasks);
}

/* The name by which PROCESS was told to run EXE, if that has another. */
static void tell_called(const struct task_table *tasks,
	const struct process *process, const char *exe,
	char called[NAME_MAX + 1])
{
	proc_called(process->pid, exe, called);
	/* the program itself can be over already */
	if (!*called && process->exec && !process->parent &&
		!strcmp(exe, tasks->launched))
		strcpy(called, tasks->launched_as);
	if (!strcmp(called, text_base_name(exe)))
		*called = '\0';
}

int task_table_announce(
	struct task_table *tasks, struct process *process, const char *exe)
{
	char called[NAME_MAX + 1] = "", args[PROC_ARGS] = "";
	struct cpd_process record = {
		.parent = process->parent,
		.pid = process->pid,
		.time = process->time,
		.name = process->name,
		.exe = exe,
		.flags = process->exec ? CPD_PROCESS_EXEC : 0,
		.called = called,
		.args = args,
	};

	if (process->id)
		return 0;
	if (*exe) {
		tell_called(tasks, process, exe, called);
		proc_args(process->pid, exe, args);
	}
	process->id = cpd_write_process(tasks->writer, &record);
	tasks->nprocesses++;
	return process->id ? 0 : -1;
}

static int announce_thread(struct task_table *tasks, struct thread *thread)
{
	struct cpd_thread record = {
		.process = thread->process->id,
		.tid = thread->tid,
		.time = thread->time,
		.name = thread->name,
	};

	if (thread->id)
		return 0;
	thread->id = cpd_write_thread(tasks->writer, &record);
	tasks->nthreads++;
	return thread->id ? 0 : -1;
}

static struct process *new_process(struct task_table *tasks, pid_t pid,
	const struct process *parent, uint64_t time)
{
	struct process *process = calloc(1, sizeof *process);

	if (!process) {
		task_table_starved(tasks);
		return NULL;
	}
	process->pid = pid;
	process->time = time;
	if (parent) {
		process->parent = parent->id;
		memcpy(process->name, parent->name, sizeof process->name);
		process->space = parent->space;
		process->place = parent->place;
		process->objects = objects_inherit(&parent->objects);
		if (process->space)
			process->space->refs++;
	}
	if (!process->space)
		process->space = address_space_new();
	if (!process->space ||
		!id_map_put(&tasks->processes, (unsigned)pid, process)) {
		process_free(process);
		task_table_starved(tasks);
		return NULL;
	}
	return process;
}

static struct thread *new_thread(struct task_table *tasks,
	struct process *process, pid_t tid, uint64_t time)
{
	struct thread *thread = calloc(1, sizeof *thread);

	if (!thread || !id_map_put(&tasks->threads, (unsigned)tid, thread)) {
		free(thread);
		task_table_starved(tasks);
		return NULL;
	}
	thread->tid = tid;
	thread->time = time;
	thread->process = process;
	memcpy(thread->name, process->name, sizeof thread->name);
	process->threads++;
	return thread;
}

/* The part of [FROM, TO) in which collecting was on. */
static uint64_t collected(
	const struct task_table *tasks, uint64_t from, uint64_t to)
{
	return tasks->collection
		       ? collection_collected(tasks->collection, from, to)
		       : to - from;
}

/* Forgets a thread, and its process with the last one. */
static void end_thread(
	struct task_table *tasks, struct thread *thread, uint64_t time)
{
	struct process *process = thread->process;

	if (thread->on_since && time > thread->on_since)
		thread->on_ns += collected(tasks, thread->on_since, time);
	thread->on_since = 0;
	tasks->ended_threads[tasks->nended++ % ENDED_THREADS] =
		(struct ended_thread){process->pid, thread->tid, process->id,
			thread->id, process->time};
	if (tasks->ended && thread->id)
		tasks->ended(tasks->arg, thread, time);
	id_map_remove(&tasks->threads, (unsigned)thread->tid, thread);
	thread_free(thread);
	if (--process->threads)
		return;
	id_map_remove(&tasks->processes, (unsigned)process->pid, process);
	if (tasks->modules && process->id)
		modules_ended(tasks->modules, process->id);
	cpd_writer_end_process(tasks->writer, process->id);
	if (tasks->interpreting)
		tasks->interprets(tasks->arg, process->pid, NULL);
	process_free(process);
}

/* The last one with these numbers at TIME, or one without numbers in the file.
 */
static struct ended_thread find_ended(
	const struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	for (size_t n = tasks->nended, i = n; i > 0 && n - i < ENDED_THREADS;) {
		const struct ended_thread *e =
			&tasks->ended_threads[--i % ENDED_THREADS];

		if (e->pid == pid && e->tid == tid && e->time <= time)
			return *e;
	}
	return (struct ended_thread){0};
}

/* A thread that no record has told of, or that has ended. */
static struct thread *unknown_thread(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	struct ended_thread ended = find_ended(tasks, pid, tid, time);
	struct process *process = find_process(tasks, pid);
	struct thread *thread;

	if (!process) {
		process = new_process(tasks, pid, NULL, time);
		if (!process)
			return NULL;
		process->id = ended.process;
	}
	thread = new_thread(tasks, process, tid, time);
	if (thread && process->id == ended.process)
		thread->id = ended.thread;
	return thread;
}

/* A program has begun, and its first mapping, which tells its file, has not
 * come. */
static bool is_beginning(const struct process *process)
{
	return process->exec && !process->id;
}

/* The process of a sample, which can be one that is just beginning a program.
 */
static int announce_early(struct task_table *tasks, struct process *process)
{
	char exe[PATH_MAX];

	if (process->id)
		return 0; /* so it is for nearly all samples */
	*exe = '\0';
	if (is_beginning(process))
		proc_exe(process->pid, exe);
	return task_table_announce(tasks, process, exe);
}

struct thread *task_table_thread(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	struct thread *thread = find_thread(tasks, tid);

	if (!thread)
		thread = unknown_thread(tasks, pid, tid, time);
	if (!thread)
		return NULL;
	if (announce_early(tasks, thread->process) ||
		announce_thread(tasks, thread))
		return NULL;
	return thread;
}

uint32_t task_table_id(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	struct thread *thread = find_thread(tasks, tid);
	uint32_t ended = find_ended(tasks, pid, tid, time).thread;
	bool runs = thread && thread->process->pid == pid &&
		    thread->process->time <= time;

	if (ended && !runs)
		return ended;
	thread = task_table_thread(tasks, pid, tid, time);
	return thread ? thread->id : 0;
}

bool task_table_knows(const struct task_table *tasks, pid_t pid)
{
	return find_process(tasks, pid);
}

/* Ends all threads of a process, and so the process. */
static void end_process(
	struct task_table *tasks, struct process *process, uint64_t time)
{
	struct thread *thread = find_thread(tasks, process->pid);
	unsigned left = process->threads;

	if (thread && thread->process == process) {
		end_thread(tasks, thread, time);
		left--;
	}
	/* backwards: the last one takes the place of one that ends */
	for (size_t i = tasks->threads.n; left && i-- > 0;) {
		thread = tasks->threads.v[i].thing;
		if (thread->process == process) {
			end_thread(tasks, thread, time);
			left--;
		}
	}
}

void task_table_forget(struct task_table *tasks, pid_t pid, uint64_t time)
{
	struct process *process = find_process(tasks, pid);

	if (process)
		end_process(tasks, process, time);
}

int task_table_found(struct task_table *tasks, const struct found_record *found,
	uint64_t time)
{
	struct process *process = find_process(tasks, found->pid);
	struct process *parent = find_process(tasks, found->parent);

	if (!process) {
		process = new_process(tasks, found->pid, NULL, time);
		if (!process)
			return -1;
		process->parent = parent ? parent->id : 0;
		process->exec = found->exec;
		snprintf(
			process->name, sizeof process->name, "%s", found->name);
		if (task_table_announce(tasks, process, found->exe))
			return -1;
	}
	if (!task_table_thread(tasks, found->pid, found->tid, time))
		return -1;
	if (strcmp(found->thread_name, process->name) == 0)
		return 0;
	return task_table_comm(
		tasks, found->pid, found->tid, found->thread_name, false, time);
}

/*
 * A new thread or process has the name of the thread that made it.  If its
 * number is still known, the old one has ended and its record was lost.
 */
int task_table_fork(
	struct task_table *tasks, const struct fork_record *fork, uint64_t time)
{
	struct thread *old = find_thread(tasks, fork->tid), *by, *thread;
	struct process *process, *from;

	if (old)
		end_thread(tasks, old, time);
	from = find_process(tasks, fork->parent_pid);
	if (from && task_table_announce(tasks, from, ""))
		return -1;
	process = find_process(tasks, fork->pid);
	if (process && fork->pid == fork->tid) {
		end_process(tasks, process, time);
		process = NULL;
	}
	by = find_thread(tasks, fork->parent_tid);
	if (!process)
		process = new_process(tasks, fork->pid, from, time);
	if (!process)
		return -1;
	if (by && fork->pid == fork->tid)
		memcpy(process->name, by->name, sizeof process->name);
	thread = new_thread(tasks, process, fork->tid, time);
	if (!thread)
		return -1;
	thread->origin = fork->origin;
	if (by)
		memcpy(thread->name, by->name, sizeof thread->name);
	return task_table_thread(tasks, fork->pid, fork->tid, time) ? 0 : -1;
}

/* An exec: the other threads have ended, and the mappings are gone. */
static int exec_comm(struct task_table *tasks, pid_t pid, pid_t tid,
	const char *name, uint64_t time)
{
	struct process *old = find_process(tasks, pid), *process;
	struct thread *thread = find_thread(tasks, pid);
	struct cpd_exit ended = {.time = time};
	pid_t origin = thread ? thread->origin : 0;
	bool whole = thread && thread->whole;

	if (old) {
		if (task_table_announce(tasks, old, ""))
			return -1;
		ended.process = old->id;
		if (cpd_write_exit(tasks->writer, &ended))
			return -1;
		end_process(tasks, old, time);
	}
	thread = find_thread(tasks, tid);
	if (thread) /* another process's: the record of its end was lost */
		end_thread(tasks, thread, time);
	process = new_process(tasks, pid, NULL, time);
	thread = process ? new_thread(tasks, process, tid, time) : NULL;
	if (!thread)
		return -1;
	process->parent = ended.process;
	process->exec = true;
	tasks->execs++;
	thread->origin = origin;
	thread->whole = whole;
	thread->on_since = time;
	strncpy(process->name, name, sizeof process->name - 1);
	memcpy(thread->name, process->name, sizeof thread->name);
	return 0;
}

int task_table_comm(struct task_table *tasks, pid_t pid, pid_t tid,
	const char *name, bool exec, uint64_t time)
{
	struct thread *thread;
	struct cpd_rename record = {.time = time, .name = name};

	if (exec)
		return exec_comm(tasks, pid, tid, name, time);
	thread = task_table_thread(tasks, pid, tid, time);
	if (!thread)
		return -1;
	record.process = thread->process->id;
	record.thread = thread->id;
	memset(thread->name, 0, sizeof thread->name);
	strncpy(thread->name, name, sizeof thread->name - 1);
	if (pid == tid)
		strncpy(thread->process->name, name,
			sizeof thread->process->name - 1);
	return cpd_write_rename(tasks->writer, &record);
}

bool task_table_gains(const struct task_table *tasks, pid_t tid)
{
	const struct thread *thread = find_thread(tasks, tid);

	return thread && thread->process->exec &&
	       !thread->process->space->maps.n;
}

int task_table_exit(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	struct thread *thread = find_thread(tasks, tid);
	struct cpd_exit record = {.time = time};

	if (!thread)
		return 0;
	tasks->setuid_execs += task_table_gains(tasks, tid);
	if (!task_table_thread(tasks, pid, tid, time))
		return -1;
	record.process = thread->process->id;
	record.thread = thread->id;
	return cpd_write_exit(tasks->writer, &record);
}

void task_table_end(struct task_table *tasks, pid_t tid, uint64_t time)
{
	struct thread *thread = find_thread(tasks, tid);

	if (thread)
		end_thread(tasks, thread, time);
}

int task_table_switch(struct task_table *tasks, pid_t pid, pid_t tid,
	enum task_table_switch how, uint64_t time)
{
	struct thread *thread = find_thread(tasks, tid);

	if (!thread || !is_beginning(thread->process))
		thread = task_table_thread(tasks, pid, tid, time);
	if (!thread)
		return -1;
	if (how == TASKS_SWITCH_IN) {
		thread->on_since = time;
		if (thread->pushed_since)
			thread->pushed_ns +=
				collected(tasks, thread->pushed_since, time);
		thread->pushed_since = 0;
		return 0;
	}
	if (thread->on_since)
		thread->on_ns += collected(tasks, thread->on_since, time);
	thread->on_since = 0;
	thread->pushed_since = how == TASKS_SWITCH_PUSHED ? time : 0;
	return 0;
}

void task_table_finish(struct task_table *tasks, uint64_t time)
{
	while (tasks->threads.n)
		end_thread(tasks, tasks->threads.v[0].thing, time);
}

pid_t task_table_origin(const struct task_table *tasks, pid_t tid)
{
	const struct thread *t = find_thread(tasks, tid);

	return t ? t->origin : 0;
}

pid_t task_table_part(const struct task_table *tasks, pid_t tid)
{
	const struct thread *t = find_thread(tasks, tid);

	return t && !t->whole ? t->origin : 0;
}

void task_table_whole(struct task_table *tasks, pid_t tid, pid_t origin)
{
	struct thread *t = find_thread(tasks, tid);

	if (!t || tid == origin)
		return;
	t->origin = origin;
	t->whole = true;
}

void task_table_disown(struct task_table *tasks, pid_t origin)
{
	for (size_t i = 0; i < tasks->threads.n; i++) {
		struct thread *t = tasks->threads.v[i].thing;

		if (t->origin == origin)
			t->origin = t->whole = 0;
	}
}
