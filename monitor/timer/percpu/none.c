/* The per-CPU timers of a build without libbpf: none. */
#include "monitor/timer/percpu/percpu.h"

static int cannot(const struct resource_request *request,
	struct timer_machine *machine, struct err *err)
{
	(void)machine;
	return err_say(err, request->name, "bpf",
		"this cpprof was built without libbpf",
		"install libbpf (1.0 or newer) and clang, then "
		"configure and build it anew");
}

/* No timer is made where can() fails, so nothing else is ever called. */
#define NONE .families = 1u << TIMER_KERNEL | 1u << TIMER_PERCPU, .can = cannot

const struct timer_kind percpu_timer = {
	.name = "kernel, per-CPU", .counts = percpu_counts, NONE};
const struct timer_kind uprobe_timer = {
	.name = "kernel, per-CPU uprobe", .counts = percpu_probes, NONE};
const struct timer_kind report_timer = {
	.name = "in-process", .counts = percpu_probes, NONE};

void percpu_try(const struct resource_request *requests, size_t n,
	struct timer_machine *machine)
{
	(void)requests, (void)n, (void)machine;
}
