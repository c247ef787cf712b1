#include "resource.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "perf_timer.h"

#define SOURCE(type_, event, events_per_gtick, ...)                            \
	&(const struct perf_source)                                            \
	{                                                                      \
		.type = (type_), .config = (event),                            \
		.scale = (events_per_gtick), __VA_ARGS__                       \
	}
#define CLOCK(which)                                                           \
	SOURCE(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1000,             \
		.mode = (which))
#define SOFTWARE(event) SOURCE(PERF_TYPE_SOFTWARE, event, 1, .kernel = false)
#define IN_KERNEL(event) SOURCE(PERF_TYPE_SOFTWARE, event, 1, .kernel = true)
#define HARDWARE(event) SOURCE(PERF_TYPE_HARDWARE, event, 1, .kernel = false)

/*
 * PERF_COUNT_SW_PAGE_FAULTS is raised before a fault is served.  A fault on the
 * stack then finds no stack to copy: the page that rsp points to is the one
 * that is missing.  The two kinds are raised when the page is there.
 */
#define FAULTS_OF_BOTH_KINDS                                                   \
	SOURCE(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, 1,           \
		.also = PERF_COUNT_SW_PAGE_FAULTS_MAJ)

/* The kernel's clock events fire at most every 10 us. */
#define MIN_CLOCK 10

/*
 * A hardware counter's interrupt every so many events is as much as a machine
 * can bear.
 */
#define MIN_HARDWARE 1000

/* The rates: what one processor of today can consume in a second. */
#define PER_SECOND_TIME 1000000
#define PER_SECOND_FAULTS 500000
#define PER_SECOND_CALLS 5000000
#define PER_SECOND_BYTES 20000000000
#define PER_SECOND_CYCLES 5000000000
#define PER_SECOND_RARE 10000

