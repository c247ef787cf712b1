/* What processes map: code, and the interpreter in it. */
#include "monitor/tasks/task_table_private.h"

#include <string.h>

uint64_t map_bias(const struct map_record *map, const struct module *module)
{
	uint64_t vaddr;

	if (module->kind == CPD_MODULE_ANON)
		return 0;
	if (module->kind == CPD_MODULE_VDSO)
		return map->start;
	if (module->image &&
		elf_image_vaddr(module->image, map->identity.offset, &vaddr))
		return map->start - vaddr;
	return map->start - map->identity.offset;
}

static bool is_of_file(
	const struct mapping *m, const struct module_identity *identity)
{
	return m->inode && m->inode == identity->inode &&
	       m->major == identity->major && m->minor == identity->minor;
}

bool task_table_has_map(
	struct task_table *tasks, pid_t tid, const struct map_record *map)
{
	struct module_identity identity = map->identity;
	struct thread *thread = find_thread(tasks, tid);
	const struct mapping *m;

	/* not announced here: its first mapping has the program's name */
	if (!thread || !thread->process->id)
		return false;
	m = address_space_find(thread->process->space, map->start);
	identity.process = thread->process->id;
	return m && m->start == map->start && m->end == map->start + map->len &&
	       (identity.path ? m->module ==
					modules_get(tasks->modules, &identity)
			      : is_of_file(m, &identity)) &&
	       m->bias == map_bias(map, m->module);
}

/*
 * After an exec the first mapping is the program's, and tells its file, unless
 * its stack is executable: that comes before, where it is first and then where
 * it stays, and has to wait.
 */
static bool is_early_stack(
	struct process *process, const struct map_record *map)
{
	if (!process || !process->exec || process->id ||
		module_has_file(map->identity.path))
		return false;
	process->stack.start = map->start;
	process->stack.len = map->len;
	return true;
}

/* The stack that has waited for the program. */
static int map_stack(struct task_table *tasks, struct process *process,
	pid_t tid, uint64_t time)
{
	struct map_record map = {
		.start = process->stack.start,
		.len = process->stack.len,
		.identity = {.path = "[stack]", .pid = process->pid},
	};

	process->stack.len = 0;
	return map.len ? task_table_map(tasks, tid, &map, time) : 0;
}

/* Tells of the interpreter that a process has with a mapping. */
static void tell_interpreter(struct task_table *tasks, struct process *process,
	const struct mapping *mapping)
{
	const struct python_build *build = mapping->module->python;

	if (!build)
		return;
	process->place = (struct interpreter_place){
		.runtime = mapping->bias + build->runtime,
		.layout = build->layout,
	};
	if (!tasks->interprets)
		return;
	tasks->interpreting = true;
	tasks->interprets(tasks->arg, process->pid, &process->place);
}

int task_table_map(struct task_table *tasks, pid_t tid,
	const struct map_record *map, uint64_t time)
{
	struct process *process = find_process(tasks, map->identity.pid);
	struct module_identity identity = map->identity;
	struct mapping mapping = {
		.start = map->start,
		.end = map->start + map->len,
		.inode = identity.inode,
		.major = identity.major,
		.minor = identity.minor,
		/* copies of instructions, and a trampoline from Linux 6.18 */
		.probes = strncmp(identity.path, "[uprobes", 8) == 0,
	};
	struct cpd_map record = {.time = time,
		.start = map->start,
		.len = map->len,
		.offset = map->identity.offset};
	struct address_space *space;

	if (is_early_stack(process, map))
		return 0;
	if (process && process->exec && !process->space->maps.n &&
		task_table_announce(tasks, process, identity.path))
		return -1;
	if (!task_table_thread(tasks, identity.pid, tid, time))
		return -1;
	process = find_thread(tasks, tid)->process;
	identity.process = process->id;
	mapping.module = modules_get(tasks->modules, &identity);
	space = address_space_own(&process->space);
	if (!mapping.module || !space)
		return task_table_starved(tasks);
	mapping.bias = map_bias(map, mapping.module);
	space->generation = ++tasks->generations;
	if (address_space_insert(space, &mapping))
		return task_table_starved(tasks);
	tell_interpreter(tasks, process, &mapping);
	record.process = process->id;
	record.module = mapping.module->id;
	return cpd_write_map(tasks->writer, &record) ||
			       map_stack(tasks, process, tid, time)
		       ? -1
		       : 0;
}

int task_table_object(struct task_table *tasks, const struct map_record *map,
	bool code, bool late)
{
	struct process *process = find_process(tasks, map->identity.pid);
	const struct object_map object = {
		.start = map->start,
		.end = map->start + map->len,
		.offset = map->identity.offset,
		.path = map->identity.path,
		.code = code,
		.late = late,
	};

	return tasks->objects && process &&
			       objects_map(tasks->objects, &process->objects,
				       &object)
		       ? task_table_starved(tasks)
		       : 0;
}
