/*
 * allocations.bpf.h - uprobes on malloc and the like.
 *
 * A request counts once, where the program makes it.  Allocators call their own
 * functions (calloc malloc, posix_memalign memalign): such an entry returns to
 * code of the allocator.  Or they jump there (reallocarray to realloc): then
 * the stack is as it was at the thread's last entry, and the requested size is
 * the same. There is no probe at the functions' ends: it would change the
 * return addresses on the target's stack.
 */
#ifndef CPPROF_PERCPU_ALLOCATIONS_BPF_H
#define CPPROF_PERCPU_ALLOCATIONS_BPF_H

#include "monitor/timer/percpu/bpf/blocks.bpf.h"

static __always_inline __u64 product(__u64 n, __u64 size)
{
	return size && n > ALLOCATION_MOST / size ? ~0ull : n * size;
}

static __always_inline __u64 size_asked(
	__u32 request, const struct pt_regs *regs)
{
	switch (request) {
	case ALLOCATION_MALLOC:
	case ALLOCATION_PAGES:
	case ALLOCATION_NEW:
		return ARGUMENT_1(regs);
	case ALLOCATION_CALLOC:
		return product(ARGUMENT_1(regs), ARGUMENT_2(regs));
	case ALLOCATION_REALLOCARRAY:
		return product(ARGUMENT_2(regs), ARGUMENT_3(regs));
	case ALLOCATION_POSIX:
		return ARGUMENT_3(regs);
	default:
		return ARGUMENT_2(regs);
	}
}

/*
 * Whether BACK is in the code of POINT's allocator, whose entry is now at IP.
 */
__noinline int is_its_code(__u32 point, __u64 ip, __u64 back)
{
	__u32 first, end;
	__u64 at;

	if (point >= ALLOCATION_POINTS)
		return 0;
	at = back - ip + allocators.points[point].addr;
	first = allocators.points[point].first;
	end = allocators.points[point].end;
	for (__u32 i = 0; i < ALLOCATION_FILE_RANGES; i++) {
		__u64 n = first + i;

		/* one register, so that the kernel sees what bounds it */
		asm volatile("" : "+r"(n));
		if (n >= end || n >= ALLOCATION_RANGES)
			break;
		if (at - allocators.ranges[n].from < allocators.ranges[n].size)
			return 1;
	}
	return 0;
}

/*
 * Whether function FROM may continue with a jump to TO, with the same
 * size. A program's own wrapper may jump to one or the other as well and look
 * the same; what no allocator does is left out.
 */
static __always_inline bool goes_on(
	__u32 from, __u32 to, const struct request *last, __u64 first_argument)
{
	switch (from) {
	case ALLOCATION_REALLOCARRAY:
		return to == ALLOCATION_REALLOC &&
		       last->first == first_argument;
	case ALLOCATION_REALLOC:
		return to == ALLOCATION_MALLOC && !last->first;
	case ALLOCATION_ALIGNED: /* the least alignment is that of all memory */
		return to == ALLOCATION_MALLOC
			       ? last->first <= 16
			       : to == ALLOCATION_ALIGNED &&
					 last->first == first_argument;
	case ALLOCATION_PAGES:
		return to == ALLOCATION_ALIGNED &&
		       first_argument >= PERCPU_PAGE;
	case ALLOCATION_NEW:
		return to == ALLOCATION_MALLOC || to == ALLOCATION_NEW;
	default:
		return false;
	}
}

static __always_inline bool is_jump(
	const struct request *last, const struct request *now, __u32 to)
{
	__u64 more = now->size - last->size;
	__u32 from;

	if (last->sp != now->sp || last->back != now->back ||
		last->ip == now->ip || last->point >= ALLOCATION_POINTS)
		return false;
	from = allocators.points[last->point].request;
	/* it may be rounded up to whole pages */
	return (from == ALLOCATION_PAGES ? more < PERCPU_PAGE : more == 0) &&
	       goes_on(from, to, last, now->first);
}

static __always_inline void count_request(
	void *ctx, struct thread_counts *t, __u64 size)
{
	__u32 due = 0;

	if (allocators.requests)
		due = add(t, allocators.requests, 1);
	if (allocators.bytes && size <= ALLOCATION_MOST)
		due |= add(t, allocators.bytes, size);
	if (allocators.follows)
		t->pending.due = due;
	else if (due)
		emit_due(ctx, t, due);
}

/* A thread is about to execute the first instruction of such a function. */
SEC("kprobe")
int on_request(struct pt_regs *ctx)
{
	struct thread_counts *t = target_thread();
	struct request now = {0};
	bool inner;
	__u32 what;

	keep_own_stack();
	if (!t)
		return 0;
	now.point = (__u32)bpf_get_attach_cookie(ctx);
	if (now.point >= ALLOCATION_POINTS)
		return 0;
	what = allocators.points[now.point].request;
	now.ip = ctx->ip;
	now.sp = ctx->sp;
	now.first = ARGUMENT_1(ctx);
	now.size = size_asked(what, ctx);
	bpf_probe_read_user(&now.back, sizeof now.back, (void *)now.sp);
	if (is_its_code(now.point, now.ip, now.back) ||
		(t->request.ip &&
			is_its_code(t->request.point, t->request.ip, now.back)))
		return 0;
	t->asks = ASKS_SEEN;
	inner = is_jump(&t->request, &now, what);
	t->request = now;
	if (inner)
		return 0;
	if (allocators.follows)
		begin_request(t, &now, what);
	if (shared.collecting)
		count_request(ctx, t, now.size);
	return 0;
}

#endif
