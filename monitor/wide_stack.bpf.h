/*
 * wide_stack.bpf.h - the part of a stack that the copy of a sample lacks.
 *
 * Perf's copy is of limited size, ends at the first page that is absent, and
 * has only the stack that the thread is on.  What a caller's frame needs beyond
 * is sent at the same moment, in chunks before the sample: the rest of a deep
 * stack, what lies outside of a hole in it, and the stack that a signal handler
 * on an alternate one has interrupted.
 *
 * Of a stack of megabytes little changes from one sample to the next.  The
 * monitor keeps what it was sent, the image, and only what may have changed is
 * sent again: that inside of the outermost mark whose bytes are others.  (What
 * is outside of a frame that has not returned is as it was; a frame that has
 * returned, and all inside of it, was made anew.)  The marks are all bytes of
 * a stack up to 64 KiB beyond the copy, the outermost 4 KiB of any, and of a
 * larger one 1 KiB every so often.
 *
 * Part of wide_core.bpf.h.
 */
#ifndef CPPROF_WIDE_STACK_BPF_H
#define CPPROF_WIDE_STACK_BPF_H

#define PAGE 4096ull
#define COPY_PAGES 17         /* that a copy can touch */
#define FARTHEST (1ull << 30) /* from the stack pointer to the stack's end */
#define MARK_PIECES 4
#define MARK_PIECE 256u
#define MARK_BYTES (MARK_PIECES * MARK_PIECE)
#define OUTER_MARKS 4 /* one behind the other */
#define OUTER_BYTES (OUTER_MARKS * MARK_BYTES)
#define FRAME_SLOTS 1024 /* places tried for a signal frame, 16 bytes apart */
#define MOST_CHUNKS 8192
#define SCRATCHES 2 /* a task's, and one for what interrupts it */
#define NO_SCRATCH (~0u)
/*
 * After so many samples in which nothing outside of the copy changed they come
 * with a small one, number 3, of 8 KiB.
 */
#define CALM 16
#define CALM_COPY 3

/* Offsets in a ucontext: uc_stack.ss_sp; the interrupted rsp. */
#define UC_STACK 16
#define UC_RSP 160

#define read_anew(of) (*(volatile __typeof__(of) *)&(of))

struct scratch {
	__u32 taken;
	__u32 reserved;
	struct wide_chunk chunk;
	__u8 bytes[WIDE_CHUNK_BYTES];
};

struct { /* SCRATCHES for each processor */
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* The number of a free one of this processor, or NO_SCRATCH. */
static __always_inline __u32 take_scratch(void)
{
	for (__u32 i = 0; i < SCRATCHES; i++) {
		__u32 key = bpf_get_smp_processor_id() * SCRATCHES + i;
		struct scratch *s = bpf_map_lookup_elem(&scratches, &key);

		if (s && !__sync_lock_test_and_set(&s->taken, 1))
			return key;
	}
	return NO_SCRATCH;
}

static __always_inline void give_scratch(__u32 key)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &key);

	if (s)
		s->taken = 0;
}

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

/* The end of the mapping that SP is in; 0: not known. */
static __always_inline __u64 mapping_end(
	struct task_struct *task, struct image *image, __u64 sp)
{
	struct bounds bounds = {0};

	if (sp >= image->low && sp < image->high)
		return image->high;
	if (bpf_find_vma(task, sp, keep_bounds, &bounds, 0))
		return 0;
	image->low = bounds.low;
	image->high = bounds.high;
	return bounds.high;
}

/*
 * Where the stack of SP ends: at the arguments of the process, or at the
 * thread's control block, which its library puts there and which begins with
 * its own address (System V ABI).  0: it is neither.
 */
