/*
 * Uprobes on all processors, for calls and for requests to functions that
 * allocate.  Any function of any file, for root.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "monitor/perf/events.h"
#include "monitor/timer/percpu/percpu.h"
#include "monitor/contract/timer.h"

static bool probes(const struct resource_request *request)
{
	return request->resource->counts & (COUNTS_CALLS | COUNTS_REQUESTS);
}

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
	err_set(why, request->name, "uprobe", "Operation not permitted");
	return err_hint(why, "run cpprof as root: uprobes need CAP_SYS_ADMIN");
}

static int can_probe(const struct resource_request *request, struct err *why)
{
	int type = percpu_uprobe_type();

	errno = 0;
	if (percpu_can(request, why)) {
		if (errno == EPERM || errno == EACCES)
			needs_root(request, why);
		return -1;
	}
	if (type < 0) {
		err_set(why, request->name, "uprobe",
			"this kernel has no uprobes");
		return err_hint(why, "it needs CONFIG_UPROBE_EVENTS");
	}
	if (may_probe(type))
		return 0;
	return needs_root(request, why);
}

static int arm_uprobes(struct timer *timer, struct err *err)
{
	return percpu_timer.arm(timer, err);
}

static int read_uprobes(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	memset(count, 0, sizeof *count);
	return percpu_timer.read(timer, count, err);
}

/* percpu_close() closes the programs, when the rings have been drained. */
#define UPROBES                                                                \
	.families = 1u << TIMER_KERNEL | 1u << TIMER_PERCPU,                   \
	.family = &percpu_family, .needs = TIMER_NEEDS_PERF, .traps = true,    \
	.randomizes = true, .counts = probes, .can = can_probe,                \
	.arm = arm_uprobes, .read = read_uprobes

const struct timer_kind uprobe_timer = {
	.name = "kernel, per-CPU uprobe", UPROBES};

/* A uprobe on what the counting object calls; chosen by setup.c alone. */
const struct timer_kind report_timer = {.name = "in-process", UPROBES};
