/* Reads the list behind --resource and finds the rows of its names. */
#include "monitor/resource/resource.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/resource/syscalls.h"

/* perf's names for rows that have another name here. */
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
	return resource_find_cache(name);
}

/* Whether ITEM is "tracepoint:..." or "usdt:...", whose colons are its own. */
static bool is_outlined(const char *item)
{
	return strncmp(item, "tracepoint:", 11) == 0 ||
	       strncmp(item, "usdt:", 5) == 0;
}

/* The row for names that are complete in themselves; NULL: it is none. */
static const struct resource *find_event(const char *name)
{
	size_t digits =
		strspn(name + (*name == 'r'), "0123456789abcdefABCDEFx");
	enum resource_argument wanted = ARGUMENT_NONE;
	bool amount = false;

	if (is_outlined(name)) {
		wanted = *name == 't' ? ARGUMENT_TRACEPOINT : ARGUMENT_USDT;
		amount = strchr(strrchr(name, ':'), '.');
	} else if (strchr(name, '/'))
		wanted = ARGUMENT_PMU;
	else if (name[0] == 'r' && digits && !name[1 + digits] &&
		 syscall_number(name) < 0) /* "read" */
		wanted = ARGUMENT_RAW;
	for (const struct resource *r = amount ? resource_amounts : resources;
		r->name; r++)
		if (wanted && r->argument == wanted)
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
		if (!r->grouped)
			n += (size_t)snprintf(buf + n, size - n, "%s%s%s",
				r == resources ? "" : ", ", r->name,
				r[1].name && r[1].grouped ? "..." : "");
}

/*
 * Events that perf lists and no program consumes, each with one that comes
 * near.
 */
static const struct {
	const char *name, *why, *instead;
} not_consumed[] = {
	{"bpf-output", "BPF programs write it, and no program consumes it",
		"'cpprof resources' lists what can be profiled"},
	{"dummy", "it never happens",
		"'cpprof resources' lists what can be profiled"},
	{"live", "it is the difference of two resources",
		"run with bytes-freed; then 'cpprof report -r live'"},
	{"leaks", "it is the difference of two resources",
		"run with bytes-freed; then 'cpprof report -r live'"},
	{"duration_time", "perf computes it, and the kernel does not count it",
		"'real' is the time that passes for each thread"},
	{"user_time", "perf computes it, and the kernel does not count it",
		"'user' is time in the program's own code"},
	{"system_time", "perf computes it, and the kernel does not count it",
		"'system' is time in the kernel"},
	{"time", "there are several",
		"'cpu' is time on a processor, 'blocked' time of waiting, and "
		"'real' the time that passes for each thread"},
	{"wall", "it passes for the whole run, and no function consumes it",
		"'real' is the time that passes for each thread"},
};

static int unknown(const char *name, struct err *err)
{
	const char **names, *near[1];
	bool call = syscall_number(name) >= 0;
	char list[640];
	size_t n = 0;
	bool found;

	for (size_t i = 0; i < sizeof not_consumed / sizeof *not_consumed; i++)
		if (strcmp(not_consumed[i].name, name) == 0)
			return err_say(err, name, NULL, not_consumed[i].why,
				"%s", not_consumed[i].instead);
	while (resources[n].name)
		n++;
	names = calloc(n, sizeof *names);
	for (size_t i = 0; names && i < n; i++)
		names[i] = resources[i].name;
	list_names(list, sizeof list);
	err_set(err, name, NULL, "no such resource");
	found = !call && names && text_nearest(name, names, n, near, 1);
	free(names);
	if (call || found)
		return err_hint(err,
			"did you mean '%s%s'? 'cpprof resources' lists all",
			call ? "syscalls=" : "", call ? name : near[0]);
	return err_hint(err,
		"calls=%.64s counts calls of a function; the resources are %s",
		name, list);
}

static int bad_interval(const char *item, const struct resource *r,
	const char *why, struct err *err)
{
	char text[32];

	err_set(err, item, "interval", "%s", why);
	text_gticks(r->interval, r->unit, text, sizeof text);
	return err_hint(err,
		"an interval is a number of %s%s%s; the default "
		"of %s is %s",
		r->gtick, r->unit == TEXT_USEC ? "" : text_plural(r->gtick, 2),
		r->unit == TEXT_USEC
			? " or a time such as 500us or 1ms, or a rate "
			  "such as 10kHz"
		: r->unit == TEXT_BYTES ? " or a size such as 64K"
					: " such as 10 or 1K",
		r->name, text);
}

/* "10kHz": the interval that makes so many samples a second of it. */
static bool read_frequency(const char *text, uint64_t *interval)
{
	static const struct {
		const char *unit;
		double period; /* us */
	} units[] = {{"Hz", 1e6}, {"kHz", 1e3}, {"MHz", 1}};
	char *unit;
	double n = strtod(text, &unit);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i].unit) == 0 && n <= units[i].period &&
			n * 1e12 >= units[i].period) {
			*interval = (uint64_t)(units[i].period / n + 0.5);
			return true;
		}
	return false;
}

