/* Decodes what the BPF programs write beside registers and stack. */
#include "monitor/timer/percpu/decode.h"

#include <string.h>

#include "monitor/sample/arcs.h"

/* The thread of a BPF program's sample; NULL: no memory. */
static struct thread *output_thread(struct sampler *sampler,
	const struct perf_sample *sample, const struct percpu_sample *said)
{
	bool by_ids =
		said->what == PERCPU_SETTLE || said->what == PERCPU_PROBE ||
		said->what == PERCPU_END || said->what == PERCPU_FRAMES ||
		said->what == PERCPU_ARC_BEGINS || said->what == PERCPU_MOVED;
	/* the clock hit a thread that has nearly ended */
	bool gone = sample->tid == UINT32_MAX || sample->pid == UINT32_MAX;

	return task_table_thread(&sampler->tasks,
		(pid_t)(by_ids || gone ? said->pid : sample->pid),
		(pid_t)(by_ids || gone ? said->tid : sample->tid),
		sample->time);
}

/* The outermost bytes of the stack, or a goroutine's, if they were sent. */
static void add_tail(
	struct snapshot *snapshot, const struct perf_sample *sample)
{
	struct percpu_tailed head;
	size_t at = offsetof(struct percpu_tailed, tail);

	if (sample->raw_size < sizeof head)
		return;
	memcpy(&head, sample->raw, at);
	if (head.size > PERCPU_TAIL)
		return;
	snapshot->tail = sample->raw + at + PERCPU_TAIL - head.size;
	snapshot->tail_base = head.end - head.size;
	snapshot->tail_size = head.size;
	snapshot->left_sp = head.left_sp;
	snapshot->left_ip = head.left_ip;
}

/* Takes a sample that a BPF program emitted. */
static int on_output(struct sampler *sampler, const struct perf_sample *sample,
	const struct percpu_sample *said, bool user, struct due *due)
{
	struct snapshot snapshot;

	due->hits = said->hits;
	sampler_weigh(sampler, due, said->weight);
	if (said->what == PERCPU_END)
		return sampler_end(sampler, due, said->block);
	due->block = said->block;
	if (said->what == PERCPU_SETTLE)
		return sampler_settle(sampler, due);
	sampler_snapshot(sample, &snapshot);
	/* of such a thread newer kernels do not write registers either */
	if (said->gone && !snapshot.size)
		snapshot.has_regs = false;
	if (said->what == PERCPU_REPORT)
		snapshot_return(&snapshot);
	snapshot.fits = said->whole;
	snapshot.below = said->below;
	snapshot.call = said->call;
	if (said->what == PERCPU_FAULT)
		snapshot.address = (uint64_t)said->pid << 32 | said->tid;
	add_tail(&snapshot, sample);
	if (sampler_interpret(sampler, due->thread, said->frames, &snapshot))
		return -1;
	return said->what == PERCPU_OFF_CPU
		       ? sampler_keep_off_cpu(sampler, due, &snapshot)
		       : sampler_take_in_mode(sampler, due, &snapshot,
				 user && said->what != PERCPU_PROBE,
				 said->what == PERCPU_PROBE);
}

static int on_frames(struct sampler *sampler, const struct perf_sample *sample,
	const struct percpu_sample *said, struct thread *thread)
{
	struct told_part part = {.number = said->frames, .end = said->hits};

	if (sample->raw_size < PERCPU_FRAMES_AT)
		return 0;
	part.items = sample->raw + PERCPU_FRAMES_AT;
	/* words, and what the kernel pads them with */
	part.n = (sample->raw_size - PERCPU_FRAMES_AT) & ~7u;
	return sampler_tell(sampler, thread, &part);
}

static int on_arc(struct sampler *sampler, const struct percpu_sample *said,
	const struct due *due)
{
	const struct arc_key key = {said->weight, said->block, said->hits};

	return arcs_begin(sampler, due, &key, said->below);
}

static int on_move(const struct percpu_sample *said, struct thread *thread)
{
	const struct object_move move = {said->weight, said->below,
		(uint64_t)said->hits * PAGE_BYTES,
		(uint64_t)said->block * PAGE_BYTES};

	return objects_move(&thread->process->objects, &move);
}

int percpu_decode(struct sampler *sampler, const struct perf_sample *sample,
	bool user, struct due *due)
{
	struct percpu_sample said;

	if (sample->raw_size < sizeof said)
		return 0;
	memcpy(&said, sample->raw, sizeof said);
	due->thread = output_thread(sampler, sample, &said);
	if (!due->thread)
		return -1;
	if (said.what == PERCPU_ARC_BEGINS)
		return on_arc(sampler, &said, due);
	if (said.what == PERCPU_MOVED)
		return on_move(&said, due->thread)
			       ? task_table_starved(&sampler->tasks)
			       : 0;
	return said.what == PERCPU_FRAMES
		       ? on_frames(sampler, sample, &said, due->thread)
		       : on_output(sampler, sample, &said, user, due);
}
