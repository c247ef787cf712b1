/* What there is of the wide arrangement where libbpf was not there to build it.
 */
#include "monitor/timer/percpu/percpu_private.h"

#ifndef HAVE_BPF

static int cannot(const char *what, struct err *err)
{
	err_set(err, what, "bpf", "this cpprof was built without libbpf");
	return err_hint(err, "install libbpf (1.0 or newer) and clang, then "
			     "configure and build it anew");
}

int wide_can(const struct resource_request *request, struct err *err)
{
	return cannot(request->name, err);
}

int wide_uprobe_type(void)
{
	return -1;
}

/* No timer is made where wide_can() fails, so that nobody calls the others. */
struct wide *wide_open(struct err *err)
{
	cannot("bpf", err);
	return NULL;
}

int wide_add(struct wide *wide, const struct wide_slot *slot)
{
	(void)wide;
	(void)slot;
	return -1;
}

struct wide_config *wide_config(struct wide *wide)
{
	(void)wide;
	return NULL;
}

struct wide_allocators *wide_allocators(struct wide *wide)
{
	(void)wide;
	return NULL;
}

int wide_load(struct wide *wide, struct err *err)
{
	(void)wide;
	return cannot("bpf", err);
}

void wide_refuse(const struct resource_request *request, const struct err *why)
{
	(void)request;
	(void)why;
}

int wide_start(struct wide *wide, struct perf_events *events, struct err *err)
{
	(void)wide;
	(void)events;
	return cannot("bpf", err);
}

int wide_adopt(struct wide *wide, pid_t pid, bool armed)
{
	(void)wide;
	(void)pid;
	(void)armed;
	return -1;
}

void wide_collect(struct wide *wide, bool on)
{
	(void)wide;
	(void)on;
}

int wide_end_waits(struct wide *wide,
	int (*take)(void *arg, uint32_t tag, const struct wide_waiting *said),
	void *arg)
{
	(void)wide;
	(void)take;
	(void)arg;
	return 0;
}

int wide_read(struct wide *wide, uint32_t tag, struct wide_count *count)
{
	(void)wide;
	(void)tag;
	(void)count;
	return -1;
}

uint64_t wide_missed(const struct wide *wide)
{
	(void)wide;
	return 0;
}

uint64_t wide_silent(const struct wide *wide)
{
	(void)wide;
	return 0;
}

void wide_close(struct wide *wide)
{
	(void)wide;
}

#endif
