/*
 * Uprobes on all processors, for calls and for requests to functions that
 * allocate.  Any function of any file, for root.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "monitor/perf/events.h"
#include "monitor/timer/percpu/percpu_private.h"

/*
 * The right to other perf events is not enough; without more, the kernel says
 * that there is no such file.
 */
static bool may_probe(int type)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)type,
		.config1 = (uint64_t)(uintptr_t) "/nothing/of/that/name",
	};
	int fd = perf_events_machine(&attr, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != EACCES && errno != EPERM);
}

static int needs_root(const struct resource_request *request, struct err *why)
{
	return err_say(why, request->name, "uprobe", "Operation not permitted",
		"run cpprof as root: uprobes need CAP_SYS_ADMIN");
}

static int can_probe(const struct resource_request *request,
	struct timer_machine *machine, struct err *why)
{
	int type = percpu_uprobe_type();

	errno = 0;
	if (percpu_can(request, machine, why)) {
		if (errno == EPERM || errno == EACCES)
			needs_root(request, why);
		return -1;
	}
	if (type < 0)
		return err_say(why, request->name, "uprobe",
			"this kernel has no uprobes",
			"it needs CONFIG_UPROBE_EVENTS");
	if (may_probe(type))
		return 0;
	return needs_root(request, why);
}

/* The family closes the programs, when the rings have been drained. */
#define UPROBES                                                                \
	.families = 1u << TIMER_KERNEL | 1u << TIMER_PERCPU,                   \
	.family = &percpu_family, .needs = TIMER_NEEDS_PERF, .traps = true,    \
	.randomizes = true, .counts = percpu_probes, .can = can_probe,         \
	.arm = percpu_arm, .read = percpu_read

const struct timer_kind uprobe_timer = {
	.name = "kernel, per-CPU uprobe", .costs = "0.5-20 us", UPROBES};

/* A uprobe on what the counting object calls; chosen by setup_timers.c alone.
 */
const struct timer_kind report_timer = {
	.name = "in-process", .costs = "2 ns", UPROBES};
