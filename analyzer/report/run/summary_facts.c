/* Counts processes, losses and what the books lack. */
#include "analyzer/report/run/summary_facts.h"
#include "lib/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The count of a resource, if it is in the file and has none of those flags. */
static bool total_of(const struct dataset *data, const char *name,
	uint32_t doubtful, uint64_t *total)
{
	uint32_t i = dataset_named(data, name);
	uint64_t used;

	if (!i || !data->books[i].has_total ||
		data->resources[i].flags & doubtful ||
		dataset_differs(data, i, &used))
		return false;
	*total = data->books[i].total;
	return true;
}

static bool is_merged(const struct dataset *data)
{
	return dataset_noted(data, "run");
}

const char *summary_program(const struct dataset *data)
{
	const char *command = data->head.argc ? data->head.argv[0] : "";
	const struct cpd_process *process = &data->processes[1];
	/* the command of a merged file is the one that merged, and of a process
	   that ran already it may be a title ("nginx: master process ...") */
	const char *word =
		data->nprocesses && (is_merged(data) ||
					    dataset_noted(data, "attached"))
			? dataset_called(process)
			: command;

	return text_base_name(word);
}

const char *const *summary_command(const struct dataset *data)
{
	bool ran = data->file.complete && data->nprocesses && data->head.argc &&
		   data->processes[1].flags & CPD_PROCESS_EXEC;

	return ran && !data->imported && !is_merged(data) ? data->head.argv
							  : NULL;
}

/* Whether nearly all of a resource is in samples: without one, nothing ran. */
static bool sees_all(const struct dataset *data, uint32_t resource)
{
	const struct books *books = &data->books[resource];

	return !(data->resources[resource].flags & CPD_RESOURCE_USER_ONLY) &&
	       summary_losses(books) <= books->weight / 10;
}

struct run_facts summary_facts(const struct dataset *data)
{
	struct run_facts f = {0};
	uint64_t from;
	uint32_t cpu = dataset_named(data, "cpu");

	f.wall_known = data->file.complete && data->end.time > data->head.start;
	if (f.wall_known)
		f.wall = dataset_collected(data, &from);
	f.cpu_known = total_of(data, "cpu", CPD_RESOURCE_ESTIMATE, &f.cpu);
	f.rest_known = cpu && sees_all(data, cpu);
	if (f.rest_known)
		f.rest = data->books[cpu].rest / 1000;
	f.faults_known = total_of(data, "pagefaults",
		CPD_RESOURCE_ESTIMATE | CPD_RESOURCE_USER_ONLY, &f.faults);
	f.blocked_known = total_of(data, "blocked", 0, &f.blocked);
	f.queued_known = total_of(data, "runqueue", 0, &f.queued);
	if (data->has_usage && !f.cpu_known)
		f.cpu = data->usage.user + data->usage.system;
	if (data->has_usage && !f.faults_known)
		f.faults = data->usage.minor + data->usage.major;
	f.cpu_known |= data->has_usage;
	f.faults_known |= data->has_usage;
	f.attached = dataset_noted(data, "attached");
	f.comparable = f.wall_known && f.cpu_known &&
		       !dataset_noted(data, "collecting") && !is_merged(data);
	if (f.rest_known && f.comparable && f.wall > f.cpu &&
		f.rest < f.wall - f.cpu)
		f.rest = f.wall - f.cpu;
	return f;
}

uint64_t summary_losses(const struct books *books)
{
	uint64_t sum = 0;

	for (int kind = 0; kind < CPD_LOSS_KINDS; kind++)
		sum += books->loss[kind];
	return sum;
}

/*
 * The noise of sampling by a clock.  A sample of a wait has all of the wait,
 * however many hits.  Only the rest is sampled, hit by hit.
 */
static double noise(const struct cpd_resource *r, const struct books *books)
{
	if (dataset_is_waiting(r))
		return (double)r->interval * sqrt((double)books->samples);
	return sqrt(books->squares);
}

/*
 * By how much samples and losses may differ from the kernel's count: an
 * interval for each thread and processor, and of a clock the noise of sampling.
 */
static double tolerance(const struct dataset *data, uint32_t resource)
{
	const struct cpd_resource *r = &data->resources[resource];
	const struct books *books = &data->books[resource];
	double interval = (double)r->interval;
	double slack = interval * (double)(data->nthreads + data->head.ncpu);

	if (r->flags & (CPD_RESOURCE_CLOCK | CPD_RESOURCE_RANDOM))
		slack += 4 * noise(r, books) + 0.02 * (double)books->total;
	return slack + (double)books->doubt;
}

const char *summary_given_up(const struct dataset *data, uint32_t resource)
{
	return data->resources[resource].flags & CPD_RESOURCE_OWN_COUNT
		       ? dataset_noted(data, CPD_NOTE_TRACED)
		       : NULL;
}

enum balance summary_balance(const struct dataset *data, uint32_t resource)
{
	const struct books *books = &data->books[resource];
	double missing = (double)books->total - (double)books->weight -
			 (double)summary_losses(books);
	uint64_t used;
	int differs;

	if (!books->has_total || summary_given_up(data, resource))
		return BALANCE_UNKNOWN;
	differs = dataset_differs(data, resource, &used);
	if (differs)
		return differs < 0 ? BALANCE_UNSEEN : BALANCE_STRANGE;
	if (fabs(missing) <= tolerance(data, resource))
		return BALANCE_HOLDS;
	return missing > 0 ? BALANCE_MISSING : BALANCE_EXCESS;
}