/* clang-format off */
const struct resource resources[] = {
	/* the first one is the default */
	{"cpu", "CPU Time", "us", TEXT_USEC, 1000, MIN_CLOCK, PER_SECOND_TIME,
		"time on a processor, user and system",
		true, CLOCK(PERF_MODE_ALL), COUNT_CPU, ARGUMENT_NONE},
	{"user", "User Time", "us", TEXT_USEC, 1000, MIN_CLOCK, PER_SECOND_TIME,
		"time on a processor in the program's own code",
		true, CLOCK(PERF_MODE_USER), COUNT_USER, ARGUMENT_NONE},
	{"system", "System Time", "us", TEXT_USEC, 1000, MIN_CLOCK, PER_SECOND_TIME,
		"time on a processor in the kernel, for the program",
		true, CLOCK(PERF_MODE_SYSTEM), COUNT_SYSTEM, ARGUMENT_NONE},
	{"real", "Real Time", "us", TEXT_USEC, 10000, 100, PER_SECOND_TIME,
		"time that passes for each thread, running or not",
		true, NULL, COUNT_REAL, ARGUMENT_NONE},
	{"blocked", "Blocked Time", "us", TEXT_USEC, 10000, 100, PER_SECOND_TIME,
		"time in which a thread waits and does not run",
		true, NULL, COUNT_BLOCKED, ARGUMENT_NONE},
	{"pagefaults", "Page Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"page faults of both kinds",
		false, FAULTS_OF_BOTH_KINDS, COUNT_NONE, ARGUMENT_NONE},
	{"minorfaults", "Minor Page Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"page faults served without reading from a disk",
		false, SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MIN), COUNT_NONE, ARGUMENT_NONE},
	{"majorfaults", "Major Page Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"page faults that had to read from a disk",
		false, SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MAJ), COUNT_NONE, ARGUMENT_NONE},
	{"syscalls", "System Calls", "call", TEXT_COUNT, 10, 1, PER_SECOND_CALLS,
		"system calls, all or those named",
		false, NULL, COUNT_SYSCALLS, ARGUMENT_SYSCALLS},
	{"bytes-read", "Bytes Read", "byte", TEXT_BYTES, 4096, 1, PER_SECOND_BYTES,
		"bytes that system calls moved into the program",
		false, NULL, COUNT_BYTES_READ, ARGUMENT_NONE},
	{"bytes-written", "Bytes Written", "byte", TEXT_BYTES, 4096, 1, PER_SECOND_BYTES,
		"bytes that system calls moved out of the program",
		false, NULL, COUNT_BYTES_WRITTEN, ARGUMENT_NONE},
	{"bytes", "Bytes Moved", "byte", TEXT_BYTES, 4096, 1, PER_SECOND_BYTES,
		"bytes that system calls moved, either way",
		false, NULL, COUNT_BYTES, ARGUMENT_NONE},
	{"iotime", "I/O Time", "us", TEXT_USEC, 1000, 1, PER_SECOND_TIME,
		"time in the system calls that move bytes",
		false, NULL, COUNT_IOTIME, ARGUMENT_NONE},
	{"switches", "Context Switches", "switch", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"times a thread left its processor",
		false, IN_KERNEL(PERF_COUNT_SW_CONTEXT_SWITCHES), COUNT_SWITCHES,
		ARGUMENT_SWITCHES},
	{"signals", "Signals", "signal", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"signals delivered, all or those named",
		false, NULL, COUNT_SIGNALS, ARGUMENT_SIGNALS},
	{"calls", "Calls", "call", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"calls of a function, of the program or a library",
		false, NULL, COUNT_CALLS, ARGUMENT_FUNCTION},
	{"cpu-migrations", "CPU Migrations", "migration", TEXT_COUNT, 1, 1, PER_SECOND_RARE,
		"moves of a thread from one processor to another",
		false, IN_KERNEL(PERF_COUNT_SW_CPU_MIGRATIONS), COUNT_NONE, ARGUMENT_NONE},
	{"alignment-faults", "Alignment Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"accesses that the kernel had to mend",
		false, SOFTWARE(PERF_COUNT_SW_ALIGNMENT_FAULTS), COUNT_NONE, ARGUMENT_NONE},
	{"emulation-faults", "Emulation Faults", "fault", TEXT_COUNT, 1, 1, PER_SECOND_FAULTS,
		"instructions that the kernel had to emulate",
		false, SOFTWARE(PERF_COUNT_SW_EMULATION_FAULTS), COUNT_NONE, ARGUMENT_NONE},
	{"cycles", "Cycles", "cycle", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"processor cycles",
		false, HARDWARE(PERF_COUNT_HW_CPU_CYCLES), COUNT_NONE, ARGUMENT_NONE},
	{"ref-cycles", "Reference Cycles", "cycle", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"processor cycles at a steady frequency",
		false, HARDWARE(PERF_COUNT_HW_REF_CPU_CYCLES), COUNT_NONE, ARGUMENT_NONE},
	{"bus-cycles", "Bus Cycles", "cycle", TEXT_COUNT, 100000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"bus cycles",
		false, HARDWARE(PERF_COUNT_HW_BUS_CYCLES), COUNT_NONE, ARGUMENT_NONE},
	{"instructions", "Instructions", "instruction", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"instructions retired",
		false, HARDWARE(PERF_COUNT_HW_INSTRUCTIONS), COUNT_NONE, ARGUMENT_NONE},
	{"cache-references", "Cache References", "reference", TEXT_COUNT, 100000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"accesses that got to the last cache",
		false, HARDWARE(PERF_COUNT_HW_CACHE_REFERENCES), COUNT_NONE, ARGUMENT_NONE},
	{"cache-misses", "Cache Misses", "miss", TEXT_COUNT, 10000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"accesses that got past the last cache",
		false, HARDWARE(PERF_COUNT_HW_CACHE_MISSES), COUNT_NONE, ARGUMENT_NONE},
	{"branches", "Branches", "branch", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"branch instructions retired",
		false, HARDWARE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS), COUNT_NONE, ARGUMENT_NONE},
	{"branch-misses", "Branch Misses", "miss", TEXT_COUNT, 10000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"branches that were predicted wrong",
		false, HARDWARE(PERF_COUNT_HW_BRANCH_MISSES), COUNT_NONE, ARGUMENT_NONE},
	{"stalled-cycles-frontend", "Frontend Stalls", "cycle", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"cycles that waited for instructions",
		false, HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND), COUNT_NONE, ARGUMENT_NONE},
	{"stalled-cycles-backend", "Backend Stalls", "cycle", TEXT_COUNT, 1000000, MIN_HARDWARE, PER_SECOND_CYCLES,
		"cycles that waited for data or units",
		false, HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_BACKEND), COUNT_NONE, ARGUMENT_NONE},
	{0},
};
/* clang-format on */

/* perf's names of what has a row under another one. */
static const struct alias {
	const char *perf, *name;
} aliases[] = {
	{"task-clock", "cpu"},
	{"cpu-clock", "cpu"},
	{"page-faults", "pagefaults"},
	{"faults", "pagefaults"},
	{"minor-faults", "minorfaults"},
	{"major-faults", "majorfaults"},
	{"context-switches", "switches"},
	{"cs", "switches"},
	{"migrations", "cpu-migrations"},
	{"cpu-cycles", "cycles"},
	{"branch-instructions", "branches"},
	{"idle-cycles-frontend", "stalled-cycles-frontend"},
	{"idle-cycles-backend", "stalled-cycles-backend"},
};

const struct resource *resource_find(const char *name)
{
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcmp(aliases[i].perf, name) == 0)
			name = aliases[i].name;
	for (const struct resource *r = resources; r->name; r++)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}

uint32_t resource_scale(const struct resource *r)
{
	return r->unit == TEXT_USEC ? 1000 : 1;
}

