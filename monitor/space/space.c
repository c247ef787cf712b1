#include "monitor/space/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/collection.h"

int task_table_init(struct task_table *tasks, struct cpd_writer *writer,
	struct modules *modules)
{
	memset(tasks, 0, sizeof *tasks);
	tasks->writer = writer;
	tasks->modules = modules;
	tasks->nbuckets = 4096;
	tasks->by_tid = calloc(tasks->nbuckets, sizeof *tasks->by_tid);
	tasks->by_pid = calloc(tasks->nbuckets, sizeof *tasks->by_pid);
	return tasks->by_tid && tasks->by_pid ? 0 : -1;
}

void task_table_fini(struct task_table *tasks)
{
	for (size_t i = 0; tasks->by_tid && i < tasks->nbuckets; i++)
		for (struct thread *t = tasks->by_tid[i], *next; t; t = next) {
			next = t->next;
			thread_stack_fini(&t->stack);
			free(t->poller);
			free(t);
		}
	for (size_t i = 0; tasks->by_pid && i < tasks->nbuckets; i++)
		for (struct process *p = tasks->by_pid[i], *next; p; p = next) {
			next = p->next;
			address_space_drop(p->space);
			free(p);
		}
	free(tasks->by_tid);
	free(tasks->by_pid);
	memset(tasks, 0, sizeof *tasks);
}

static struct thread **thread_slot(struct task_table *tasks, pid_t tid)
{
	struct thread **t = &tasks->by_tid[(unsigned)tid % tasks->nbuckets];

	while (*t && (*t)->tid != tid)
		t = &(*t)->next;
	return t;
}

static struct process **process_slot(struct task_table *tasks, pid_t pid)
{
	struct process **p = &tasks->by_pid[(unsigned)pid % tasks->nbuckets];

	while (*p && (*p)->pid != pid)
		p = &(*p)->next;
	return p;
}

static int announce_process(
	struct task_table *tasks, struct process *process, const char *exe)
{
	struct cpd_process record = {
		.parent = process->parent,
		.pid = process->pid,
		.time = process->time,
		.name = process->name,
		.exe = exe,
		.flags = process->exec ? CPD_PROCESS_EXEC : 0,
	};

	if (process->id)
		return 0;
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
	struct process *process = calloc(1, sizeof *process), **slot;

	if (!process)
		return NULL;
	process->pid = pid;
	process->time = time;
	if (parent) {
		process->parent = parent->id;
		memcpy(process->name, parent->name, sizeof process->name);
		process->space = parent->space;
		if (process->space)
			process->space->refs++;
	}
	if (!process->space)
		process->space = address_space_new();
	if (!process->space) {
		free(process);
		return NULL;
	}
	slot = process_slot(tasks, pid);
	process->next = NULL;
	*slot = process;
	return process;
}

static struct thread *new_thread(struct task_table *tasks,
	struct process *process, pid_t tid, uint64_t time)
{
	struct thread *thread = calloc(1, sizeof *thread);

	if (!thread)
		return NULL;
	thread->tid = tid;
	thread->time = time;
	thread->process = process;
	memcpy(thread->name, process->name, sizeof thread->name);
	process->threads++;
	*thread_slot(tasks, tid) = thread;
	return thread;
}

/* Of [FROM, TO), what counts. */
static uint64_t collected(
	const struct task_table *tasks, uint64_t from, uint64_t to)
{
	return tasks->collection
		       ? collection_collected(tasks->collection, from, to)
		       : to - from;
}

/* Forgets a thread, and its process when it was the last one. */
static void end_thread(
	struct task_table *tasks, struct thread **slot, uint64_t time)
{
	struct thread *thread = *slot;
	struct process *process = thread->process, **p;

	if (thread->on_since && time > thread->on_since)
		thread->on_ns += collected(tasks, thread->on_since, time);
	thread->on_since = 0;
	if (tasks->ended && thread->id)
		tasks->ended(tasks->arg, thread, time);
	*slot = thread->next;
	thread_stack_fini(&thread->stack);
	free(thread->poller);
	free(thread);
	if (--process->threads)
		return;
	p = process_slot(tasks, process->pid);
	if (*p == process)
		*p = process->next;
	if (tasks->modules && process->id)
		modules_ended(tasks->modules, process->id);
	address_space_drop(process->space);
	free(process);
}

