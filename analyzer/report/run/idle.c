/* idle.c - whose waits they are: of who has nothing to do, of asyncio, of Go.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/layout.h"
#include "analyzer/report/report_private.h"
#include "analyzer/report/run/summary_facts.h"

#define LOOPS_LEAST 0.1 /* of a resource */

/* What [idle] is, and how to see it. */
static int put_idle(FILE *out, const struct dataset *data,
	const struct report_options *options)
{
	double share;
	bool *idle = dataset_idle(data, &share);
	char how[FILENAME_MAX];

	if (!idle)
		return -1;
	free(idle);
	if (share > IDLE_MOST)
		layout_note(out, options,
			"all of it is waits for events, for work or for the "
			"end of others");
	else if (share > 0 && !options->no_fold)
		layout_note(out, options,
			"%.1f %% of it is [idle], waits for events, for work "
			"or for the end of others: '%s' shows where",
			100 * share,
			report_command(data, options,
				"report -r blocked --no-fold", "fold off", how,
				sizeof how));
	return 0;
}

/* A function of Go's that runs goroutines; NULL: it is no program of Go. */
static const struct function *of_go(const struct dataset *data)
{
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
		if (!strcmp(data->functions[i].name, "runtime.mcall") ||
			!strncmp(data->functions[i].name, "runtime.mstart", 14))
			return &data->functions[i];
	return NULL;
}

static void put_go(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options)
{
	const struct function *go = of_go(data);
	bool counts = go && go->source != CPD_NAME_GO; /* there are symbols */
	bool root = strstr(data->resources[resource].timer, "per-CPU");
	char again[80];

	if (go)
		layout_note(out, options,
			"a goroutine that waits is on no thread: these are the "
			"waits of Go's threads%s%s%s",
			!counts ? ""
			: root  ? "; '"
				: "; as root '",
			counts ? report_again(data, "calls=runtime.gopark",
					 again, sizeof again)
			       : "",
			counts ? "' counts those of goroutines" : "");
}

/* How to see what awaits it. */
static int put_loops(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options)
{
	double share;
	char resources[40], again[80];

	if (dataset_in_loops(data, resource, &share))
		return -1;
	snprintf(resources, sizeof resources, "%s --asyncio",
		data->resources[resource].name);
	if (share >= LOOPS_LEAST)
		layout_note(out, options,
			"%.1f %% of it is waits of asyncio's event loop: '%s' "
			"tells whose await they are",
			100 * share,
			report_again(data, resources, again, sizeof again));
	return 0;
}

int summary_idle(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options)
{
	bool blocked = !strcmp(data->resources[resource].name, "blocked");

	if (blocked && put_idle(out, data, options))
		return -1;
	if ((blocked || !strcmp(data->resources[resource].name, "real")) &&
		put_loops(out, data, resource, options))
		return -1;
	if (blocked)
		put_go(out, data, resource, options);
	return 0;
}
