/*
 * checksums.bpf.h - what the monitor has of a stack, and whether it is still
 * valid.
 *
 * A checksum (monitor/timer/percpu/stack.bpf.h) is a sum of bytes.  An absent
 * page has none.  To find that a page is absent costs a fault, many times the
 * cost of a page that is there, and most pages of a stack that a program has
 * mapped itself can be absent.  So the absent ones are remembered, and read
 * again only where they may have become present: that takes a fault, and for a
 * page with frames a fault of the thread itself, which counts its own.  (Not
 * quite: the kernel makes huge pages in the background, and coroutines change
 * threads.  So they are remembered for TRUST samples at most.)
 *
 * After a fault the pages next to a present one are read at once, since a stack
 * grows into a hole from its end, and the others in the course of DOUBT
 * samples; all of them once one is found to be present.  A page that is wrongly
 * taken to be absent is missing in the mirror; no byte of it is wrong.
 *
 * Part of monitor/timer/percpu/core.bpf.h.
 */
#ifndef CPPROF_PERCPU_CHECKSUMS_BPF_H
#define CPPROF_PERCPU_CHECKSUMS_BPF_H

#define CHECKSUM_BYTES 1024u
#define SPARSE_BYTES 512u /* of a checksum that does not adjoin the next */
#define OUTER_CHECKSUMS 5 /* one behind the other */
#define OUTER_BYTES ((OUTER_CHECKSUMS - 1) * CHECKSUM_BYTES)
#define CHECKSUM_ABSENT                                                        \
	1ull /* no sum has that value, or 0, which is never valid */
#define ABSENT_PAGES 2048 /* pages of a stack for which it is remembered */
#define DOUBT 8
#define DOUBT_ALL (DOUBT + 1)
#define TRUST 32
#define SCRATCHES 2 /* a task's, and one for what interrupts it */
#define NO_SCRATCH (~0u)

#define read_anew(of) (*(volatile __typeof__(of) *)&(of))

/*
 * The monitor's copy of a thread's stack beyond the copies of samples: all from
 * `from` to `top`.  The checksums tell whether it is still valid.
 */
struct mirror {
	__u32 number;
	__u32 busy;       /* a sample of it is being made */
	__u32 calm;       /* samples since anything was sent, up to CALM */
	__u32 scratch;    /* in use while it is busy */
	__u32 output;     /* the first processor's, for chunks of this sample */
	__u64 from, top;  /* top 0: nothing */
	__u64 want, same; /* what to send; unchanged from `same` on */
	__u64 stride;     /* between checksums, from the top down */
	__u64 checksums[PERCPU_CHECKSUMS];
	__u64 edge;      /* the checksum at `from` */
	__u64 low, high; /* the mapping that the stack was found in */
	__u64 frame; /* the signal frame on the alternate stack, from its end */
	__u64 faults; /* of the thread up to its last sample */
	__u32 samples;
	__u32 turn;    /* which absent pages are read again next */
	__u32 doubt;   /* samples until all absent pages have been read again */
	__u64 page;    /* of the last checksum that was compared */
	__u32 present; /* and whether it is there */
	__u32 found;   /* a page that was absent is there */
	__u64 absent[ABSENT_PAGES / 64]; /* pages, from the top down */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct mirror);
} mirrors SEC(".maps");

static __always_inline struct mirror *mirror_of(
	struct task_struct *task, __u64 flags)
{
	return bpf_task_storage_get(&mirrors, task, 0, flags);
}

struct scratch {
	__u32 taken;
	__u32 reserved;
	struct percpu_chunk chunk;
	__u8 bytes[PERCPU_CHUNK_BYTES];
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

static __always_inline __u64 page_number(
	const struct mirror *mirror, __u64 addr)
{
	return (mirror->top - 1) / PERCPU_PAGE - addr / PERCPU_PAGE;
}

/* Whether the page of ADDR was absent when it was last read. */
static __always_inline bool was_absent(const struct mirror *mirror, __u64 addr)
{
	__u64 n = page_number(mirror, addr);

	return n < ABSENT_PAGES && mirror->absent[n / 64] >> n % 64 & 1;
}

/* Notes whether it is absent now. */
static __always_inline void note_page(
	struct mirror *mirror, __u64 addr, bool absent)
{
	__u64 n = page_number(mirror, addr);

	if (n >= ABSENT_PAGES)
		return;
	if (absent)
		mirror->absent[n / 64] |= 1ull << n % 64;
	else
		mirror->absent[n / 64] &= ~(1ull << n % 64);
}

static __always_inline void begin_absent(struct mirror *mirror)
{
	for (__u32 i = 0; i < ABSENT_PAGES / 64; i++)
		mirror->absent[i] = 0;
	mirror->doubt = 0;
}

/* At each sample, before any of the mirror's pages is read. */
static __always_inline void doubt_absent(
	struct task_struct *task, struct mirror *mirror)
{
	__u64 faults = task->min_flt + task->maj_flt;