static int take_interval(const char *item, const char *text,
	struct resource_request *request, struct err *err)
{
	const struct resource *r = request->resource;
	const char *why;
	char least[32];

	request->given = true;
	if (!(r->unit == TEXT_USEC &&
		    read_frequency(text, &request->interval)) &&
		text_parse_gticks(text, r->unit, &request->interval, &why))
		return bad_interval(item, r, why, err);
	if (request->interval >= r->min_interval)
		return 0;
	text_interval(r->min_interval, r->unit, least, sizeof least);
	err_set(err, item, "interval", "the timer's shortest interval is %s",
		least);
	return err_hint(err, "use %s:%s or more", request->name, least);
}

/* The slash that ends "PMU/TERMS/", if ITEM begins like that; or NULL. */
static char *pmu_end(char *item)
{
	size_t n = strcspn(item, "=/:,");

	return item[n] == '/' ? strchr(item + n + 1, '/') : NULL;
}

/* Whether ITEM is a resource whose argument is a function's name. */
static bool names_function(const char *item)
{
	size_t n = strcspn(item, "=");
	const struct resource *r = resources;

	while (r->name && (r->argument != ARGUMENT_FUNCTION ||
				  strncmp(item, r->name, n) != 0 || r->name[n]))
		r++;
	return item[n] && r->name;
}

/*
 * The interval is behind the last colon.  The name of a function or an event
 * can have colons, too, with no digit after them.
 */
static char *interval_of(char *item)
{
	char *equals = strchr(item, '='), *colon = strrchr(item, ':');
	char *slash = pmu_end(item);

	if (slash)
		return strchr(slash, ':');
	if (is_outlined(item))
		return isdigit((unsigned char)colon[1]) || !colon[1] ? colon
								     : NULL;
	if (!equals || !colon || colon < equals)
		return strchr(item, ':');
	if (isdigit((unsigned char)colon[1]) || (colon > item && !colon[1]))
		return colon;
	return names_function(item) ? NULL : colon;
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
	equals = pmu_end(item) || is_outlined(item) ? NULL : strchr(item, '=');
	if (equals)
		*equals = '\0';
	r = resource_find(item);
	if (!r)
		r = find_event(item);
	if (!r)
		return unknown(item, err);
	resource_default(r, request);
	if (resource_is_named_whole(r) && resource_event(request, item, err))
		return -1;
	if (equals ? resource_argument(request, equals + 1, err)
		   : r->argument == ARGUMENT_FUNCTION &&
				resource_argument(request, "", err))
		return -1;
	return colon ? take_interval(whole, colon + 1, request, err) : 0;
}

/*
 * Cuts the first item off LIST.  The name of a C++ function has commas between
 * brackets, and terms have commas between slashes.
 */
static char *next_item(char **list)
{
	char *item = *list, *at = item, *slash = item ? pmu_end(item) : NULL;
	int depth = 0;
	bool name = item && names_function(item);

	if (slash) /* its commas are part of it */
		at = slash;
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

static int too_many(struct err *err)
{
	err_set(err, "--resource", NULL, "more than %d resources",
		RESOURCES_MAX);
	return err_hint(err, "profile the others in another run");
}

int resource_parse(const char *spec, struct resource_request *requests,
	size_t *n, struct err *err)
{
	char copy[2048], *rest = copy, *item;

	if (strlen(spec) >= sizeof copy)
		return err_set(err, "--resource", NULL, "list too long");
	strcpy(copy, spec);
	while ((item = next_item(&rest))) {
		struct resource_request request = {0};

		if (parse_one(item, &request, err))
			return -1;
		for (size_t i = 0; i < *n; i++)
			if (strcmp(requests[i].name, request.name) == 0)
				return err_say(err, request.name, NULL,
					"resource named twice", "name it once");
		if (*n == RESOURCES_MAX)
			return too_many(err);
		requests[(*n)++] = request;
	}
	return 0;
}

static struct resource_request *find_request(
	struct resource_request *requests, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(requests[i].resource->name, name) == 0)
			return &requests[i];
	return NULL;
}

int resource_complete(
	struct resource_request *requests, size_t *n, struct err *err)
{
	for (size_t i = 0; i < *n; i++) {
		struct resource_request *end = &requests[i], *begin;
		const char *name = end->resource->ends;

		if (!name)
			continue;
		begin = find_request(requests, *n, name);
		if (!begin && *n == RESOURCES_MAX)
			return too_many(err);
		if (!begin) {
			begin = &requests[(*n)++];
			resource_default(resource_find(name), begin);
		}
		if (begin->given && end->given &&
			begin->interval != end->interval) {
			err_set(err, end->name, "interval",
				"not that of %s, whose blocks it follows",
				name);
			return err_hint(err, "give the interval once");
		}
		*(end->given ? &begin->interval : &end->interval) =
			end->given ? end->interval : begin->interval;
		begin->given = end->given |= begin->given;
	}
	return 0;
}
