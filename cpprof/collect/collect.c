/* Reads the options, starts the monitor, has names looked up and closes the
   file. */
#include <config.h>

#include "cpprof/collect/collect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analyzer/report/layout.h"
#include "analyzer/symbol/symbolize.h"
#include "lib/clock.h"
#include "cpprof/collect/run_summary.h"
#include "cpprof/collect/pattern.h"
#include "cpprof/message.h"
#include "cpprof/shell/shell.h"
#include "cpprof/collect/status.h"
#include "cpprof/subcommand.h"
#include "cpprof/collect/usual.h"

/* Whether the processor counts it, under a name of its own. */
static bool is_counter(const struct resource *r)
{
	return r->perf && !r->argument &&
	       (r->perf->type == PERF_TYPE_HARDWARE ||
		       r->perf->type == PERF_TYPE_HW_CACHE);
}

/*
 * "Resources: cpu, user, ...", broken into lines; of the processor's counters
 * the first.
 */
void collect_list_resources(FILE *out)
{
	size_t column = 9, more = 1;

	fputs("Resources:", out);
	for (const struct resource *r = resources; r->name; r += more) {
		const char *form = resource_argument_form(r);
		const char *end;
		size_t n;

		more = 1;
		while (is_counter(r) && is_counter(&r[more]))
			more++;
		if (more > 1)
			form = "...";
		end = r[more].name ? "," : "";
		n = strlen(r->name) + strlen(form) + strlen(end) + 1;

		if (column + n > 79)
			column = 0;
		if (!column)
			fputs("\n ", out);
		fprintf(out, " %s%s%s", r->name, form, end);
		column += n;
	}
	fputc('\n', out);
}

/* Reads the TIME that is the value of OPT, to *NS. */
static int take_time(
	const struct opt *opt, const char *value, uint64_t *ns, struct err *err)
{
	char name[32];
	const char *why = "too large";
	uint64_t us;

	snprintf(name, sizeof name, "--%s", opt->name);
	if (text_parse_gticks(value, TEXT_USEC, &us, &why) == 0 &&
		us < UINT64_MAX / 1000) {
		*ns = us * 1000;
		if (!us || value[strspn(value, "0123456789.")])
			return 0;
		why = "no unit";
	}
	return err_say(err, value, name, why, "a time such as 500ms or 10s");
}

static int take(
	void *arg, const struct opt *opt, const char *value, struct err *err)
{
	struct collect *collect = arg;
	struct monitor_config *config = &collect->config;
	const char *why;

	switch (opt->id) {
	case COLLECT_RESOURCE:
		return resource_parse(
			value, collect->requests, &config->nrequests, err);
	case COLLECT_COUNT:
		config->counted = value;
		return resource_parse(
			"arcs", collect->requests, &config->nrequests, err);
	case COLLECT_LIMIT:
		if (!text_parse_gticks(
			    value, TEXT_COUNT, &config->count_limit, &why))
			return 0;
		return err_set(err, value, "--count-limit", "%s", why);
	case COLLECT_UNWINDER:
		config->unwinder = value;
		return monitor_check_unwinder(value, err);
	case COLLECT_TIMER:
		return monitor_parse_timer(value, &config->timer, err);
	case COLLECT_RANDOMIZE:
		return monitor_parse_randomize(value, &config->randomize, err);
	default:
		return take_time(opt, value,
			(void *)((char *)collect + opt->id - COLLECT_TIMES),
			err);
	}
}

int collect_options(const struct subcommand *self, struct opt_scan *scan,
	struct collect *collect, int *status)
{
	*collect = (struct collect){.pattern = DEFAULT_FILE};
	collect->config.requests = collect->requests;
	collect->config.version = VERSION;
	return subcommand_options(self, scan, collect, take, collect, status);
}

/* Who awaits a task is read while its thread stands still. */
static int choose_asyncio(struct monitor_config *config, struct err *err)
{
	if (config->asyncio && config->timer == TIMER_AUTO)
		config->timer = TIMER_STOP;
	if (!config->asyncio || config->timer == TIMER_STOP)
		return 0;
	return err_say(err, "--asyncio", NULL, "only stop timers can tell it",
		"leave --timer out, or use --timer=stop");
}

int collect_complete(
	struct collect *collect, const char *program, struct err *err)
{
	collect->usual = !collect->config.nrequests;
	if (choose_asyncio(&collect->config, err))
		return -1;
	if (collect->usual &&
		usual_resources(collect->requests, &collect->config.nrequests,
			collect->config.timer, &collect->machine, err))
		return -1;
	if (resource_complete(
		    collect->requests, &collect->config.nrequests, err))
		return -1;
	for (size_t i = 0; i < collect->config.nrequests; i++) {
		struct monitor_choice chosen;

		monitor_choose(&collect->requests[i], collect->config.timer,
			&collect->machine, &chosen);
		collect->requests[i].interval = chosen.interval;
	}
	collect->output = pattern_expand(collect->pattern, program, err);
	return collect->output ? 0 : -1;
}

void collect_fini(struct collect *collect)
{
	free(collect->output);
}

static uint64_t own_cpu_usec(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) < 0)
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Progress of naming is shown after this time. */
#define PATIENCE 500000000u

struct naming {
	struct monitor *monitor;
	uint64_t start, shown;
};

static bool stopped(void *arg)
{
	const struct naming *p = arg;

	return monitor_is_asked(p->monitor);
}

