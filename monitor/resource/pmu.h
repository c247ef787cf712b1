/*
 * pmu.h - events by the terms that the kernel publishes for each of its event
 * sources: "cpu/event=0x3c,umask=1/", "cpu/mem-loads/".
 *
 * Under /sys/bus/event_source/devices/PMU, `type' has the number for
 * perf_event_attr.type, a file in `format' the bits that a term has in config,
 * config1 or config2 ("config:0-7,32-35"), and one in `events' the terms that a
 * name stands for (Documentation/ABI/testing/sysfs-bus-event_source-devices-*
 * in the kernel's sources).
 */
#ifndef CPPROF_RESOURCE_PMU_H
#define CPPROF_RESOURCE_PMU_H

#include "lib/err.h"
#include "monitor/perf/source.h"

#define PMU_ROOT "/sys/bus/event_source/devices"

/*
 * Reads TEXT, "PMU/TERM[=NUMBER][,...]/", with the files under ROOT.  A term
 * without a number is 1, or an event's name; config, config1 and config2 are
 * always terms; of two terms for the same bits the later one counts.  Errors:
 * no such source, no such term (with a list), a number that does not fit, an
 * event that needs a number and has none.
 */
int pmu_event(const char *root, const char *text, struct perf_source *source,
	struct err *err);

#endif
