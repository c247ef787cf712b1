/* The per-CPU timers of a build without libbpf: none. */
#include "monitor/timer/percpu/percpu_private.h"

#ifndef HAVE_BPF

static int cannot(const char *what, struct err *err)
{
	err_set(err, what, "bpf", "this cpprof was built without libbpf");
	return err_hint(err, "install libbpf (1.0 or newer) and clang, then "
			     "configure and build it anew");
}

int percpu_can(const struct resource_request *request, struct err *err)
{
	return cannot(request->name, err);
}

int percpu_uprobe_type(void)
{
	return -1;
}

/* No timer is made where percpu_can() fails, so the others are never called. */
struct percpu *percpu_open(struct err *err)
{
	cannot("bpf", err);
	return NULL;
}

int percpu_add(struct percpu *percpu, const struct percpu_counter *counter)
{
	(void)percpu;
	(void)counter;
	return -1;
}

struct percpu_config *percpu_config(struct percpu *percpu)
{
	(void)percpu;
	return NULL;
}

struct percpu_allocators *percpu_allocators(struct percpu *percpu)
{
	(void)percpu;
	return NULL;
}

int percpu_load(struct percpu *percpu, struct err *err)
{
	(void)percpu;
	return cannot("bpf", err);
}

void percpu_refuse_all(const struct err *why)
{
	(void)why;
}

int percpu_start(
	struct percpu *percpu, struct perf_events *events, struct err *err)
{
	(void)percpu;
	(void)events;
	return cannot("bpf", err);
}

int percpu_track_existing(
	struct percpu *percpu, pid_t pid, uint64_t begun, bool armed)
{
	(void)percpu;
	(void)pid;
	(void)begun;
	(void)armed;
	return -1;
}

void percpu_collect(struct percpu *percpu, bool on)
{
	(void)percpu;
	(void)on;
}

int percpu_end_waits(struct percpu *percpu,
	int (*take)(void *arg, uint32_t tag, const struct percpu_waiting *said),
	void *arg)
{
	(void)percpu;
	(void)take;
	(void)arg;
	return 0;
}

int percpu_read(struct percpu *percpu, uint32_t tag, struct percpu_count *count)
{
	(void)percpu;
	(void)tag;
	(void)count;
	return -1;
}

uint64_t percpu_silent(const struct percpu *percpu)
{
	(void)percpu;
	return 0;
}

void percpu_close(struct percpu *percpu)
{
	(void)percpu;
}

#endif
