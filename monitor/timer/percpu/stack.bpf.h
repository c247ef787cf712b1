/*
 * stack.bpf.h - the part of a stack that a sample's copy lacks.
 *
 * Perf's copy is of limited size, ends at the first absent page, and has only
 * the stack that the thread is on.  The rest that callers' frames need is sent
 * at the same moment, in chunks before the sample: the rest of a deep stack,
 * the part outside of a hole, and the stack that a signal handler on an
 * alternate one has interrupted.
 *
 * Little of a stack of megabytes changes from one sample to the next.  The
 * monitor keeps what it was sent, the mirror, and only what may have changed is
 * sent again: all inside of the outermost checksum that differs.  (A frame that
 * has not returned leaves the part outside of it unchanged; a frame that has
 * returned, and all inside of it, was made anew.)  The checksums are of all
 * bytes of a stack up to 64 KiB beyond the copy, of the outermost 4 KiB of any,
 * and of a larger one of 512 bytes every so often: a frame or more, so that a
 * new frame there differs in an address, a count, a caller.  (Less would not
 * do: a word of a frame, even its return address, can be the same although the
 * frames outside of it differ.)  To send everything at each sample makes 100
 * 000 frames at 1 kHz 1.5 times as slow, takes 6.7 times the monitor's CPU time
 * and loses 5 % of the samples.
 *
 * Part of monitor/timer/percpu/core.bpf.h.
 */
#ifndef CPPROF_PERCPU_STACK_BPF_H
#define CPPROF_PERCPU_STACK_BPF_H

#include "monitor/timer/percpu/checksums.bpf.h"

#define COPY_PAGES 17         /* that a copy can touch */
#define FARTHEST (1ull << 30) /* from the stack pointer to the stack's end */
#define FRAME_SLOTS 1024 /* places tried for a signal frame, 16 bytes apart */
#define MOST_CHUNKS 8192
/*
 * After so many samples in which nothing outside of the copy changed, samples
 * have a small copy, number 3, of 8 KiB.
 */
#define CALM 16
#define CALM_COPY 3

static __always_inline bool is_absent(__u64 addr)
{
	__u64 word;

	return bpf_probe_read_user(&word, sizeof word, (void *)addr);
}

struct bounds {
	__u64 low, high;
};

static long keep_bounds(
	struct task_struct *task, struct vm_area_struct *vma, void *bounds)
{
	((struct bounds *)bounds)->low = vma->vm_start;
	((struct bounds *)bounds)->high = vma->vm_end;
	return 0;
}

/* The end of the mapping that SP is in; 0: unknown. */
static __always_inline __u64 mapping_end(
	struct task_struct *task, struct mirror *mirror, __u64 sp)
{
	struct bounds bounds = {0};

	if (sp >= mirror->low && sp < mirror->high)
		return mirror->high;
	if (bpf_find_vma(task, sp, keep_bounds, &bounds, 0))
		return 0;
	mirror->low = bounds.low;
	mirror->high = bounds.high;
	return bounds.high;
}

#define GOROUTINE_LEAST 2048
#define GOROUTINE_MOST FARTHEST

/*
 * The end of the goroutine stack that SP is in, if a Go runtime's g is at G: it
 * begins with the bounds of the goroutine's stack, whose size is a power of two
 * (runtime/stack.go).  0: it is none.
 */
static __always_inline __u64 goroutine_end(__u64 g, __u64 sp)
{
	__u64 stack[2], size;

	if (bpf_probe_read_user(stack, sizeof stack, (void *)g))
		return 0;
	size = stack[1] - stack[0];
	return sp - stack[0] < size && size >= GOROUTINE_LEAST &&
			       size <= GOROUTINE_MOST && !(size & (size - 1))
		       ? stack[1]
		       : 0;
}

/*
 * Where the stack of SP ends: at the arguments of the process; at the thread's
 * control block, which its library puts there and which begins with its own
 * address (System V ABI); or where a goroutine's stack does: Go's code keeps
 * its g in R14, and before the control block (src/cmd/compile/abi-internal.md,
 * runtime/asm_amd64.s).  0: unknown.
 */
static __always_inline __u64 stack_end(
	struct task_struct *task, __u64 sp, __u64 goroutine)
{
	__u64 end = task->mm->start_stack + 64, block = THREAD_BLOCK(task);
	__u64 self;

	if (block - sp < FARTHEST &&
		bpf_probe_read_user(&self, sizeof self, (void *)block) == 0 &&
		self == block)
		return block;
	if (end - sp < FARTHEST)
		return end;
	end = goroutine_end(goroutine, sp);
	if (!end && bpf_probe_read_user(
			    &self, sizeof self, (void *)(block - 8)) == 0)
		end = goroutine_end(self, sp);
	return end;
}

