/* Notes from each system call which addresses may have other code now. */
#include "monitor/timer/stop/stale_maps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/shm.h>
#include <stdio.h>

#include "lib/clock.h"
#include "monitor/base/proc.h"
#include "monitor/tasks/proc_maps.h"
#include "monitor/resource/syscalls.h"

/*
 * After a reading that found nothing new, this much of its time passes before
 * the next.
 */
#define UNCHANGED_PAUSE 10

enum change {
	CHANGE_NONE,
	CHANGE_MMAP,
	CHANGE_MPROTECT,
	CHANGE_MREMAP,
	CHANGE_SHMAT,
	CHANGE_PERSONALITY,
	CHANGE_ANY,
};

/* Unmapping makes no code; the next mapping replaces what was there. */
static enum change change_of(uint64_t nr)
{
	static const struct {
		const char *name;
		uint8_t change;
	} calls[] = {
		{"mmap", CHANGE_MMAP},
		{"mprotect", CHANGE_MPROTECT},
		{"pkey_mprotect", CHANGE_MPROTECT},
		{"mremap", CHANGE_MREMAP},
		{"shmat", CHANGE_SHMAT},
		{"remap_file_pages", CHANGE_ANY},
		{"personality", CHANGE_PERSONALITY},
	};
	static uint8_t by_number[SYSCALLS_MAX];
	static bool made;

	for (size_t i = 0; !made && i < sizeof calls / sizeof *calls; i++)
		syscall_mark(by_number, calls[i].name, calls[i].change);
	made = true;
	/* another ABI has other numbers */
	return nr < SYSCALLS_MAX ? (enum change)by_number[nr] : CHANGE_ANY;
}

void stale_maps_reset(struct stale_maps *stale, pid_t pid)
{
	char path[64], text[32];

	snprintf(path, sizeof path, "/proc/%d/personality", (int)pid);
	proc_read(path, text, sizeof text);
	*stale = (struct stale_maps){
		.all = true,
		.implied = strtoul(text, NULL, 16) & READ_IMPLIES_EXEC,
	};
}

/* Code that was moved before its mapping was read is not known yet. */
static bool is_pending(const struct stale_maps *stale, uint64_t addr)
{
	for (unsigned i = 0; i < stale->n; i++)
		if (addr >= stale->ranges[i].start &&
			addr < stale->ranges[i].end)
			return true;
	return stale->all;
}

static void add(
	struct stale_maps *stale, uint64_t start, uint64_t len, uint64_t from)
{
	struct stale_range *r;

	if (stale->all || !len)
		return;
	for (unsigned i = 0; i < stale->n; i++) {
		r = &stale->ranges[i];
		if (start >= r->start && start + len <= r->end && !r->from)
			return;
	}
	if (stale->n == STALE_RANGES) {
		stale->all = true;
		return;
	}
	stale->ranges[stale->n++] =
		(struct stale_range){start, start + len, from};
}

static bool is_code(const struct stale_maps *stale, uint64_t prot)
{
	return prot & PROT_EXEC || (stale->implied && prot & PROT_READ);
}

void stale_maps_call(struct stale_maps *stale, uint64_t nr,
	const uint64_t args[6], int64_t result)
{
	uint64_t at = (uint64_t)result;

	if (result < 0 && change_of(nr) != CHANGE_ANY)
		return;
	switch (change_of(nr)) {
	case CHANGE_MMAP:
		if (is_code(stale, args[2]))
			add(stale, at, args[1], 0);
		break;
	case CHANGE_MPROTECT:
		if (is_code(stale, args[2]))
			add(stale, args[0], args[1], 0);
		break;
	case CHANGE_MREMAP:
		add(stale, at, args[2],
			is_pending(stale, args[0]) ? 0 : args[0]);
		break;
	case CHANGE_SHMAT:
		if (stale->implied || args[2] & SHM_EXEC)
			add(stale, at, 1, 0);
		break;
	case CHANGE_PERSONALITY:
		if (args[0] != 0xffffffff)
			stale->implied = args[0] & READ_IMPLIES_EXEC;
		break;
	case CHANGE_ANY:
		stale->all = true;
		break;
	case CHANGE_NONE:
		break;
	}
}

/* 1: this kernel cannot. */
static int read_ranges(struct stale_maps *stale, struct task_table *tasks,
	pid_t pid, pid_t tid, uint64_t time)
{
	const struct thread *thread = task_table_thread(tasks, pid, tid, time);
	int bad = thread ? 0 : -1;

	for (unsigned i = 0; !bad && i < stale->n; i++) {
		const struct stale_range *r = &stale->ranges[i];

		if (r->from &&
			!address_space_find(thread->process->space, r->from))
			continue;
		bad = proc_maps_between(
			tasks, pid, tid, r->start, r->end, time);
	}
	return bad;
}

static int read_all(struct stale_maps *stale, struct task_table *tasks,
	pid_t pid, pid_t tid, uint64_t time)
{
	uint64_t before = tasks->generations, from = clock_now(), took;
	int bad;

	if (stale->at && from - stale->at < stale->pause)
		return 0;
	bad = proc_maps(tasks, pid, tid, time);
	stale->at = clock_now();
	took = stale->at - from;
	stale->pause =
		tasks->generations == before ? took * UNCHANGED_PAUSE : took;
	stale->all = false;
	stale->n = 0;
	return bad;
}

int stale_maps_read(struct stale_maps *stale, struct task_table *tasks,
	pid_t pid, pid_t tid, uint64_t time)
{
	int bad;

	if (!stale->all) {
		bad = read_ranges(stale, tasks, pid, tid, time);
		if (bad <= 0) {
			stale->n = 0;
			return bad;
		}
		stale->all = true;
	}
	return read_all(stale, tasks, pid, tid, time);
}