static void show_progress(void *arg, size_t done, size_t all)
{
	struct naming *p = arg;
	uint64_t t = clock_now();

	if (t - p->start < PATIENCE || t - p->shown < PATIENCE / 5)
		return;
	p->shown = t;
	fprintf(stderr, "\rcpprof: naming %zu of %zu addresses", done, all);
}

/* A server may take long, so this is shown at once. */
static void show_fetching(
	void *arg, const struct cpd_module *module, uint64_t bytes)
{
	struct naming *p = arg;
	uint64_t t = clock_now();
	char path[256];

	if (p->shown && t - p->shown < PATIENCE / 5)
		return;
	p->shown = t;
	text_escape(module->path, path, sizeof path);
	fprintf(stderr,
		"\r\033[Kcpprof: debuginfod: %.1f MB of debug symbols for "
		"%.60s",
		(double)bytes / 1e6, path);
}

/* Names the addresses; wipes the progress line on a terminal. */
static int name_addresses(struct cpd_writer *w, const struct collect *collect,
	struct monitor *monitor, struct err *err)
{
	struct naming p = {.start = clock_now(), .monitor = monitor};
	bool show = !collect->quiet && isatty(STDERR_FILENO);
	struct run_files files = monitor_files(monitor);
	struct symbolize_options options = {.files = &files,
		.stopped = stopped,
		.progress = show ? show_progress : NULL,
		.fetching = show ? show_fetching : NULL,
		.arg = &p};
	int bad = symbolize(w, &options, err);

	if (p.shown)
		fputs("\r\033[K", stderr);
	return bad;
}

/* Waits for a program that runs on after a second signal ended the profile. */
static void wait_for_target(const struct collect *collect,
	struct monitor *monitor, struct monitor_summary *summary)
{
	const struct monitor_config *config = &collect->config;

	if (!config->attach && !config->detach && summary->status == -1 &&
		!collect->quiet)
		fputs("cpprof: the profile is complete; the program goes on "
		      "(a further SIGINT or SIGTERM ends cpprof alone)\n",
			stderr);
	monitor_wait(monitor, summary);
}

/*
 * Runs the program and writes its file.  W is closed, whatever happens.
 */
static enum monitor_result run_monitor(const struct collect *collect,
	struct cpd_writer *w, struct status *status,
	struct monitor_summary *summary, struct err *err)
{
	struct monitor *monitor = monitor_new(&collect->config, w, err);
	enum monitor_result result = MONITOR_FAILED;
	struct cpd_end end;
	struct err first;
	int unnamed;

	if (monitor)
		result = monitor_run(monitor, summary, err);
	status_clear(status);
	if (result != MONITOR_OK) {
		monitor_free(monitor);
		cpd_writer_abandon(w);
		return result;
	}
	end = (struct cpd_end){.time = clock_now(),
		.status = summary->status,
		.samples = summary->samples};
	unnamed = name_addresses(w, collect, monitor, &first);
	end.monitor_usec = own_cpu_usec();
	if (cpd_writer_close(w, &end, err) < 0)
		result = MONITOR_FAILED;
	wait_for_target(collect, monitor, summary);
	monitor_free(monitor);
	if (result != MONITOR_OK)
		return result;
	if (unnamed)
		*err = first;
	return unnamed ? MONITOR_FAILED : MONITOR_OK;
}

/* How many processes its first thread has started. */
static int count_children(pid_t pid)
{
	char path[64];
	int n = 0, child;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
		(int)pid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		n++;
	if (f)
		fclose(f);
	return n;
}

static void message_begun(const struct monitor_config *config)
{
	int left = config->attach && !config->children
			   ? count_children(config->attach)
			   : 0;

	if (!config->attach)
		return;
	fprintf(stderr, "cpprof: collecting from process %d%s",
		(int)config->attach, config->delay ? ", after the delay" : "");
	if (left)
		fprintf(stderr, "; not from its %d child process%s: --children",
			left, left == 1 ? "" : "es");
	fputc('\n', stderr);
}

static void warn(const char *resource, const char *text)
{
	fprintf(stderr, "cpprof: %s: %s\n", resource, text);
}

enum monitor_result collect_run(struct collect *collect,
	struct monitor_summary *summary, struct err *err)
{
	struct monitor_config *config = &collect->config;
	struct status status;
	enum monitor_result result;
	struct cpd_writer *w;

	w = cpd_writer_open(collect->output, err);
	if (!w)
		return MONITOR_FAILED;
	status_init(&status, config, collect->status);
	if (!collect->quiet) {
		if (collect->usual)
			usual_tell(collect->requests, config->nrequests,
				config->timer, &collect->machine);
		config->warn = warn;
		config->begun = message_begun;
		config->progress = status_show;
		config->progress_arg = &status;
	}
	result = run_monitor(collect, w, &status, summary, err);
	if (result == MONITOR_OK && summary->untraced.reason[0])
		message_error(&summary->untraced);
	config->progress = NULL;
	return result;
}

void collect_close(
	const struct collect *collect, const struct monitor_summary *summary)
{
	struct layout_lines lines;
	bool flow = isatty(STDERR_FILENO) && layout_lines_begin(&lines);

	if (!collect->quiet)
		run_summary_print(flow ? lines.stream : stderr,
			&collect->config, summary, collect->output);
	if (flow)
		layout_lines_end(&lines, 0, stderr, status_columns());
	if (collect->shell && summary->samples)
		shell_open(collect->output);
}