/* "cpu, user, ..." */
static void list_names(char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (const struct resource *r = resources; r->name && n < size; r++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s",
			r == resources ? "" : ", ", r->name);
}

static int unknown(const char *name, struct err *err)
{
	const char *names[sizeof resources / sizeof *resources], *near[1];
	char list[640];
	size_t n = 0;

	for (const struct resource *r = resources; r->name; r++)
		names[n++] = r->name;
	list_names(list, sizeof list);
	err_set(err, name, NULL, "no such resource");
	if (text_nearest(name, names, n, near, 1))
		return err_hint(err, "did you mean '%s'? The resources are %s",
			near[0], list);
	return err_hint(err, "the resources are %s", list);
}

static int bad_interval(const char *item, const struct resource *r,
	const char *why, struct err *err)
{
	char text[32];

	err_set(err, item, "interval", "%s", why);
	text_gticks(r->interval, r->unit, text, sizeof text);
	return err_hint(err,
		"an interval is a number of %ss%s; the default "
		"of %s is %s",
		r->gtick,
		r->unit == TEXT_USEC    ? " or a time such as 500us or 1ms"
		: r->unit == TEXT_BYTES ? " or a size such as 64K"
					: " such as 10 or 1K",
		r->name, text);
}

static int take_interval(const char *item, const char *text,
	struct resource_request *request, struct err *err)
{
	const struct resource *r = request->resource;
	const char *why;
	char least[32];

	if (text_parse_gticks(text, r->unit, &request->interval, &why))
		return bad_interval(item, r, why, err);
	if (request->interval >= r->min_interval)
		return 0;
	text_gticks(r->min_interval, r->unit, least, sizeof least);
	err_set(err, item, "interval", "the least the timer can do is %s",
		least);
	return err_hint(err, "use %s:%s or more", request->name, least);
}

/*
 * Where the interval begins: at the last colon.  The name of a function may
 * hold colons of its own, with no digit behind them.
 */
static char *interval_of(char *item)
{
	char *equals = strchr(item, '='), *colon = strrchr(item, ':');

	if (!equals || !colon || colon < equals)
		return strchr(item, ':');
	if (isdigit((unsigned char)colon[1]) || (colon > item && !colon[1]))
		return colon;
	return strncmp(item, "calls=", 6) == 0 ? NULL : colon;
}

static int parse_one(
	char *item, struct resource_request *request, struct err *err)
{
	char whole[RESOURCE_NAME_MAX], *colon, *equals;
	const struct resource *r;

	if (snprintf(whole, sizeof whole, "%s", item) >= (int)sizeof whole)
		return err_set(
			err, "--resource", NULL, "%.40s...: too long", whole);
	colon = interval_of(item);
	if (colon)
		*colon = '\0';
	equals = strchr(item, '=');
	if (equals)
		*equals = '\0';
	r = resource_find(item);
	if (!r)
		return unknown(item, err);
	resource_default(r, request);
	if (equals ? resource_argument(request, equals + 1, err)
		   : r->argument == ARGUMENT_FUNCTION &&
				resource_argument(request, "", err))
		return -1;
	return colon ? take_interval(whole, colon + 1, request, err) : 0;
}

/*
 * Cuts the first item off LIST.  The name of a C++ function has commas of its
 * own, between brackets.
 */
static char *next_item(char **list)
{
	char *item = *list, *at = item;
	int depth = 0;
	bool name = item && strncmp(item, "calls=", 6) == 0;

	for (; at && *at && (*at != ',' || depth > 0); at++) {
		if (name && strncmp(at, "operator", 8) == 0)
			at += strncmp(at + 8, "()", 2) == 0
				      ? 9
				      : 7 + strspn(at + 8, "<>-=");
		else if (name && strchr("(<", *at))
			depth++;
		else if (name && strchr(")>", *at))
			depth--;
	}
	if (at)
		*list = *at ? at + 1 : NULL;
	if (at && *at)
		*at = '\0';
	return item;
}

int resource_parse(const char *spec, struct resource_request *requests,
	size_t *n, struct err *err)
{
	char copy[2048], *rest = copy, *item;

	if (strlen(spec) >= sizeof copy)
		return err_set(err, "--resource", NULL, "list too long");
	strcpy(copy, spec);
	while ((item = next_item(&rest))) {
		struct resource_request request;

		if (parse_one(item, &request, err))
			return -1;
		for (size_t i = 0; i < *n; i++)
			if (strcmp(requests[i].name, request.name) == 0)
				return err_set(err, request.name, NULL,
					"resource named twice");
		if (*n == RESOURCES_MAX)
			return err_set(err, "--resource", NULL,
				"more than %d resources", RESOURCES_MAX);
		requests[(*n)++] = request;
	}
	return 0;
}
