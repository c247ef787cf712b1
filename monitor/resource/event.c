/* Events that have perf's names: of caches, raw, by a PMU's terms. */
#include "monitor/resource/resource.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "monitor/resource/pmu.h"
#include "monitor/resource/tracepoint.h"

struct event_word {
	const char *text;
	unsigned value;
};

static const struct event_word caches[] = {
	{"L1-dcache", PERF_COUNT_HW_CACHE_L1D},
	{"l1-d", PERF_COUNT_HW_CACHE_L1D},
	{"l1d", PERF_COUNT_HW_CACHE_L1D},
	{"L1-data", PERF_COUNT_HW_CACHE_L1D},
	{"L1-icache", PERF_COUNT_HW_CACHE_L1I},
	{"l1-i", PERF_COUNT_HW_CACHE_L1I},
	{"l1i", PERF_COUNT_HW_CACHE_L1I},
	{"L1-instruction", PERF_COUNT_HW_CACHE_L1I},
	{"LLC", PERF_COUNT_HW_CACHE_LL},
	{"L2", PERF_COUNT_HW_CACHE_LL},
	{"dTLB", PERF_COUNT_HW_CACHE_DTLB},
	{"d-tlb", PERF_COUNT_HW_CACHE_DTLB},
	{"Data-TLB", PERF_COUNT_HW_CACHE_DTLB},
	{"iTLB", PERF_COUNT_HW_CACHE_ITLB},
	{"i-tlb", PERF_COUNT_HW_CACHE_ITLB},
	{"Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB},
	{"branch", PERF_COUNT_HW_CACHE_BPU},
	{"branches", PERF_COUNT_HW_CACHE_BPU},
	{"bpu", PERF_COUNT_HW_CACHE_BPU},
	{"btb", PERF_COUNT_HW_CACHE_BPU},
	{"bpc", PERF_COUNT_HW_CACHE_BPU},
	{"node", PERF_COUNT_HW_CACHE_NODE},
	{NULL, 0},
};

static const struct event_word operations[] = {
	{"load", PERF_COUNT_HW_CACHE_OP_READ},
	{"loads", PERF_COUNT_HW_CACHE_OP_READ},
	{"read", PERF_COUNT_HW_CACHE_OP_READ},
	{"store", PERF_COUNT_HW_CACHE_OP_WRITE},
	{"stores", PERF_COUNT_HW_CACHE_OP_WRITE},
	{"write", PERF_COUNT_HW_CACHE_OP_WRITE},
	{"prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH},
	{"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH},
	{"speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH},
	{"speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH},
	{NULL, 0},
};

static const struct event_word results[] = {
	{"refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
	{"Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
	{"ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
	{"access", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
	{"misses", PERF_COUNT_HW_CACHE_RESULT_MISS},
	{"miss", PERF_COUNT_HW_CACHE_RESULT_MISS},
	{NULL, 0},
};

/* Takes the longest of WORDS that *NAME begins with, and the dash after it. */
static bool take_word(
	const char **name, const struct event_word *words, unsigned *value)
{
	size_t longest = 0;

	for (; words->text; words++) {
		size_t n = strlen(words->text);

		if (n <= longest || strncasecmp(*name, words->text, n) != 0 ||
			((*name)[n] && (*name)[n] != '-'))
			continue;
		longest = n;
		*value = words->value;
	}
	*name += longest;
	if (longest && **name == '-' && (*name)[1])
		++*name;
	return longest;
}

const struct resource *resource_find_cache(const char *name)
{
	unsigned cache, operation = PERF_COUNT_HW_CACHE_OP_READ;
	unsigned result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	uint64_t config;

	if (!take_word(&name, caches, &cache))
		return NULL;
	if (take_word(&name, operations, &operation))
		take_word(&name, results, &result);
	else if (take_word(&name, results, &result))
		take_word(&name, operations, &operation);
	config = cache | operation << 8 | result << 16;
	for (const struct resource *r = resources; !*name && r->name; r++)
		if (r->perf && r->perf->type == PERF_TYPE_HW_CACHE &&
			r->perf->config == config)
			return r;
	return NULL;
}

static int take_raw(
	struct resource_request *request, const char *name, struct err *err)
{
	const char *digits = name + 1;
	size_t n;

	if (digits[0] == '0' && digits[1] == 'x')
		digits += 2;
	n = strspn(digits, "0123456789abcdefABCDEF");
	request->event = (struct perf_source){.type = PERF_TYPE_RAW,
		.config = strtoull(digits, NULL, 16),
		.scale = 1};
	if (n && n <= 16 && !digits[n])
		return 0;
	return err_say(err, name, NULL, "not a raw event",
		"r and its number in hex, of as many as 16 "
		"digits, such as r1a8; perf list and the "
		"processor's manual have them");
}

/* Refuses PMUs that cpprof counts by other means, or that would do harm. */
static int refuse_pmu(const struct resource_request *request, const char *name,
	struct err *err)
{
	if (request->event.type != PERF_TYPE_BREAKPOINT &&
		strncmp(name, "uprobe/", 7) != 0 &&
		strncmp(name, "kprobe/", 7) != 0)
		return 0;
	return err_say(err, name, NULL,
		"probes and breakpoints are not taken by terms",
		"calls=FUNC counts the calls of a function");
}

/* The program that will run has it or not. */
static int check_usdt(const char *name, struct err *err)
{
	const char *colon = strrchr(name, ':');

	if (colon > name + 5 && colon[1] && colon[1] != '.')
		return 0;
	return err_say(err, name, NULL, "which probe?",
		"write usdt:PROVIDER:NAME, or "
		"usdt:LIB:PROVIDER:NAME for one of a library");
}

int resource_event(
	struct resource_request *request, const char *name, struct err *err)
{
	const char *colon = strchr(name, ':');
	enum resource_argument argument = request->resource->argument;

	snprintf(request->name, sizeof request->name, "%s", name);
	snprintf(request->title, sizeof request->title, "%s %s",
		request->resource->title,
		colon && argument > ARGUMENT_PMU ? colon + 1 : name);
	if (argument == ARGUMENT_RAW)
		return take_raw(request, name, err);
	if (argument == ARGUMENT_TRACEPOINT)
		return tracepoint_find(
			colon + 1, &request->event, &request->amount, err);
	if (argument == ARGUMENT_USDT)
		return check_usdt(name, err);
	return pmu_event(PMU_ROOT, name, &request->event, err) ||
			       refuse_pmu(request, name, err)
		       ? -1
		       : 0;
}

const struct perf_source *resource_perf(const struct resource_request *request)
{
	switch (request->resource->argument) {
	case ARGUMENT_RAW:
	case ARGUMENT_PMU:
		return &request->event;
	case ARGUMENT_TRACEPOINT: /* perf counts events alone */
		return request->resource->counts & COUNTS_AMOUNT
			       ? NULL
			       : &request->event;
	default:
		return request->resource->perf;
	}
}