struct frame_search {
	__u64 base, size; /* of the alternate stack */
	__u64 at;         /* of the ucontext; 0: not found */
};

/*
 * Whether AT has a signal frame's ucontext: it names the alternate stack that
 * it is on.
 */
static __always_inline bool is_context(
	const struct frame_search *search, __u64 at)
{
	__u64 stack[3];

	return bpf_probe_read_user(
		       stack, sizeof stack, (void *)(at + UC_STACK)) == 0 &&
	       stack[0] == search->base && stack[2] == search->size;
}

static long try_frame(__u32 i, struct frame_search *search)
{
	__u64 at = ((search->base + search->size) & ~15ull) - 16 * (i + 12ull);

	if (at < search->base)
		return 1;
	if (!is_context(search, at))
		return 0;
	search->at = at;
	return 1;
}

/* The stack pointer that a handler on the alternate stack interrupted, and R14;
   or 0. */
static __always_inline __u64 interrupted(struct task_struct *task,
	struct mirror *mirror, __u64 sp, __u64 *goroutine)
{
	struct frame_search search = {
		.base = task->sas_ss_sp,
		.size = task->sas_ss_size,
	};
	__u64 end = search.base + search.size;

	if (!search.size || sp - search.base >= search.size)
		return 0;
	if (mirror->frame && is_context(&search, end - mirror->frame))
		search.at = end - mirror->frame;
	else
		bpf_loop(FRAME_SLOTS, try_frame, &search, 0);
	if (!search.at || search.at < sp)
		return 0;
	mirror->frame = end - search.at;
	if (bpf_probe_read_user(&sp, sizeof sp, (void *)(search.at + UC_SP)) ||
		bpf_probe_read_user(goroutine, sizeof *goroutine,
			(void *)(search.at + UC_GOROUTINE)))
		return 0;
	return sp;
}

struct copying {
	void *ctx;
	struct mirror *mirror;
	__u64 at, to;
	__u32 scratch;
	__u32 singles; /* pages to be copied one by one */
	bool failed;
};

/* How many of the N bytes at AT come before a page that was absent. */
__noinline __u64 until_absent(struct mirror *mirror, __u64 at, __u64 n)
{
	__u64 left = PERCPU_PAGE - at % PERCPU_PAGE;

	if (!mirror)
		return n;
	for (__u32 i = 0; i < PERCPU_CHUNK_PAGES; i++) {
		if (left >= n || was_absent(mirror, at + left))
			break;
		left += PERCPU_PAGE;
	}
	return n < left ? n : left;
}

/* How many bytes to copy at once: a single page may be absent. */
static __always_inline __u64 chunk_size(struct copying *copy)
{
	__u64 n = copy->to - copy->at,
	      left = PERCPU_PAGE - copy->at % PERCPU_PAGE;

	if (n > PERCPU_CHUNK_BYTES)
		n = PERCPU_CHUNK_BYTES;
	if (copy->singles)
		copy->singles--;
	else if (n > left && !was_absent(copy->mirror, copy->at))
		return until_absent(copy->mirror, copy->at, n);
	return n < left ? n : left;
}

/* Reads N bytes; false: not all of them are there. */
static __always_inline bool read_chunk(
	struct copying *copy, struct scratch *s, __u64 n)
{
	struct mirror *mirror = copy->mirror;
	bool single = n <= PERCPU_PAGE - copy->at % PERCPU_PAGE;
	bool absent = was_absent(mirror, copy->at);

	if (absent && !mirror->doubt)
		return 0;
	if (bpf_probe_read_user(s->bytes, n, (void *)copy->at)) {
		if (single)
			note_page(mirror, copy->at, 1);
		else
			copy->singles = PERCPU_CHUNK_PAGES;
		return 0;
	}
	if (absent)
		note_page(mirror, copy->at, 0);
	return 1;
}

static long copy_chunk(__u32 i, struct copying *copy)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &copy->scratch);
	__u64 n;

	if (!s || copy->at >= copy->to)
		return 1;
	n = chunk_size(copy);
	if (n > PERCPU_CHUNK_BYTES)
		n = PERCPU_CHUNK_BYTES;
	if (!read_chunk(copy, s, n)) {
		if (n <= PERCPU_PAGE - copy->at % PERCPU_PAGE)
			copy->at += n;
		return 0;
	}
	s->chunk.what = PERCPU_CHUNK;
	s->chunk.mirror = copy->mirror->number;
	s->chunk.addr = copy->at;
	s->chunk.top = copy->mirror->top;
	s->chunk.size = (__u32)n;
	copy->at += n;
	if (bpf_perf_event_output(copy->ctx, &outputs,
		    copy->mirror->output + bpf_get_smp_processor_id(),
		    &s->chunk, sizeof s->chunk + n)) {
		copy->failed = 1;
		return 1;
	}
	return 0;
}

