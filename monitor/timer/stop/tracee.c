/* The requests of ptrace(2), and the table of traced threads. */
#include "monitor/timer/stop/tracee.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "lib/arch/arch.h"
#include "lib/sys/process_memory.h"
#define OPTIONS                                                                \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |    \
		PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT)

#define STACK_FIRST (64u << 10)
#define WINDOW_FIRST (256u << 10)
#define WINDOW_LARGEST (4u << 20)
#define PAGES 128

/* What was read of a snapshot elsewhere than at its stack. */
struct tracee_pages {
	size_t n, next; /* the one that is replaced next */
	uint64_t number[PAGES];
	bool used[PAGES];
	bool read; /* for this snapshot */
	uint8_t bytes[PAGES][PAGE_BYTES];
};

struct tracee *tracees_find(const struct tracees *tracees, pid_t tid)
{
	return id_map_get(&tracees->threads, (unsigned)tid);
}

/* The process, made if it is unknown; NULL: no memory. */
static struct trace_process *process_of(struct tracees *tracees, pid_t pid)
{
	struct trace_process *process =
		id_map_get(&tracees->processes, (unsigned)pid);

	if (process)
		return process;
	process = calloc(1, sizeof *process);
	if (!process ||
		!id_map_put(&tracees->processes, (unsigned)pid, process)) {
		free(process);
		return NULL;
	}
	process->pid = pid;
	return process;
}

struct tracee *tracees_add(struct tracees *tracees, pid_t tid, pid_t pid)
{
	struct tracee *tracee = calloc(1, sizeof *tracee);
	struct trace_process *process = process_of(tracees, pid);

	if (!tracee || !process ||
		!id_map_put(&tracees->threads, (unsigned)tid, tracee)) {
		free(tracee);
		return NULL;
	}
	process->refs++;
	process->threads++;
	tracee->tid = tid;
	tracee->process = process;
	return tracee;
}

void tracees_remove(struct tracees *tracees, struct tracee *tracee)
{
	struct trace_process *process = tracee->process;

	id_map_remove(&tracees->threads, (unsigned)tracee->tid, tracee);
	tracees->listening -= tracee->listening;
	process->threads -= !tracee->exiting;
	free(tracee);
	if (--process->refs)
		return;
	id_map_remove(&tracees->processes, (unsigned)process->pid, process);
	free(process);
}

void tracees_rename(struct tracees *tracees, struct tracee *tracee, pid_t tid)
{
	id_map_remove(&tracees->threads, (unsigned)tracee->tid, tracee);
	tracee->tid = tid;
	/* in the place of the one that was removed: it cannot fail */
	id_map_put(&tracees->threads, (unsigned)tid, tracee);
}

void tracees_fini(struct tracees *tracees)
{
	while (tracees->threads.n)
		tracees_remove(tracees, tracees->threads.v[0].thing);
	id_map_free(&tracees->threads);
	id_map_free(&tracees->processes);
}

bool tracee_is_ours(pid_t tid)
{
	unsigned long message;

	return ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message) == 0 ||
	       errno != ESRCH;
}

int tracee_seize(pid_t tid)
{
	return ptrace(PTRACE_SEIZE, tid, NULL, (void *)(uintptr_t)OPTIONS) < 0
		       ? -1
		       : 0;
}

/* A request to a stopped thread, which may have ended. */
static int request(
	enum __ptrace_request what, const struct tracee *tracee, int signal)
{
	void *with = (void *)(uintptr_t)(unsigned)signal;

	return ptrace(what, tracee->tid, NULL, with) && errno != ESRCH ? -1 : 0;
}

int tracee_resume(const struct tracee *tracee, bool to_syscall, int signal)
{
	return request(
		to_syscall ? PTRACE_SYSCALL : PTRACE_CONT, tracee, signal);
}

int tracee_step(const struct tracee *tracee)
{
	return request(PTRACE_SINGLESTEP, tracee, 0);
}

int tracee_release(const struct tracee *tracee, int signal)
{
	return request(PTRACE_DETACH, tracee, signal);
}

void tracee_interrupt(const struct tracee *tracee)
{
	ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL);
}

int tracee_listen(const struct tracee *tracee)
{
	return request(PTRACE_LISTEN, tracee, 0);
}

int tracee_call(const struct tracee *tracee, struct tracee_call *call)
{
	struct __ptrace_syscall_info info = {0};

	memset(call, 0, sizeof *call);
	if (ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, sizeof info, &info) <=
		0)
		return errno == ESRCH ? 0 : -1;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		call->stop = CALL_ENTRY;
		call->nr = call_is_native(info.arch) ? (uint32_t)info.entry.nr
						     : SYSCALL_FOREIGN;
		memcpy(call->args, info.entry.args, sizeof call->args);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
		call->stop = CALL_EXIT;
		call->result = info.exit.is_error ? -1 : info.exit.rval;
	}
	return 0;
}

unsigned long tracee_message(const struct tracee *tracee)
{
	unsigned long message = 0;

	ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &message);
	return message;
}

