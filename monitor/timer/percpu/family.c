/* The family of the per-CPU timers: their BPF programs, for all of a run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/cpprofdata/writer.h"
#include "lib/sys/descriptors.h"
#include "monitor/timer/percpu/decode.h"
#include "monitor/timer/percpu/percpu.h"

static void *open_programs(struct err *err)
{
	perf_events_raise_limit();
	return percpu_open(err);
}

/*
 * Whether there are enough descriptors for what is opened later: the outputs,
 * the rings, and a few more.
 */
static int leave_room(size_t ntimers, struct err *err)
{
	size_t n = PERCPU_OUTPUTS(ntimers) + 3;
	processor_list cpus = {0};
	bool fits =
		!processors_list(&cpus) && descriptors_left(n * cpus.n + 12);

	vec_free(&cpus);
	if (fits)
		return 0;
	err_sys(err, "bpf", "descriptors");
	return err_hint(err, "raise the limit of open files (ulimit -n) or "
			     "profile fewer resources at once");
}

static int load(void *percpu, size_t ntimers, struct err *err)
{
	return percpu_load(percpu, err) || leave_room(ntimers, err) ? -1 : 0;
}

static int start(void *percpu, struct perf_events *events, struct err *err)
{
	return percpu_start(percpu, events, err);
}

static int track(void *percpu, pid_t pid, uint64_t begun, bool armed)
{
	return percpu_track_existing(percpu, pid, begun, armed);
}

static void collect(void *percpu, bool on)
{
	percpu_collect(percpu, on);
}

static int end_waits(void *percpu, struct sampler *sampler, uint64_t time)
{
	return percpu_decode_waits(percpu, sampler, time);
}

/* Programs whose allocator was not found. */
static int note_silent(const void *percpu, struct cpd_writer *writer)
{
	uint64_t n = percpu_silent(percpu);
	char text[256];
	struct cpd_note note = {"warning", text};

	if (!n)
		return 0;
	snprintf(text, sizeof text,
		"%ju programs made no request for memory that cpprof sees; "
		"profile a program with an allocator of its own (linked "
		"statically) in a run of its own",
		(uintmax_t)n);
	return cpd_write_note(writer, &note);
}

static void refuse(const struct err *why)
{
	percpu_refuse_all(why);
}

static void close_programs(void *percpu)
{
	percpu_close(percpu);
}

const struct timer_family percpu_family = {
	.open = open_programs,
	.load = load,
	.start = start,
	.track = track,
	.collect = collect,
	.decode = percpu_decode,
	.end_waits = end_waits,
	.note = note_silent,
	.refuse = refuse,
	.close = close_programs,
};
