/* Prints what a run collected, what it lost and a command line that takes
   more. */
#include "cpprof/collect/run_summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/run/command.h"
#include "lib/run/rerun.h"
#include "cpprof/message.h"

/* Losses below this part of the whole are not mentioned. */
#define WORTH_SAYING 0.05

/* "4.213 s" or "3200 faults": an amount, where text_gticks() has the unit. */
static void amount(
	const struct resource *r, uint64_t gticks, char *buf, size_t size)
{
	if (r->unit == TEXT_USEC)
		snprintf(buf, size, "%.3f s", (double)gticks / 1e6);
	else if (r->unit == TEXT_BYTES)
		text_gticks(gticks, r->unit, buf, size);
	else
		snprintf(buf, size, "%" PRIu64 " %s%s", gticks, r->gtick,
			text_plural(r->gtick, gticks));
}

static struct rerun_resource had(const struct resource_request *q,
	const struct monitor_summary *summary, size_t i)
{
	return (struct rerun_resource){.name = q->name,
		.unit = q->resource->unit,
		.interval = resource_counts_each(q->resource) ? 0 : q->interval,
		.least = q->resource->min_interval,
		.consumed = summary->resource[i].total,
		.samples = summary->resource[i].samples,
		.lost = summary->resource[i].lost,
		/* a probe costs more than the sample that may follow it */
		.cpu = q->resource->argument == ARGUMENT_FUNCTION
			       ? 0
			       : summary->cpu};
}

/* "-r ..." with better intervals, in new memory; NULL: there are none. */
static char *rerun(const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	struct rerun_resource list[RESOURCES_MAX];

	for (size_t i = 0; i < config->nrequests; i++)
		list[i] = had(&config->requests[i], summary, i);
	return rerun_option(list, config->nrequests);
}

/* Whether anything was consumed. */
static bool is_used(const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	for (size_t i = 0; i < config->nrequests; i++)
		if (summary->resource[i].total)
			return true;
	return false;
}

/* What the resources of a run without samples used. */
static void print_used(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	const struct resource_request *q = config->requests;
	char used[64], every[64];

	for (size_t i = 0; i < config->nrequests; i++) {
		amount(q[i].resource, summary->resource[i].total, used,
			sizeof used);
		text_gticks(q[i].interval, q[i].resource->unit, every,
			sizeof every);
		fprintf(out, "%s%s of %s (one sample every %s)", i ? ", " : "",
			used, q[i].name, every);
	}
}

/* Whether malloc had so little to do that the program may have its own heap. */
static bool asked_little(const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	for (size_t i = 0; i < config->nrequests; i++)
		if (config->requests[i].resource->counts & COUNTS_REQUESTS &&
			!summary->resource[i].samples)
			return true;
	return false;
}

static void print_nothing(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	char program[256], *option = rerun(config, summary);

	command_quoted(config->argv[0], program, sizeof program);
	fprintf(out, "cpprof: no samples: %s ", program);
	if (summary->lost) {
		fprintf(out,
			"had %" PRIu64 ", and all were lost\nhint: a larger "
			"interval loses fewer: %s\n",
			summary->lost, option ? option : "-r NAME:INTERVAL");
	} else if (summary->collected == 0) {
		fprintf(out,
			"ended before anything was collected\nhint: it ran for "
			"%.3f s; take a --delay of less\n",
			summary->elapsed);
	} else {
		fputs("used ", out);
		print_used(out, config, summary);
		if (is_used(config, summary))
			fprintf(out,
				"\nhint: take a smaller interval (%s), or a "
				"longer run",
				option ? option : "-r NAME:INTERVAL");
		else
			fprintf(out,
				"\nhint: profile another resource, or a run "
				"that uses it%s",
				config->attach && !config->children
					? "; --children has child processes, "
					  "too"
					: "");
		fprintf(out, "%s%s\n",
			asked_little(config, summary) ? "; " : "",
			asked_little(config, summary) ? HINT_OWN_HEAP : "");
	}
	free(option);
}

/* Waits of several threads pass at once. */
static bool is_sum(
	const struct resource *r, const struct monitor_summary *summary)
{
	return summary->threads > 1 &&
	       r->counts & (COUNTS_WAITING | COUNTS_IN_LINE);
}

