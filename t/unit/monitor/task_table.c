/*
 * Processes, threads and address spaces against a naive model (an array of
 * modules by page, copied at each fork) under random forks, threads, execs from
 * any thread, mappings, ends in any order, and ends that were lost.
 */
#include <stdint.h>
#include <string.h>

#include "monitor/tasks/task_table.h"
#include "t/lib/draw.h"
#include "t/lib/tap.h"

#define PIDS 40
#define PAGES 64
#define PAGE 4096u
#define MODULES 6
#define BASE 0x10000u

struct model { /* of one process, at its pid's place */
	bool alive;
	int threads[8];      /* tids; 0: none */
	uint8_t page[PAGES]; /* module + 1 */
	char name[8];
};

static struct model models[PIDS + 1]; /* [pid] */
static struct task_table tasks;
static const struct module *module_of[MODULES];
static uint64_t now = 1000;
static unsigned wrong;
static int next_tid = PIDS + 1;
static size_t ended;

static int must(int failed)
{
	if (failed)
		abort();
	return failed;
}

static void on_end(void *arg, struct thread *thread, uint64_t time)
{
	(void)arg;
	(void)time;
	wrong += thread->id == 0;
	ended++;
}

static int some_thread(const struct model *m)
{
	int n = 0, chosen = 0;

	for (int i = 0; i < 8; i++)
		if (m->threads[i] && draw((uint32_t)++n) == 0)
			chosen = m->threads[i];
	return chosen;
}

static int free_slot(const struct model *m)
{
	for (int i = 0; i < 8; i++)
		if (!m->threads[i])
			return i;
	return -1;
}

static int alive(void)
{
	int pid = 1 + (int)draw(PIDS);

	for (int i = 0; i < PIDS; i++, pid = pid % PIDS + 1)
		if (models[pid].alive && some_thread(&models[pid]))
			return pid;
	return 0;
}

/* A new process; where the number is taken, its end was lost. */
static void op_fork(void)
{
	int from = alive(), pid = 1 + (int)draw(PIDS);
	struct fork_record r = {pid, pid, from, 0, 0};

	if (pid == from)
		return;
	if (from) {
		r.parent_tid = some_thread(&models[from]);
		models[pid] = models[from];
	} else {
		memset(&models[pid], 0, sizeof models[pid]);
	}
	memset(models[pid].threads, 0, sizeof models[pid].threads);
	models[pid].alive = true;
	models[pid].threads[0] = pid;
	must(task_table_fork(&tasks, &r, now));
}

static void op_thread(void)
{
	int pid = alive(), slot = pid ? free_slot(&models[pid]) : -1;
	struct fork_record r = {pid, next_tid, pid, 0, 0};

	if (slot < 0)
		return;
	r.parent_tid = some_thread(&models[pid]);
	models[pid].threads[slot] = next_tid++;
	must(task_table_fork(&tasks, &r, now));
}

/* From any thread: it is the leader afterwards. */
static void op_exec(void)
{
	int pid = alive();
	char name[16];

	if (!pid)
		return;
	snprintf(name, sizeof name, "e%u", draw(1000));
	memset(&models[pid], 0, sizeof models[pid]);
	models[pid].alive = true;
	models[pid].threads[0] = pid;
	strcpy(models[pid].name, name);
	must(task_table_comm(&tasks, pid, pid, name, true, now));
}

static void op_map(void)
{
	int pid = alive();
	uint32_t first = draw(PAGES), n = 1 + draw(PAGES - first),
		 which = draw(MODULES);
	uint8_t build_id[20] = {(uint8_t)(which + 1)};
	char path[32];
	struct map_record map = {.start = BASE + first * PAGE,
		.len = n * PAGE,
		.identity = {.path = path,
			.pid = pid,
			.start = BASE + first * PAGE,
			.end = BASE + (first + n) * PAGE,
			.offset = first * PAGE,
			.build_id = build_id,
			.build_id_len = sizeof build_id}};
	const struct mapping *found;

	if (!pid)
		return;
	snprintf(path, sizeof path, "/nowhere/lib%u.so", which);
	must(task_table_map(&tasks, some_thread(&models[pid]), &map, now));
	memset(models[pid].page + first, (int)which + 1, n);
	found = address_space_find(
		task_table_thread(&tasks, pid, some_thread(&models[pid]), now)
			->process->space,
		map.start);
	if (!found)
		wrong++;
	else if (!module_of[which])
		module_of[which] = found->module;
	else
		wrong += module_of[which] != found->module;
}