static __always_inline __u64 stack_end(struct task_struct *task, __u64 sp)
{
	__u64 end = task->mm->start_stack + 64, block = task->thread.fsbase;
	__u64 self;

	if (block - sp < FARTHEST &&
		bpf_probe_read_user(&self, sizeof self, (void *)block) == 0 &&
		self == block)
		return block;
	return end - sp < FARTHEST ? end : 0;
}

struct frame_search {
	__u64 base, size; /* of the alternate stack */
	__u64 at;         /* of the ucontext; 0: not found */
};

/*
 * Whether a signal frame's ucontext is at AT: it says which alternate stack it
 * is on.
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

/* The stack pointer that a handler on the alternate stack interrupted; or 0. */
static __always_inline __u64 interrupted(
	struct task_struct *task, struct image *image, __u64 sp)
{
	struct frame_search search = {
		.base = task->sas_ss_sp,
		.size = task->sas_ss_size,
	};
	__u64 end = search.base + search.size;

	if (!search.size || sp - search.base >= search.size)
		return 0;
	if (image->frame && is_context(&search, end - image->frame))
		search.at = end - image->frame;
	else
		bpf_loop(FRAME_SLOTS, try_frame, &search, 0);
	if (!search.at || search.at < sp)
		return 0;
	image->frame = end - search.at;
	if (bpf_probe_read_user(&sp, sizeof sp, (void *)(search.at + UC_RSP)))
		return 0;
	return sp;
}

struct mark_check {
	struct image *image;
	__u64 same; /* from there on it holds */
	__u64 from; /* no marks below */
	__u32 scratch;
	bool set; /* makes the marks, compares none */
	bool differs;
};

static __always_inline __u64 mix(__u64 sum, __u64 word)
{
	return (sum ^ word) * 0x9e3779b97f4a7c15ull + (sum >> 29);
}

/* Reads the bytes of a mark at ADDR; false: they are present in part. */
static __always_inline bool read_mark(struct scratch *s, __u64 addr)
{
	if (bpf_probe_read_user(s->bytes, MARK_BYTES, (void *)addr) == 0)
		return 1;
	for (__u32 i = 0; i < MARK_PIECES; i++) {
		__u64 at = addr + i * MARK_PIECE;

		/* what cannot be read is made zeros */
		if (bpf_probe_read_user(s->bytes + i * MARK_PIECE, MARK_PIECE,
			    (void *)at) &&
			!(is_absent(at) && is_absent(at + MARK_PIECE - 8)))
			return 0;
	}
	return 1;
}

/*
 * Of the bytes at ADDR; 0, which never holds: they are present in part.  Four
 * sums side by side, since each word of one waits for the last.
 */
__noinline __u64 mark_of(__u64 addr, __u32 scratch)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &scratch);
	__u64 a = addr, b = 1, c = 2, d = 3;

	if (!s || !read_mark(s, addr))
		return 0;
	for (__u32 i = 0; i < MARK_BYTES; i += 32) {
		const __u64 *words = (const __u64 *)(s->bytes + i);

		a = mix(a, words[0]);
		b = mix(b, words[1]);
		c = mix(c, words[2]);
		d = mix(d, words[3]);
	}
	return mix(mix(mix(a, b), c), d);
}

/* Where mark I is: the outermost bytes are all in one, then every stride. */
static __always_inline __u64 mark_place(const struct image *image, __u32 i)
{
	return i < OUTER_MARKS
		       ? image->top - (i + 1) * MARK_BYTES
		       : image->top - OUTER_BYTES -
				 (i + 1ull - OUTER_MARKS) * image->stride;
}

static __always_inline __u64 marks_reach(const struct image *image)
{
	return OUTER_BYTES +
	       (WIDE_MARKS - OUTER_MARKS) * read_anew(image->stride);
}

static long check_mark(__u32 i, struct mark_check *check)
{
	struct image *image = check->image;
	__u64 at = mark_place(image, i), mark;

	if (at < check->from || i >= WIDE_MARKS)
		return 1;
	if (check->set && at >= check->same)
		return 0;
	mark = mark_of(at, check->scratch);
	if (check->set)
		image->marks[i] = mark;
	else if (mark && image->marks[i] == mark)
		check->same = at;
	else {
		check->differs = 1;
		return 1;
	}
	return 0;
}