struct page_check {
	__u64 at, end;
};

static long check_page(__u32 i, struct page_check *check)
{
	if (check->at >= check->end) {
		check->at = check->end;
		return 1;
	}
	if (is_absent(check->at))
		return 1;
	check->at = (check->at & ~(PERCPU_PAGE - 1)) + PERCPU_PAGE;
	return 0;
}

/* The first page of the copy that is absent, or where the copy ends. */
static __always_inline __u64 copy_end(__u64 sp, __u64 size, __u64 top)
{
	struct page_check check = {
		.at = sp,
		.end = sp + size < top ? sp + size : top,
	};

	bpf_loop(COPY_PAGES + 1, check_page, &check, 0);
	return check.at;
}

/*
 * The verifier goes through each function that is not static once, and not at
 * each call.
 */

#define COPY_WHOLE 0x100 /* nothing is beyond the copy, or absent in it */

/*
 * The smallest copy of COUNTER that holds the calling thread's stack to its
 * end; 0, the largest, if none does or the end is unknown.  While a deep stack
 * changes only at its inner end a smaller one will do.
 */
__noinline int choose_copy(__u32 counter)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u64 sp = STACK_POINTER(regs), end, size;
	struct mirror *mirror;
	__u32 copy = 0;

	if (counter >= PERCPU_COUNTERS ||
		sp - task->sas_ss_sp < task->sas_ss_size)
		return 0;
	end = stack_end(task, sp, GOROUTINE(regs));
	size = shared.stack[counter][0];
	for (__u32 i = 1; i < PERCPU_COPIES; i++)
		if (end && !copy && end - sp <= shared.stack[counter][i]) {
			copy = i;
			size = shared.stack[counter][i];
		}
	if (!config.chunks)
		return (int)copy;
	if (end && end - sp <= size)
		return copy_end(sp, size, end) < end ? copy : copy | COPY_WHOLE;
	mirror = mirror_of(task, 0);
	return mirror && mirror->calm >= CALM &&
			       shared.stack[counter][CALM_COPY]
		       ? CALM_COPY
		       : 0;
}

/*
 * The part of the stack that a sample of COUNTER with COPY on the calling
 * thread lacks: where it begins, and *TOP, where it ends; nothing if both are
 * equal.
 */
static __always_inline __u64 find_lacking(
	struct mirror *mirror, __u32 counter, __u32 copy, __u64 *top)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u64 sp = STACK_POINTER(regs), goroutine = GOROUTINE(regs), from, end;

	from = interrupted(task, mirror, sp, &goroutine) & ~7ull;
	if (from)
		sp = from;
	*top = stack_end(task, sp, goroutine);
	if (!from && *top)
		from = copy_end(sp, shared.stack[counter][copy], *top);
	if (from >= *top)
		return *top;
	end = mapping_end(task, mirror, sp);
	if (end && end < *top)
		*top = end;
	return from < *top ? from : *top;
}

/* From where on the mirror is valid. */
static __always_inline void check_checksums(
	struct checksum_check *check, __u32 doubt)
{
	struct mirror *mirror = check->mirror;

	mirror->page = 0;
	mirror->present = 1;
	check->same = mirror->top;
	check->from = mirror->from;
	check->doubt = doubt;
	check->set = check->differs = 0;
	bpf_loop(PERCPU_CHECKSUMS, compare_checksum, check, 0);
	if (!check->differs && mirror->edge &&
		mirror->edge == checksum_at(mirror, mirror->from,
					CHECKSUM_BYTES, doubt))
		check->same = mirror->from;
}

/*
 * Plans a sample of COUNTER on the calling thread: the part from mirror->want
 * to mirror->same has to be sent.  False: it cannot be.
 */
