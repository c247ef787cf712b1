/* The part of a resource's name after "=". */
#include "monitor/resource/resource.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/arch/exceptions.h"
#include "monitor/resource/tracepoint.h"

void resource_default(
	const struct resource *r, struct resource_request *request)
{
	memset(request, 0, sizeof *request);
	request->resource = r;
	request->interval = r->interval;
	snprintf(request->name, sizeof request->name, "%s", r->name);
	snprintf(request->title, sizeof request->title, "%s", r->title);
	memset(&request->syscalls, 0xff, sizeof request->syscalls);
	request->signals = UINT64_MAX;
	request->switches = SWITCH_VOLUNTARY | SWITCH_INVOLUNTARY;
	/* nearly every operation rounds */
	if (r->argument == ARGUMENT_EXCEPTIONS)
		request->exceptions = EXCEPTION_ALL & ~EXCEPTION_INEXACT;
	if (r->perf)
		request->event = *r->perf;
	if (r->argument == ARGUMENT_TRACEPOINT)
		tracepoint_any(&request->event);
}

const char *resource_argument_form(const struct resource *r)
{
	switch (r->argument) {
	case ARGUMENT_SYSCALLS:
		return "[=CALL...]";
	case ARGUMENT_SWITCHES:
		return "[=KIND]";
	case ARGUMENT_SIGNALS:
		return "[=SIGNAL...]";
	case ARGUMENT_EXCEPTIONS:
		return "[=KIND...]";
	case ARGUMENT_FUNCTION:
		return "=[LIB:]FUNC";
	default:
		return r[1].name && !r->grouped && r[1].grouped ? "..." : "";
	}
}

const char *resource_function(const struct resource_request *request)
{
	enum resource_argument argument = request->resource->argument;
	const char *mark = strpbrk(request->name, "=:");

	return mark && (argument == ARGUMENT_FUNCTION ||
			       argument == ARGUMENT_USDT)
		       ? mark + 1
		       : "";
}

static int take_syscall(
	struct resource_request *request, const char *name, struct err *err)
{
	int nr = syscall_number(name);
	const char *near;

	if (nr >= 0) {
		request->syscalls.bits[nr / 64] |= 1ull << nr % 64;
		return 0;
	}
	err_set(err, name, "syscalls", "no system call of that name");
	near = syscall_nearest(name);
	if (near)
		return err_hint(err, "did you mean '%s'?", near);
	return err_hint(err, "names are as strace has them, joined by +: "
			     "syscalls=openat+read");
}

/* "SIGSEGV", "SEGV", "11", "SIGRTMIN"; not "SIGRTMIN+3": + joins. */
static int signal_number(const char *name)
{
	char *end;
	long n = strtol(name, &end, 10);

	if (end != name && !*end)
		return n > 0 && n <= 64 ? (int)n : -1;
	if (strncasecmp(name, "SIG", 3) == 0)
		name += 3;
	for (int s = 1; s < SIGRTMIN; s++) {
		const char *known = sigabbrev_np(s);

		if (known && strcasecmp(known, name) == 0)
			return s;
	}
	return -1;
}

static int take_signal(
	struct resource_request *request, const char *name, struct err *err)
{
	int n = signal_number(name);

	if (n > 0) {
		request->signals |= 1ull << (n - 1);
		return 0;
	}
	return err_say(err, name, "signals", "no signal of that name",
		"a name or a number from 1 to 64, joined by +: "
		"signals=SIGSEGV+SIGBUS");
}

static int take_switches(
	struct resource_request *request, const char *kind, struct err *err)
{
	if (strcmp(kind, "voluntary") == 0) {
		request->switches = SWITCH_VOLUNTARY;
	} else if (strcmp(kind, "involuntary") == 0) {
		request->switches = SWITCH_INVOLUNTARY;
	} else {
		return err_say(err, kind, "switches", "no such kind of switch",
			"there are switches=voluntary (to wait) "
			"and switches=involuntary (preempted)");
	}
	return 0;
}

static int take_exception(
	struct resource_request *request, const char *kind, struct err *err)
{
	static const char *const kinds[] = {"invalid", "denormal", "divbyzero",
		"overflow", "underflow", "inexact"};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kind, kinds[i]) == 0) {
			request->exceptions |= 1u << i;
			return 0;
		}
	return err_say(err, kind, request->resource->name,
		"no such kind of exception",
		"there are invalid, divbyzero, overflow, "
		"underflow, denormal and inexact, joined by +");
}

/* Takes each part of LIST; + joins them. */
static int take_list(struct resource_request *request, const char *list,
	int (*take)(struct resource_request *, const char *, struct err *),
	struct err *err)
{
	char copy[RESOURCE_NAME_MAX], *rest = copy, *part;

	snprintf(copy, sizeof copy, "%s", list);
	while ((part = strsep(&rest, "+")))
		if (take(request, part, err))
			return -1;
	return 0;
}

static int take_none(const struct resource_request *request, const char *text,
	struct err *err)
{
	return err_say(err, text, request->resource->name,
		"this resource takes nothing behind '='",
		"write %s, or %s:INTERVAL", request->resource->name,
		request->resource->name);
}

int resource_argument(
	struct resource_request *request, const char *text, struct err *err)
{
	const struct resource *r = request->resource;
	int bad = 0;

	if (r->argument == ARGUMENT_FUNCTION && !*text)
		return err_say(err, r->name, NULL, "which function?",
			"write calls=FUNC, or calls=LIB:FUNC for "
			"one of a library");
	if (snprintf(request->name, sizeof request->name, "%s=%s", r->name,
		    text) >= (int)sizeof request->name)
		return err_set(err, r->name, NULL, "too long a name");
	snprintf(
		request->title, sizeof request->title, "%s %s", r->title, text);
	switch (r->argument) {
	case ARGUMENT_NONE:
	case ARGUMENT_RAW:
	case ARGUMENT_PMU:
	case ARGUMENT_TRACEPOINT:
	case ARGUMENT_USDT:
		return take_none(request, text, err);
	case ARGUMENT_SYSCALLS:
		memset(&request->syscalls, 0, sizeof request->syscalls);
		bad = take_list(request, text, take_syscall, err);
		break;
	case ARGUMENT_SIGNALS:
		request->signals = 0;
		bad = take_list(request, text, take_signal, err);
		break;
	case ARGUMENT_SWITCHES:
		bad = take_switches(request, text, err);
		break;
	case ARGUMENT_EXCEPTIONS:
		request->exceptions = 0;
		bad = take_list(request, text, take_exception, err);
		break;
	case ARGUMENT_FUNCTION:
		break;
	}
	return bad;
}
