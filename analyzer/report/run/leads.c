/* leads.c - which run shows more, where this one waited or was in the kernel.
 */
#include <string.h>

#include "analyzer/report/layout.h"
#include "analyzer/report/report_private.h"
#include "analyzer/report/run/summary_facts.h"

/* Other timers that count for themselves poll the threads, for times, or are in
   the program. */
static bool is_counted_by_stops(const struct cpd_resource *r)
{
	return !(r->flags & CPD_RESOURCE_CLOCK) && strstr(r->timer, "stop");
}

#define SHORT_RUN                                                              \
	1000000 /* us: 'real' at its own 10 ms has too few samples             \
		 */

const char *summary_again(const struct dataset *data, char *buf, size_t size)
{
	return report_again(data,
		summary_facts(data).wall < SHORT_RUN ? "blocked:1ms,runqueue"
						     : "blocked,runqueue",
		buf, size);
}

/* Suggests what to ask about a program that waits for a quarter of its time. */
static void put_lead(FILE *out, const struct dataset *data,
	const struct run_facts *f, const struct report_options *options)
{
	bool stopped = false, alone = dataset_threads_run(data) == 1;
	uint64_t known = f->cpu + (alone ? f->blocked : 0);
	char again[80];

	for (uint32_t i = 1; i <= data->nresources; i++)
		stopped |= is_counted_by_stops(&data->resources[i]);
	if (stopped && f->attached)
		layout_note(out, options,
			"cpprof stopped the program at each event: by itself "
			"it does more in that time");
	if (!f->comparable || known >= f->wall - f->wall / 4 ||
		(stopped && f->attached))
		return;
	if (stopped)
		layout_note(out, options,
			"cpprof stopped the program at each event, and that "
			"is part of the time in which it did not run");
	else if (!dataset_named(data, "real") &&
		 !dataset_named(data, "blocked"))
		layout_note(out, options,
			"%.0f %% of wall not running: '%s' shows why",
			100 * (double)(f->wall - f->cpu) / (double)f->wall,
			summary_again(data, again, sizeof again));
	else if (alone && f->blocked_known && !f->queued_known)
		layout_note(out, options,
			"%.0f %% of wall neither running nor waiting for an "
			"event: '%s' shows why",
			100 * (double)(f->wall - known) / (double)f->wall,
			report_again(data, "runqueue", again, sizeof again));
}

/* Suggests what to ask about a program for which the kernel works most. */
static void put_kernel_lead(FILE *out, const struct dataset *data,
	uint32_t resource, const struct report_options *options)
{
	enum kernel_work work = dataset_kernel_work(data);
	uint64_t system = 0, cpu = 0;
	bool known = dataset_kernel_time(data, &system, &cpu);
	char how[FILENAME_MAX];

	/* where all calls are counted it is the probes' */
	if (!known || system <= cpu / 2 || work == KERNEL_COUNTED ||
		(work == KERNEL_CALLS && options->calls) ||
		(work == KERNEL_FAULTS &&
			!strcmp(data->resources[resource].name,
				"pagefaults")) ||
		dataset_named(data, "arcs"))
		return;
	if (work == KERNEL_CALLS)
		report_command(data, options, "report -r cpu --syscalls",
			"resource cpu; set syscalls on; function", how,
			sizeof how);
	else if (work == KERNEL_FAULTS)
		report_command(data, options, "report -r pagefaults",
			"resource pagefaults", how, sizeof how);
	else
		report_again(data, "syscalls,iotime", how, sizeof how);
	layout_note(out, options,
		"%.0f %% of CPU is the kernel's%s: '%s' shows %s",
		100 * (double)system / (double)cpu,
		work == KERNEL_CALLS    ? ", most in system calls"
		: work == KERNEL_FAULTS ? ", most for page faults"
					: "",
		how, work == KERNEL_UNKNOWN ? "why" : "which");
}

void summary_leads(FILE *out, const struct dataset *data,
	const struct run_facts *f, uint32_t resource,
	const struct report_options *options)
{
	put_lead(out, data, f, options);
	put_kernel_lead(out, data, resource, options);
}