__noinline int plan_mirror(__u32 counter, __u32 copy)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mirror *mirror = mirror_of(task, 0);
	struct checksum_check check;
	__u64 top, from, size;

	if (!config.chunks || !mirror || counter >= PERCPU_COUNTERS ||
		copy >= PERCPU_COPIES)
		return 0;
	from = find_lacking(mirror, counter, copy, &top);
	size = top - from;
	if (!size)
		return 0;
	mirror->scratch = take_scratch();
	if (mirror->scratch == NO_SCRATCH)
		return 0;
	doubt_absent(task, mirror);
	check.mirror = mirror;
	check.same = top;
	if (mirror->top == top && size <= 2 * checksums_reach(mirror)) {
		/* the stack has grown through an absent page */
		mirror->found = was_absent(mirror, from - 8);
		if (mirror->found)
			note_page(mirror, from - 8, 0);
		else
			check_checksums(&check, mirror->doubt);
		if (mirror->found)
			check_checksums(&check, DOUBT_ALL);
	} else {
		mirror->number++;
		mirror->top = top;
		begin_absent(mirror);
		mirror->stride = CHECKSUM_BYTES;
		/* the verifier does not track a value that is read again */
		for (__u32 i = 0; i < 20; i++) {
			if (size <= checksums_reach(mirror))
				break;
			mirror->stride *= 2;
		}
	}
	mirror->same = check.same;
	mirror->want = from < check.same ? from : check.same;
	if (mirror->want < mirror->same)
		mirror->calm = 0;
	else if (mirror->calm < CALM)
		mirror->calm++;
	return mirror->same - mirror->want <= shared.room[counter];
}

/* It was sent: that is the mirror from now on. */
__noinline int keep_mirror(void)
{
	struct mirror *mirror = mirror_of(bpf_get_current_task_btf(), 0);
	struct checksum_check check;

	if (!config.chunks || !mirror)
		return 0;
	check.mirror = mirror;
	check.same = mirror->same;
	mirror->from = check.from = mirror->want;
	check.doubt = 0;
	check.set = 1;
	check.differs = 0;
	bpf_loop(PERCPU_CHECKSUMS, compare_checksum, &check, 0);
	mirror->edge =
		check.from + CHECKSUM_BYTES <= mirror->top
			? checksum_at(mirror, check.from, CHECKSUM_BYTES, 0)
			: 0;
	return 0;
}

/*
 * Sends the wanted part of the mirror, whose pages have been read by then.
 * Whether all of it was sent.
 */
static __always_inline bool send_wanted(void *ctx, struct mirror *mirror)
{
	struct copying copy = {
		.ctx = ctx,
		.mirror = mirror,
		.at = mirror->want,
		.to = mirror->same,
		.scratch = mirror->scratch,
	};

	if (copy.at == copy.to)
		return 1;
	bpf_loop(MOST_CHUNKS, copy_chunk, &copy, 0);
	mirror->doubt = 0;
	return !copy.failed && copy.at >= copy.to;
}

/*
 * Sends what the sample of COUNTER with COPY on the calling thread will lack,
 * and says so in SAMPLE.  If it returns a mirror, mirror_done() must be called
 * after the sample.
 */
static __noinline struct mirror *copy_beyond(
	void *ctx, __u32 counter, __u32 copy, struct percpu_sample *sample)
{
	struct mirror *mirror = mirror_of(
		bpf_get_current_task_btf(), BPF_LOCAL_STORAGE_GET_F_CREATE);
	bool sent;

	if (!mirror)
		return 0;
	if (__sync_lock_test_and_set(&mirror->busy, 1))
		return 0;
	mirror->scratch = NO_SCRATCH;
	mirror->output =
		PERCPU_CHUNK_OUTPUT(config.ncounters, counter) * config.ncpus;
	sent = plan_mirror(counter, copy) && send_wanted(ctx, mirror);
	if (sent &&
		(mirror->want < mirror->same || mirror->same != mirror->from))
		keep_mirror();
	if (mirror->scratch != NO_SCRATCH)
		give_scratch(mirror->scratch);
	if (sent) {
		sample->from = mirror->from;
		sample->same = mirror->same;
		sample->mirror = mirror->number;
		return mirror;
	}
	mirror->top = 0;
	mirror->calm = 0;
	mirror->busy = 0;
	return 0;
}

/*
 * The word below the calling thread's stack pointer: OCaml's runtime pops its
 * return address, and unwind information names the place that it was in.
 */
static __always_inline __u64 word_below(void)
{
	struct pt_regs *regs =
		(struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	__u64 word = 0;

	bpf_probe_read_user(
		&word, sizeof word, (void *)(STACK_POINTER(regs) - 8));
	return word;
}

static __always_inline void mirror_done(struct mirror *mirror, bool lost)
{
	if (lost)
		mirror->top = mirror->calm = 0;
	mirror->busy = 0;
}

#endif