	mirror->samples++;
	mirror->turn = mirror->samples + mirror->samples / TRUST;
	if (faults != mirror->faults || mirror->samples % TRUST == 0)
		mirror->doubt = DOUBT;
	else if (mirror->doubt)
		mirror->doubt--;
	mirror->faults = faults;
}

struct checksum_check {
	struct mirror *mirror;
	__u64 same;  /* valid from there on */
	__u64 from;  /* no checksums below */
	__u32 doubt; /* 0: absent pages still are */
	bool set;    /* makes the checksums, compares none */
	bool differs;
};

#define KEY(i) ((__s32)(((i) + 1) * 0x9e3779b1u))

/* Of 32 words: sums of products (NH of UMAC, Black et al., CRYPTO 1999). */
static __always_inline __u64 sum_words(const __u64 *words)
{
	__u64 sum = 0;

#pragma unroll
	for (__u32 i = 0; i < 32; i += 2)
		sum += (words[i] + (__s64)KEY(i)) *
		       (words[i + 1] + (__s64)KEY(i + 1));
	return sum;
}

/*
 * Of SIZE bytes at ADDR, a multiple of 256 up to CHECKSUM_BYTES, in one page or
 * in two; an absent one of two counts as zeros.  CHECKSUM_ABSENT: they are in
 * one page, which is absent.
 */
static __always_inline __u64 checksum_of(__u64 addr, __u32 size, __u32 scratch)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &scratch);
	__u32 first = PERCPU_PAGE - addr % PERCPU_PAGE, rest;
	__u64 sum = 0;

	if (!s || size > CHECKSUM_BYTES)
		return 0;
	if (first < size) {
		rest = (size - first) & (CHECKSUM_BYTES - 1);
		if (bpf_probe_read_user(s->bytes, first, (void *)addr))
			sum = 1;
		if (bpf_probe_read_user(
			    s->bytes + first, rest, (void *)(addr + first)))
			sum += 2;
	} else if (bpf_probe_read_user(s->bytes, size, (void *)addr))
		return CHECKSUM_ABSENT;
	for (__u32 i = 0; i < CHECKSUM_BYTES; i += 256) {
		if (i >= size)
			break;
		sum ^= sum_words((const __u64 *)(s->bytes + i));
		sum = sum * 0x9e3779b97f4a7c15ull + (sum >> 29);
	}
	return sum | 2;
}

/*
 * The checksum of SIZE bytes at AT, as it is now.  With DOUBT a page that was
 * absent is read again, once in a sample, if it is next to one that is present
 * or it is its turn; with DOUBT_ALL in any case.
 */
__noinline __u64 checksum_at(
	struct mirror *mirror, __u64 at, __u32 size, __u32 doubt)
{
	__u64 page = at / PERCPU_PAGE, checksum;
	bool whole, absent;

	if (!mirror)
		return 0;
	whole = (at + size - 1) / PERCPU_PAGE == page;
	absent = whole && was_absent(mirror, at);
	if (absent &&
		(!doubt || page == mirror->page ||
			(doubt <= DOUBT && !mirror->present &&
				(at / mirror->stride ^ mirror->turn) % DOUBT)))
		return CHECKSUM_ABSENT;
	checksum = checksum_of(at, size, mirror->scratch);
	if (!whole)
		return checksum;
	if (absent != (checksum == CHECKSUM_ABSENT)) {
		note_page(mirror, at, !absent);
		mirror->found |= absent;
	}
	mirror->page = page;
	mirror->present = checksum != CHECKSUM_ABSENT;
	return checksum;
}

/*
 * The place of checksum I: the outermost bytes are in one, the first begins
 * where they do, then one every stride.  Only the first may have bytes of two
 * pages.
 */
static __always_inline __u64 checksum_place(
	const struct mirror *mirror, __u32 i)
{
	__u64 base = mirror->top & ~(CHECKSUM_BYTES - 1ull);

	if (!i)
		return mirror->top - CHECKSUM_BYTES;
	return i < OUTER_CHECKSUMS
		       ? base - i * CHECKSUM_BYTES
		       : base - OUTER_BYTES -
				 (i + 1ull - OUTER_CHECKSUMS) * mirror->stride;
}

static __always_inline __u32 checksum_size(const struct mirror *mirror, __u32 i)
{
	return i < OUTER_CHECKSUMS || mirror->stride == CHECKSUM_BYTES
		       ? CHECKSUM_BYTES
		       : SPARSE_BYTES;
}

static __always_inline __u64 checksums_reach(const struct mirror *mirror)
{
	return OUTER_BYTES +
	       (PERCPU_CHECKSUMS - OUTER_CHECKSUMS) * read_anew(mirror->stride);
}

static long compare_checksum(__u32 i, struct checksum_check *check)
{
	struct mirror *mirror = check->mirror;
	__u64 at = checksum_place(mirror, i), checksum;

	if (at < check->from || i >= PERCPU_CHECKSUMS)
		return 1;
	if (check->set && at >= check->same)
		return 0;
	checksum =
		checksum_at(mirror, at, checksum_size(mirror, i), check->doubt);
	if (check->set)
		mirror->checksums[i] = checksum;
	else if (checksum && mirror->checksums[i] == checksum)
		check->same = at;
	else {
		check->differs = 1;
		return 1;
	}
	return 0;
}

#endif
