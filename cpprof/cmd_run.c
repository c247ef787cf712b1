/* cpprof run: runs a program and writes its profile. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../analyzer/symbolize.h"
#include "../monitor/monitor.h"
#include "closing.h"
#include "pattern.h"
#include "say.h"
#include "shell.h"
#include "subcommand.h"

enum {
	RUN_RESOURCE,
	RUN_OUTPUT,
	RUN_UNWINDER,
	RUN_TIMER,
	RUN_RANDOMIZE,
	RUN_SHELL,
	RUN_QUIET
};

const struct opt run_opts[] = {
	{"resource", 'r', "NAME[:INTERVAL][,...]",
		"what to profile; default cpu", RUN_RESOURCE},
	{"output", 'o', "FILE", "file, with %p %h %e; default " DEFAULT_FILE,
		RUN_OUTPUT},
	{"unwinder", 0, "NAME", "reads stacks: auto, fast, libunwind, fp",
		RUN_UNWINDER},
	{"timer", 0, "auto|kernel|stop", "which timers; default auto: the best",
		RUN_TIMER},
	{"randomize", 0, "[=PERCENT]", "let intervals vary, by 50% or so much",
		RUN_RANDOMIZE},
	{"interactive", 'i', NULL, "explore the profile when the run is over",
		RUN_SHELL},
	{"quiet", 'q', NULL, "say nothing but errors", RUN_QUIET},
	OPT_HELP_ROW,
	{0},
};

struct run {
	struct resource_request requests[RESOURCES_MAX];
	size_t nrequests;
	const char *pattern, *unwinder;
	char *output; /* the file */
	enum timer_choice timer;
	unsigned randomize; /* percent */
	bool shell, quiet;
	char **argv;
};

/* "cpu, user, ...", broken into lines. */
static void list_resources(FILE *out)
{
	size_t column = 0;

	for (const struct resource *r = resources; r->name; r++) {
		const char *form = resource_argument_form(r);
		const char *end = r[1].name ? "," : "";
		size_t n = strlen(r->name) + strlen(form) + strlen(end) + 1;

		if (column + n > 78)
			column = 0;
		if (!column)
			fputs(r == resources ? " " : "\n ", out);
		fprintf(out, " %s%s%s", r->name, form, end);
		column += n;
	}
	fputc('\n', out);
}

void run_more(FILE *out)
{
	fputs("Resources; 'cpprof resources' tells what each is here:\n", out);
	list_resources(out);
	fputs("The exit status is the program's; 128+N for signal N, 125 for "
	      "cpprof's failures.\n",
		out);
}

/* Looks at what was said as a whole; run->output is then the caller's. */
static int check(struct run *run, struct err *err)
{
	if (strcmp(run->pattern, "-") == 0) {
		err_set(err, "-", NULL,
			"standard output belongs to the program");
		return err_hint(err, "open another descriptor: "
				     "-o /dev/fd/3 3>FILE");
	}
	if (!run->argv[0]) {
		err_set(err, "run", NULL, "no program given");
		return err_hint(err,
			"it is used as: cpprof run [OPTIONS] -- PROG "
			"[ARGS...]");
	}
	if (run->nrequests == 0 &&
		resource_parse("cpu", run->requests, &run->nrequests, err) < 0)
		return -1;
	run->output = pattern_expand(run->pattern, run->argv[0], err);
	return run->output ? 0 : -1;
}

/* 0 to go on, or -1 to leave with *STATUS. */
static int parse(const struct subcommand *self, int argc, char **argv,
	struct run *run, int *status)
{
	struct opt_scan scan;
	const struct opt *opt;
	const char *value;
	struct err err;
	int got;