/* Leaders end before the others as well. */
static void op_exit(void)
{
	int pid = alive(), tid = pid ? some_thread(&models[pid]) : 0;

	if (!pid)
		return;
	for (int i = 0; i < 8; i++)
		if (models[pid].threads[i] == tid)
			models[pid].threads[i] = 0;
	must(task_table_exit(&tasks, pid, tid, now));
	task_table_end(&tasks, tid, now);
	models[pid].alive = some_thread(&models[pid]) != 0;
}

static void check_pages(
	const struct model *m, const struct address_space *space)
{
	for (uint32_t i = 0; i < PAGES; i++) {
		uint64_t at = BASE + i * PAGE + draw(PAGE);
		const struct mapping *found = address_space_find(space, at);

		if (!m->page[i])
			wrong += found != NULL;
		else
			wrong += !found ||
				 found->module != module_of[m->page[i] - 1] ||
				 found->bias != BASE;
	}
	for (size_t i = 1; i < space->maps.n; i++)
		wrong += space->maps.v[i].start < space->maps.v[i - 1].end;
}

static void check(int pid)
{
	const struct model *m = &models[pid];
	unsigned n = 0;

	if (!m->alive)
		return;
	for (int i = 0; i < 8; i++) {
		const struct thread *t;

		if (!m->threads[i])
			continue;
		n++;
		t = task_table_thread(&tasks, pid, m->threads[i], now);
		must(!t);
		wrong += t->process->pid != pid ||
			 strcmp(t->process->name, m->name) != 0;
		check_pages(m, t->process->space);
	}
	wrong += n && task_table_thread(&tasks, pid, some_thread(m), now)
				      ->process->threads != n;
}

/* A hundred thousand threads, a thousand at a time: nothing is kept. */
static void many_threads(void)
{
	struct fork_record r = {1, 1, 1, 1, 0};
	const struct thread *main_thread;
	size_t before;

	must(task_table_fork(&tasks, &r, now));
	before = ended;
	for (int i = 0; i < 101000; i++) {
		struct fork_record t = {1, 100000 + i, 1, 1, 0};

		if (i < 100000)
			must(task_table_fork(&tasks, &t, ++now));
		if (i >= 1000)
			task_table_end(&tasks, 100000 + i - 1000, ++now);
	}
	main_thread = task_table_thread(&tasks, 1, 1, now);
	ok(ended - before == 100000, "100 000 threads begin and end");
	ok(main_thread->process->threads == 1, "... and are forgotten");
}

/* On a busy machine the last samples of a process come when it has long ended.
 */
static void late_samples(void)
{
	struct fork_record first = {70, 70, 0, 0, 0};
	const struct thread *t;
	uint32_t thread, process;
	uint64_t nprocesses;

	must(task_table_fork(&tasks, &first, ++now));
	t = task_table_thread(&tasks, 70, 70, now);
	thread = t->id;
	process = t->process->id;
	nprocesses = tasks.nprocesses;
	must(task_table_exit(&tasks, 70, 70, ++now));
	task_table_end(&tasks, 70, now);
	t = task_table_thread(&tasks, 70, 70, now + 1000000000);
	ok(t->id == thread && t->process->id == process &&
			tasks.nprocesses == nprocesses,
		"a late sample is the ended process's, not another's");
	must(task_table_fork(&tasks, &first, ++now));
	t = task_table_thread(&tasks, 70, 70, now);
	ok(t->id != thread && t->process->id != process,
		"a fork with its number is");
}