struct copying {
	void *ctx;
	__u64 at, to;
	__u64 top;
	__u32 image;
	__u32 scratch;
	__u32 singles; /* pages to be copied one by one */
	bool failed;
};

static long copy_chunk(__u32 i, struct copying *copy)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &copy->scratch);
	__u64 n = copy->to - copy->at, left = PAGE - copy->at % PAGE;

	if (!s || copy->at >= copy->to)
		return 1;
	if (n > WIDE_CHUNK_BYTES)
		n = WIDE_CHUNK_BYTES;
	if (copy->singles) {
		copy->singles--;
		if (n > left)
			n = left;
	}
	if (bpf_probe_read_user(s->bytes, n, (void *)copy->at)) {
		if (n <= left)
			copy->at += n;
		else
			copy->singles = WIDE_CHUNK_PAGES;
		return 0;
	}
	s->chunk.what = WIDE_CHUNK;
	s->chunk.image = copy->image;
	s->chunk.addr = copy->at;
	s->chunk.top = copy->top;
	s->chunk.size = (__u32)n;
	copy->at += n;
	if (bpf_perf_event_output(copy->ctx, &outputs,
		    WIDE_CHUNK_OUTPUT(config.nslots) * config.ncpus +
			    bpf_get_smp_processor_id(),
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
	check->at = (check->at & ~(PAGE - 1)) + PAGE;
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
 * The functions that are not static are each verified once, and not where they
 * are called.
 */

static __always_inline struct image *image_of(
	struct task_struct *task, __u64 flags)
{
	return bpf_task_storage_get(&images, task, 0, flags);
}

#define COPY_WHOLE 0x100 /* nothing is beyond the copy, or absent in it */

/*
 * Which copy of SLOT is the least that has the calling thread's stack to its
 * end; 0, the largest, where none has or the end is not known.  Of a deep stack
 * that only works at its inner end less will do, as long as it does.
 */
__noinline int choose_copy(__u32 slot)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 sp = ((struct pt_regs *)bpf_task_pt_regs(task))->sp, end, size;
	struct image *image;
	__u32 copy = 0;

	if (slot >= WIDE_SLOTS || sp - task->sas_ss_sp < task->sas_ss_size)
		return 0;
	end = stack_end(task, sp);
	size = shared.stack[slot][0];
	for (__u32 i = 1; i < WIDE_COPIES; i++)
		if (end && !copy && end - sp <= shared.stack[slot][i]) {
			copy = i;
			size = shared.stack[slot][i];
		}
	if (!config.chunks)
		return (int)copy;
	if (end && end - sp <= size)
		return copy_end(sp, size, end) < end ? copy : copy | COPY_WHOLE;
	image = image_of(task, 0);
	return image && image->calm >= CALM && shared.stack[slot][CALM_COPY]
		       ? CALM_COPY
		       : 0;
}

/*
 * Where the stack that a sample of SLOT with COPY on the calling thread lacks
 * begins and ends: *TOP; nothing where both are equal.
 */
static __always_inline __u64 find_lacking(
	struct image *image, __u32 slot, __u32 copy, __u64 *top)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 sp = ((struct pt_regs *)bpf_task_pt_regs(task))->sp, from, end;

	from = interrupted(task, image, sp) & ~7ull;
	if (from)
		sp = from;
	*top = stack_end(task, sp);
	if (!from && *top)
		from = copy_end(sp, shared.stack[slot][copy], *top);
	if (from >= *top)
		return *top;
	end = mapping_end(task, image, sp);
	if (end && end < *top)
		*top = end;
	return from < *top ? from : *top;
}