	*run = (struct run){.pattern = DEFAULT_FILE};
	opt_begin(&scan, self->opts, true, argc, argv);
	while ((got = subcommand_option(self, &scan, &opt, &value, status)) >
		0) {
		if (opt->id == RUN_RESOURCE) {
			if (resource_parse(value, run->requests,
				    &run->nrequests, &err) < 0)
				goto fail;
		} else if (opt->id == RUN_OUTPUT) {
			run->pattern = value;
		} else if (opt->id == RUN_UNWINDER) {
			if (monitor_check_unwinder(value, &err) < 0)
				goto fail;
			run->unwinder = value;
		} else if (opt->id == RUN_TIMER) {
			if (monitor_parse_timer(value, &run->timer, &err) < 0)
				goto fail;
		} else if (opt->id == RUN_RANDOMIZE) {
			if (monitor_parse_randomize(
				    value, &run->randomize, &err) < 0)
				goto fail;
		} else if (opt->id == RUN_SHELL) {
			run->shell = true;
		} else {
			run->quiet = true;
		}
	}
	if (got < 0)
		return -1;
	run->argv = scan.operands;
	if (check(run, &err) < 0)
		goto fail;
	return 0;
fail:
	*status = subcommand_fail(self, &err);
	return -1;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t own_cpu_usec(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) < 0)
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Naming takes long enough to be shown, once this much has passed. */
#define PATIENCE 500000000u

struct naming {
	struct monitor *modules;
	uint64_t start, shown;
};

static int open_module(void *arg, uint32_t module)
{
	const struct naming *p = arg;

	return monitor_open_module(p->modules, module);
}

static void show_progress(void *arg, size_t done, size_t all)
{
	struct naming *p = arg;
	uint64_t t = now();

	if (t - p->start < PATIENCE || t - p->shown < PATIENCE / 5)
		return;
	p->shown = t;
	fprintf(stderr, "\rcpprof: naming %zu of %zu addresses", done, all);
}

/* Names the addresses; what is said first on a terminal is wiped again. */
static int name_addresses(struct cpd_writer *w, const struct run *run,
	struct monitor *monitor, struct err *err)
{
	struct naming p = {.start = now(), .modules = monitor};
	bool show = !run->quiet && isatty(STDERR_FILENO);
	struct symbolize_options options = {.open_module = open_module,
		.progress = show ? show_progress : NULL,
		.arg = &p};
	int bad = symbolize(w, &options, err);

	if (p.shown)
		fputs("\r\033[K", stderr);
	return bad;
}

/*
 * Runs the program and writes its file.  W is closed, whatever happens.
 */
static enum monitor_result observe(const struct run *run,
	const struct monitor_config *config, struct cpd_writer *w,
	struct monitor_summary *summary, struct err *err)
{
	struct monitor *monitor = monitor_new(config, w, err);
	enum monitor_result result = MONITOR_FAILED;
	struct cpd_end end;
	struct err first;
	int unnamed;

	if (monitor)
		result = monitor_run(monitor, summary, err);
	if (result != MONITOR_OK) {
		monitor_free(monitor);
		cpd_writer_abandon(w);
		return result;
	}
	end = (struct cpd_end){.time = now(),
		.status = summary->status,
		.samples = summary->samples};
	unnamed = name_addresses(w, run, monitor, &first);
	monitor_free(monitor);
	end.monitor_usec = own_cpu_usec();
	if (cpd_writer_close(w, &end, err) < 0)
		return MONITOR_FAILED;
	if (unnamed)
		*err = first;
	return unnamed ? MONITOR_FAILED : MONITOR_OK;
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

static int run_failed(enum monitor_result result)
{
	switch (result) {
	case MONITOR_NOT_FOUND:
		return EXIT_RUN_NOT_FOUND;
	case MONITOR_NOT_EXECUTABLE:
		return EXIT_RUN_NOT_EXECUTABLE;
	default:
		return EXIT_RUN_FAILED;
	}
}

static int run_it(const struct subcommand *self, const struct run *run)
{
	struct monitor_config config = {.requests = run->requests,
		.nrequests = run->nrequests,
		.argv = run->argv,
		.unwinder = run->unwinder,
		.version = VERSION,
		.randomize = run->randomize,
		.timer = run->timer};
	struct monitor_summary summary = {0};
	enum monitor_result result;
	struct cpd_writer *w;
	struct err err;

	w = cpd_writer_open(run->output, &err);
	if (!w)
		return subcommand_fail(self, &err);
	result = observe(run, &config, w, &summary, &err);
	if (result != MONITOR_OK) {
		say_error(&err);
		return run_failed(result);
	}
	if (!run->quiet)
		closing_print(stderr, &config, &summary, run->output);
	if (run->shell && summary.samples)
		shell_open(run->output);
	return exit_status(summary.status);
}

int cmd_run(const struct subcommand *self, int argc, char **argv)
{
	struct run run;
	int status;

	if (parse(self, argc, argv, &run, &status) == 0)
		status = run_it(self, &run);
	free(run.output);
	return status;
}