static void print_collected(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary, const char *file)
{
	char used[64], every[64], name[1024], shell[1024], report[1024];
	double each; /* intervals that a sample has */

	fputs("cpprof: ", out);
	for (size_t i = 0; i < config->nrequests; i++) {
		const struct resource_request *q = &config->requests[i];
		const struct monitor_books *of = &summary->resource[i];

		amount(q->resource, of->total, used, sizeof used);
		text_gticks(
			q->interval, q->resource->unit, every, sizeof every);
		fprintf(out, "%s%" PRIu64 " sample%s of %s (%s%s",
			i ? ", " : "", of->samples, of->samples == 1 ? "" : "s",
			q->name,
			of->uncounted  ? "at least "
			: of->estimate ? "about "
				       : "",
			used);
		if (is_sum(q->resource, summary))
			fputs(", all threads added up", out);
		/* a wait, or a large request, has one sample for all of it */
		each = of->samples ? (double)of->weight / (double)of->samples /
					     (double)q->interval
				   : 0;
		fprintf(out,
			each >= 2      ? ", each for %s or more)"
			: each >= 1.01 ? ", every %s or more)"
				       : ", every %s)",
			every);
	}
	command_quoted(file, name, sizeof name);
	fprintf(out, " in %s; look at it with '%s' or '%s'\n", name,
		command_on("", file, shell, sizeof shell),
		command_on("report", file, report, sizeof report));
}

/* Prints which resource lost samples, and what part of it, as in reports. */
static void print_lost(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	for (size_t i = 0; i < config->nrequests; i++) {
		struct rerun_resource r = had(&config->requests[i], summary, i);
		const struct monitor_books *books = &summary->resource[i];
		double known = (double)(books->weight + books->losing);

		if (!r.lost)
			continue;
		fprintf(out,
			"cpprof: %s: %" PRIu64 " samples were lost (%.1f %%), "
			"shown as [lost]%s\n",
			r.name, r.lost,
			known ? 100 * (double)books->losing /
					fmax(known, (double)books->total)
			      : 0,
			r.interval ? "" : "; fewer functions lose less");
	}
}

static void print_losses(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary, const char *file)
{
	char report[FILENAME_MAX];

	command_on("report", file, report, sizeof report);
	print_lost(out, config, summary);
	if ((double)summary->truncated >
		WORTH_SAYING * (double)summary->samples)
		fprintf(out,
			"cpprof: %" PRIu64 " of %" PRIu64 " stacks (%.0f %%) "
			"are incomplete, shown below [truncated]%s\n",
			summary->truncated, summary->samples,
			100 * (double)summary->truncated /
				(double)summary->samples,
			summary->copies && config->timer != TIMER_STOP
				? "; --timer=stop has those over 64 KiB"
				: "");
	for (size_t i = 0; i < config->nrequests; i++) {
		const struct resource_request *q = &config->requests[i];
		uint64_t total = summary->resource[i].total;
		uint64_t weight = summary->resource[i].weight +
				  summary->resource[i].probes;

		if (summary->lost || total <= weight ||
			total - weight <= 10 * q->interval ||
			(double)(total - weight) < WORTH_SAYING * (double)total)
			continue;
		fprintf(out,
			"cpprof: %.0f %% of %s is in no sample; '%s' shows "
			"why\n",
			100 * (double)(total - weight) / (double)total, q->name,
			report);
	}
}

static void print_weaker(FILE *out, const char *line)
{
	for (size_t n; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		fprintf(out, "cpprof: %.*s\n", (int)n, line);
	}
}

/* Prints where the kernel's own figures of the program are others. */
static void print_differing(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	for (size_t i = 0; i < config->nrequests; i++) {
		const struct resource_request *q = &config->requests[i];
		char used[64], counted[64];

		if (!summary->resource[i].differs)
			continue;
		amount(q->resource, summary->resource[i].used, used,
			sizeof used);
		amount(q->resource, summary->resource[i].total, counted,
			sizeof counted);
		fprintf(out,
			"cpprof: %s: the timers counted %s%s%s that the "
			"program used by wait4(2): its profile %s\n",
			q->name, counted,
			summary->resource[i].differs < 0 ? " of the "
							 : ", not the ",
			used,
			summary->resource[i].differs < 0 ? "lacks the rest"
							 : "has too much");
	}
}

/* Prints what is not counted. */
static void print_uncounted(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	for (size_t i = 0; i < config->nrequests; i++) {
		const char *name = config->requests[i].name;
		uint64_t processes = summary->resource[i].uncounted;

		if (processes)
			fprintf(out,
				"cpprof: %s: a set-uid program ended the "
				"counting in %" PRIu64 " process%s: what it "
				"consumed is not known\n",
				name, processes, processes == 1 ? "" : "es");
		if (summary->resource[i].inlined)
			fprintf(out,
				"cpprof: %s: inlined in places; inlined calls "
				"are not counted\n",
				name);
		if (summary->resource[i].execs)
			fprintf(out,
				"cpprof: %s: not counted after an exec "
				"(%" PRIu64 "); as root use calls=/PATH:FUNC "
				"for another program's\n",
				name, summary->resource[i].execs);
	}
}

/* What probes took of the first time in the run that tells. */
struct probed {
	const char *of;
	double part;
};