/* The memory of a stopped thread is as it was at the sample: always valid. */
static bool read_stopped(
	struct snapshot *snapshot, uint64_t addr, void *buf, size_t n)
{
	struct tracee_stack *stack = snapshot->live;
	uint64_t at = addr - stack->start;

	if (at >= stack->size || stack->size - at < n) {
		size_t wanted = stack->size ? stack->room * 4 : WINDOW_FIRST;

		if (wanted > WINDOW_LARGEST)
			wanted = WINDOW_LARGEST;
		if (stack->room < wanted) {
			free(stack->window);
			stack->window = malloc(wanted);
			stack->room = stack->window ? wanted : 0;
		}
		stack->start = addr;
		stack->size = process_memory(
			stack->tid, addr, stack->window, stack->room);
		at = 0;
		if (stack->still && !stack->still(stack->of))
			stack->size = 0;
		if (stack->size < n)
			return false;
	}
	memcpy(buf, stack->window + at, n);
	return true;
}

/* Reads the pages that the last snapshot needed in one call. */
static void read_again(struct tracee_pages *pages, pid_t tid)
{
	struct iovec local[PAGES], remote[PAGES];
	ssize_t got = 0;
	size_t n = 0;

	for (size_t i = 0; i < pages->n; i++) {
		uint64_t number = pages->number[i];

		if (!pages->used[i])
			continue;
		local[n] = (struct iovec){pages->bytes[n], PAGE_BYTES};
		remote[n] = (struct iovec){
			(void *)(uintptr_t)(number * PAGE_BYTES), PAGE_BYTES};
		pages->used[n] = false;
		pages->number[n++] = number;
	}
	if (n)
		got = process_vm_readv(tid, local, n, remote, n, 0);
	pages->n = got > 0 ? (size_t)got / PAGE_BYTES : 0;
	pages->read = true;
}

/* A page of the thread's memory; NULL: it cannot be read. */
static const uint8_t *page_of(
	struct tracee_pages *pages, pid_t tid, uint64_t number)
{
	size_t i = 0;

	if (!pages->read)
		read_again(pages, tid);
	while (i < pages->n && pages->number[i] != number)
		i++;
	if (i == pages->n) {
		if (i == PAGES)
			i = pages->next++ % PAGES;
		pages->number[i] = 0;
		pages->used[i] = false;
		if (process_memory(tid, number * PAGE_BYTES, pages->bytes[i],
			    PAGE_BYTES) != PAGE_BYTES)
			return NULL;
		pages->number[i] = number;
		pages->n += i == pages->n;
	}
	pages->used[i] = true;
	return pages->bytes[i];
}

/*
 * Whole pages, which an interpreter's frames and what they execute share: for
 * 25 of Python's two calls instead of 50, and the thread stands 12 us less.
 * What is larger is read by itself.
 */
static bool peek(struct snapshot *snapshot, uint64_t addr, void *buf, size_t n)
{
	struct tracee_stack *stack = snapshot->live;
	uint8_t *to = buf;

	if (!stack->pages || n > PAGE_BYTES)
		return process_memory(stack->tid, addr, buf, n) == n;
	for (size_t part; n; addr += part, to += part, n -= part) {
		const uint8_t *page =
			page_of(stack->pages, stack->tid, addr / PAGE_BYTES);

		part = PAGE_BYTES - addr % PAGE_BYTES;
		if (part > n)
			part = n;
		if (!page)
			return false;
		memcpy(to, page + addr % PAGE_BYTES, part);
	}
	return true;
}

static bool still(const struct snapshot *snapshot)
{
	const struct tracee_stack *stack = snapshot->live;

	return !stack->still || stack->still(stack->of);
}

void tracee_stack_take(struct tracee_stack *stack, pid_t tid,
	const uint64_t regs[], struct snapshot *snapshot)
{
	memset(snapshot, 0, sizeof *snapshot);
	stack->tid = tid;
	stack->size = 0;
	stack->still = NULL;
	snapshot->pid = tid;
	snapshot->read_memory = read_stopped;
	snapshot->peek = peek;
	snapshot->still = still;
	snapshot->live = stack;
	if (!stack->copy)
		stack->copy = malloc(STACK_FIRST);
	if (!stack->pages)
		stack->pages = calloc(1, sizeof *stack->pages);
	if (stack->pages)
		stack->pages->read = false;
	if (!stack->copy || !regs)
		return;
	memcpy(snapshot->regs, regs, sizeof snapshot->regs);
	snapshot->has_regs = true;
	snapshot->stack = stack->copy;
	snapshot->base = regs[REG_SP_];
	snapshot->size =
		process_memory(tid, snapshot->base, stack->copy, STACK_FIRST);
}

void tracee_snapshot(const struct tracee *tracee, struct tracee_stack *stack,
	struct snapshot *snapshot)
{
	uint64_t regs[SNAPSHOT_REGS];
	bool has = registers_of_tracee(tracee->tid, regs);

	tracee_stack_take(stack, tracee->tid, has ? regs : NULL, snapshot);
}

void tracee_stack_fini(struct tracee_stack *stack)
{
	free(stack->copy);
	free(stack->window);
	free(stack->pages);
	memset(stack, 0, sizeof *stack);
}
