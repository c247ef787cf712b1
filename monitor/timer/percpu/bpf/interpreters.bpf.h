/*
 * interpreters.bpf.h - the frames of interpreters (Python's), told before the
 * sample that has the native ones.
 *
 * The monitor puts a process's interpreter into `interpreters` when it is told
 * of its mapping, and removes it when it is told of an exec or the end; a fork
 * has its parent's.  Where it is late the walk finds nothing, or what fits no
 * native frames.  What a walk tells goes to an
 * output without a stack, in as many parts as it needs, and the sample names
 * it.  A code object's names are told when it is first seen.
 *
 * Part of monitor/timer/percpu/bpf/core.bpf.h.
 */
#ifndef CPPROF_PERCPU_INTERPRETERS_BPF_H
#define CPPROF_PERCPU_INTERPRETERS_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32); /* process */
	__type(value, struct interpreter_place);
} interpreters SEC(".maps");

/* The code objects that the monitor knows, by fingerprint; the last ones. */
#define CODE_SETS 4096
#define CODE_WAYS 4

struct code_set {
	__u64 known[CODE_WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CODE_SETS);
	__type(key, __u32);
	__type(value, struct code_set);
} codes SEC(".maps");

static __always_inline struct code_set *codes_of(__u64 fingerprint)
{
	__u32 set = fingerprint >> 40 & (CODE_SETS - 1);

	return bpf_map_lookup_elem(&codes, &set);
}

#define WALK_READ(w, to, n, addr) bpf_probe_read_user(to, n, (void *)(addr))
#define WALK_KNOWS(w, code, version) knows_code(w, code, version)
#define WALK_TOLD(w) know_code((w)->fingerprint)
struct interpreter_walk;
static __always_inline bool knows_code(
	struct interpreter_walk *w, __u64 code, __u64 version);
static __always_inline void know_code(__u64 fingerprint);
#include "monitor/interpreter/walk.h"

static __always_inline bool knows_code(
	struct interpreter_walk *w, __u64 code, __u64 version)
{
	__u64 of = walk_mix(walk_mix(w->place.number, code), version) | 1;
	const struct code_set *set = codes_of(of);

	w->fingerprint = of;
	return set && (set->known[0] == of || set->known[1] == of ||
			      set->known[2] == of || set->known[3] == of);
}

static __always_inline void know_code(__u64 fingerprint)
{
	struct code_set *set = codes_of(fingerprint);

	if (set)
		set->known[bpf_get_prandom_u32() % CODE_WAYS] = fingerprint;
}

_Static_assert(WALK_HEADER == PERCPU_FRAMES_AT &&
		       sizeof(struct percpu_sample) <= WALK_HEADER,
	"what is told begins behind its header");

struct walk_room {
	__u32 used;
	struct interpreter_walk walk;
};

ROOM(walk_room);

/* (The verifier goes through a function that is not static once, and not at
   each call.) */
__noinline int walk_one(void)
{
	struct walk_room *room = walk_room();

	return room ? walk_step(&room->walk) : INTERPRETER_ABSENT;
}

/* The number of TASK as it sees it itself. */
static __always_inline __u32 own_number(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	int number = 0;

	bpf_probe_read_kernel(
		&number, sizeof number, &pid->numbers[level & 31].nr);
	return (__u32)number;
}

/* Sets out in the calling thread; false: it has no interpreter. */
static __always_inline bool begin_walk(
	struct walk_room *room, struct thread_counts *t)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct percpu_sample *sample = (struct percpu_sample *)room->walk.head;
	struct interpreter_walk *w = &room->walk;
	const struct interpreter_place *place;
	__u32 process = (__u32)task->tgid;

	place = bpf_map_lookup_elem(&interpreters, &process);
	if (!place || __sync_lock_test_and_set(&room->used, 1))
		return false;
	w->place = *place;
	w->place.number += (__u64)shared.untold << 32;
	w->thread = own_number(task);
	w->state = t->interpreter_state;
	w->interpreter = w->found = w->frame = 0;
	w->phase = WALK_THREADS;
	w->size = w->complete = 0;
	if (!++t->frames)
		t->frames++;
	sample->what = PERCPU_FRAMES;
	sample->tid = (__u32)task->pid;
	sample->pid = process;
	sample->frames = t->frames;
	return true;
}

#define STEPS 140    /* of a part: frames, and names of new code objects */
#define PARTS_TOLD 8 /* those with frames; later ones have anchors alone */
#define PART_SIZE(part) ((part)&0xffff)
#define PART_NUMBER(part) ((__u16)((part) >> 16))
#define PART_MORE (1ull << 32)

/*
 * Walks until there is a part of what the calling thread's interpreter tells,
 * and returns what PART_... know of it; 0: there is none.  NUMBER: from 0 on.
 */
__noinline __u64 walk_part(__u32 number)
{
	struct thread_counts *t = target_thread();
	struct walk_room *room = walk_room();
	int end = INTERPRETER_MORE;
	struct percpu_sample *sample;

	if (!t || !room)
		return 0;
	room->walk.over = number / PARTS_TOLD; /* (no branch to verify) */
	if (!number && !begin_walk(room, t))
		return 0;
	for (__u32 i = 0; i < STEPS && end == INTERPRETER_MORE; i++)
		end = walk_one();
	if (end == INTERPRETER_MORE)
		end = INTERPRETER_FULL;
	t->interpreter_state = end == INTERPRETER_ABSENT ? 0 : room->walk.found;
	if (end == INTERPRETER_ABSENT) {
		room->used = 0;
		return 0;
	}
	sample = (struct percpu_sample *)room->walk.head;
	sample->hits = (__u32)end;
	return room->walk.size | (__u64)t->frames << 16 |
	       (end == INTERPRETER_FULL ? PART_MORE : 0);
}

#define PARTS 10

/*
 * Tells the frames that the calling thread's interpreter has.  The number that
 * the sample names them by; 0: none.
 */
static __always_inline __u16 tell_frames(void *ctx)
{
	__u32 output = PERCPU_BARE_OUTPUT(config.ncounters, 0) * config.ncpus +
		       bpf_get_smp_processor_id();
	struct walk_room *room = walk_room();
	__u64 part = PART_MORE;
	__u16 number = 0;

	if (!shared.interpreters || !room)
		return 0;
	for (__u32 i = 0; i < PARTS && part & PART_MORE; i++) {
		__u64 size;

		part = walk_part(i);
		if (!part)
			return 0;
		number = PART_NUMBER(part);
		size = PART_SIZE(part);
		if (size > INTERPRETER_MOST)
			break;
		/* what the monitor knows is not known any more */
		if (bpf_perf_event_output(ctx, &outputs, output,
			    room->walk.head, sizeof room->walk.head + size)) {
			__sync_fetch_and_add(&shared.untold, 1);
			break;
		}
		room->walk.size = 0;
	}
	room->used = 0;
	return number;
}

/* CHILD is a new thread, or a process that begins as its parent is. */
static __always_inline void interpreter_fork(
	struct task_struct *parent, struct task_struct *child)
{
	__u32 from = (__u32)parent->tgid, to = (__u32)child->tgid;
	const struct interpreter_place *place;
	struct interpreter_place copy;

	if (!shared.interpreters || from == to)
		return;
	place = bpf_map_lookup_elem(&interpreters, &from);
	if (!place)
		return;
	copy = *place;
	copy.number = __sync_fetch_and_add(&shared.interpreters, 1) + 1;
	bpf_map_update_elem(&interpreters, &to, &copy, BPF_ANY);
}

#endif