static struct probed probed(const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	for (size_t i = 0; i < config->nrequests; i++) {
		const struct resource_request *q = &config->requests[i];
		double part = (double)summary->resource[i].probes /
			      (double)summary->resource[i].total;

		if (resource_is_time(q->resource) && part > 0)
			return (struct probed){q->name, part};
	}
	return (struct probed){NULL, 0};
}

/* Whether it says what the samples took. */
static bool print_rerun(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	char *option = rerun(config, summary);
	bool lossy = false, costly;
	double cost = 0;

	for (size_t i = 0; i < config->nrequests; i++) {
		struct rerun_resource r = had(&config->requests[i], summary, i);

		lossy |= rerun_is_lossy(&r);
		cost += rerun_cost(&r);
	}
	costly = option && cost > 0 && !lossy;
	cost = fmax(cost, probed(config, summary).part);
	if (costly)
		fprintf(out,
			"cpprof: the samples took about %.0f %% of the "
			"program's CPU time; this takes fewer: %s\n",
			100 * (cost < 1 ? cost : 1), option);
	else if (option)
		fprintf(out, "cpprof: %s: %s\n",
			lossy ? "this loses fewer samples"
			      : "few samples, for a short run; this takes more",
			option);
	if (!costly && !lossy && asked_little(config, summary))
		fputs("cpprof: " HINT_OWN_HEAP "\n", out);
	free(option);
	return costly;
}

#define PROBES_MUCH 0.03

/* The resources of a run whose every event costs the program something. */
static void list_probes(const struct monitor_config *config, char list[512])
{
	*list = '\0';
	for (size_t i = 0; i < config->nrequests; i++) {
		const struct resource *r = config->requests[i].resource;

		if (r->slows[TIMER_PERCPU] || r->argument == ARGUMENT_FUNCTION)
			text_list(list, 512, config->requests[i].name);
	}
}

/* What probes took of a time that is in the same run. */
static void print_probed(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	struct probed took = probed(config, summary);
	char list[512];

	list_probes(config, list);
	if (*list && took.part > PROBES_MUCH)
		fprintf(out,
			"cpprof: the probes of %s took %.0f %% of %s; alone it "
			"has none: -r %s\n",
			list, 100 * took.part, took.of, took.of);
}

#define TRAP_COST 10.0 /* us of the program's that an uprobe takes, about */
#define TRAPS_MANY 20000

/* What probes took that have no samples, or take as much without one. */
static void print_probes(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary)
{
	for (size_t i = 0; i < config->nrequests; i++) {
		const struct resource_request *q = &config->requests[i];
		uint64_t total = summary->resource[i].total;
		double part = RERUN_PROBE_COST * (double)total / summary->cpu;

		if (!(summary->cpu > 0))
			continue;
		if (q->resource->counts & COUNTS_ARCS && part > PROBES_MUCH)
			fprintf(out,
				"cpprof: %s: the probes took %.0f %% of the "
				"program's CPU time, or more; fewer functions "
				"or --count-limit take less\n",
				q->name, 100 * (part < 1 ? part : 1));
		else if (q->resource->argument == ARGUMENT_FUNCTION &&
			 total >= TRAPS_MANY &&
			 TRAP_COST * (double)total > PROBES_MUCH * summary->cpu)
			fprintf(out,
				"cpprof: %s: each of %" PRIu64 " calls took a "
				"trap, whatever the interval; a function that "
				"is called less slows the program less\n",
				q->name, total);
	}
}

void run_summary_print(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary, const char *file)
{
	char info[FILENAME_MAX], killed[64];

	print_weaker(out, summary->weaker);
	if (*text_killed(summary->status, killed, sizeof killed))
		fprintf(out, "cpprof: the program was %s\n", killed);
	if (summary->left)
		fprintf(out,
			"cpprof: the program ended, and %" PRIu64
			" process%s that it started run%s on: 'cpprof attach "
			"--children %d' profiles %s\n",
			summary->left, summary->left == 1 ? "" : "es",
			summary->left == 1 ? "s" : "", (int)summary->oldest,
			summary->left == 1 ? "it"
					   : "the first and its children");
	if (summary->samples == 0) {
		print_nothing(out, config, summary);
		print_differing(out, config, summary);
		print_uncounted(out, config, summary);
		return;
	}
	print_collected(out, config, summary, file);
	print_losses(out, config, summary, file);
	print_differing(out, config, summary);
	print_uncounted(out, config, summary);
	if (!print_rerun(out, config, summary))
		print_probed(out, config, summary);
	print_probes(out, config, summary);
	if (summary->checked)
		fprintf(out,
			"cpprof: libunwind contradicts %" PRIu64 " of %" PRIu64
			" stacks; '%s' lists where\n",
			summary->contradicted, summary->checked,
			command_on("info", file, info, sizeof info));
}
