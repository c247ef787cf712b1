#include "resource.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "perf_timer.h"

#define SOFTWARE(event, events_per_gtick, which)                               \
	&(const struct perf_source)                                            \
	{                                                                      \
		.type = PERF_TYPE_SOFTWARE, .config = (event),                 \
		.scale = (events_per_gtick), .mode = (which)                   \
	}

/* The kernel's clock events fire at most every 10 us. */
#define MIN_CLOCK_USEC 10

const struct resource resources[] = {
	{"cpu", "CPU Time", "us", TEXT_USEC, 1000, MIN_CLOCK_USEC,
		"time on a processor, user and system",
		SOFTWARE(PERF_COUNT_SW_TASK_CLOCK, 1000, PERF_MODE_ALL)},
	{"user", "User Time", "us", TEXT_USEC, 1000, MIN_CLOCK_USEC,
		"time on a processor in the program's own code",
		SOFTWARE(PERF_COUNT_SW_TASK_CLOCK, 1000, PERF_MODE_USER)},
	{"system", "System Time", "us", TEXT_USEC, 1000, MIN_CLOCK_USEC,
		"time on a processor in the kernel, for the program",
		SOFTWARE(PERF_COUNT_SW_TASK_CLOCK, 1000, PERF_MODE_SYSTEM)},
	{"pagefaults", "Page Faults", "fault", TEXT_COUNT, 1, 1,
		"page faults of both kinds",
		SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1, PERF_MODE_ALL)},
	{"minorfaults", "Minor Page Faults", "fault", TEXT_COUNT, 1, 1,
		"page faults served without reading from a disk",
		SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, PERF_MODE_ALL)},
	{"majorfaults", "Major Page Faults", "fault", TEXT_COUNT, 1, 1,
		"page faults that had to read from a disk",
		SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1, PERF_MODE_ALL)},
	{0},
};

static const struct resource *find(const char *name)
{
	for (const struct resource *r = resources; r->name; r++)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
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
	char list[512];
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

static int parse_one(
	char *item, struct resource_request *request, struct err *err)
{
	char *colon = strchr(item, ':'), whole[128];
	const struct resource *r;
	const char *why;

	snprintf(whole, sizeof whole, "%s", item);
	if (colon)
		*colon = '\0';
	r = find(item);
	if (!r)
		return unknown(item, err);
	*request = (struct resource_request){r, r->interval};
	if (!colon)
		return 0;
	if (text_parse_gticks(colon + 1, r->unit, &request->interval, &why))
		return bad_interval(whole, r, why, err);
	if (request->interval < r->min_interval) {
		char least[32];

		text_gticks(r->min_interval, r->unit, least, sizeof least);
		err_set(err, whole, "interval",
			"the least the kernel's timer "
			"can do is %s",
			least);
		return err_hint(err, "use %s:%s or more", r->name, least);
	}
	return 0;
}

int resource_parse(const char *spec, struct resource_request *requests,
	size_t *n, struct err *err)
{
	char copy[1024], *rest = copy, *item;

	if (strlen(spec) >= sizeof copy)
		return err_set(err, "--resource", NULL, "list too long");
	strcpy(copy, spec);
	while ((item = strsep(&rest, ","))) {
		struct resource_request request;

		if (parse_one(item, &request, err))
			return -1;
		for (size_t i = 0; i < *n; i++)
			if (requests[i].resource == request.resource)
				return err_set(err, request.resource->name,
					NULL, "resource named twice");
		if (*n == RESOURCES_MAX)
			return err_set(err, "--resource", NULL,
				"more than %d resources", RESOURCES_MAX);
		requests[(*n)++] = request;
	}
	return 0;
}