/*
 * What is to be sent for a sample of SLOT on the calling thread: from
 * image->want to image->same.  False: nothing can be.
 */
__noinline int plan_image(__u32 slot, __u32 copy)
{
	struct image *image = image_of(bpf_get_current_task_btf(), 0);
	struct mark_check check;
	__u64 top, from, size, edge;

	if (!config.chunks || !image || slot >= WIDE_SLOTS ||
		copy >= WIDE_COPIES)
		return 0;
	from = find_lacking(image, slot, copy, &top);
	size = top - from;
	if (!size)
		return 0;
	image->scratch = check.scratch = take_scratch();
	if (check.scratch == NO_SCRATCH)
		return 0;
	check.image = image;
	check.same = top;
	check.set = check.differs = 0;
	if (image->top == top && size <= 2 * marks_reach(image)) {
		check.from = image->from;
		bpf_loop(WIDE_MARKS, check_mark, &check, 0);
		edge = mark_of(image->from, check.scratch);
		if (!check.differs && edge && edge == image->edge)
			check.same = image->from;
	} else {
		image->number++;
		image->top = top;
		image->stride = MARK_BYTES;
		/* what is read anew the verifier does not track */
		for (__u32 i = 0; i < 20; i++) {
			if (size <= marks_reach(image))
				break;
			image->stride *= 2;
		}
	}
	image->same = check.same;
	image->want = from < check.same ? from : check.same;
	if (image->want < image->same)
		image->calm = 0;
	else if (image->calm < CALM)
		image->calm++;
	return image->same - image->want <= shared.room;
}

/* It was sent: that is the image from now on. */
__noinline int keep_image(void)
{
	struct image *image = image_of(bpf_get_current_task_btf(), 0);
	struct mark_check check;

	if (!config.chunks || !image)
		return 0;
	check.image = image;
	check.scratch = image->scratch;
	check.same = image->same;
	image->from = check.from = image->want;
	check.set = 1;
	check.differs = 0;
	bpf_loop(WIDE_MARKS, check_mark, &check, 0);
	image->edge = check.from + MARK_BYTES <= image->top
			      ? mark_of(check.from, check.scratch)
			      : 0;
	return 0;
}

/* Sends what is wanted of the image.  Whether all of it was sent. */
static __always_inline bool send_wanted(void *ctx, const struct image *image)
{
	struct copying copy = {
		.ctx = ctx,
		.at = image->want,
		.to = image->same,
		.top = image->top,
		.image = image->number,
		.scratch = image->scratch,
	};

	if (copy.at == copy.to)
		return 1;
	bpf_loop(MOST_CHUNKS, copy_chunk, &copy, 0);
	return !copy.failed && copy.at >= copy.to;
}

/*
 * Sends what the sample of SLOT with COPY on the calling thread will lack, and
 * says so in SAMPLE.  If it returns an image, image_done() is to be called when
 * the sample is out.
 */
static __noinline struct image *copy_beyond(
	void *ctx, __u32 slot, __u32 copy, struct wide_sample *sample)
{
	struct image *image = image_of(
		bpf_get_current_task_btf(), BPF_LOCAL_STORAGE_GET_F_CREATE);
	bool sent;

	if (!image)
		return 0;
	if (__sync_lock_test_and_set(&image->busy, 1))
		return 0;
	image->scratch = NO_SCRATCH;
	sent = plan_image(slot, copy) && send_wanted(ctx, image);
	if (sent)
		keep_image();
	if (image->scratch != NO_SCRATCH)
		give_scratch(image->scratch);
	if (sent) {
		sample->from = image->from;
		sample->same = image->same;
		sample->image = image->number;
		return image;
	}
	image->top = 0;
	image->calm = 0;
	image->busy = 0;
	return 0;
}

static __always_inline void image_done(struct image *image, bool lost)
{
	if (lost)
		image->top = image->calm = 0;
	image->busy = 0;
}

#endif
