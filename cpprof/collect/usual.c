/* Tries the usual resources and tells which of them this user lacks. */
#include "cpprof/collect/usual.h"

#include <stdio.h>

/*
 * What any program has and costs it little: where each fault is sampled, a
 * program that does little else takes twice its time.
 */
#define USUAL "cpu,pagefaults:10"

static int parse_usual(struct resource_request *all, size_t *n, struct err *err)
{
	*n = 0;
	if (resource_parse(USUAL, all, n, err))
		return -1;
	for (size_t i = 0; i < *n; i++)
		all[i].given = false;
	return 0;
}

int usual_resources(struct resource_request *requests, size_t *n,
	enum timer_choice choice, struct timer_machine *machine,
	struct err *err)
{
	struct resource_request all[RESOURCES_MAX];
	struct monitor_choice chosen;
	size_t nall;

	if (parse_usual(all, &nall, err))
		return -1;
	*n = 0;
	for (size_t i = 0; i < nall; i++) {
		monitor_choose(&all[i], choice, machine, &chosen);
		if (chosen.timer)
			requests[(*n)++] = all[i];
	}
	if (!*n) /* the run says why not */
		requests[(*n)++] = all[0];
	return 0;
}

static void print_taken(const struct resource_request *requests, size_t n)
{
	fputs("cpprof: takes ", stderr);
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, "%s%s", i ? ", " : "", requests[i].name);
}

/* The first of the usual that cannot be had, and why; NULL: there is none. */
static const struct resource *lacking(enum timer_choice choice,
	struct timer_machine *machine, struct monitor_choice *chosen)
{
	struct resource_request all[RESOURCES_MAX];
	struct err err;
	size_t n;

	if (parse_usual(all, &n, &err))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		monitor_choose(&all[i], choice, machine, chosen);
		if (!chosen->timer)
			return all[i].resource;
	}
	return NULL;
}

void usual_tell(const struct resource_request *requests, size_t n,
	enum timer_choice choice, struct timer_machine *machine)
{
	struct monitor_choice first, why;
	const struct resource *lacks = lacking(choice, machine, &why);
	char text[sizeof why.why];

	monitor_choose(&requests[0], choice, machine, &first);
	if (choice != TIMER_AUTO || !first.timer ||
		!(lacks || first.why.reason[0]))
		return;
	print_taken(requests, n);
	why.why.object[0] = '\0';
	err_format(&why.why, text, sizeof text);
	if (lacks)
		fprintf(stderr, ", not %s: %s\n", lacks->name, text);
	else if (first.user_only)
		fputs(" in user mode; kernel mode, too: run 'sysctl "
		      "kernel.perf_event_paranoid=1' as root, or cpprof as "
		      "root\n",
			stderr);
	else
		fprintf(stderr,
			" by timers of each thread; for better ones: "
			"%s\n",
			first.why.hint);
}