struct thread *task_table_thread(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	struct thread *thread = *thread_slot(tasks, tid);
	struct process *process;

	if (!thread) {
		process = *process_slot(tasks, pid);
		if (!process)
			process = new_process(tasks, pid, NULL, time);
		if (!process)
			return NULL;
		thread = new_thread(tasks, process, tid, time);
		if (!thread)
			return NULL;
	}
	if (announce_process(tasks, thread->process, "") ||
		announce_thread(tasks, thread))
		return NULL;
	return thread;
}

bool task_table_knows(const struct task_table *tasks, pid_t pid)
{
	const struct process *p =
		tasks->by_pid[(unsigned)pid % tasks->nbuckets];

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

/* Ends all threads of a process, and so the process. */
static void end_process(
	struct task_table *tasks, struct process *process, uint64_t time)
{
	struct thread **leader = thread_slot(tasks, process->pid);
	unsigned left = process->threads;

	if (*leader && (*leader)->process == process) {
		end_thread(tasks, leader, time);
		left--;
	}
	for (size_t i = 0; left && i < tasks->nbuckets; i++)
		for (struct thread **t = &tasks->by_tid[i]; left && *t;) {
			if ((*t)->process == process) {
				end_thread(tasks, t, time);
				left--;
			} else {
				t = &(*t)->next;
			}
		}
}

void task_table_forget(struct task_table *tasks, pid_t pid, uint64_t time)
{
	struct process *process = *process_slot(tasks, pid);

	if (process)
		end_process(tasks, process, time);
}

/*
 * A new thread or process has the name of the thread that made it.  What is
 * still known under its numbers has ended without a word that reached us.
 */
int task_table_found(struct task_table *tasks, const struct found_record *found,
	uint64_t time)
{
	struct process *process = *process_slot(tasks, found->pid);
	struct process *parent = *process_slot(tasks, found->parent);

	if (!process) {
		process = new_process(tasks, found->pid, NULL, time);
		if (!process)
			return -1;
		process->parent = parent ? parent->id : 0;
		snprintf(
			process->name, sizeof process->name, "%s", found->name);
		if (announce_process(tasks, process, found->exe))
			return -1;
	}
	if (!task_table_thread(tasks, found->pid, found->tid, time))
		return -1;
	if (strcmp(found->thread_name, process->name) == 0)
		return 0;
	return task_table_comm(
		tasks, found->pid, found->tid, found->thread_name, false, time);
}

int task_table_fork(
	struct task_table *tasks, const struct fork_record *fork, uint64_t time)
{
	struct thread **old = thread_slot(tasks, fork->tid), *by, *thread;
	struct process *process, *from;

	if (*old)
		end_thread(tasks, old, time);
	from = *process_slot(tasks, fork->parent_pid);
	if (from && announce_process(tasks, from, ""))
		return -1;
	process = *process_slot(tasks, fork->pid);
	if (process && fork->pid == fork->tid) {
		end_process(tasks, process, time);
		process = NULL;
	}
	by = *thread_slot(tasks, fork->parent_tid);
	if (!process)
		process = new_process(tasks, fork->pid, from, time);
	if (!process)
		return -1;
	if (by && fork->pid == fork->tid)
		memcpy(process->name, by->name, sizeof process->name);
	thread = new_thread(tasks, process, fork->tid, time);
	if (!thread)
		return -1;
	thread->origin = fork->parent_tid;
	if (by) {
		memcpy(thread->name, by->name, sizeof thread->name);
		if (by->origin)
			thread->origin = by->origin;
	}
	return task_table_thread(tasks, fork->pid, fork->tid, time) ? 0 : -1;
}

/* An exec: the other threads are gone, and so is what was mapped. */
static int exec_comm(struct task_table *tasks, pid_t pid, pid_t tid,
	const char *name, uint64_t time)
{
	struct process *old = *process_slot(tasks, pid), *process;
	struct thread *thread = *thread_slot(tasks, pid);
	pid_t origin = thread ? thread->origin : 0;
	uint32_t parent = 0;

	if (old) {
		if (announce_process(tasks, old, ""))
			return -1;
		parent = old->id;
		end_process(tasks, old, time);
	}
	process = new_process(tasks, pid, NULL, time);
	thread = process ? new_thread(tasks, process, tid, time) : NULL;
	if (!thread)
		return -1;
	process->parent = parent;
	process->exec = true;
	tasks->execs++;
	thread->origin = origin;
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

int task_table_exit(
	struct task_table *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	struct thread **slot = thread_slot(tasks, tid);
	struct cpd_exit record = {.time = time};

	if (!*slot)
		return 0;
	/* Right after an exec and before anything was mapped: the kernel took
	   the events off a program that changed its privilege. */
	if ((*slot)->process->exec && !(*slot)->process->space->maps.n)
		tasks->setuid_execs++;
	if (!task_table_thread(tasks, pid, tid, time))
		return -1;
	record.process = (*slot)->process->id;
	record.thread = (*slot)->id;
	end_thread(tasks, slot, time);
	return cpd_write_exit(tasks->writer, &record);
}

int task_table_switch(struct task_table *tasks, pid_t pid, pid_t tid,
	enum task_table_switch how, uint64_t time)
{
	struct thread *thread = task_table_thread(tasks, pid, tid, time);

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

/* Where the file's offset 0 would lie, had it the link-time addresses. */
static uint64_t bias_of(const struct map_record *map, struct module *module)
{
	uint64_t vaddr;

	if (module->kind == CPD_MODULE_ANON)
		return 0;
	if (module->kind == CPD_MODULE_VDSO)
		return map->start;
	if (module->image &&
		elf_image_vaddr(module->image, map->offset, &vaddr))
		return map->start - vaddr;
	return map->start - map->offset;
}

bool task_table_has_map(struct task_table *tasks, pid_t tid,
	const struct map_record *map, uint64_t time)
{
	struct module_identity identity = map->identity;
	struct thread *thread =
		task_table_thread(tasks, identity.pid, tid, time);
	const struct mapping *m;

	if (!thread)
		return false;
	m = address_space_find(thread->process->space, map->start);
	identity.process = thread->process->id;
	return m && m->start == map->start && m->end == map->start + map->len &&
	       m->module == modules_get(tasks->modules, &identity) &&
	       m->bias == bias_of(map, m->module);
}

int task_table_map(struct task_table *tasks, pid_t tid,
	const struct map_record *map, uint64_t time)
{
	struct process *process = *process_slot(tasks, map->identity.pid);
	struct module_identity identity = map->identity;
	struct mapping mapping = {map->start, map->start + map->len, 0, NULL};
	struct cpd_map record = {.time = time,
		.start = map->start,
		.len = map->len,
		.offset = map->offset};
	struct address_space *space;

	if (process && process->exec && !process->space->maps.n &&
		announce_process(tasks, process, identity.path))
		return -1;
	if (!task_table_thread(tasks, identity.pid, tid, time))
		return -1;
	process = (*thread_slot(tasks, tid))->process;
	identity.process = process->id;
	mapping.module = modules_get(tasks->modules, &identity);
	space = address_space_own(&process->space);
	if (!mapping.module || !space)
		return -1;
	mapping.bias = bias_of(map, mapping.module);
	space->generation = ++tasks->generations;
	if (address_space_insert(space, &mapping))
		return -1;
	record.process = process->id;
	record.module = mapping.module->id;
	return cpd_write_map(tasks->writer, &record);
}

void task_table_finish(struct task_table *tasks, uint64_t time)
{
	for (size_t i = 0; i < tasks->nbuckets; i++)
		while (tasks->by_tid[i])
			end_thread(tasks, &tasks->by_tid[i], time);
}

pid_t task_table_origin(const struct task_table *tasks, pid_t tid)
{
	const struct thread *t = tasks->by_tid[(unsigned)tid % tasks->nbuckets];

	while (t && t->tid != tid)
		t = t->next;
	return t ? t->origin : 0;
}

size_t task_table_originated(
	const struct task_table *tasks, pid_t origin, uint64_t before)
{
	size_t n = 0;

	for (size_t i = 0; i < tasks->nbuckets; i++)
		for (struct thread *t = tasks->by_tid[i]; t; t = t->next)
			n += t->origin == origin && t->time < before;
	return n;
}

void task_table_disown(struct task_table *tasks, pid_t origin)
{
	for (size_t i = 0; i < tasks->nbuckets; i++)
		for (struct thread *t = tasks->by_tid[i]; t; t = t->next)
			if (t->origin == origin)
				t->origin = 0;
}