static void names(void)
{
	struct fork_record first = {50, 50, 0, 0, 0},
			   worker = {50, 51, 50, 50, 0},
			   by_worker = {52, 52, 50, 51, 0};
	const struct thread *t;

	must(task_table_fork(&tasks, &first, now) ||
		task_table_comm(&tasks, 50, 50, "boss", false, now) ||
		task_table_fork(&tasks, &worker, now));
	t = task_table_thread(&tasks, 50, 51, now);
	ok(strcmp(t->name, "boss") == 0, "a thread has its maker's name");
	must(task_table_comm(&tasks, 50, 51, "worker", false, now));
	ok(strcmp(t->name, "worker") == 0 &&
			strcmp(t->process->name, "boss") == 0,
		"... until it gets its own, which is not the process's");
	must(task_table_fork(&tasks, &by_worker, now));
	t = task_table_thread(&tasks, 52, 52, now);
	ok(strcmp(t->process->name, "worker") == 0,
		"a process has the name of the thread that forked it");
}

/* On a processor: from switch-in to switch-out, exec and end included. */
static void times(void)
{
	struct fork_record r = {60, 60, 0, 0, 0};
	const struct thread *t;
	uint64_t nprocesses;

	must(task_table_fork(&tasks, &r, 100));
	must(task_table_switch(&tasks, 60, 60, TASKS_SWITCH_IN, 200));
	must(task_table_switch(&tasks, 60, 60, TASKS_SWITCH_OUT, 250));
	t = task_table_thread(&tasks, 60, 60, 250);
	ok(t->on_ns == 50, "time on a processor");
	must(task_table_switch(&tasks, 60, 60, TASKS_SWITCH_OUT, 260));
	ok(t->on_ns == 50, "a second switch-out adds none");
	must(task_table_switch(&tasks, 60, 60, TASKS_SWITCH_IN, 270));
	ok(t->pushed_ns == 0, "what it waited is not time in line");
	must(task_table_switch(&tasks, 60, 60, TASKS_SWITCH_PUSHED, 275));
	must(task_table_switch(&tasks, 60, 60, TASKS_SWITCH_IN, 300));
	ok(t->on_ns == 55 && t->pushed_ns == 25,
		"what it was off for another is");
	must(task_table_comm(&tasks, 60, 60, "new", true, 400));
	nprocesses = tasks.nprocesses;
	must(task_table_switch(&tasks, 60, 60, TASKS_SWITCH_OUT, 450));
	ok(tasks.nprocesses == nprocesses,
		"a switch in an exec does not tell of a program without file");
	t = task_table_thread(&tasks, 60, 60, 450);
	ok(t->on_ns == 50 && t->process->exec,
		"after an exec the new program's alone");
}

int main(void)
{
	static void (*const ops[])(void) = {
		op_fork, op_thread, op_exec, op_map, op_map, op_exit, op_exit};
	struct cpd_resource resource = {.name = "cpu",
		.title = "CPU",
		.gtick = "us",
		.interval = 1,
		.timer = "none"};
	struct cpd_head head = {.cwd = "",
		.host = "",
		.kernel = "",
		.machine = "",
		.version = ""};
	struct modules modules;
	struct cpd_writer *writer;
	struct err err;

	writer = cpd_writer_open("/dev/null", &err);
	must(!writer || cpd_write_head(writer, &head) ||
		!cpd_write_resource(writer, &resource));
	modules_init(&modules, writer);
	task_table_init(&tasks, writer, &modules);
	tasks.ended = on_end;
	for (unsigned i = 0; i < 40000; i++, now += draw(10)) {
		ops[draw(sizeof ops / sizeof *ops)]();
		check(1 + (int)draw(PIDS));
	}
	ok(wrong == 0, "the model is followed (%u times not)", wrong);
	ok(modules.by_id.n == MODULES, "each file is one module");
	task_table_finish(&tasks, now);
	many_threads();
	late_samples();
	names();
	times();
	task_table_finish(&tasks, now);
	task_table_fini(&tasks);
	modules_fini(&modules);
	cpd_writer_abandon(writer);
	return done_testing();
}
